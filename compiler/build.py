"""The story of a build: the stages in order. Everything is written aside, verified, and switched by one rename."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from compiler import events, identity, noticed, order
from compiler.cache import Cache, opened
from compiler.derive import Derivation, derive
from compiler.embed import choose_embedder, embed_rows
from compiler.enriching import Enrichment, choose_enricher
from compiler.index.rows import Vectors
from compiler.index.switch import remove_superseded, switch
from compiler.lock import held
from compiler.progress import Clock, Progress
from compiler.publish import Derived, Press, is_served, leaves_of, sweep, write_build
from compiler.read import Sources, read_sources
from compiler.report import Report, owner_json
from compiler.settings import Settings
from compiler.site import protect
from compiler.spending import Asks
from compiler.telling import Ending, told
from compiler.version import compiler_version


@dataclass(frozen=True, slots=True)
class Run:
    """One build while it runs: what was asked, and what it has used so far."""

    settings: Settings
    cache: Cache
    clock: Clock
    now: datetime


@dataclass(frozen=True, slots=True)
class How:
    """How a build is done; nothing of it changes what is built, but for a preview."""

    preview: bool = False  # also shows drafts and private pages; the caller keeps that output apart and local
    anew: Collection[str] = ()  # stages (of cache.STAGES) that take nothing from the cache
    wait: float = 0.0  # seconds another build may take to finish
    older: bool = False  # go back to an older commit on purpose
    asks: Asks = Asks.SINGLY  # how a model is asked, which costs money; a preview never asks: it holds private pages
    durable: bool = True  # flush the disk before the switch; a local server builds again instead
    press: Press = Press()  # noqa: RUF009 - frozen


def build(settings: Settings, *, now: datetime, progress: Progress, how: How = How()) -> Report:
    """Build the site and its artifacts, switch to them, and return what the owner should know.

    When the served build already is what these inputs make, nothing is written, unless a stage is done anew. Raises
    LockedError when another build runs or has built a newer commit, BuildError or OSError when nothing was switched.
    """
    now = max(now, datetime.fromtimestamp(identity.source_date_epoch(), UTC))
    kept = opened(settings.state / "cache.db", version=compiler_version(), anew=how.anew)
    with held(settings.state, settings.out, wait=how.wait), kept as cache, _seldom_collected():
        noticed.recover(settings.state, now)
        commit = order.head(settings.content) if how.older else order.refuse_older(settings.content, settings.state)
        run = Run(settings, cache, Clock(progress), now)
        report = _build(run, how)
        if not how.preview:
            noticed.merged(settings, now)
        order.remember(settings.state, commit)
        (settings.state / "report.json").write_text(owner_json(report), encoding="utf-8")
        return report


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Look for garbage rarely: nearly all that a build makes lives to its end (saves 1.0 to 1.9 of 10 CPU seconds)."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _build(run: Run, how: How) -> Report:
    settings, clock, progress = run.settings, run.clock, run.clock.progress
    sources = read_sources(settings, run.now, cache=run.cache, clock=clock, preview=how.preview)
    with clock.stage("embedder"):
        choice = choose_embedder(settings.embed)
    asks, again = Asks.NEVER if how.preview else how.asks, "derive" in how.anew
    enrichment = choose_enricher(settings, progress.update, asks, again=again)
    with clock.stage("compare"):
        sweep(settings.out)
        remove_superseded(settings.out)  # a build that was killed after its switch left the one before
        protected = protect.stage(settings.out, sources.protected)
    made = _derive(run, sources, enrichment) if enrichment.desk else None  # what a model answers is an input
    with clock.stage("compare"):
        wanted = identity.build_id(sources, settings, choice.profile, answers=enrichment.digest)
        if not run.cache.anew and (served := is_served(settings.out, wanted)):
            protect.switch(settings.out, protected)
            run.cache.early = True
            return told(sources, Ending(served), enrichment, cache=run.cache, clock=clock)
    made = made or _derive(run, sources, enrichment)
    with how.press.search(leaves_of(sources, made), cache=run.cache) as search:  # runs beside what follows
        with clock.stage("embed"):
            vectors = embed_rows(made, choice, settings, progress=progress, anew="embed" in run.cache.anew)
        answers, waiting = enrichment.digest, _waiting(vectors)
        final = identity.build_id(sources, settings, choice.profile, waiting=waiting, answers=answers)
        derived = Derived(final, identity.stamp(sources.articles), sources, made, vectors, choice, search)
        place, manifest = write_build(derived, settings, how.press, cache=run.cache, clock=clock)
    with clock.stage("switch"):
        events.intend(settings.state, settings.out, place.name, noticed.expected(settings.out, manifest, run.now))
        switch(settings.out, place.name, durable=how.durable)
        protect.switch(settings.out, protected)
        events.settle(settings.state)
        remove_superseded(settings.out)
    return told(sources, Ending(manifest, True, vectors), enrichment, cache=run.cache, clock=clock)


def _derive(run: Run, sources: Sources, enrichment: Enrichment) -> Derivation:
    """Return every row, with the name of the fallback when a model did not answer for all of them."""
    settings, update = run.settings, run.clock.progress.update
    with run.clock.stage("derive"):
        made = derive(sources.documents, settings, enricher=enrichment.enricher, cache=run.cache, progress=update)
        enrichment.close(sources.articles)
        return replace(made, degraded=enrichment.degraded)


def _waiting(vectors: Vectors | None) -> int:
    """Return how many rows a time budget left without a vector."""
    return sum(s.total - len(s.keys) for s in vectors.sets.values()) if vectors else 0
