"""Answers that containers share through a table: given whole, given in time, and never in the way."""

from __future__ import annotations

import itertools
import logging
import zlib
from pathlib import Path
from typing import Any

import boto3
import pytest
from starlette.testclient import TestClient

from query_fn import service
from query_fn.agent.events import Event
from query_fn.app import create_app
from query_fn.guard import shared_answers
from query_fn.guard.answers import MemoryAnswers, slim
from query_fn.guard.shared_answers import SharedAnswers, read, written
from query_fn.guard.table import Table
from query_fn.live import Live
from query_fn.model import Ask
from query_fn.service import Deps
from query_fn.settings import Settings
from tests.artifacts import NOW, SOON, make_build
from tests.aws import make_table

QUESTIONS = (
    "How long are backups kept?",
    "泡龙井茶用多少度的水？",
    "Who won the league in 1987?",
    "hello",
    "list the steps",
)
SECRET = b"0123456789abcdef"
_tables = itertools.count()


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny bilingual base."""
    return make_build(tmp_path_factory.mktemp("out"))


@pytest.fixture(scope="module")
def deps(artifacts: Path) -> Deps:
    """What answers."""
    return Live(Settings(artifacts), clock=lambda: NOW).current().deps


@pytest.fixture
def table(cloud: str) -> Table:
    """An empty table."""
    return Table(make_table(f"answers-{next(_tables)}"))


def container(table: Table, secret: bytes | None = SECRET) -> SharedAnswers:
    """Return what one container keeps, in front of the table."""
    return SharedAnswers(table, MemoryAnswers(10), seconds=60, secret=secret, clock=lambda: NOW)


def events_of(deps: Deps, text: str = QUESTIONS[0]) -> tuple[Event, ...]:
    """Return an answer as it is kept."""
    return tuple(slim(event) for event in service.answer(Ask(text), deps))


@pytest.mark.parametrize("text", QUESTIONS)
def test_an_answer_comes_back_as_it_was(deps: Deps, text: str) -> None:
    """Written and read again, every event is equal and of the same type."""
    events = events_of(deps, text)
    assert read(written(events)) == events


@pytest.mark.parametrize(
    "raw", [b"", b"{}", b"[1]", b'[["step", {}]]', b'[["exec", {}]]', b'[["sentence", {"text": 7}]]']
)
def test_what_is_no_answer_is_refused(raw: bytes) -> None:
    """Anything that was not written here is a ValueError, whatever it is."""
    with pytest.raises(ValueError, match=r"\w"):
        read(raw)


def test_another_container_has_the_answer(table: Table, deps: Deps) -> None:
    """What one container keeps, another one gives, and then has it without the table."""
    events, other = events_of(deps), container(table)
    container(table).put("k", events, None)
    assert other.get("k", NOW) == events
    boto3.client("dynamodb").delete_table(TableName=table.name)
    assert other.get("k", NOW) == events


@pytest.mark.parametrize(
    ("until", "now", "given"),
    [(None, NOW + 59, True), (None, NOW + 60, False), (NOW + 9, NOW + 8, True), (NOW + 9, NOW + 9, False)],
)
def test_no_answer_outlives_its_time(table: Table, deps: Deps, until: int | None, now: int, given: bool) -> None:
    """It is not given after its page expires, nor after the owner's time, though the table still holds it."""
    container(table).put("k", events_of(deps), until)
    assert bool(container(table).get("k", now)) is given


def test_the_table_may_delete_it_then(table: Table, deps: Deps) -> None:
    """The item's time to live is the moment after which it is not given."""
    container(table).put("k", events_of(deps), NOW + 9)
    item = boto3.client("dynamodb").get_item(TableName=table.name, Key={"id": {"S": "answer:k"}})["Item"]
    assert item["until"] == {"N": str(NOW + 9)}


def test_a_store_that_is_down_is_a_miss(cloud: str, deps: Deps, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is raised, each fault is named, and the container's own answers go on."""
    lost, events = container(Table("nothing-here")), events_of(deps)
    with caplog.at_level(logging.WARNING, "geosmin.answers"):
        assert lost.get("k", NOW) == ()
        lost.put("k", events, None)
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        "kept answers cannot be read",
        "an answer cannot be shared",
    ]
    assert lost.get("k", NOW) == events


