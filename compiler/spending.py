"""Who derives the knowledge layer, what models cost, and what a build may spend: values; nothing is called."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from compiler.errors import SettingsError
from compiler.ranges import between
from query_fn.prices import PRICES, Price, Usage

BATCH_SHARE = 0.5  # of the price, for what is asked in a batch


class Provider(StrEnum):
    """Who derives: this program alone, or a model at one of two addresses."""

    LOCAL = "local"
    ANTHROPIC = "anthropic"
    BEDROCK = "bedrock"


class Asks(StrEnum):
    """How a model is asked."""

    SINGLY = "singly"
    BATCHED = "batched"  # half the price, within a day
    PLANNED = "planned"  # nothing is asked, what would be is written down
    NEVER = "never"  # only what was kept is used


@dataclass(frozen=True, slots=True)
class Told:
    """What an owner says a model costs: `query_fn.prices.Price`, each amount within its range."""

    model: str
    input: float = between(0.0, 0, 10_000)
    output: float = between(0.0, 0, 10_000)
    cache_write: float = between(0.0, 0, 10_000)
    cache_read: float = between(0.0, 0, 10_000)


@dataclass(frozen=True, slots=True)
class EnrichSettings:
    """Who derives questions, summaries and the wiki, and how much is asked at once."""

    provider: Provider = Provider.LOCAL
    question_model: str = "claude-haiku-5-5"  # questions, summaries of sections
    page_model: str = "claude-sonnet-5-5"  # source pages and what articles say of a subject
    articles: int = between(8, 1, 64)  # at once
    question_batches: int = between(8, 1, 64)  # of one article at once
    page_batches: int = between(8, 1, 64)  # of one article at once
    calls: int = between(64, 1, 512)  # at once, over all articles
    article_minutes: float = between(15.0, 0.01, 1440)  # after which the rest of an article is derived locally
    retries: int = between(4, 0, 10)  # of a call that found nobody to answer it
    pause: float = between(1.0, 0, 60)  # seconds before the first of them; doubled each time
    silence: float = between(120.0, 0.01, 3600)  # seconds without a byte after which a call has failed
    poll: float = between(30.0, 0.01, 3600)  # seconds between two looks at a batch
    chunks_per_article: int = between(120, 1, 10_000)  # that questions are paid for
    prices: tuple[Told, ...] = ()  # instead of, or beside, the known ones

    def price(self, model: str) -> Price:
        """Return what a model costs. Raises SettingsError for one without a price: spending must be seen before."""
        told = (Price(**dataclasses.asdict(price)) for price in self.prices)
        found = {price.model: price for price in (*PRICES, *told)}
        if model not in found:
            known = ", ".join(sorted(found))
            raise SettingsError(f"no price for the model {model!r}; add it to `enrich.prices` (known: {known})")
        return found[model]


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """The most that one build may spend, in US dollars."""

    build_usd: float = between(5.0, 0, 1_000_000)


@dataclass(frozen=True, slots=True)
class Line:
    """One stage of a bill: what was asked (or would be), what was kept from before, and what that saved."""

    stage: str
    model: str
    calls: int = 0
    kept: int = 0
    usage: Usage = field(default_factory=Usage)
    usd: float = 0.0
    most_usd: float = 0.0  # of a plan: when every answer is as long as it may be
    saved_usd: float = 0.0  # about

    def as_json(self) -> Mapping[str, object]:
        """Return the line for ``--json``."""
        return {
            "stage": self.stage,
            "model": self.model,
            "calls": self.calls,
            "kept": self.kept,
            "input_tokens": self.usage.input + self.usage.cache_write + self.usage.cache_read,
            "cached_input_tokens": self.usage.cache_read,
            "output_tokens": self.usage.output,
            "usd": round(self.usd, 6),
            "most_usd": round(self.most_usd, 6),
            "saved_usd": round(self.saved_usd, 6),
        }


@dataclass(frozen=True, slots=True)
class Bill:
    """What a build spent, or would spend, stage by stage, and what it may spend."""

    lines: Sequence[Line] = ()
    budget_usd: float = 0.0

    @property
    def usd(self) -> float:
        """The sum, in US dollars."""
        return sum(line.usd for line in self.lines)

    @property
    def calls(self) -> int:
        """All calls."""
        return sum(line.calls for line in self.lines)

    def as_json(self) -> Mapping[str, object]:
        """Return the bill for ``--json``."""
        lines = [line.as_json() for line in self.lines]
        return {"usd": round(self.usd, 6), "calls": self.calls, "budget_usd": self.budget_usd, "stages": lines}
