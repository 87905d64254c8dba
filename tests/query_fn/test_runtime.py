"""The streaming runtime loop against a Runtime API on loopback: a subprocess, real events, real chunks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from query_fn.runtime import PRELUDE_TYPE, RuntimeClient, Stream, _streams
from tests.artifacts import make_build
from tests.events import Asked, balancer, balancer_with_lists, http_api, rest_api
from tests.runtime_api import ENVIRONMENT, Reply, RuntimeApi, question, runtime_api, url_event

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RuntimeApi]:
    """One warm container that runs the loop."""
    artifacts = make_build(tmp_path_factory.mktemp("out"))
    bare = {k: v for k, v in os.environ.items() if not k.startswith("GEOSMIN_")}
    with runtime_api() as found:
        environment = {**bare, **ENVIRONMENT, "AWS_LAMBDA_RUNTIME_API": found.address}
        environment |= {"GEOSMIN_ARTIFACTS": str(artifacts), "LAMBDA_TASK_ROOT": str(ROOT), "GEOSMIN_STREAM_REST": "1"}
        # as the managed runtime calls a wrapper: with its interpreter and its own loop
        wrapper = [str(ROOT / "query_fn" / "stream.sh"), sys.executable, "/var/runtime/bootstrap.py"]
        process = subprocess.Popen(wrapper, env=environment)
        yield found
        process.kill()
        process.wait()


def _parts(reply: Reply) -> tuple[dict[str, Any], bytes]:
    """Return the prelude and the body of a streamed reply."""
    head, mark, body = reply.body.partition(b"\0" * 8)
    assert mark
    return json.loads(head), body


def test_an_answer_is_streamed(api: RuntimeApi) -> None:
    """A function URL gets prelude, zero bytes and the events, in several chunks, and no error trailer."""
    reply = api.ask(url_event(question(stream=True)))
    prelude, body = _parts(reply)
    assert reply.headers["Lambda-Runtime-Function-Response-Mode"] == "streaming"
    assert reply.headers["Content-Type"] == PRELUDE_TYPE
    assert prelude["statusCode"] == 200
    assert prelude["headers"]["x-vercel-ai-ui-message-stream"] == "v1"
    assert body.endswith(b"data: [DONE]\n\n")
    assert len(reply.chunks) > 4
    assert reply.trailers == {}


def test_the_answer_is_the_buffered_one(api: RuntimeApi) -> None:
    """What is not a stream goes through the same way, and many questions after one another stay apart."""
    for text, part in [("How long are backups kept?", "14 days"), ("泡龙井茶用多少度的水？", "80 度")] * 3:
        prelude, body = _parts(api.ask(url_event(question(text))))
        assert prelude["statusCode"] == 200
        assert part in json.loads(body)["answer"]


def test_a_rest_api_may_take_a_stream(api: RuntimeApi) -> None:
    """Where the owner says so, the answer for a REST API is streamed in the same form."""
    prelude, body = _parts(api.ask(rest_api(Asked(body=question(stream=True)))))
    assert (prelude["statusCode"], body.endswith(b"data: [DONE]\n\n")) == (200, True)


def test_a_rest_api_takes_none_by_default() -> None:
    """Its events do not tell whether their other side takes a stream, so it must be said."""
    assert not _streams(rest_api(Asked()), rest=False)


@pytest.mark.parametrize("door", [http_api, balancer, balancer_with_lists], ids=lambda door: door.__name__)
def test_other_doors_are_buffered(api: RuntimeApi, door: Callable[[Asked], dict[str, Any]]) -> None:
    """HTTP APIs and load balancers take no stream: they get one JSON value."""
    reply = api.ask(door(Asked(body=question())))
    assert "Lambda-Runtime-Function-Response-Mode" not in reply.headers
    assert reply.json()["statusCode"] == 200


@pytest.mark.parametrize("event", [{"warm": True}, None, [], "ping", {"requestContext": {"domainName": 7}}])
def test_not_http(api: RuntimeApi, event: Any) -> None:
    """Whatever is not HTTP is answered with nothing, and the container lives on."""
    assert api.ask(event).json()["statusCode"] == 204


def test_broken_requests(api: RuntimeApi) -> None:
    """A broken body and headers that no app can read are refused, and the next question is answered."""
    assert api.ask({**url_event(None, encoded=True), "body": "%%%"}).json()["statusCode"] == 400
    for host in ("a:b", "a:1:2"):
        assert api.ask(url_event(question(), headers={"host": host})).json()["statusCode"] == 400
    assert _parts(api.ask(url_event(question())))[0]["statusCode"] == 200


def _streamed(messages: list[tuple[float, dict[str, Any]]]) -> tuple[Reply, list[float]]:
    """Send messages with pauses through a Stream; return the reply and when each was sent."""
    sent: list[float] = []
    with runtime_api() as found:
        client, replies = RuntimeClient(found.address), []
        waiting = threading.Thread(target=lambda: replies.append(found.ask({})))
        waiting.start()
        request_id, _ = client.next()
        stream = Stream(client, request_id)
        for pause, message in messages:
            time.sleep(pause)
            sent.append(time.perf_counter())
            _drive(stream.send(message))
        stream.end()
        waiting.join()
    return replies[0], sent


def _drive(step: Any) -> None:
    with pytest.raises(StopIteration):
        step.send(None)


def test_a_chunk_leaves_when_it_is_there() -> None:
    """Every piece arrives within 20 ms of the moment the app yields it, however slow the app is."""
    start = {
        "type": "http.response.start",
        "status": 200,
        "headers": [(b"a", b"1"), (b"a", b"2"), (b"set-cookie", b"c")],
    }
    pieces = [(0.1, {"type": "http.response.body", "body": b"%d" % n, "more_body": n < 4}) for n in range(5)]
    reply, sent = _streamed([(0.0, start), *pieces])
    late = [arrived - left for (arrived, _), left in zip(reply.chunks, sent, strict=True)]
    assert sorted(late)[len(late) // 2] < 0.02
    prelude, body = _parts(reply)
    assert prelude == {"statusCode": 200, "headers": {"a": "1, 2"}, "cookies": ["c"]}
    assert body == b"01234"


def test_an_unfinished_body_is_marked() -> None:
    """A body that the app left in the middle ends with an error trailer, so it is not taken for whole."""
    start = {"type": "http.response.start", "status": 200, "headers": []}
    reply, _ = _streamed([(0.0, start), (0.0, {"type": "http.response.body", "body": b"x", "more_body": True})])
    assert reply.trailers == {"Lambda-Runtime-Function-Error-Type": "Function.Incomplete"}


def test_a_response_that_never_began_is_a_fault() -> None:
    """When the app failed before its first word, the reader gets a whole answer with the status 500."""
    reply, _ = _streamed([])
    assert reply.json()["statusCode"] == 500