@pytest.mark.parametrize("data", [b"", b"no zlib", zlib.compress(b"[]x"), zlib.compress(b'[["step", 1]]')])
def test_a_damaged_item_is_a_miss(table: Table, data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """Bytes that nobody here wrote are not given, and named."""
    item: Any = {"id": {"S": "answer:k"}, "until": {"N": str(NOW + 9)}, "events": {"B": data}, "mac": {"B": b""}}
    boto3.client("dynamodb").put_item(TableName=table.name, Item=item)
    with caplog.at_level(logging.WARNING, "geosmin.answers"):
        assert container(table, None).get("k", NOW) == ()
    assert "cannot be understood" in caplog.text


def _forged(item: dict[str, Any], deps: Deps) -> dict[str, dict[str, Any]]:
    """Return what somebody may write who holds an item of ours, by what is done to it."""
    other = zlib.compress(written(events_of(deps, QUESTIONS[2])))
    return {
        "other words": {**item, "events": {"B": other}},
        "a later end": {**item, "until": {"N": str(NOW + 10**6)}},
        "another question": {**item, "id": {"S": "answer:other"}},
        "no signature": {name: value for name, value in item.items() if name != "mac"},
        "an empty signature": {**item, "mac": {"B": b""}},
    }


@pytest.mark.parametrize(
    "harm", ["other words", "a later end", "another question", "no signature", "an empty signature"]
)
def test_what_this_function_did_not_sign_is_a_miss(
    table: Table, deps: Deps, harm: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever may write to the table but has no secret changes no word, no end and no question; the log names it."""
    container(table).put("k", events_of(deps), None)
    client = boto3.client("dynamodb")
    item = _forged(client.get_item(TableName=table.name, Key={"id": {"S": "answer:k"}})["Item"], deps)[harm]
    client.put_item(TableName=table.name, Item=item)
    with caplog.at_level(logging.WARNING, "geosmin.answers"):
        assert container(table).get(item["id"]["S"].removeprefix("answer:"), NOW) == ()
    assert "a kept answer" in caplog.text


def test_an_answer_of_a_function_with_another_secret_is_a_miss(table: Table, deps: Deps) -> None:
    """A new secret ends what the old one vouched for; without any secret containers still share."""
    events = events_of(deps)
    container(table).put("k", events, None)
    assert container(table, b"fedcba9876543210").get("k", NOW) == ()
    container(table, None).put("k", events, None)
    assert container(table, None).get("k", NOW) == events
    assert container(table).get("k", NOW) == ()


def test_an_answer_that_is_too_large_is_not_shared(
    table: Table, deps: Deps, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It stays with the container that made it, and the log says so."""
    monkeypatch.setattr(shared_answers, "MOST_BYTES", 100)
    container(table).put("k", events_of(deps), None)
    assert container(table).get("k", NOW) == ()
    assert "is not shared" in caplog.text


def test_two_functions_over_http(cloud: str, artifacts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second container answers without working, word for word; after the earliest expiry it works again."""
    asked: list[int] = []
    now = [NOW]
    work = service.answer
    monkeypatch.setattr(service, "answer", lambda *a, **more: asked.append(1) or work(*a, **more))
    table = make_table(f"answers-{next(_tables)}")
    settings = Settings(artifacts, table=table, shared_answers_seconds=2**31)  # the table's clock is the real one
    first, second = (TestClient(create_app(settings, clock=lambda: now[0])) for _ in range(2))
    replies = [
        client.post("/api/public/qa/chat", json={"question": QUESTIONS[0], "stream": False})
        for client in (first, second)
    ]
    assert replies[0].json() == replies[1].json()
    assert len(asked) == 1
    now[0] = SOON
    second.post("/api/public/qa/chat", json={"question": QUESTIONS[0], "stream": False})
    assert len(asked) == 2
