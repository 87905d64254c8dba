"""The enriching stage: who derives the knowledge layer, and what that gave rise to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from compiler.cache import digest_of
from compiler.enrich.claude.batches import Batched
from compiler.enrich.claude.calls import Asking
from compiler.enrich.claude.client import Direct, Door
from compiler.enrich.claude.desk import Desk, Failure
from compiler.enrich.claude.enricher import ClaudeEnricher
from compiler.enrich.claude.ledger import Ledger
from compiler.enrich.claude.prompts import versions
from compiler.enrich.claude.reading import Reader
from compiler.enrich.claude.store import Store
from compiler.enrich.local import LocalEnricher
from compiler.enrich.protocol import Enricher
from compiler.errors import SettingsError
from compiler.model import Article, Problem, Severity, SourcePath
from compiler.settings import Settings
from compiler.spending import Asks, Bill, Provider

INCOMPLETE = "enrichment_incomplete"
FOLDER = "claude"  # of the state folder
LONG = "enrich-long"
NOT_HERE = "only `geosmin build` asks a model"
_WORDS = {
    "questions": "questions",
    "sections": "summaries of sections",
    "source": "the source page",
    "subjects": "the subjects",
    "sayings": "what it says of its subjects",
    "article": "the rest of the article",
}
_FIXES = {
    "enrich-unusable": "`geosmin build --from derive` asks once more",
    "enrich-budget": "raise budget.build_usd; `geosmin build --plan` tells what is left to pay",
    "enrich-unanswered": "build again later: what was answered is kept",
    "enrich-time": "build again: what was answered is kept",
    LONG: "raise enrich.chunks_per_article, or split the page",
}


@dataclass(frozen=True, slots=True)
class Enrichment:
    """The enricher of one build, and what a model was asked for it; `desk` is None without a model."""

    enricher: Enricher
    desk: Desk | None = None

    @property
    def digest(self) -> str:
        """A hash of every answer that was used: with others the build is another one."""
        return digest_of(sorted(self.desk.answers)) if self.desk else ""

    @property
    def bill(self) -> Bill | None:
        """What was spent, or would be."""
        return self.desk.ledger.bill() if self.desk else None

    @property
    def degraded(self) -> tuple[str, ...]:
        """The name of the fallback, when some of the articles have local results."""
        failures = self.desk.failures if self.desk else ()
        return (INCOMPLETE,) if any(failure.code != LONG for failure in failures) else ()

    @property
    def prompts(self) -> Mapping[str, str]:
        """The versions of the prompts that were used, empty without a model."""
        return versions() if self.desk else {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What the store could not keep."""
        return (self.desk.store.note,) if self.desk and self.desk.store.note else ()

    def problems(self, articles: Iterable[Article]) -> list[Problem]:
        """Return what was derived locally instead, by article, stage and reason."""
        paths: dict[str, SourcePath] = {article.id: article.source for article in articles}
        counted = Counter(self.desk.failures if self.desk else ())
        ordered = sorted(counted, key=lambda f: (f.article, f.stage, f.code, f.reason))
        return [_problem(one, counted[one], paths) for one in ordered]

    def close(self, articles: Sequence[Article]) -> None:
        """Drop the answers about articles that are not public any more."""
        if self.desk:
            self.desk.store.forget({article.id for article in articles})


def choose_enricher(
    settings: Settings, progress: Callable[[int, int], None], asks: Asks = Asks.SINGLY, *, again: bool = False
) -> Enrichment:
    """Return the configured enricher. Raises SettingsError for a model without a price, and for batches on Bedrock.

    Nothing is connected to before a call is needed: with every answer kept, a build needs neither key nor network.
    With `again`, what could not be used before is asked once more.
    """
    chosen = settings.enrich
    if chosen.provider is Provider.LOCAL:
        return Enrichment(LocalEnricher())
    batched = asks is Asks.BATCHED
    if batched and chosen.provider is Provider.BEDROCK:
        raise SettingsError("--batch: Bedrock has no Message Batches here; leave it out, or use the provider anthropic")
    folder = settings.state / FOLDER
    ledger = Ledger.of(chosen, settings.budget.build_usd, batched=batched)
    doors: Mapping[Asks, Callable[[], Door | None]] = {
        Asks.SINGLY: lambda: Direct(chosen, ledger),
        Asks.BATCHED: lambda: Batched(chosen, ledger, folder),
        Asks.PLANNED: lambda: None,
        Asks.NEVER: lambda: Direct(chosen, ledger, NOT_HERE),
    }
    desk = Desk(Store.at(folder), ledger, doors[asks](), again)
    asking = Asking(chosen.question_model, chosen.page_model, settings.guide, chosen.chunks_per_article)
    reader = Reader(desk, asking, chosen, settings.questions.per_chunk, unlimited=batched)
    return Enrichment(ClaudeEnricher(reader, progress), desk)


def _problem(failure: Failure, count: int, paths: Mapping[str, SourcePath]) -> Problem:
    times = f" ({count} calls)" if count > 1 else ""
    if failure.code == LONG:
        message = f"{failure.reason}; the others have local questions"
    else:
        message = f"{_WORDS[failure.stage]}: derived locally{times}, because {failure.reason}"
    path = paths[failure.article]
    return Problem(Severity.WARNING, failure.code, path, None, message, _FIXES.get(failure.code, ""), public=True)
