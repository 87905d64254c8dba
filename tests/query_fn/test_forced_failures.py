"""Faults forced at every layer, over real HTTP: the reader learns that something failed, and an id (P24)."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from query_fn import app, requests, service, talk, wire
from query_fn.agent.chat.claude.model import Claude
from query_fn.agent.chat.extractive import Extractive
from query_fn.agent.evidence import Book
from query_fn.agent.phrases import say
from query_fn.agent.tools import Tools
from query_fn.errors import ArtifactDamaged, ModelFailed, RouteFailed
from query_fn.guard.answers import MemoryAnswers
from query_fn.guard.guards import Guards
from query_fn.live import Live
from query_fn.retrieve.lexical import Lexical
from query_fn.retrieve.search import Searcher
from query_fn.store import Store
from tests.artifacts import make_artifacts
from tests.fake_claude import Turn
from tests.query_fn.claude_app import asking

CANARY = "/srv/secret/notes.md sk-ant-canary You answer questions claude-canary-9 Salaries of all employees"
FAULTS: tuple[Callable[[], Exception], ...] = (
    lambda: RuntimeError(CANARY),
    lambda: FileNotFoundError(2, CANARY, "/srv/secret/canary.db"),
    lambda: sqlite3.OperationalError(CANARY),
    lambda: KeyError(CANARY),
    lambda: MemoryError(CANARY),
    lambda: RecursionError(CANARY),
    lambda: UnicodeDecodeError("utf-8", CANARY.encode(), 0, 1, CANARY),
    lambda: ArtifactDamaged(CANARY),
    lambda: RouteFailed(CANARY),
)
PLACES: tuple[tuple[Any, str], ...] = (
    (Live, "current"),
    (Store, "rows"),
    (Store, "articles"),
    (Searcher, "search"),
    (Searcher, "find"),
    (Lexical, "search"),
    (Book, "read"),
    (Tools, "outline"),
    (Extractive, "next"),
    (Claude, "next"),
    (Guards, "enter"),
    (Guards, "look"),
    (MemoryAnswers, "get"),
    (MemoryAnswers, "put"),
    (service, "answer"),
    (service, "notes"),
    (talk, "key_of"),
    (talk, "sign"),
    (talk, "open_token"),
    (wire, "answer"),
    (wire, "search"),
    (wire, "outline"),
    (wire, "finish"),
    (requests, "chat"),
    (app, "openapi_document"),
)
TITLES = ("Backups", "Install", "备份", "茶")


@dataclass(frozen=True, slots=True)
class Running:
    """A function over HTTP, and what its replies may never hold."""

    client: httpx.Client
    secrets: tuple[str, ...]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The function with a paid model, behind a real server."""
    artifacts: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(artifacts)
    with asking(artifacts, lambda _: Turn.says("NOT_COVERED")) as asked, asked.served() as port:
        claude = asked.settings.claude
        words = (*CANARY.split()[:2], "canary", "Traceback", "site-packages", str(artifacts), claude.model, "sqlite")
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            yield Running(client, (*words, str(claude.key)))


@contextmanager
def broken(place: tuple[Any, str], fault: Callable[[], Exception]) -> Iterator[None]:
    """Let one function raise."""

    def fail(*_: Any, **__: Any) -> Any:
        raise fault()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(*place, fail)
        yield


def replies(client: httpx.Client, number: int) -> Iterator[httpx.Response]:
    """Send one request to each route; `number` makes the questions new."""
    question = {"question": f"How long are backups kept, {number}?"}
    yield client.post("/api/public/qa/chat", json={**question, "stream": False, "conversation": "x"})
    yield client.post("/api/public/qa/chat", json=question)
    yield client.get("/api/public/search?q=backups")
    yield client.get("/api/public/search?q=backups&mode=exact")
    yield client.get("/api/public/outline")
    yield client.get("/api/public/outline/backup")
    yield client.post("/api/public/read", json={"locators": ["backup.0"]})
    yield client.get("/healthz")
    yield client.get("/openapi.json")


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place[0].__name__}.{place[1]}")
def test_a_fault_says_nothing(running: Running, place: tuple[Any, str], request: pytest.FixtureRequest) -> None:
    """Whatever is raised wherever: no path, stack, key, prompt or model in any reply, no title in a refusal, an id."""
    failed = 0
    for number, fault in enumerate(FAULTS):
        with broken(place, fault):
            got = list(replies(running.client, 100 * PLACES.index(place) + number))
        for reply in got:
            assert [word for word in running.secrets if word in reply.text] == []
            assert len(reply.headers["x-request-id"]) == 32
            if reply.status_code >= 400:
                assert [title for title in TITLES if title in reply.text] == []
                assert set(reply.json()) <= {"type", "title", "status", "detail", "code", "request_id"}
                failed += 1
            failed += say("failed", "en") in reply.text
    assert failed or place[1] in QUIET
    assert [reply.status_code for reply in replies(running.client, -1)] == [200] * 9  # and nothing stays broken


QUIET = ("next", "put")  # the free model goes on; an answer is not kept


def test_a_model_that_fails_is_named_by_its_kind(running: Running) -> None:
    """The free model answers, and what the provider said stays with the owner."""
    for number, code in itertools.product(range(3), ("overloaded", "refused")):
        with broken((Claude, "next"), lambda code=code: ModelFailed(code)):  # type: ignore[misc]
            question = {"question": f"How long are backups kept, fault {number} {code}?", "stream": False}
            found = running.client.post("/api/public/qa/chat", json=question)
        assert (found.status_code, f"model_failed:{code}" in found.json()["diagnostics"]["degraded"]) == (200, True)
        assert [word for word in running.secrets if word in found.text] == []
