"""The Lambda entry and composition root: the only module that knows AWS and the environment.

Import is cheap; the build is opened at the first question and stays open while the container is warm. Responses are
buffered here: a client gets the whole event stream at once and the same parts in order. `query_fn.runtime` streams.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import logging
import os
import random
import re
import time
import uuid
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mangum import Mangum

from query_fn import records
from query_fn.app import create_app
from query_fn.bucket import Place
from query_fn.environment import SettingsError, chat_from, claude_from
from query_fn.errors import ArtifactError
from query_fn.guard.proof import MOST_BITS
from query_fn.guard.switch import POSITIONS
from query_fn.regex import regex
from query_fn.settings import Settings
from query_fn.signature import key_from

SEARCHES = 120  # of one visitor in a minute, unless the owner says otherwise: a function is open to strangers
_ORIGIN = regex(r"https?://(?:[a-z0-9._-]+|\[[0-9a-f:]+\])(?::\d{1,5})?")  # a browser writes names small, in ASCII
_NEVER_SENT = {"http": ":80", "https": ":443"}
_log = logging.getLogger("geosmin.handler")
_log.setLevel(logging.INFO)
Event = Mapping[str, Any]


def settings_from(environment: Mapping[str, str]) -> Settings:
    """Return Settings from the GEOSMIN_* variables; what is not set keeps its default.

    Raises SettingsError for a number that is none, a secret under 16 bytes, or an origin that is not exact.
    """
    default = Settings(artifacts=Path("artifacts"))
    secret = environment.get("GEOSMIN_CONVERSATION_SECRET", "").encode()
    if secret and len(secret) < 16:
        raise SettingsError("GEOSMIN_CONVERSATION_SECRET needs at least 16 bytes")
    artifacts, key = environment.get("GEOSMIN_ARTIFACTS", ""), _verify_key(environment.get("GEOSMIN_VERIFY_KEY", ""))
    bucket = artifacts if "://" in artifacts else ""
    if bucket and (Place.of(bucket) is None or key is None or find_spec("boto3") is None):
        raise SettingsError("GEOSMIN_ARTIFACTS=s3://BUCKET/PREFIX needs GEOSMIN_VERIFY_KEY, and boto3 (`--with aws`)")
    return Settings(
        artifacts=Path(artifacts or default.artifacts),
        bucket=bucket,
        verify_key=key,
        refresh_seconds=float(_number(environment, "GEOSMIN_REFRESH_SECONDS", int(default.refresh_seconds))),
        model=_model(environment.get("GEOSMIN_MODEL", "")),
        base_path=environment.get("GEOSMIN_BASE_PATH", default.base_path),
        secret=secret or None,
        allow_origins=_origins(environment.get("GEOSMIN_ALLOW_ORIGINS", "")),
        max_body_bytes=_number(environment, "GEOSMIN_MAX_BODY_BYTES", default.max_body_bytes),
        max_question_chars=_number(environment, "GEOSMIN_MAX_QUESTION_CHARS", default.max_question_chars),
        retrieval_rounds=_number(environment, "GEOSMIN_RETRIEVAL_ROUNDS", default.retrieval_rounds),
        chat=chat_from(environment),
        claude=claude_from(environment),
        tools_off=tuple(environment.get("GEOSMIN_TOOLS_OFF", "").split()),
        deadline_seconds=float(_number(environment, "GEOSMIN_DEADLINE_SECONDS", int(default.deadline_seconds))),
        max_steps=_number(environment, "GEOSMIN_MAX_STEPS", default.max_steps),
        max_input_tokens=_number(environment, "GEOSMIN_MAX_INPUT_TOKENS", default.max_input_tokens),
        max_output_tokens=_number(environment, "GEOSMIN_MAX_OUTPUT_TOKENS", default.max_output_tokens),
        max_usd=_dollars(environment, "GEOSMIN_MAX_USD", default.max_usd),
        conversation_seconds=_number(environment, "GEOSMIN_CONVERSATION_SECONDS", default.conversation_seconds),
        rate_per_minute=_number(environment, "GEOSMIN_RATE_PER_MINUTE", default.rate_per_minute),
        rate_all_per_minute=_number(environment, "GEOSMIN_RATE_ALL_PER_MINUTE", default.rate_all_per_minute),
        searches_per_minute=_number(environment, "GEOSMIN_SEARCHES_PER_MINUTE", SEARCHES),
        searches_all_per_minute=_number(environment, "GEOSMIN_SEARCHES_ALL_PER_MINUTE", 0),
        day_usd=_dollars(environment, "GEOSMIN_DAY_USD", default.day_usd),
        day_tokens=_number(environment, "GEOSMIN_DAY_TOKENS", default.day_tokens),
        off=_switch(environment.get("GEOSMIN_OFF", "")),
        proof_bits=_proof(environment),
        trusted_hops=_number(environment, "GEOSMIN_TRUSTED_HOPS", default.trusted_hops),
        door=environment.get("GEOSMIN_DOOR", "").encode() or None,
        table=_table(environment.get("GEOSMIN_TABLE", "")),
        shared_answers_seconds=_shared(environment),
        log_requests=True,
        log_words=environment.get("GEOSMIN_LOG_QUESTIONS", "") == "1",
        cached_answers=_number(environment, "GEOSMIN_CACHED_ANSWERS", default.cached_answers),
    )


def handler(event: Event, context: object) -> dict[str, Any]:
    """Answer one invocation, as one JSON value."""
    if isinstance(event, Mapping) and event.get("geosmin") == "look":
        return look()
    early = refusal(event)
    if early is not None:
        return early
    _with_loop()
    answer: dict[str, Any] = adapter(dict(event), context)  # type: ignore[arg-type]
    return answer


def _with_loop() -> None:
    """Give this thread an event loop when it has none: the adapter asks for one, `asyncio.run` leaves none behind."""
    try:
        asyncio.get_event_loop()
    except RuntimeError:
        asyncio.set_event_loop(asyncio.new_event_loop())


def look() -> dict[str, Any]:
    """Open the build that would be served, write down how it is, and return that.

    The owner's schedule and a deployment ask for it; nobody else can: a request's event has keys of AWS's making. The
    metric `overdue` is for how many seconds a page that has expired is still part of the build.
    """
    try:
        found: dict[str, Any] = app.state.health()
    except ArtifactError as error:
        found = {"status": error.code, "build_id": "", "next_change": None}
    change = found["next_change"]
    found["overdue"] = max(0, int(time.time()) - change) if change else 0
    records.write("look", {"route": "look", **found}, metrics={"overdue": "Seconds"})
    return found


def refusal(event: Event) -> dict[str, Any] | None:
    """Return the answer to what must not reach the adapter, None for a sound HTTP request.

    What is not HTTP (a warm-up, a schedule) has nothing to be done; a body that only claims to be base64 is refused,
    and so is an event that no adapter can read.
    """
    if not isinstance(event, Mapping) or not _is_http(event):
        _log.info("not an HTTP event; nothing to do")
        return {"statusCode": 204, "headers": {}, "body": "", "isBase64Encoded": False}
    if event.get("isBase64Encoded") and not _is_base64(event.get("body")):
        return problem(400, "Bad request", "The body is not valid base64.")
    try:
        adapter.infer(dict(event), None).scope  # type: ignore[arg-type]  # noqa: B018
    except Exception:  # noqa: BLE001 - the edge: whatever an event holds, the container lives on
        _log.info("an event that cannot be read")
        return problem(400, "Bad request", "The request cannot be read.")
    return None


def _is_http(event: Event) -> bool:
    """Say whether the event is a request of an HTTP API or function URL (payload 2.0), REST API (1.0) or balancer."""
    context = event.get("requestContext")
    return isinstance(context, Mapping) and ("http" in context or "httpMethod" in event)


def _is_base64(body: object) -> bool:
    if body is None:
        return True  # no body at all
    try:
        return isinstance(body, str) and base64.b64decode(body, validate=True) is not None
    except (binascii.Error, ValueError):
        return False


def problem(status: int, title: str, detail: str) -> dict[str, Any]:
    """Return problem details as a whole response."""
    body = json.dumps({"type": "about:blank", "title": title, "status": status, "detail": detail})
    headers = {
        "content-type": "application/problem+json",
        "cache-control": "no-store",
        "x-request-id": uuid.uuid4().hex,
    }
    return {"statusCode": status, "headers": headers, "body": body, "isBase64Encoded": False}


def _model(name: str) -> Path | None:
    """Return the embedder's folder: as named, else the one that `geosmin package` puts beside this package."""
    packed = Path(__file__).parents[1] / "model"
    return Path(name) if name else packed if packed.is_dir() else None


