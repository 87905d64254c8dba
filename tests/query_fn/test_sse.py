"""The stream: AI SDK UI message parts in the right order, the text in whole verified sentences."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.testclient import TestClient

from query_fn.agent.chat.base import Call, Calls, Draft, View
from query_fn.app import create_app
from query_fn.live import Live
from query_fn.settings import Settings
from tests.artifacts import NOW, make_build

# The parts of the chunk schema that we send: required and optional keys (strict, as the client checks them).
PARTS: dict[str, tuple[set[str], set[str]]] = {
    "start": (set(), {"messageId"}),
    "data-step": ({"data"}, {"id", "transient"}),
    "source-url": ({"sourceId", "url"}, {"title"}),
    "text-start": ({"id"}, set()),
    "text-delta": ({"id", "delta"}, set()),
    "text-end": ({"id"}, set()),
    "data-answer": ({"data"}, {"id", "transient"}),
    "error": ({"errorText"}, set()),
    "finish": (set(), {"finishReason"}),
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The tiny bilingual base behind its pointer."""
    return Settings(make_build(tmp_path_factory.mktemp("out")), secret=b"a secret of the owner, not short")


def _events(text: str) -> list[dict[str, Any]]:
    lines = text.split("\n\n")
    assert lines[-1] == ""
    assert lines[-2] == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]


def _stream(settings: Settings, question: str) -> tuple[list[dict[str, Any]], httpx.Headers]:
    client = TestClient(create_app(settings, clock=lambda: NOW))
    response = client.post("/api/public/qa/chat", json={"question": question})
    return _events(response.text), response.headers


@pytest.mark.parametrize(
    "question", ["How do I restore a backup?", "泡龙井茶用多少度的水？", "Who won the world cup?", "你好"]
)
def test_parts_follow_the_protocol(settings: Settings, question: str) -> None:
    """Each part has a known type and exactly the keys that the client's strict schema allows."""
    for part in _stream(settings, question)[0]:
        required, optional = PARTS[part["type"]]
        keys = set(part) - {"type"}
        assert required <= keys <= required | optional


def test_order(settings: Settings) -> None:
    """Start, live steps, sources, one text part, the whole answer, finish."""
    kinds = [part["type"] for part in _stream(settings, "泡龙井茶用多少度的水？")[0]]
    order = list(PARTS)
    assert sorted(kinds, key=order.index) == kinds
    assert kinds[0] == "start"
    assert [kinds.count(k) for k in ("text-start", "text-end", "data-answer", "finish")] == [1, 1, 1, 1]
    assert kinds.count("data-step") >= 2


def test_deltas_join_to_the_answer(settings: Settings) -> None:
    """The text deltas joined are the answer's text, and every source is cited evidence."""
    events, _ = _stream(settings, "How do I restore a backup?")
    answer = next(e["data"] for e in events if e["type"] == "data-answer")
    assert "".join(e["delta"] for e in events if e["type"] == "text-delta") == answer["answer"]
    sources = [(e["sourceId"], e["url"]) for e in events if e["type"] == "source-url"]
    assert sources == [(e["id"], e["url"]) for e in answer["evidence"]]


def test_headers(settings: Settings) -> None:
    """The stream names its protocol and is never cached."""
    _, headers = _stream(settings, "你好")
    assert headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert headers["content-type"] == "text/event-stream; charset=utf-8"
    assert headers["cache-control"] == "no-store"


class _Slow:
    """A model that takes its time between its steps."""

    name = "slow"

    def next(self, view: View) -> Calls | Draft:
        if view.seen:
            time.sleep(0.6)
            return Draft(())
        return Calls((Call("search", {"query": view.question}),))


@pytest.fixture
def server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A real server on loopback whose model is slow."""
    monkeypatch.setattr("query_fn.live.chat_model", lambda *_: _Slow())
    server = uvicorn.Server(uvicorn.Config(create_app(settings), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(5)


def test_steps_arrive_live(server: str) -> None:
    """A step reaches the client while the model still works on the next one."""
    arrived: dict[str, float] = {}
    with httpx.stream("POST", f"{server}/api/public/qa/chat", json={"question": "backup"}, trust_env=False) as response:
        for line in response.iter_lines():
            if line.startswith("data: {"):
                arrived.setdefault(json.loads(line[6:])["type"], time.monotonic())
    assert arrived["finish"] - arrived["data-step"] > 0.4


class _Broken:
    name = "broken"

    def next(self, view: View) -> Draft:
        raise RuntimeError(f"secret detail about {view.question}")


def test_fault_after_the_start(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in the middle ends the stream with a sentence in the reader's language, not with its cause."""
    monkeypatch.setattr("query_fn.live.chat_model", lambda *_: _Broken())
    events, _ = _stream(settings, "备份保留多久？")
    assert events[1:] == [
        {"type": "error", "errorText": "这里出了问题，请再问一次。"},
        {"type": "finish", "finishReason": "error"},
    ]
    assert Live(settings).current().deps.model.name == "broken"
