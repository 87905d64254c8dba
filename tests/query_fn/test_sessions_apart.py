"""Five hundred sessions in one warm function, one after the other and at once: nothing of one shows in another (P18)."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from query_fn.guard.answers import MemoryAnswers
from query_fn.settings import Settings
from tests.artifacts import make_artifacts
from tests.query_fn.claude_app import CHAT, served

SESSIONS = 500
MARK = re.compile(r"MARK(\d{3})X")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A function with a cache and a log, behind a real server."""
    artifacts: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(artifacts)
    with (
        served(Settings(artifacts, secret=b"s" * 32, log_requests=True)) as port,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as found,
    ):
        yield found


def session(client: httpx.Client, n: int) -> str:
    """Ask, and in every fifth session ask on; return all that the reader got to see."""
    first = client.post(
        CHAT, json={"question": f"How long are backups kept, says MARK{n:03}X?", "stream": False}
    ).json()
    shown = json.dumps({**first, "conversation": ""})
    if n % 5:
        return shown
    follow = {"question": "And where?", "conversation": first["conversation"], "stream": n % 2 == 0}
    second = client.post(CHAT, json=follow)
    assert second.status_code == 200
    return shown + second.text


def test_sessions_do_not_mix(
    client: httpx.Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In what a reader sees, in the answers that are kept and in the log there is no mark of anybody else."""
    kept: dict[str, str] = {}
    put = MemoryAnswers.put

    def noted(cache: MemoryAnswers, key: str, events: Any, until: int | None) -> None:
        kept[key] = repr(events)
        put(cache, key, events, until)

    monkeypatch.setattr(MemoryAnswers, "put", noted)
    half = SESSIONS // 2
    with caplog.at_level(logging.DEBUG, logger="geosmin"), ThreadPoolExecutor(16) as pool:
        seen = [session(client, n) for n in range(half)]
        seen += pool.map(lambda n: session(client, n), range(half, SESSIONS))
    foreign = [n for n, text in enumerate(seen) if {int(mark) for mark in MARK.findall(text)} - {n}]
    mixed = [text for text in kept.values() if len(set(MARK.findall(text))) != 1]
    told = [r for r in caplog.records if r.name.startswith("geosmin") and MARK.search(r.getMessage())]
    assert (foreign, mixed, told) == ([], [], [])
    assert (len(kept), len(caplog.records) >= SESSIONS) == (SESSIONS, True)
    assert all(f"MARK{n:03}X" in text for n, text in enumerate(seen))  # the marks do come back to their own readers
