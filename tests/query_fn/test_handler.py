"""The Lambda entry: real event shapes, cheap import, warm reuse, and one call through the real runtime client."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from query_fn.settings import Settings
from tests.artifacts import make_build

ROOT = Path(__file__).parents[2]
HEAVY = ("onnxruntime", "sentencepiece", "anthropic", "jieba", "rjieba", "mkdocs", "usearch", "compiler", "boto3")


def _url_event(
    body: str | None = None, *, method: str = "POST", path: str = "/api/public/qa/chat", encoded: bool = False
) -> dict[str, Any]:
    """A function URL event (payload 2.0), as AWS documents it; HTTP APIs send the same shape."""
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "q=port" if method == "GET" else "",
        "headers": {
            "content-type": "application/json",
            "host": "abc123.lambda-url.eu-west-1.on.aws",
            "x-forwarded-for": "203.0.113.7",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
        },
        "requestContext": {
            "accountId": "anonymous",
            "apiId": "abc123",
            "domainName": "abc123.lambda-url.eu-west-1.on.aws",
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


def _question(text: str = "How long are backups kept?", *, stream: bool = False) -> str:
    return json.dumps({"question": text, "stream": stream}, ensure_ascii=False)


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
    found = handler(_url_event(_question()), None)
    assert found["statusCode"] == 200
    assert "14 days" in json.loads(found["body"])["answer"]


def test_base64_body(handler: Any) -> None:
    """A body in base64 is decoded: Chinese arrives whole."""
    body = base64.b64encode(_question("泡龙井茶用多少度的水？").encode()).decode()
    found = handler(_url_event(body, encoded=True), None)
    assert "80 度" in json.loads(found["body"])["answer"]


def test_stream_is_buffered(handler: Any) -> None:
    """The adapter buffers: the same events come in one body."""
    found = handler(_url_event(_question(stream=True)), None)
    assert found["headers"]["x-vercel-ai-ui-message-stream"] == "v1"
    assert found["body"].endswith("data: [DONE]\n\n")


def test_get(handler: Any) -> None:
    """A GET with a query string is answered."""
    found = handler(_url_event(method="GET", path="/api/public/search"), None)
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
    event = {**_url_event(None, encoded=True), "body": body}
    assert handler(event, None)["statusCode"] == 400


def test_warm_reuse(handler: Any) -> None:
    """A warm container answers many questions from one open build, faster than the first and each its own."""
    texts = ["How long are backups kept?", "泡龙井茶用多少度的水？"] * 10
    answers = [json.loads(handler(_url_event(_question(t)), None)["body"])["answer"] for t in texts]
    assert len(set(answers[0::2])) == 1
    assert len(set(answers[1::2])) == 1
    assert answers[0] != answers[1]


def test_import_is_cheap() -> None:
    """Importing the handler loads nothing heavy and opens nothing."""
    code = f"import sys, query_fn.handler; print([m for m in {HEAVY!r} if m in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, env=_bare()
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GEOSMIN_MAX_STEPS", "many"),
        ("GEOSMIN_CONVERSATION_SECRET", "short"),
        ("GEOSMIN_ALLOW_ORIGINS", "*"),
        ("GEOSMIN_ALLOW_ORIGINS", "https://*.example.org"),
        ("GEOSMIN_ALLOW_ORIGINS", "https://a.example/path"),
        ("GEOSMIN_ALLOW_ORIGINS", "null"),
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
        }
    )
    assert found == Settings(
        Path("a"),
        base_path="/repo/",
        secret=b"0123456789abcdef",
        allow_origins=("https://a.example", "http://localhost:8000"),
        rate_per_minute=20,
    )


# --- the real runtime client against a loopback Runtime API -----------------------------------------------------------


class _Runtime(BaseHTTPRequestHandler):
    """The Runtime API: hands out events, takes responses. See AWS, "Using the Lambda runtime API"."""

    protocol_version = "HTTP/1.1"
    events: ClassVar[list[dict[str, Any]]] = []
    responses: ClassVar[list[dict[str, Any]]] = []
    errors: ClassVar[list[str]] = []
    given = 0

    def do_GET(self) -> None:
        kind = type(self)
        while kind.given >= len(kind.events):
            time.sleep(0.05)
        event = kind.events[kind.given]
        kind.given += 1
        self._reply(200, json.dumps(event).encode(), {"Lambda-Runtime-Aws-Request-Id": f"id-{kind.given}"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path.endswith("/response"):
            type(self).responses.append(json.loads(body))
        else:
            type(self).errors.append(body.decode())
        self._reply(202, b"{}", {})

    def _reply(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        more = {
            "Lambda-Runtime-Deadline-Ms": str(int(time.time() * 1000) + 30_000),
            "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:eu-west-1:000000000000:function:geosmin",
            "Content-Length": str(len(body)),
            "Content-Type": "application/json",
        }
        self.send_response(status)
        for name, value in {**more, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@pytest.fixture
def runtime(artifacts: Path) -> Iterator[type[_Runtime]]:
    """The real awslambdaric with our handler, asking a Runtime API on loopback."""
    kind = type("Runtime", (_Runtime,), {"events": [], "responses": [], "errors": [], "given": 0})
    server = HTTPServer(("127.0.0.1", 0), kind)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = {
        **_bare(),
        "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{server.server_port}",
        "AWS_LAMBDA_FUNCTION_NAME": "geosmin",
        "AWS_LAMBDA_FUNCTION_VERSION": "1",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
        "AWS_LAMBDA_LOG_GROUP_NAME": "g",
        "AWS_LAMBDA_LOG_STREAM_NAME": "s",
        "AWS_REGION": "eu-west-1",
        "GEOSMIN_ARTIFACTS": str(artifacts),
    }
    kind.events += [_url_event(_question()), {"warm": True}, _url_event(_question("泡龙井茶用多少度的水？"))]
    client = subprocess.Popen(
        [sys.executable, "-m", "awslambdaric", "query_fn.handler.handler"], cwd=ROOT, env=environment
    )
    yield kind
    client.kill()
    client.wait()
    server.server_close()


def test_through_the_runtime(runtime: type[_Runtime]) -> None:
    """The real runtime client takes three events and returns three responses, the container staying warm."""
    until = time.monotonic() + 30
    while len(runtime.responses) < 3 and not runtime.errors and time.monotonic() < until:
        time.sleep(0.05)
    assert runtime.errors == []
    assert [r["statusCode"] for r in runtime.responses] == [200, 204, 200]
    assert "14 days" in json.loads(runtime.responses[0]["body"])["answer"]
    assert "80 度" in json.loads(runtime.responses[2]["body"])["answer"]


def _bare() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith("GEOSMIN_")}
