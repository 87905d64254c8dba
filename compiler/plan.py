"""What a build would pay for, told before it does: every stage that asks a model, with nothing asked or switched."""

from __future__ import annotations

from datetime import datetime

from compiler.cache import opened
from compiler.derive import derive
from compiler.enriching import choose_enricher
from compiler.lock import held
from compiler.progress import Clock, Progress
from compiler.read import read_sources
from compiler.settings import Settings
from compiler.spending import Asks, Bill
from compiler.version import compiler_version


def plan(settings: Settings, *, now: datetime, progress: Progress, batched: bool = False) -> Bill:
    """Return what a build of these sources would ask and pay; an empty bill without a model.

    Raises LockedError when a build runs, SettingsError for a model without a price.
    """
    enrichment = choose_enricher(settings, progress.update, Asks.PLANNED)
    if enrichment.desk is None:
        return Bill(budget_usd=settings.budget.build_usd)
    enrichment.desk.ledger.batched = batched
    kept = opened(settings.state / "cache.db", version=compiler_version())
    with held(settings.state, settings.out, wait=0), kept as cache:
        cache.early = True  # a plan asks for few of the kept results and drops none
        clock = Clock(progress)
        sources = read_sources(settings, now, cache=cache, clock=clock)
        with clock.stage("derive"):
            derive(sources.documents, settings, enricher=enrichment.enricher, cache=cache, progress=progress.update)
        return enrichment.desk.ledger.bill()