def _number(environment: Mapping[str, str], name: str, default: int) -> int:
    text = environment.get(name, "")
    if text and not (text.isascii() and text.isdigit()):
        raise SettingsError(f"{name} must be a whole number, not {text!r}")
    return int(text) if text else default


def _dollars(environment: Mapping[str, str], name: str, default: float) -> float:
    text = environment.get(name, "")
    if text and not re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", text):
        raise SettingsError(f"{name} must be an amount in US dollars such as 0.05, not {text!r}")
    return float(text) if text else default


def _verify_key(text: str) -> bytes | None:
    key = key_from(text)
    if text and key is None:
        raise SettingsError("GEOSMIN_VERIFY_KEY must be 32 bytes in base64, as `geosmin upload --make-key` prints them")
    return key


def _switch(text: str) -> str:
    if text not in POSITIONS:
        raise SettingsError(f"GEOSMIN_OFF must be model or all, or not be set, not {text!r}")
    return text


def _table(name: str) -> str:
    """Return the name of the table. Raises SettingsError when nothing is there to reach it with."""
    if name and find_spec("boto3") is None:
        raise SettingsError("GEOSMIN_TABLE needs boto3: make the bundle with `geosmin package --with aws`")
    return name


def _proof(environment: Mapping[str, str]) -> int:
    """Return the bits of work. Raises SettingsError for too many, and without a secret to sign with."""
    bits = _number(environment, "GEOSMIN_PROOF_BITS", 0)
    if bits > MOST_BITS or (bits and not environment.get("GEOSMIN_CONVERSATION_SECRET")):
        raise SettingsError(f"GEOSMIN_PROOF_BITS is at most {MOST_BITS} and needs GEOSMIN_CONVERSATION_SECRET")
    return bits


