"""Whatever the OpenAPI document allows, and what it forbids: the function never answers with a server error."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import GenerationMode
from starlette.testclient import TestClient

from query_fn.app import create_app
from query_fn.settings import Settings
from tests.artifacts import make_build


@cache
def _app() -> Any:
    return create_app(Settings(make_build(Path(mkdtemp(prefix="geosmin-fuzz-")))))


schema = schemathesis.openapi.from_asgi("/openapi.json", _app())
schema.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])


@schema.parametrize()
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_server_error(case: schemathesis.Case) -> None:
    """Every answer to a generated request, sound or not, has a status below 500 and an id."""
    response = case.call()
    assert response.status_code < 500
    assert "x-request-id" in response.headers


@pytest.mark.parametrize("path", ["/api/public/search", "/api/public/qa/chat", "/healthz", "/nothing", "/api/x"])
@pytest.mark.parametrize("method", ["TRACE", "QUERY", "PROPFIND"])
def test_methods_that_nobody_has_heard_of(path: str, method: str) -> None:
    """They are refused like every other wrong method: as problem details, with an id."""
    response = TestClient(_app()).request(method, path)
    assert response.status_code in (404, 405)
    assert "x-request-id" in response.headers


@pytest.mark.parametrize("path", ["/%0A", "/api/public/outline/%0A0", "/a%0D%0Ab", "/%00", "/%FF%FE"])
def test_paths_that_no_pattern_matches(path: str) -> None:
    """A path with a newline or with bytes that are no text is an address where there is nothing, with an id."""
    response = TestClient(_app(), raise_server_exceptions=False).get(path)
    assert (response.status_code, response.headers["content-type"]) == (404, "application/problem+json")
    assert "x-request-id" in response.headers
