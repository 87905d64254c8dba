"""Trials of a build: as the function would fetch it, before the switch; and as readers meet it, after."""

from __future__ import annotations

import json
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin

from mangum import Mangum

from compiler.errors import BuildError
from query_fn.app import create_app
from query_fn.bucket import Bucket, Place
from query_fn.settings import Settings
from query_fn.store import open_store

SECONDS, PAUSE = 180.0, 3.0  # a container looks at the pointer every minute


def from_bucket(place: Place, build_id: str, verify_key: bytes) -> None:
    """Fetch a staged build from its bucket, check the owner's signature, and ask it a question.

    Raises ArtifactError for what the function would refuse and BuildError for what it could not answer.
    """
    folder = Bucket(place, verify_key, seconds=0).fetch(build_id)
    try:
        store = open_store(folder)
        words = next((row.title for row in store.articles()), "geosmin")
        app = Mangum(create_app(Settings(artifacts=folder)), lifespan="off")
        told = app(_event("POST", "/api/public/qa/chat", {"question": words, "stream": False}), None)  # type: ignore[arg-type]
    finally:
        shutil.rmtree(folder.parent, ignore_errors=True)
    if told["statusCode"] != 200 or json.loads(told["body"])["build_id"] != build_id:
        raise BuildError(f"build {build_id} does not answer (status {told['statusCode']}); nothing was switched")


def until_served(address: str, build_id: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
    """Wait until the function at an address answers from a build. Raises BuildError when it does not in time."""
    url, seen = urljoin(address.rstrip("/") + "/", "healthz"), ""
    for _ in range(int(SECONDS / PAUSE)):
        seen = _served(url)
        if seen == build_id:
            return
        sleep(PAUSE)
    raise BuildError(f"{url} answers from {seen or 'no build'} and not from {build_id}; the site was left as it is")


def _served(url: str) -> str:
    if not url.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
        raise BuildError(f"{url}: deploy.address needs https")
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - the scheme was checked
            return str(json.loads(answer.read(100_000)).get("build_id", ""))
    except (OSError, ValueError, AttributeError, urllib.error.URLError):
        return ""


def _event(method: str, path: str, body: object) -> dict[str, Any]:
    """Return a request as a function URL hands it over."""
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"content-type": "application/json", "host": "trial"},
        "requestContext": {"http": {"method": method, "path": path, "sourceIp": "127.0.0.1"}},
        "body": json.dumps(body),
        "isBase64Encoded": False,
    }
