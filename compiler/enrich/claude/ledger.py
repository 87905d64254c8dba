"""What is spent: every call reserves its worst case before it is made, and is settled with what it used."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from dataclasses import dataclass, field, replace

from msgspec import structs

from compiler.enrich.claude.calls import Call
from compiler.spending import BATCH_SHARE, Bill, EnrichSettings, Line
from query_fn.prices import UNSURE, Price, Usage, cost, tokens

STAGES = ("questions", "sections", "source", "subjects", "sayings")
OVERHEAD = 400  # tokens of a request that are not its text: the form


class Overspent(Exception):
    """The budget does not allow another call."""

    code = "enrich-budget"

    def __str__(self) -> str:
        """Return the reason."""
        return "the budget of the build does not allow it"


def input_tokens(call: Call) -> int:
    """Return about how many tokens a call sends."""
    return OVERHEAD + sum(map(tokens, (*call.system, call.material, call.task)))


@dataclass(slots=True)
class Ledger:
    """Spending of one build against its budget, or what would be spent."""

    prices: dict[str, Price]
    budget: float
    batched: bool = False
    spent: float = 0.0
    reserved: float = 0.0
    lines: dict[str, Line] = field(default_factory=dict)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _shared: Counter[str] = field(default_factory=Counter)  # how often a planned prompt was seen

    @classmethod
    def of(cls, settings: EnrichSettings, budget: float, *, batched: bool = False) -> Ledger:
        """Return an empty ledger. Raises SettingsError when a model has no price."""
        prices = {model: settings.price(model) for model in (settings.question_model, settings.page_model)}
        return cls(prices, budget, batched)

    async def reserve(self, call: Call, *, longer: bool = False) -> float:
        """Set the worst case of a call aside and return it. Waits for calls under way before it says no.

        Raises Overspent when the budget does not allow the call, whatever those under way turn out to cost.
        """
        worst = self._worst(call) * (2 if longer else 1)
        async with self._changed:
            while self.spent + self.reserved + worst > self.budget:
                if self.spent + worst > self.budget or not self.reserved:
                    raise Overspent
                await self._changed.wait()
            self.reserved += worst
        return worst

    async def settle(self, call: Call, reserved: float, usage: Usage | None) -> None:
        """Replace what was set aside by what was used. What a broken connection used is not known: all of it."""
        usd = reserved if usage is None else self._usd(usage, call.model)
        async with self._changed:
            self.reserved = max(0.0, self.reserved - reserved)
            self.spent += usd
            self._changed.notify_all()
        line = self._line(call)
        self.lines[call.stage] = replace(
            line, calls=line.calls + 1, usage=line.usage + (usage or Usage()), usd=line.usd + usd
        )

    async def release(self, reserved: float) -> None:
        """Give back what was set aside for a call that nobody answered."""
        async with self._changed:
            self.reserved = max(0.0, self.reserved - reserved)
            self._changed.notify_all()

    def kept(self, call: Call) -> None:
        """Write down an answer from an earlier build."""
        line = self._line(call)
        saved = self._usd(self._usual(call), call.model)
        self.lines[call.stage] = replace(line, kept=line.kept + 1, saved_usd=line.saved_usd + saved)

    def planned(self, call: Call) -> None:
        """Write down a call that a build would make."""
        line, usage = self._line(call), self._usual(call)
        self.lines[call.stage] = replace(
            line,
            calls=line.calls + 1,
            usage=line.usage + usage,
            usd=line.usd + self._usd(usage, call.model),
            most_usd=line.most_usd + self._worst(call),
        )

    def bill(self) -> Bill:
        """Return what was spent, or planned, by stage."""
        return Bill(tuple(self.lines[stage] for stage in STAGES if stage in self.lines), self.budget)

    def _line(self, call: Call) -> Line:
        return self.lines.get(call.stage) or Line(call.stage, call.model)

    def _usual(self, call: Call) -> Usage:
        """Return what a call is expected to use; of a shared prompt, the second call and all later ones read it."""
        total = input_tokens(call)
        if not call.shared or self.batched:
            return Usage(input=total, output=call.expected)
        shared = sum(map(tokens, (*call.system, call.material)))
        self._shared[call.material] += 1
        rest = total - shared
        if self._shared[call.material] == 1:
            return Usage(input=rest, cache_write=shared, output=call.expected)
        return Usage(input=rest, cache_read=shared, output=call.expected)

    def _worst(self, call: Call) -> float:
        price = self.prices[call.model]
        dearest = max(price.input, price.cache_write)
        tokens_in = math.ceil(input_tokens(call) * UNSURE)
        return self._usd(Usage(cache_write=tokens_in, output=call.max_tokens), call.model, dearest)

    def _usd(self, usage: Usage, model: str, write: float | None = None) -> float:
        price = self.prices[model]
        usd = cost(usage, price if write is None else structs.replace(price, cache_write=write))
        return usd * (BATCH_SHARE if self.batched else 1)
