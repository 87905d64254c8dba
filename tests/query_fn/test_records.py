"""What is written down of requests: one line each, nothing of the reader, and the gaps that can be read from it."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from starlette.testclient import TestClient

from compiler.gaps import gaps
from query_fn import service
from query_fn.app import create_app
from query_fn.settings import Settings
from tests.artifacts import make_build

SECRET = b"0123456789abcdef"
PRIVATE = "I am Maria Jensen, maria@example.org. Which volcano erupts tomorrow?"


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny bilingual base."""
    return make_build(tmp_path_factory.mktemp("out"))


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Every line of every logger, except those of the test's own HTTP client."""
    caplog.set_level(logging.DEBUG)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    return caplog


def _client(artifacts: Path, **changes: Any) -> TestClient:
    settings = replace(Settings(artifacts, log_requests=True, secret=SECRET), **changes)
    return TestClient(create_app(settings), raise_server_exceptions=False)


def _told(lines: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [json.loads(r.message) for r in lines.records if r.name == "geosmin.records"]


def _ask(client: TestClient, text: str, *, stream: bool = False) -> Any:
    return client.post("/api/public/qa/chat", json={"question": text, "stream": stream})


@pytest.mark.parametrize("stream", [False, True])
def test_one_line_for_an_answer(artifacts: Path, lines: pytest.LogCaptureFixture, stream: bool) -> None:
    """The line says how it ended, on which pages it stands, how long it took, and carries the id of the reply."""
    response = _ask(_client(artifacts), "How long are backups kept?", stream=stream)
    (line,) = _told(lines)
    assert line["request_id"] == response.headers["x-request-id"]
    assert (line["event"], line["route"], line["status"]) == ("request", "api/public/qa/chat", 200)
    assert line["outcome"] == "completed"
    assert line["pages"]
    assert line["ms"] > 0
    assert {metric["Name"] for metric in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]} == {"ms", "usd", "confidence"}


def test_no_word_of_a_question_is_written(artifacts: Path, lines: pytest.LogCaptureFixture) -> None:
    """By default only a keyed hash stands in the log, the same for the same question and another with another key."""
    for secret in (SECRET, SECRET, b"another secret of mine"):
        _ask(_client(artifacts, secret=secret), PRIVATE)
    everything = "\n".join(record.getMessage() for record in lines.records)
    assert not [word for word in ("Maria", "example.org", "volcano") if word in everything]
    first, second, other = (line["question"] for line in _told(lines))
    assert first == second != other


def test_the_owner_may_ask_for_words(artifacts: Path, lines: pytest.LogCaptureFixture) -> None:
    """Then the question is written, escaped and cut."""
    _ask(_client(artifacts, log_words=True), "\x1b[31mred"[4:] + " 端口" + "?" * 900)
    assert _told(lines)[0]["text"].startswith("mred 端口")
    assert len(_told(lines)[0]["text"]) == 500


@pytest.mark.parametrize("path", ["/api/public/search?q=secretword", "/api/public/outline/secretword", "/healthz"])
def test_other_routes(artifacts: Path, lines: pytest.LogCaptureFixture, path: str) -> None:
    """A line names the route, never what stands in the address."""
    _client(artifacts).get(path)
    (line,) = _told(lines)
    assert "secretword" not in json.dumps(line)
    assert line["route"]


def test_a_fault_is_one_line_too(artifacts: Path, lines: pytest.LogCaptureFixture, monkeypatch: Any) -> None:
    """A request that fails is counted with its status, and the reply holds its id and nothing of the fault."""

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("/srv/secret/path")

    monkeypatch.setattr(service, "answer", broken)
    response = _ask(_client(artifacts), "How long are backups kept?")
    assert response.status_code == 500
    assert "secret" not in response.text
    assert [(line["status"], line["request_id"]) for line in _told(lines)] == [(500, response.headers["x-request-id"])]


def test_gaps_are_read_from_the_log(artifacts: Path, lines: pytest.LogCaptureFixture) -> None:
    """Unanswered questions are counted together however they are written, a thumb down counts for its question."""
    client = _client(artifacts, log_words=True)
    for text in ("Which volcano erupts tomorrow?", "which VOLCANO  erupts tomorrow?", "How long are backups kept?"):
        _ask(client, text)
    for rating in ("down", "up"):
        client.post("/api/public/feedback", json={"rating": rating, "question": "How long are backups kept?"})
    log = [f"2026-11-30T12:00:00Z {record.getMessage()}" for record in lines.records]
    first, second = gaps([*log, "", "{", '{"event": "request"}', "[" * 9_000, '{"event": "request", "question": 7}'])
    assert (first.text, first.unanswered, first.disliked) == ("Which volcano erupts tomorrow?", 2, 0)
    assert (second.unanswered, second.disliked) == (0, 1)
