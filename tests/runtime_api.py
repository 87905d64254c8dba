"""The Lambda Runtime API on loopback: hands out events, takes responses whole or in chunks, and says when each came."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ENVIRONMENT = {
    "AWS_LAMBDA_FUNCTION_NAME": "geosmin",
    "AWS_LAMBDA_FUNCTION_VERSION": "1",
    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
    "AWS_LAMBDA_LOG_GROUP_NAME": "g",
    "AWS_LAMBDA_LOG_STREAM_NAME": "s",
    "AWS_REGION": "eu-west-1",
}


@dataclass
class Reply:
    """What came back for one event: the path it came to, its headers, and each chunk with the time of its arrival."""

    kind: str  # "response" | "error"
    headers: dict[str, str]
    chunks: list[tuple[float, bytes]] = field(default_factory=list)
    trailers: dict[str, str] = field(default_factory=dict)

    @property
    def body(self) -> bytes:
        return b"".join(chunk for _, chunk in self.chunks)

    def json(self) -> Any:
        return json.loads(self.body)


class RuntimeApi:
    """One container's other side. `ask` gives an event and waits for its reply."""

    def __init__(self) -> None:
        self.events: queue.Queue[Any] = queue.Queue()
        self.replies: queue.Queue[Reply] = queue.Queue()
        self.asked_at: list[float] = []  # when the container asked for an event
        api = self

        class Handler(_Handler):
            owner = api

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def ask(self, event: Any, *, seconds: float = 60) -> Reply:
        self.events.put(event)
        return self.replies.get(timeout=seconds)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # header and body leave together; two writes would wait for each other's acknowledgement
    owner: RuntimeApi

    def do_GET(self) -> None:
        self.owner.asked_at.append(time.perf_counter())
        event = self.owner.events.get()
        self._reply(200, json.dumps(event).encode())

    def do_POST(self) -> None:
        reply = Reply("response" if self.path.endswith("/response") else "error", dict(self.headers.items()))
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            self._read_chunks(reply)
        else:
            body = self.rfile.read(int(self.headers["content-length"]))
            reply.chunks.append((time.perf_counter(), body))
        self.owner.replies.put(reply)
        self._reply(202, b"{}")

    def handle(self) -> None:
        with suppress(ConnectionError):  # a container that is ended hangs up
            super().handle()

    def _read_chunks(self, reply: Reply) -> None:
        while size := int(self.rfile.readline(), 16):
            reply.chunks.append((time.perf_counter(), self.rfile.read(size)))
            self.rfile.readline()
        while line := self.rfile.readline().strip():
            name, _, value = line.decode().partition(":")
            reply.trailers[name.strip()] = value.strip()

    def _reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        headers = {
            "Lambda-Runtime-Aws-Request-Id": f"id-{time.perf_counter_ns()}",
            "Lambda-Runtime-Deadline-Ms": str(int(time.time() * 1000) + 30_000),
            "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:eu-west-1:000000000000:function:geosmin",
            "Content-Length": str(len(body)),
            "Content-Type": "application/json",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@contextmanager
def runtime_api() -> Iterator[RuntimeApi]:
    api = RuntimeApi()
    api.start()
    yield api
    api.stop()


def url_event(
    body: str | None = None,
    *,
    method: str = "POST",
    path: str = "/api/public/qa/chat",
    query: str = "",
    encoded: bool = False,
    headers: dict[str, str] | None = None,
) -> dict[str, Any]:
    """A function URL event (payload 2.0), as AWS documents it; HTTP APIs send the same shape."""
    host = "abc123.lambda-url.eu-west-1.on.aws"
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": query,
        "headers": {
            "content-type": "application/json",
            "host": host,
            "x-forwarded-for": "203.0.113.7",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
            **(headers or {}),
        },
        "requestContext": {
            "accountId": "anonymous",
            "apiId": "abc123",
            "domainName": host,
            "domainPrefix": "abc123",
            "http": {
                "method": method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "203.0.113.7",
                "userAgent": "t",
            },
            "requestId": "e1506fd5-9e7b-434f-bd42-4f8fa224b599",
            "routeKey": "$default",
            "stage": "$default",
            "time": "12/Mar/2026:19:03:58 +0000",
            "timeEpoch": 1773342238000,
        },
        "body": body,
        "isBase64Encoded": encoded,
    }


def question(text: str = "How long are backups kept?", *, stream: bool = False) -> str:
    return json.dumps({"question": text, "stream": stream}, ensure_ascii=False)
