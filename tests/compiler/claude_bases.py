"""A small bilingual base, derived by the enricher `claude` against a fake Messages API. Used by its tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from compiler.cache import Cache
from compiler.derive import Derivation, derive
from compiler.enrich.protocol import Reading
from compiler.enriching import Enrichment, choose_enricher
from compiler.model import Problem
from compiler.progress import Clock, Silent
from compiler.read import read_sources
from compiler.settings import load
from compiler.spending import Asks
from query_fn.contract import ArticleRow, ChunkRow, NodeRow
from tests.compiler.vault import NOON, PUBLIC, write
from tests.fake_claude import FakeClaude, Script

FILES: dict[str, str | bytes] = {
    "raft.md": PUBLIC
    + "# Raft\n\n**Raft** is a consensus algorithm. It elects a **leader** by votes every 150 milliseconds.\n\n"
    "## Logs\n\nThe leader copies its log to the followers of the cluster.\n\n"
    "## Terms\n\nA term is a time with one leader at most. See [the paper](https://example.org/raft).\n",
    "zh.md": PUBLIC
    + "# 共识\n\n**Raft** 是一种共识算法。**共识** 是多个节点对一个值达成一致。\n\n## 选举\n\n选举由超时触发，节点互相投票，得到多数票的节点成为领导者。\n",
    "secret.md": "---\nshare: private\n---\n# Hidden\n\nzebracanary **Raft** is hidden.\n",
}
QUICKLY = (
    "enrich.provider=anthropic",
    "embed.model=none",
    "enrich.pause=0.001",
    "enrich.silence=0.5",
    "enrich.poll=0.02",
)


@dataclass(frozen=True, slots=True)
class Made:
    """What was derived, by whom, and what the owner is told."""

    rows: Derivation
    enrichment: Enrichment
    problems: list[Problem]

    @property
    def codes(self) -> set[str]:
        """The codes of the problems."""
        return {problem.code for problem in self.problems}


@contextmanager
def asking(fake: FakeClaude, **more: str) -> Iterator[None]:
    """Let the SDK find the fake and its key."""
    own = {"ANTHROPIC_API_KEY": fake.key, "ANTHROPIC_BASE_URL": fake.url, **more}
    with patch.dict(os.environ, {key: value for key, value in own.items() if value}):
        yield


def made(
    tmp: Path, script: Script, *sets: str, files: dict[str, str | bytes] = FILES, batch: bool = False
) -> tuple[Made, FakeClaude]:
    """Derive a base and return what came of it, and the fake with all it was asked."""
    with FakeClaude(script) as fake, asking(fake):
        return derived(tmp, *sets, files=files, batch=batch), fake


def derived(tmp: Path, *sets: str, files: dict[str, str | bytes] = FILES, batch: bool = False) -> Made:
    """Derive a base with whatever the environment says."""
    content = write(tmp / "content", files)
    settings = load(content, tmp / "dist", tmp / "state", overrides=[*QUICKLY, *sets])
    enrichment = choose_enricher(settings, Silent().update, Asks.BATCHED if batch else Asks.SINGLY)
    with closing(Cache(None)) as cache:
        sources = read_sources(settings, NOON, cache=cache, clock=Clock(Silent()))
        rows = derive(sources.documents, settings, enricher=enrichment.enricher, cache=cache, progress=Silent().update)
        enrichment.close(sources.articles)
    return Made(rows, enrichment, enrichment.problems(sources.articles))


_TEXT = "# Raft\n\n**Raft** elects a **leader**.\n"
READING = Reading(
    ArticleRow(
        n=0,
        id="a",
        path="raft.md",
        url="raft/",
        title="Raft",
        lang="en",
        summary="",
        kind="article",
        folder="",
        tags=(),
        aliases=(),
        created=None,
        updated=None,
        text=_TEXT,
        not_after=None,
        sources=("a",),
    ),
    (ChunkRow(0, "a.0", "a", 0, "Raft", (), "", "en", _TEXT, 0, 0, 0, len(_TEXT), 1, None, ("a",)),),
    (NodeRow(0, "a", "a", None, 0, 0, "Raft", (), "", "", 0, len(_TEXT), len(_TEXT), None, ("a",)),),
)
