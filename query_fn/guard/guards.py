"""All walls of a function together, in memory or behind one table, as the settings say."""

from __future__ import annotations

from msgspec import Struct

from query_fn.agent.purse import Budget
from query_fn.errors import Closed
from query_fn.guard.answers import Answers, MemoryAnswers
from query_fn.guard.budget import DailyBudget
from query_fn.guard.counters import Counters, MemoryCounters
from query_fn.guard.dynamo import DynamoCounters
from query_fn.guard.proof import Proof, WorkProof
from query_fn.guard.shared_answers import SharedAnswers
from query_fn.guard.switch import Switch
from query_fn.guard.table import Table
from query_fn.guard.visitors import Visitors
from query_fn.prices import Spending
from query_fn.settings import Settings


class Guards(Struct, frozen=True):
    """What stands between anonymous readers and the owner's money."""

    visitors: Visitors
    budget: Budget
    switch: Switch
    answers: Answers
    searchers: Visitors  # counted by each container alone: to write to a table costs more than a search
    proof: Proof | None = None  # anybody may ask

    def enter(self, visitor: str) -> bool:
        """Count a question; say whether the paid model may be asked. Raises Closed and TooMany."""
        position = self.look()
        self.visitors.take(visitor)
        return position != "model"

    def browse(self, visitor: str) -> None:
        """Count a search or a look at an outline or a passage. Raises Closed and TooMany."""
        self.look()
        self.searchers.take(visitor)

    def look(self) -> str:
        """Return where the switch stands. Raises Closed when everything is switched off."""
        position = self.switch.position()
        if position == "all":
            raise Closed("The owner has switched this service off. The pages and their search still work.")
        return position


def guards_for(settings: Settings) -> Guards:
    """Return the guards of the settings: with a table all containers count together, without one each for itself."""
    secret = settings.secret or b""
    table = Table(settings.table) if settings.table else None
    shared: Counters | None = DynamoCounters(table) if table else None
    answers: Answers = MemoryAnswers(settings.cached_answers)
    if table and settings.shared_answers_seconds:
        answers = SharedAnswers(table, answers, seconds=settings.shared_answers_seconds, secret=settings.secret)
    return Guards(
        Visitors(settings.rate_per_minute, settings.rate_all_per_minute, shared=shared, secret=secret),
        DailyBudget(shared or MemoryCounters(), Spending(settings.day_usd, settings.day_tokens)),
        Switch(settings.off, shared),
        answers,
        Visitors(settings.searches_per_minute, settings.searches_all_per_minute, secret=secret),
        WorkProof(settings.proof_bits, secret, shared=shared) if settings.proof_bits and secret else None,
    )
