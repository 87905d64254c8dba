"""The HTTP side: `with FakeClaude(script) as fake: Anthropic(base_url=fake.url, api_key=fake.key)`."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.fake_claude import wire
from tests.fake_claude.script import KINDS, Expired, Hang, Reply, Script, Status, Turn

VERSION = "2026-10-21"


@dataclass
class State:
    """What the server remembers."""

    script: Script
    key: str
    polls: int  # how often a batch is asked for before it has ended
    requests: list[dict[str, Any]] = field(default_factory=list)  # bodies of messages, batched ones too
    lock: threading.Lock = field(default_factory=threading.Lock)
    cached: set[str] = field(default_factory=set)
    batches: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    running: int = 0
    most: int = 0  # requests at the same time

    def reply(self, body: dict[str, Any]) -> tuple[Reply, wire.Usage, int]:
        """Return what is said to a request, what it read, and its number."""
        with self.lock:
            self.requests.append(body)
            number, usage = len(self.requests), self._usage(body)
        return self.script(body), usage, number

    def _usage(self, body: dict[str, Any]) -> wire.Usage:
        total = wire.tokens(json.dumps([body.get("system"), body["messages"]], ensure_ascii=False))
        found = wire.prefixes(body)
        read = max((n for name, n in found if name in self.cached), default=0)
        written = max((n for _, n in found), default=0) - read
        self.cached |= {name for name, _ in found}
        return wire.Usage(max(1, total - read - written), written, read)


class FakeClaude:
    """A Messages API on a free port of loopback. `requests` holds every body that was sent."""

    def __init__(self, script: Script, *, key: str = "test-key", polls: int = 1) -> None:
        self.state = State(script, key, polls)
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"state": self.state}))

    @property
    def url(self) -> str:
        """The address for `base_url`."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def key(self) -> str:
        """The key that is accepted."""
        return self.state.key

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The bodies of all messages that were asked for."""
        return self.state.requests

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that went away; a fault of the fake itself is still shown."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    state: State
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
        path = self.path.partition("?")[0].rstrip("/")
        if refused := self._refusal():
            self._error(*refused)
        elif path == "/v1/messages":
            self._counted(body)
        elif path == "/v1/messages/count_tokens":
            self._send(200, {"input_tokens": wire.tokens(json.dumps(body, ensure_ascii=False))})
        elif path == "/v1/messages/batches":
            self._new_batch(body)
        else:
            self._error(404, path)

    def do_GET(self) -> None:
        parts = self.path.partition("?")[0].strip("/").split("/")
        name = parts[3] if len(parts) > 3 else ""
        if refused := self._refusal():
            self._error(*refused)
        elif name not in self.state.batches:
            self._error(404, "no such batch")
        elif parts[4:] == ["results"]:
            lines = (json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in self.state.batches[name])
            self._send_bytes(200, b"".join(lines), "application/x-jsonl")
        else:
            self.state.asked[name] = self.state.asked.get(name, 0) + 1
            self._batch(name, ended=self.state.asked[name] > self.state.polls)

    def _refusal(self) -> tuple[int, str] | None:
        if self.headers.get("authorization") != f"Bearer {self.state.key}":
            return 401, "invalid bearer token"
        if self.headers.get("anthropic-version") != VERSION:
            return 400, "anthropic-version"
        return None

    def _counted(self, body: dict[str, Any]) -> None:
        with self.state.lock:
            self.state.running += 1
            self.state.most = max(self.state.most, self.state.running)
        try:
            self._message(body)
        finally:
            with self.state.lock:
                self.state.running -= 1

    def _message(self, body: dict[str, Any]) -> None:
        if wrong := wire.complaint(body):
            self._error(400, wrong)
            return
        reply, usage, number = self.state.reply(body)
        if isinstance(reply, Hang):
            time.sleep(reply.seconds)
            self.close_connection = True
        elif isinstance(reply, Status):
            self._status(reply)
        elif isinstance(reply, Expired):
            self._error(500, "only a batch expires")
        elif body.get("stream"):
            self._stream(reply, wire.events(reply, body, usage, number))
        else:
            time.sleep(reply.pause)
            self._send(200, wire.message(reply, body, usage, number))

    def _stream(self, turn: Turn, events: Iterable[bytes]) -> None:
        """Write a stream in chunks, with the turn's faults."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for n, event in enumerate(events):
            if n == 1:
                time.sleep(turn.pause)
            if n == turn.cut:
                self.close_connection = True
                return
            failed = turn.error and n == turn.after
            self._chunks(wire.error_event(turn.error) if failed else event, turn.pieces)
            if failed:
                break
        self._chunk(b"")

    def _chunks(self, data: bytes, size: int) -> None:
        for at in range(0, len(data), size or len(data)):
            self._chunk(data[at : at + (size or len(data))])

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _new_batch(self, body: dict[str, Any]) -> None:
        wrong = [wire.complaint(item["params"], batched=True) for item in body["requests"]]
        ids = [item["custom_id"] for item in body["requests"]]
        if any(wrong) or len(set(ids)) != len(ids) or any(len(name) > 64 for name in ids):
            self._error(400, next(filter(None, wrong), "requests: custom_id"))
            return
        lines = []
        for item in body["requests"]:
            reply, _, number = self.state.reply(item["params"])
            lines.append(wire.batch_line(item["custom_id"], reply, item["params"], number))
        with self.state.lock:
            name = f"msgbatch_{len(self.state.batches) + 1:04}"
            self.state.batches[name] = lines[::-1]  # results come in any order
        self._batch(name, ended=False)

    def _batch(self, name: str, *, ended: bool) -> None:
        host, port = self.server.server_address[:2]
        url = f"http://{host!s}:{port}/v1/messages/batches/{name}/results"
        self._send(200, wire.batch(name, len(self.state.batches[name]), ended=ended, results_url=url))

    def _status(self, reply: Status) -> None:
        headers = {"retry-after": reply.retry_after} if reply.retry_after else {}
        if reply.body is not None:
            self._send_bytes(reply.code, reply.body, "text/html", headers)
        else:
            kind = reply.kind or KINDS[reply.code]
            self._send(reply.code, wire.error(kind), headers)

    def _error(self, code: int, text: str) -> None:
        self._send(code, wire.error(KINDS[code], text))

    def _send(self, code: int, data: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        self._send_bytes(code, json.dumps(data, ensure_ascii=False).encode(), "application/json", headers)

    def _send_bytes(self, code: int, data: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in {"content-type": kind, "content-length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
