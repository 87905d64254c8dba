"""The Lambda entry: real event shapes, cheap import, warm reuse, and one call through the real runtime client."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from query_fn.settings import Settings
from tests.artifacts import make_build
from tests.runtime_api import ENVIRONMENT, RuntimeApi, question, runtime_api, url_event

ROOT = Path(__file__).parents[2]
HEAVY = (
    "numpy",
    "onnxruntime",
    "sentencepiece",
    "anthropic",
    "jieba",
    "rjieba",
    "mkdocs",
    "usearch",
    "compiler",
    "boto3",
)


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny bilingual base behind its pointer."""
    return make_build(tmp_path_factory.mktemp("out"))


@pytest.fixture(scope="module")
def handler(artifacts: Path) -> Any:
    """The handler of a container whose environment names the artifacts."""
    os.environ["GEOSMIN_ARTIFACTS"] = str(artifacts)
    sys.modules.pop("query_fn.handler", None)
    from query_fn.handler import handler

    yield handler
    del os.environ["GEOSMIN_ARTIFACTS"]
    sys.modules.pop("query_fn.handler", None)


def test_function_url(handler: Any) -> None:
    """A function URL event is answered."""
    found = handler(url_event(question()), None)
    assert found["statusCode"] == 200
    assert "14 days" in json.loads(found["body"])["answer"]


def test_base64_body(handler: Any) -> None:
    """A body in base64 is decoded: Chinese arrives whole."""
    body = base64.b64encode(question("泡龙井茶用多少度的水？").encode()).decode()
    found = handler(url_event(body, encoded=True), None)
    assert "80 度" in json.loads(found["body"])["answer"]


def test_stream_is_buffered(handler: Any) -> None:
    """The adapter buffers: the same events come in one body."""
    found = handler(url_event(question(stream=True)), None)
    assert found["headers"]["x-vercel-ai-ui-message-stream"] == "v1"
    assert found["body"].endswith("data: [DONE]\n\n")


def test_get(handler: Any) -> None:
    """A GET with a query string is answered."""
    found = handler(url_event(method="GET", path="/api/public/search", query="q=port"), None)
    assert json.loads(found["body"])["candidates"]


def test_rest_event(handler: Any) -> None:
    """A REST API event (payload 1.0) is answered."""
    event = {
        "version": "1.0",
        "resource": "/{proxy+}",
        "path": "/healthz",
        "httpMethod": "GET",
        "headers": {"Host": "x.execute-api.eu-west-1.amazonaws.com"},
        "multiValueHeaders": {"Host": ["x.execute-api.eu-west-1.amazonaws.com"]},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "requestContext": {
            "httpMethod": "GET",
            "path": "/healthz",
            "stage": "$default",
            "identity": {"sourceIp": "203.0.113.7"},
        },
        "body": None,
        "isBase64Encoded": False,
    }
    assert handler(event, None)["statusCode"] == 200


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"warm": True},
        {"source": "aws.events", "detail-type": "Scheduled Event", "detail": {}, "resources": ["rule/x"]},
        {"Records": [{"eventSource": "aws:s3"}]},
        {"requestContext": None},
        {"requestContext": {"connectionId": "x", "eventType": "CONNECT"}},
        [],
        None,
        "ping",
    ],
)
def test_not_http(handler: Any, event: Any) -> None:
    """Warm-ups, schedules and anything else that is not HTTP never reach the adapter."""
    assert handler(event, None)["statusCode"] == 204


@pytest.mark.parametrize("body", ["%%%", "abc", "=", "e30 ", None, 7])
def test_wrong_base64(handler: Any, body: Any) -> None:
    """A body that claims to be base64 and is not is refused, not taken for an empty one."""
    event = {**url_event(None, encoded=True), "body": body}
    found = handler(event, None)
    assert (found["statusCode"], len(found["headers"]["x-request-id"])) == (400, 32)


def test_warm_reuse(handler: Any) -> None:
    """A warm container answers many questions from one open build, faster than the first and each its own."""
    texts = ["How long are backups kept?", "泡龙井茶用多少度的水？"] * 10
    answers = [json.loads(handler(url_event(question(t)), None)["body"])["answer"] for t in texts]
    assert len(set(answers[0::2])) == 1
    assert len(set(answers[1::2])) == 1
    assert answers[0] != answers[1]


@pytest.mark.parametrize("where", ["here", "in another thread"])
def test_the_entry_brings_its_own_event_loop(handler: Any, where: str) -> None:
    """Whatever ran before in this thread, and in a thread where nothing did, a request is answered."""
    asyncio.run(asyncio.sleep(0))
    if where == "here":
        found = handler(url_event(method="GET", path="/nowhere"), None)
    else:
        with ThreadPoolExecutor(1) as pool:
            found = pool.submit(handler, url_event(method="GET", path="/nowhere"), None).result()
    assert found["statusCode"] == 404


def test_import_is_cheap() -> None:
    """Importing the handler loads nothing heavy and opens nothing."""
    code = f"import sys, query_fn.handler; print([m for m in {HEAVY!r} if m in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, env=_bare()
    )
    assert run.stdout.strip() == "[]"


