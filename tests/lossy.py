"""A wire that loses things, between the function and Amazon's services on loopback."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

import pytest

Harm = Callable[[str, bytes], str]  # path and body of a request → what befalls it, "" for nothing
LOST = "lost"  # it arrives and is done, its reply is lost
CUT = "cut"  # its reply ends in the middle
BUSY = "busy"  # it is refused for now, and not done
THROTTLED = b'{"__type": "com.amazonaws.dynamodb.v20120810#ThrottlingException", "message": "slow down"}'


@contextmanager
def lossy(address: str, harm: Harm) -> Iterator[None]:
    """Put the wire in front of the service at `address`, where Amazon's own clients look for it."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            fate = harm(self.path, body)
            if fate == BUSY:
                self._reply(400, {"content-type": "application/x-amz-json-1.0"}, THROTTLED)
                return
            status, headers, found = _asked(address, self, body)
            if fate == LOST:
                self.close_connection = True
            else:
                self._reply(status, headers, found, cut=fate == CUT)

        do_GET = do_PUT = do_POST = do_HEAD = _pass_on

        def _reply(self, status: int, headers: dict[str, str], body: bytes, *, cut: bool = False) -> None:
            self.send_response(status)
            for name, value in headers.items():
                if name.lower() not in ("content-length", "transfer-encoding", "connection", "server", "date"):
                    self.send_header(name, value)
            self.send_header("content-length", headers.get("Content-Length", str(len(body))))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if cut else body)
            self.close_connection = cut

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
            yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _asked(address: str, given: BaseHTTPRequestHandler, body: bytes) -> tuple[int, dict[str, str], bytes]:
    there = urlsplit(address)
    connection = http.client.HTTPConnection(there.hostname or "", there.port)
    connection.request(given.command, given.path, body, dict(given.headers.items()))
    reply = connection.getresponse()
    found = reply.read()
    connection.close()
    return reply.status, dict(reply.getheaders()), found
