"""A provider that sends for ever, or a byte now and then: the reader is answered in time, and nothing is left behind."""

from __future__ import annotations

import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from query_fn.settings import ClaudeSettings, Settings
from tests.artifacts import make_artifacts
from tests.query_fn.claude_app import CHAT, QUESTION, served

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
START = (
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant",'
    b'"model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":5,"output_tokens":1}}}\n\n'
    b'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
)
DELTA = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"more "}}\n\n'
DEADLINE = 2.5
PAUSE = 0.02


def chunked(data: bytes) -> bytes:
    """Return one chunk of a body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def single(data: bytes) -> Iterator[bytes]:
    """Return the bytes of a text one by one."""
    return (data[n : n + 1] for n in range(len(data)))


ENDLESS: dict[str, Callable[[], Iterator[bytes]]] = {
    "nothing": lambda: itertools.repeat(b""),
    "an event without an end": lambda: itertools.chain([HEAD, chunked(START)], itertools.repeat(chunked(b"d"))),
    "comments": lambda: itertools.chain([HEAD], itertools.repeat(chunked(b": ping\n\n"))),
    "a byte at a time": lambda: itertools.chain([HEAD], (chunked(b) for b in single(START + DELTA * 10_000))),
    "text without an end": lambda: itertools.chain([HEAD, chunked(START)], itertools.repeat(chunked(DELTA))),
    "a header without an end": lambda: itertools.chain([b"HTTP/1.1 200 OK\r\nx-a: "], itertools.repeat(b"a")),
}


@contextmanager
def provider(endless: Callable[[], Iterator[bytes]]) -> Iterator[str]:
    """Yield the address of a server that says one thing to everybody, until they hang up or the test is over."""
    over = threading.Event()

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            for piece in endless():
                connection.sendall(piece)
                if over.wait(PAUSE):
                    return

    def accept(listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=accept, args=(listening,), daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        over.set()


def ask(artifacts: Path, address: str) -> tuple[dict[str, Any], float]:
    """Ask over HTTP with a paid model at an address; return the answer and how many seconds it took."""
    make_artifacts(artifacts)
    claude = ClaudeSettings(key="k", base_url=address)
    settings = Settings(artifacts, chat="claude", claude=claude, deadline_seconds=DEADLINE)
    with served(settings) as port:
        began = time.monotonic()
        reply = httpx.post(f"http://127.0.0.1:{port}{CHAT}", json={"question": QUESTION, "stream": False}, timeout=30)
    assert reply.status_code == 200
    return reply.json(), time.monotonic() - began


@pytest.mark.parametrize("name", ENDLESS)
def test_a_provider_without_an_end(tmp_path: Path, name: str) -> None:
    """The free answer comes within the deadline, the call is counted as paid, and its connection ends with the question.

    Only a reply that has not begun cannot be ended from here; the SDK gives up at 100 KB of headers.
    """
    with provider(ENDLESS[name]) as address:
        answer, took = ask(tmp_path / "artifacts", address)
        assert (answer["status"], took < DEADLINE + 1.0) == ("degraded", True)
        assert answer["diagnostics"]["spent"]["usd"] > 0
        assert _ended(within=2.0) or name == "a header without an end"


def test_a_provider_that_nobody_reached_costs_nothing(tmp_path: Path) -> None:
    """Where no connection was made there is nothing to pay for."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    answer, _ = ask(tmp_path / "artifacts", address)
    assert (answer["status"], answer["diagnostics"]["spent"]["usd"]) == ("degraded", 0.0)


def _ended(*, within: float) -> bool:
    """Say whether the threads that read from a provider end in time."""
    until = time.monotonic() + within
    while time.monotonic() < until and _reading():
        time.sleep(0.02)
    return not _reading()


def _reading() -> bool:
    return any(thread.name.startswith("claude") for thread in threading.enumerate())