def test_a_snapshot_holds_the_open_build(artifacts: Path) -> None:
    """With SnapStart the build is open before the snapshot, and every restored copy gets random numbers of its own."""
    code = (
        "import query_fn.handler as h, snapshot_restore_py as s, sys;"
        "print('tantivy' in sys.modules, len(s.get_after_restore()))"
    )
    environment = {**_bare(), "GEOSMIN_ARTIFACTS": str(artifacts), "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, env=environment
    )
    assert run.stdout.split() == ["True", "1"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GEOSMIN_MAX_STEPS", "many"),
        ("GEOSMIN_OFF", "please"),
        ("GEOSMIN_VERIFY_KEY", "c2hvcnQ="),
        ("GEOSMIN_ARTIFACTS", "s3://bucket/wiki"),
        ("GEOSMIN_ARTIFACTS", "https://bucket/wiki"),
        ("GEOSMIN_DAY_USD", "-1"),
        ("GEOSMIN_DAY_TOKENS", "-1"),
        ("GEOSMIN_PROOF_BITS", "16"),
        ("GEOSMIN_PROOF_BITS", "25"),
        ("GEOSMIN_SHARED_ANSWERS_SECONDS", "60"),
        ("GEOSMIN_CONVERSATION_SECRET", "short"),
        ("GEOSMIN_ALLOW_ORIGINS", "*"),
        ("GEOSMIN_ALLOW_ORIGINS", "https://*.example.org"),
        ("GEOSMIN_ALLOW_ORIGINS", "https://a.example/path"),
        ("GEOSMIN_ALLOW_ORIGINS", "null"),
        ("GEOSMIN_ALLOW_ORIGINS", "https://A.example"),
        ("GEOSMIN_ALLOW_ORIGINS", "https://a.example:443"),
        ("GEOSMIN_ALLOW_ORIGINS", "https://you@a.example"),
        ("GEOSMIN_ALLOW_ORIGINS", "https://中文.example"),
    ],
)
def test_bad_environment(handler: Any, name: str, value: str) -> None:
    """A variable that cannot be meant stops the start and is named."""
    module = sys.modules["query_fn.handler"]
    with pytest.raises(module.SettingsError, match=name):
        module.settings_from({name: value})


def test_environment(handler: Any) -> None:
    """The environment fills the settings; what is not set keeps its default."""
    found = sys.modules["query_fn.handler"].settings_from(
        {
            "GEOSMIN_ARTIFACTS": "a",
            "GEOSMIN_ALLOW_ORIGINS": "https://a.example, http://localhost:8000",
            "GEOSMIN_CONVERSATION_SECRET": "0123456789abcdef",
            "GEOSMIN_RATE_PER_MINUTE": "20",
            "GEOSMIN_BASE_PATH": "/repo/",
            "GEOSMIN_RATE_ALL_PER_MINUTE": "600",
            "GEOSMIN_DAY_USD": "0.5",
            "GEOSMIN_DAY_TOKENS": "900000",
            "GEOSMIN_OFF": "model",
            "GEOSMIN_TRUSTED_HOPS": "1",
            "GEOSMIN_DOOR": "open sesame",
            "GEOSMIN_TABLE": "geosmin",
            "GEOSMIN_CACHED_ANSWERS": "10",
            "GEOSMIN_PROOF_BITS": "16",
            "GEOSMIN_SHARED_ANSWERS_SECONDS": "60",
            "GEOSMIN_SEARCHES_ALL_PER_MINUTE": "9000",
        }
    )
    assert found == Settings(
        Path("a"),
        base_path="/repo/",
        secret=b"0123456789abcdef",
        allow_origins=("https://a.example", "http://localhost:8000"),
        rate_per_minute=20,
        rate_all_per_minute=600,
        day_usd=0.5,
        day_tokens=900_000,
        off="model",
        trusted_hops=1,
        door=b"open sesame",
        table="geosmin",
        cached_answers=10,
        proof_bits=16,
        shared_answers_seconds=60,
        searches_per_minute=120,  # a function has a limit, also when the owner has not thought of one
        searches_all_per_minute=9_000,
        log_requests=True,
    )


# --- the real runtime client against a loopback Runtime API -----------------------------------------------------------


@pytest.fixture
def runtime(artifacts: Path) -> Iterator[RuntimeApi]:
    """The real awslambdaric with our handler, asking a Runtime API on loopback."""
    with runtime_api() as api:
        environment = {
            **_bare(),
            **ENVIRONMENT,
            "AWS_LAMBDA_RUNTIME_API": api.address,
            "GEOSMIN_ARTIFACTS": str(artifacts),
        }
        command = [sys.executable, "-m", "awslambdaric", "query_fn.handler.handler"]
        client = subprocess.Popen(command, cwd=ROOT, env=environment)
        yield api
        client.kill()
        client.wait()


def test_through_the_runtime(runtime: RuntimeApi) -> None:
    """The real runtime client takes three events and returns three responses, the container staying warm."""
    events = (url_event(question()), {"warm": True}, url_event(question("泡龙井茶用多少度的水？")))
    replies = [runtime.ask(event).json() for event in events]
    assert [reply["statusCode"] for reply in replies] == [200, 204, 200]
    assert "14 days" in json.loads(replies[0]["body"])["answer"]
    assert "80 度" in json.loads(replies[2]["body"])["answer"]


def _bare() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith("GEOSMIN_")}