def _shared(environment: Mapping[str, str]) -> int:
    """Return for how many seconds answers are shared. Raises SettingsError when there is nothing to share them in."""
    seconds = _number(environment, "GEOSMIN_SHARED_ANSWERS_SECONDS", 0)
    if seconds and not environment.get("GEOSMIN_TABLE"):
        raise SettingsError("GEOSMIN_SHARED_ANSWERS_SECONDS needs GEOSMIN_TABLE, where the answers are kept")
    return seconds


def _origins(text: str) -> tuple[str, ...]:
    """Return exact origins; what no browser ever sends as one is refused at start, not at the first request."""
    origins = tuple(text.replace(",", " ").split())
    for origin in origins:
        if not _ORIGIN.fullmatch(origin) or origin.endswith(_NEVER_SENT[origin.partition(":")[0]]):
            raise SettingsError(f"GEOSMIN_ALLOW_ORIGINS: {origin!r} is not an exact origin like https://example.org")
    return origins


def _start(environment: Mapping[str, str]) -> None:
    """On Lambda, let log lines leave as they are, and with SnapStart load all that a first question needs.

    Without a snapshot nothing is loaded beforehand: in a thread it made the first search slower (473 → 676 ms).
    After a restore every copy gets random numbers of its own; connections that went stale are noticed by their pools.
    """
    if "AWS_LAMBDA_FUNCTION_NAME" in environment:
        records.to_standard_output()
    if environment.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start":
        from snapshot_restore_py import register_after_restore  # the managed runtime brings it

        app.state.warm()
        register_after_restore(random.seed)


os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's own threads cost 45 CPU ms to start and have nothing to do
app = create_app(settings_from(os.environ))
adapter = Mangum(app, lifespan="off")
_start(os.environ)
