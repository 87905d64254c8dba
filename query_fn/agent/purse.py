"""What one question may still cost. Every limit is asked here before the step or the call that spends.

A call to a model reserves its worst case and is settled with what it used. The budget behind the purse is shared by
all questions; where it is kept (a process, a table) is the budget's business.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct

from query_fn.errors import Spent
from query_fn.prices import Price, Spending, Usage, cost, spending

CLOSING = 0.3  # share of the seconds that is kept for the last answer
SHARED = 2 / 3  # of what is left that sub-questions may use; the rest is for reading what they found, and answering


class Limits(Struct, frozen=True):
    """What one question may cost at most: tool calls, wall-clock seconds, tokens of all its calls, US dollars."""

    steps: int = 8
    seconds: float = 25.0
    input_tokens: int = 120_000
    output_tokens: int = 8_000
    usd: float = 0.05


class Budget(Protocol):
    """What all questions together may cost, for example in a day."""

    def reserve(self, worst: Spending) -> bool:
        """Set dollars and tokens aside; False, with nothing kept, when one is not there or when nobody can tell."""
        ...

    def settle(self, reserved: Spending, used: Spending) -> None:
        """Replace what was set aside by what was used."""
        ...


class Unlimited:
    """No budget beyond that of each question."""

    def reserve(self, worst: Spending) -> bool:
        """Return True."""
        return True

    def settle(self, reserved: Spending, used: Spending) -> None:
        """Forget it."""


def never() -> bool:
    """Return False: the reader is still there."""
    return False


class Purse:
    """The limits of one question and what of them is used. `gone` says whether the reader has left."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        budget: Budget | None = None,
        gone: Callable[[], bool] = never,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = limits or Limits()
        self.gone = gone
        self.steps = 0
        self.calls = 0
        self.usage = Usage()
        self.usd = 0.0
        self._budget = budget or Unlimited()
        self._clock = clock
        self._began = clock()

    @property
    def left(self) -> float:
        """Seconds until the question must be answered."""
        return max(0.0, self.limits.seconds - (self._clock() - self._began))

    def stop(self) -> str:
        """Return the name of the limit after which no tool is used any more, "" for none."""
        if self.gone():
            return "gone"
        if self.steps >= self.limits.steps:
            return "steps"
        return "deadline" if self.left <= self.limits.seconds * CLOSING else ""

    def step(self) -> None:
        """Count one tool call."""
        self.steps += 1

    def shares(self, parts: int) -> tuple[Purse, ...]:
        """Return purses that share a part of what is left, equal ones: together they never hold more than this one.

        What they have used is taken out of this one by `absorb`; until then it must not be spent from.
        """
        share, used, limits = SHARED / max(1, parts), self.usage, self.limits
        left = Limits(
            steps=int((limits.steps - self.steps) * share),
            seconds=max(0.0, self.left - limits.seconds * CLOSING) * SHARED,  # they run at the same time
            input_tokens=int((limits.input_tokens - used.read) * share),
            output_tokens=int((limits.output_tokens - used.output) * share),
            usd=(limits.usd - self.usd) * share,
        )
        return tuple(Purse(left, budget=self._budget, gone=self.gone, clock=self._clock) for _ in range(parts))

    def absorb(self, share: Purse) -> None:
        """Take what a share has used out of this purse."""
        self.steps += share.steps
        self.calls += share.calls
        self.usage += share.usage
        self.usd += share.usd

    def bill(self) -> Mapping[str, float]:
        """Return what was spent: calls, tokens and US dollars."""
        used = self.usage
        return {"calls": self.calls, "input_tokens": used.read, "output_tokens": used.output, "usd": round(self.usd, 6)}

    def lacking(self, worst: Usage, price: Price) -> str:
        """Return the name of the limit that a call of this size would pass, "" for none."""
        together = self.usage + worst
        if together.read > self.limits.input_tokens:
            return "input_tokens"
        if together.output > self.limits.output_tokens:
            return "output_tokens"
        return "usd" if self.usd + cost(worst, price) > self.limits.usd else ""

    def reserve(self, worst: Usage, price: Price) -> Spending:
        """Set the worst case of a call aside and return it. Raises Spent when a limit forbids it."""
        if name := "gone" if self.gone() else "deadline" if not self.left else self.lacking(worst, price):
            raise Spent(name)
        reserved = spending(worst, price)
        if not self._budget.reserve(reserved):
            raise Spent("budget")
        self.calls += 1
        return reserved

    def settle(self, reserved: Spending, usage: Usage, price: Price) -> None:
        """Replace what was set aside by what a call used, as far as anybody can tell."""
        used = spending(usage, price)
        self.usage += usage
        self.usd += used.usd
        self._budget.settle(reserved, used)
