"""Every door of Amazon's gives the same answer: four kinds of event, through the Lambda entry."""

from __future__ import annotations

import base64
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

import pytest

from tests.artifacts import make_build
from tests.events import DOORS, READER, Asked, balancer, header
from tests.runtime_api import question

Door = Callable[[Asked], dict[str, Any]]
ORIGIN = "https://example.org"
doors = pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)


@pytest.fixture(scope="module")
def handler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The handler of a container behind one proxy."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GEOSMIN_ARTIFACTS", str(make_build(tmp_path_factory.mktemp("out"))))
        patched.setenv("GEOSMIN_ALLOW_ORIGINS", ORIGIN)
        patched.setenv("GEOSMIN_TRUSTED_HOPS", "1")
        yield fresh()


def fresh() -> Any:
    """Return the handler of a new container."""
    sys.modules.pop("query_fn.handler", None)
    return importlib.import_module("query_fn.handler").handler


def body(answer: dict[str, Any]) -> Any:
    """Return the JSON of an answer."""
    assert answer["isBase64Encoded"] is False
    return json.loads(answer["body"])


@doors
def test_a_question(handler: Any, door: Door) -> None:
    """A body in any script is answered, with an id and the header of the allowed origin."""
    asked = Asked(body=question("泡龙井茶用多少度的水？"), headers=[("origin", ORIGIN)])
    answer = handler(door(asked), None)
    assert (answer["statusCode"], "80 度" in body(answer)["answer"]) == (200, True)
    assert header(answer, "access-control-allow-origin") == ORIGIN
    assert len(header(answer, "x-request-id")) == 32


@doors
def test_a_query(handler: Any, door: Door) -> None:
    """A query in any script arrives decoded once, with a percent sign in it too."""
    for words in ("龙井茶", "a+b c&d=e", "100%25"):
        answer = handler(door(Asked("GET", "/api/public/search", query=[("q", words)])), None)
        assert (answer["statusCode"], body(answer)["query"]) == (200, words)


@pytest.mark.parametrize("door", [door for door in DOORS if door is not balancer], ids=lambda door: door.__name__)
def test_a_name_that_comes_twice(handler: Any, door: Door) -> None:
    """Both values of a repeated parameter count. (Without lists a balancer tells of the last one only.)"""
    query = [("q", "backups"), ("lang", "zh"), ("lang", "en")]
    found = body(handler(door(Asked("GET", "/api/public/search", query=query)), None))["candidates"]
    only = body(handler(door(Asked("GET", "/api/public/search", query=query[:2])), None))["candidates"]
    assert ({"en"} <= {c["lang"] for c in found}, {c["lang"] for c in only} <= {"zh"}) == (True, True)


@doors
def test_a_path_in_chinese(handler: Any, door: Door) -> None:
    """A page is found by its path, and an unknown one is not found."""
    paths = [
        unquote(row["url"]).strip("/")
        for row in body(handler(door(Asked("GET", "/api/public/outline")), None))["articles"]
    ]
    for path in paths:
        assert handler(door(Asked("GET", f"/api/public/outline/{path}")), None)["statusCode"] == 200
    assert handler(door(Asked("GET", "/api/public/outline/没有")), None)["statusCode"] == 404


@doors
@pytest.mark.parametrize(
    ("text", "encoded", "status"),
    [
        (base64.b64encode(question().encode()).decode(), True, 200),
        (question(), False, 200),
        (question(), True, 400),  # the flag lies: this is no base64
        (base64.b64encode(question().encode()).decode(), False, 400),  # the flag is missing: this is no JSON
        (base64.b64encode(b"\xff\xfe{}").decode(), True, 400),
        ("", False, 400),
        (None, False, 400),
    ],
)
def test_a_body_and_its_flag(handler: Any, door: Door, text: str | None, encoded: bool, status: int) -> None:
    """A body is what its flag says it is, or it is refused as the caller's fault."""
    assert handler(door(Asked(body=text, encoded=encoded)), None)["statusCode"] == status


@doors
def test_a_stream_in_one_piece(handler: Any, door: Door) -> None:
    """Doors that take whole answers get all events of a stream at once."""
    answer = handler(door(Asked(body=question(stream=True))), None)
    assert header(answer, "content-type").startswith("text/event-stream")
    assert answer["body"].endswith("data: [DONE]\n\n")


@doors
def test_what_a_reader_writes_about_himself(handler: Any, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one trusted hop the last address counts: another one in front of it makes nobody a new visitor."""
    monkeypatch.setenv("GEOSMIN_RATE_PER_MINUTE", "3")
    limited = fresh()
    asked = [Asked(body=question(), forwarded=f"198.51.100.{n}, {READER}") for n in range(6)]
    assert [limited(door(each), None)["statusCode"] for each in asked] == [200] * 3 + [429] * 3
    assert limited(door(Asked(body=question(), forwarded=f"{READER}, 198.51.100.7")), None)["statusCode"] == 200


@doors
def test_preflight_and_head(handler: Any, door: Door) -> None:
    """OPTIONS of an allowed origin is granted, HEAD has no body, an unknown address is problem details."""
    wanted = [("origin", ORIGIN), ("access-control-request-method", "POST")]
    assert handler(door(Asked("OPTIONS", headers=wanted)), None)["statusCode"] == 204
    assert handler(door(Asked("HEAD", "/healthz")), None)["body"] == ""
    answer = handler(door(Asked("GET", "/nothing")), None)
    assert (answer["statusCode"], header(answer, "content-type")) == (404, "application/problem+json")


@doors
@pytest.mark.parametrize("missing", ["headers", "multiValueHeaders", "path", "rawPath", "httpMethod", "body"])
def test_an_event_with_a_hole(handler: Any, door: Door, missing: str) -> None:
    """Whatever an event lacks, there is an answer and the next question is answered."""
    event = door(Asked(body=question()))
    event.pop(missing, None)
    assert handler(event, None)["statusCode"] in (200, 204, 400, 404)
    assert handler(door(Asked(body=question())), None)["statusCode"] == 200
