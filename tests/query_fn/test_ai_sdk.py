"""The stream as the official client reads it: the `ai` package, in Node. Needs `npm ci --prefix tests/ai_sdk`."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from query_fn import talk
from tests.artifacts import make_artifacts
from tests.fake_claude import Reply, Script, Status, Tool, Turn
from tests.fake_claude.reading import cited, sources
from tests.query_fn.claude_app import CHAT, QUESTION, asking

SDK = Path(__file__).parents[1] / "ai_sdk"
NODE = shutil.which("node")
Json = dict[str, Any]

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="node is not installed"),
    pytest.mark.skipif(not (SDK / "node_modules").is_dir(), reason="run `npm ci --prefix tests/ai_sdk` first"),
]
ENDS = ("text-start", "text-delta", "text-end", "data-answer", "finish")


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny bilingual base, without vectors."""
    folder: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder)
    return folder


def reader(body: Json) -> Reply:
    """Read, then answer with two sentences."""
    if not sources(body):
        return Turn((Tool("read", {"locators": ["backup.0"]}),))
    said = ("Backups run every night at 02:30 UTC. ", "Backups are kept for 14 days.")
    return Turn(tuple(cited(body, text, "kept for 14 days") for text in said))


def understood(stream: bytes) -> Json:
    """Return what the client made of a stream: its chunks, the faults it found, the message."""
    assert NODE
    done = subprocess.run([NODE, SDK / "read.mjs"], input=stream, capture_output=True, check=True)
    found: Json = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("script", "chunks", "texts"),
    [
        (reader, ("start", "data-step", "data-step", "source-url", "text-start", "text-delta", *ENDS[1:]), 1),
        (lambda _: Turn.says("NOT_COVERED"), ("start", "data-step", *ENDS), 1),
        (lambda _: Status(401), ("start", "data-step", "data-step", "source-url", *ENDS), 1),
    ],
    ids=["answer", "no answer", "free model"],
)
def test_the_official_client_reads_it(artifacts: Path, script: Script, chunks: tuple[str, ...], texts: int) -> None:
    """Every chunk is one that the client knows, in order; the message has one text, the sources and the answer."""
    with asking(artifacts, script) as asked:
        found = understood(asked.client.post(CHAT, json={"question": QUESTION}).content)
    parts = found["message"]["parts"]
    assert (tuple(found["chunks"]), found["faults"]) == (chunks, [])
    assert [p["type"] for p in parts].count("text") == texts
    answer = next(p["data"] for p in parts if p["type"] == "data-answer")
    assert answer["answer"] == next(p["text"] for p in parts if p["type"] == "text")


def test_a_stream_that_fails(artifacts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault after the start is an error for the client, without internals, and the stream still ends."""
    monkeypatch.setattr(talk.service, "attempt", lambda *_, **__: 1 / 0)
    with asking(artifacts, reader) as asked:
        stream = asked.client.post(CHAT, json={"question": QUESTION}).content
    found = understood(stream)
    assert (found["chunks"], stream.endswith(b"data: [DONE]\n\n")) == (["start", "error", "finish"], True)
    assert "ZeroDivision" not in stream.decode()


def test_signs_of_life_are_not_data(artifacts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a model thinks the stream holds comments, which the client passes over."""
    monkeypatch.setattr(talk, "SILENCE", 0.05)

    def slow(body: Json) -> Reply:
        turn = reader(body)
        assert isinstance(turn, Turn)
        return Turn(turn.blocks, pause=0.3)

    with asking(artifacts, slow) as asked:
        stream = asked.client.post(CHAT, json={"question": QUESTION}).content
    assert stream.count(b": still here\n\n") >= 2
    assert understood(stream)["faults"] == []
