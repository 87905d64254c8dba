"""A runtime loop that streams: ``python -m query_fn.runtime`` in place of the managed one.

The managed Python runtime hands a response over when it is whole. This loop sends what the app yields when it yields
it, for function URLs (invoke mode RESPONSE_STREAM) and, with GEOSMIN_STREAM_REST=1, for REST APIs whose integration has
the response transfer mode STREAM: their events do not tell. For every other event it answers like `query_fn.handler`.

Protocol: AWS, "Using the Lambda runtime API" and "Custom runtimes: response streaming". A streamed body is a JSON
prelude with status and headers, eight zero bytes, and then the body, in chunked transfer encoding.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import os
import socket
from collections.abc import Mapping, MutableMapping
from typing import Any

from query_fn.handler import Event, adapter, app, handler, problem, refusal

API = "/2018-06-01/runtime"
PRELUDE_TYPE = "application/vnd.awslambda.http-integration-response"
_END_OF_PRELUDE = b"\0" * 8
_log = logging.getLogger("geosmin.runtime")
Message = MutableMapping[str, Any]


class RuntimeClient:
    """The function's side of the Runtime API, over one connection."""

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(address, timeout=None)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a chunk leaves when it is there

    def next(self) -> tuple[str, Any]:
        """Wait for an event; return its id and itself."""
        self._connection.request("GET", f"{API}/invocation/next")
        response = self._connection.getresponse()
        return response.headers["Lambda-Runtime-Aws-Request-Id"], json.loads(response.read())

    def respond(self, request_id: str, value: object) -> None:
        """Hand over a whole response."""
        self._connection.request("POST", f"{API}/invocation/{request_id}/response", json.dumps(value).encode())
        self._connection.getresponse().read()

    def begin(self, request_id: str) -> None:
        """Begin a streamed response."""
        self._connection.putrequest("POST", f"{API}/invocation/{request_id}/response")
        self._connection.putheader("Content-Type", PRELUDE_TYPE)
        self._connection.putheader("Lambda-Runtime-Function-Response-Mode", "streaming")
        self._connection.putheader("Transfer-Encoding", "chunked")
        self._connection.putheader("Trailer", "Lambda-Runtime-Function-Error-Type")
        self._connection.endheaders()

    def chunk(self, data: bytes) -> None:
        """Send a piece of a streamed response."""
        if data:
            self._connection.send(b"%x\r\n%b\r\n" % (len(data), data))

    def end(self, *, failed: bool = False) -> None:
        """End a streamed response, as failed when its body is not whole."""
        trailer = b"Lambda-Runtime-Function-Error-Type: Function.Incomplete\r\n" if failed else b""
        self._connection.send(b"0\r\n%b\r\n" % trailer)
        self._connection.getresponse().read()


class Stream:
    """One streamed response: the app's messages in, chunks out."""

    def __init__(self, client: RuntimeClient, request_id: str) -> None:
        self._client = client
        self._request_id = request_id
        self._begun = self._whole = False

    async def send(self, message: Message) -> None:
        """Take one message of the app."""
        if message["type"] == "http.response.start":
            self._client.begin(self._request_id)
            self._begun = True
            self._client.chunk(_prelude(message["status"], message.get("headers", ())) + _END_OF_PRELUDE)
        else:
            self._client.chunk(message.get("body", b""))
            self._whole = not message.get("more_body", False)

    def end(self) -> None:
        """End the response; one that the app left unfinished is marked as failed, one that never began is a fault."""
        if self._begun:
            self._client.end(failed=not self._whole)
        else:
            self._client.respond(self._request_id, problem(500, "Something failed here", "Try again."))


def serve(client: RuntimeClient, *, rest: bool = False) -> None:
    """Answer events, for ever; `rest` says that REST APIs take streams."""
    with asyncio.Runner() as runner:
        while True:
            request_id, event = client.next()
            if _streams(event, rest=rest) and refusal(event) is None:
                runner.run(_stream(client, request_id, event))
            else:
                client.respond(request_id, handler(event, None))


async def _stream(client: RuntimeClient, request_id: str, event: Event) -> None:
    request = adapter.infer(dict(event), None)  # type: ignore[arg-type]
    body = [{"type": "http.request", "body": request.body, "more_body": False}]
    stream, over = Stream(client, request_id), asyncio.Event()

    async def receive() -> Message:
        if body:
            return body.pop()
        await over.wait()  # nobody tells a function that its reader has left
        return {"type": "http.disconnect"}

    try:
        await app(request.scope, receive, stream.send)
    except Exception:  # noqa: BLE001 - the edge: the response ends as failed and the container lives on
        _log.exception("a response failed")
    stream.end()


def _streams(event: object, *, rest: bool) -> bool:
    """Say whether the event came through a door whose other side takes a stream."""
    context = event.get("requestContext") if isinstance(event, Mapping) else None
    if not isinstance(context, Mapping):
        return False
    domain = context.get("domainName")
    return (isinstance(domain, str) and ".lambda-url." in domain) or (rest and "resourcePath" in context)


def _prelude(status: int, headers: Any) -> bytes:
    """Return status and headers as JSON. A header that is given twice is joined; cookies have a list of their own."""
    joined: dict[str, str] = {}
    cookies = []
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if name == "set-cookie":
            cookies.append(value)
        else:
            joined[name] = f"{joined[name]}, {value}" if name in joined else value
    found = {"statusCode": status, "headers": joined, "cookies": cookies}
    return json.dumps(found).encode()


def main() -> None:
    """Run the loop against the Runtime API that the environment names."""
    rest = os.environ.get("GEOSMIN_STREAM_REST") == "1"
    serve(RuntimeClient(os.environ["AWS_LAMBDA_RUNTIME_API"]), rest=rest)


if __name__ == "__main__":
    main()
