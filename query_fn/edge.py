"""What every API response goes through: a request id, no-store, exact-origin CORS, faults as problem details."""

from __future__ import annotations

import hmac
import logging
import time
import uuid
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from query_fn import records, wire
from query_fn.errors import ArtifactError, BadRequest, Forbidden, RequestError, TooLarge, TooMany
from query_fn.guard.limits import check_body, parse_json
from query_fn.guard.proof import HEADER

DOOR = "x-geosmin-door"
METRICS = {"ms": "Milliseconds", "usd": "None", "confidence": "None"}
Endpoint = Callable[[Request], Awaitable[Response]]
_log = logging.getLogger("geosmin.edge")

_UNAVAILABLE = {
    "artifacts_missing": "No build is there yet. Run `geosmin build`, then ask again.",
    "artifacts_damaged": "The build is damaged and is not served. Build again or deploy it again.",
    "artifacts_unsigned": "The build is not signed by the owner and is not served.",
    "artifacts_unreachable": "The build cannot be fetched now. Try again later.",
    "profile_mismatch": "The build was made for another version of this function. Build again.",
}


def guarded(
    endpoint: Endpoint, *, origins: tuple[str, ...], methods: tuple[str, ...], door: bytes | None = None
) -> Endpoint:
    """Return the endpoint with everything around it that all of them share.

    With a `door`, only requests that carry it in the header DOOR are let in: the proxy in front adds it.
    """
    if door is not None:
        endpoint = _behind(door, endpoint)

    async def handle(request: Request) -> Response:
        request_id = uuid.uuid4().hex
        request.state.request_id = request_id
        response = _method(request, origins, methods) or await _answer(endpoint, request, request_id)
        if request.method == "HEAD":
            response.body = b""
        response.headers.setdefault("cache-control", "no-store")
        response.headers["x-request-id"] = request_id
        response.headers["x-content-type-options"] = "nosniff"
        if passed := getattr(request.state, "passed", ""):
            response.headers[HEADER] = passed
        if origins:
            response.headers["vary"] = "Origin"
        if (origin := request.headers.get("origin")) in origins and origin:
            response.headers["access-control-allow-origin"] = origin
            response.headers["access-control-expose-headers"] = f"retry-after, x-request-id, {HEADER}"
        return response

    return handle


async def read_json(request: Request, max_bytes: int) -> object:
    """Return the JSON body, read no further than `max_bytes`. Raises BadRequest or TooLarge."""
    if request.headers.get("content-encoding", "identity") != "identity":
        raise BadRequest("A compressed body is not accepted.")
    if not request.headers.get("content-type", "application/json").startswith("application/json"):
        raise BadRequest("Send application/json.")
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > max_bytes:
            raise TooLarge(f"The body may have at most {max_bytes} bytes.")
    check_body(body, max_bytes)
    return parse_json(body)


def problem_response(problem: wire.Json, *, headers: dict[str, str] | None = None) -> Response:
    """Return problem details as a response."""
    status = problem["status"]
    assert isinstance(status, int)
    return JSONResponse(problem, status, headers=headers, media_type="application/problem+json")


def recorded(endpoint: Endpoint, route: str) -> Endpoint:
    """Return the endpoint with one line in the owner's log for each request, written when its last byte has left."""

    async def handle(request: Request) -> Response:
        began, request.state.facts = time.perf_counter(), {}
        response = await _answer(endpoint, request, request.state.request_id)

        def tell() -> None:
            took = round(1000 * (time.perf_counter() - began), 1)
            known = {"route": route, "request_id": request.state.request_id, "status": response.status_code, "ms": took}
            records.write("request", {**known, **request.state.facts}, metrics=METRICS)

        if isinstance(response, StreamingResponse):
            response.body_iterator = _then(response.body_iterator, tell)
        else:
            tell()
        return response

    return handle


async def _then(body: AsyncIterable[Any], tell: Callable[[], None]) -> AsyncIterator[Any]:
    try:
        async for piece in body:
            yield piece
    finally:
        tell()


def _behind(door: bytes, endpoint: Endpoint) -> Endpoint:
    async def handle(request: Request) -> Response:
        if not hmac.compare_digest(request.headers.get(DOOR, "").encode(), door):
            raise Forbidden("Requests come through the owner's own address only.")
        return await endpoint(request)

    return handle


async def _answer(endpoint: Endpoint, request: Request, request_id: str) -> Response:
    try:
        return await endpoint(request)
    except RequestError as error:
        headers = {"retry-after": str(error.retry_after)} if isinstance(error, TooMany) else None
        return problem_response(wire.request_problem(error, request_id), headers=headers)
    except ArtifactError as error:
        detail = _UNAVAILABLE.get(error.code, "The build cannot be served.")
        title = "Not available"
        return problem_response(wire.problem(503, title, request_id=request_id, code=error.code, detail=detail))
    except HTTPException as error:
        return problem_response(wire.problem(error.status_code, error.detail, request_id=request_id))
    except ClientDisconnect:
        return Response(status_code=499)
    except Exception:  # noqa: BLE001 - the edge: whatever happens, the body says nothing of it
        _log.exception("request %s failed", request_id)
        return problem_response(wire.problem(500, "Something failed here", request_id=request_id))


def _method(request: Request, origins: tuple[str, ...], methods: tuple[str, ...]) -> Response | None:
    """Answer OPTIONS and refuse a method that the endpoint does not have; None: go on."""
    allow = ", ".join((*methods, "OPTIONS"))
    if request.method == "OPTIONS":
        return _preflight(request, origins, allow)
    if request.method in methods:
        return None
    problem = wire.problem(405, "Method not allowed", request_id=request.state.request_id, detail=f"Use {allow}.")
    return problem_response(problem, headers={"allow": allow})


def _preflight(request: Request, origins: tuple[str, ...], allow: str) -> Response:
    """Grant a listed origin, refuse another, and tell the methods to whoever asks without one."""
    origin = request.headers.get("origin")
    if origin is None or "access-control-request-method" not in request.headers:
        return Response(status_code=204, headers={"allow": allow})
    if origin not in origins:
        return Response(status_code=403)
    granted = {
        "access-control-allow-methods": allow,
        # the hash is what a CDN signs with, the build that of the reader's site
        "access-control-allow-headers": "content-type, x-amz-content-sha256, x-geosmin-build, x-geosmin-pass",
        "access-control-max-age": "600",
    }
    return Response(status_code=204, headers=granted)
