"""`geosmin lint`: how sound the built wiki is, and whether it still is what the files say. Writes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from compiler.cache import Cache
from compiler.enrich.claude.prompts import versions
from compiler.lint import rules
from compiler.lint.findings import Finding, Lint, ordered
from compiler.progress import Clock, Progress
from compiler.read import Sources, read_sources
from compiler.settings import Settings
from query_fn.contract import POINTER, ArticleRow, ContributionRow, LinkRow, PageRow, RelationRow, from_sql
from query_fn.store import Store, open_store

OF_ROWS: tuple[Callable[[rules.Built], Iterator[Finding]], ...] = (
    rules.ghost_links,
    rules.unsourced,
    rules.undefined,
    rules.orphans,
    rules.without_pages,
    rules.duplicates,
    rules.contradictions,
)


def lint(settings: Settings, *, now: datetime, progress: Progress) -> Lint:
    """Return what is wrong or odd in the current build and in the public files beside it.

    Raises ArtifactError when there is no build, or one of another schema, chunker or tokeniser: then it is outdated.
    """
    store = open_store(settings.out / POINTER / "artifacts")
    sources = read_sources(settings, now, cache=Cache(None), clock=Clock(progress))
    found = _findings(_built(store), sources, _prompts(settings))
    return ordered(tuple(found), len(sources.articles))


def _prompts(settings: Settings) -> dict[str, str]:
    """Return the versions of the prompts of the last build; empty when it asked no model, or left no report."""
    try:
        data = json.loads((settings.state / "report.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    found = data.get("prompts") if isinstance(data, dict) else None
    return {str(name): str(version) for name, version in found.items()} if isinstance(found, dict) else {}


def _findings(built: rules.Built, sources: Sources, prompts: dict[str, str]) -> Iterator[Finding]:
    yield from rules.broken_links(sources.problems, {article.source for article in sources.articles})
    yield from rules.stale(built, sources.documents)
    yield from rules.outdated(built, prompts, versions())
    for rule in OF_ROWS:
        yield from rule(built)


def _built(store: Store) -> rules.Built:
    return rules.Built(
        _table(store, ArticleRow),
        _table(store, PageRow),
        _table(store, ContributionRow),
        _table(store, RelationRow),
        _table(store, LinkRow),
    )


def _table(store: Store, row: Any) -> tuple[Any, ...]:
    return tuple(from_sql(row, values) for values in store.rows(f"SELECT * FROM {row.TABLE} ORDER BY n"))  # noqa: S608


def as_json(found: Lint) -> dict[str, Any]:
    """Return the result as JSON: score, how many of each level, and every finding."""
    counts = found.counts
    return {
        "score": found.score,
        "errors": counts["error"],
        "warnings": counts["warning"],
        "infos": counts["info"],
        "problems": [
            {"level": f.level.value, "code": f.code, "path": f.path, "line": f.line, "message": f.message}
            for f in found.findings
        ],
    }
