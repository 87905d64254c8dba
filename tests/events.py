"""Requests as Amazon's four doors write them, and the answers as they take them back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

Pairs = Sequence[tuple[str, str]]
HOST = "abc123.execute-api.eu-west-1.amazonaws.com"
READER = "203.0.113.7"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, before a door has written it down."""

    method: str = "POST"
    path: str = "/api/public/qa/chat"
    query: Pairs = ()
    headers: Pairs = ()
    body: str | None = None
    encoded: bool = False
    forwarded: str = READER


def http_api(asked: Asked) -> dict[str, Any]:
    """An HTTP API (payload 2.0): headers that come twice are joined, the query is a string."""
    context = {"method": asked.method, "path": asked.path, "protocol": "HTTP/1.1", "sourceIp": READER, "userAgent": "t"}
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": quote(asked.path),
        "rawQueryString": urlencode(asked.query),
        "headers": {name: ",".join(values) for name, values in _grouped(_all(asked)).items()},
        "requestContext": {"domainName": HOST, "http": context, "stage": "$default", "requestId": "r"},
        "body": asked.body,
        "isBase64Encoded": asked.encoded,
    }


def function_url(asked: Asked) -> dict[str, Any]:
    """A function URL: the same with another name."""
    event = http_api(asked)
    event["requestContext"]["domainName"] = event["headers"]["host"] = "abc123.lambda-url.eu-west-1.on.aws"
    return event


def rest_api(asked: Asked) -> dict[str, Any]:
    """A REST API (payload 1.0): every name with its last value, and again with all of them."""
    headers, query = _grouped(_all(asked)), _grouped(asked.query)
    return {
        "resource": "/{proxy+}",
        "path": asked.path,
        "httpMethod": asked.method,
        "headers": {name: values[-1] for name, values in headers.items()},
        "multiValueHeaders": headers,
        "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
        "requestContext": {
            "domainName": HOST,
            "httpMethod": asked.method,
            "identity": {"sourceIp": READER},
            "path": f"/live{asked.path}",
            "resourcePath": "/{proxy+}",
            "stage": "live",
        },
        "body": asked.body,
        "isBase64Encoded": asked.encoded,
    }


def balancer(asked: Asked) -> dict[str, Any]:
    """A load balancer, which leaves the query encoded and has an empty body where there is none."""
    event = balancer_with_lists(asked)
    return {
        **{name: value for name, value in event.items() if not name.startswith("multiValue")},
        "headers": {name: values[-1] for name, values in event["multiValueHeaders"].items()},
        "queryStringParameters": {
            name: values[-1] for name, values in event["multiValueQueryStringParameters"].items()
        },
    }


def balancer_with_lists(asked: Asked) -> dict[str, Any]:
    """A load balancer whose target group has multi-value headers."""
    encoded = [(quote(name), quote(value)) for name, value in asked.query]
    return {
        "requestContext": {"elb": {"targetGroupArn": "arn:aws:elasticloadbalancing:eu-west-1:0:targetgroup/t/1"}},
        "httpMethod": asked.method,
        "path": quote(asked.path),
        "multiValueHeaders": _grouped(_all(asked)),
        "multiValueQueryStringParameters": _grouped(encoded),
        "body": asked.body or "",
        "isBase64Encoded": asked.encoded,
    }


DOORS: tuple[Callable[[Asked], dict[str, Any]], ...] = (function_url, http_api, rest_api, balancer, balancer_with_lists)


def header(answer: dict[str, Any], name: str) -> str:
    """Return a header of an answer, however its door takes it."""
    lists = answer.get("multiValueHeaders") or {key: [value] for key, value in answer["headers"].items()}
    return ", ".join(lists[name])


def _all(asked: Asked) -> Pairs:
    usual = [
        ("host", HOST),
        ("x-forwarded-for", asked.forwarded),
        ("x-forwarded-port", "443"),
        ("x-forwarded-proto", "https"),
    ]
    return [*usual, ("content-type", "application/json"), *asked.headers]


def _grouped(pairs: Pairs) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found
