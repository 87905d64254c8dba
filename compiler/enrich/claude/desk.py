"""Gets one answer: from what was kept, else from the model, which has a second try when the first can't be used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, cast

from compiler.enrich.claude.calls import Call
from compiler.enrich.claude.checks import CUT_OFF, Unusable
from compiler.enrich.claude.client import Door, Unanswered
from compiler.enrich.claude.ledger import Ledger, Overspent
from compiler.enrich.claude.store import Store

TRIES = 2
Value = TypeVar("Value")
Check = Callable[[bytes], Value]


@dataclass(frozen=True, slots=True)
class Failure:
    """An item that is derived locally instead, and why. `code` is stable."""

    article: str
    stage: str
    code: str
    reason: str
    count: int = 1


@dataclass(slots=True)
class Desk:
    """Where answers come from. `failures` lists what there is no answer for, `answers` what there is.

    What a model got wrong twice is asked again only with another text, prompt or model, or on purpose (`again`).
    """

    store: Store
    ledger: Ledger
    door: Door | None  # None: nothing is asked, what would be is written down
    again: bool = False
    failures: list[Failure] = field(default_factory=list)
    answers: list[tuple[str, bytes]] = field(default_factory=list)

    async def get(self, call: Call, check: Check[Value]) -> Value | None:
        """Return the checked answer to a call, None when there is none to be had."""
        kept = self.store.find(call)
        if kept and not kept.failure and (found := self._kept(call, kept.answer.encode(), check)) is not None:
            self.ledger.kept(call)
            self.answers.append((call.key, kept.answer.encode()))
            return found
        if kept and kept.failure and not self.again:
            self.failures.append(_failure(call, Unusable(kept.failure)))
            return None
        if self.door is None:
            self.ledger.planned(call)
            return None
        try:
            raw, value = await self._asked(self.door, call, check)
        except Unusable as error:
            self.failures.append(_failure(call, error))
            if error.rest is None:
                self.store.keep(call, b"", str(error))
                return None
            raw, value = error.rest.raw, cast(Value, error.rest.value)
        except (Unanswered, Overspent) as error:
            self.failures.append(_failure(call, error))
            return None
        self.store.keep(call, raw)
        self.answers.append((call.key, raw))
        return value

    def _kept(self, call: Call, raw: bytes, check: Check[Value]) -> Value | None:
        """Return what a kept answer gives; one that was good in parts is asked for again only on purpose."""
        try:
            return check(raw)
        except Unusable as error:
            if error.rest is None or self.again:
                return None
            self.failures.append(_failure(call, error))
            return cast(Value, error.rest.value)

    async def _asked(self, door: Door, call: Call, check: Check[Value]) -> tuple[bytes, Value]:
        """Return a fresh answer and its value. The second try is told what was wrong with the first."""
        note, longer = "", False
        for attempt in range(TRIES):
            try:
                raw = await door.ask(call, note=note, longer=longer)
                return raw, check(raw)
            except Unusable as error:
                if attempt == TRIES - 1:
                    raise
                note = f"A first answer to this could not be used: {error}. Fill in the form anew."
                longer = str(error) == CUT_OFF
        raise AssertionError


def _failure(call: Call, error: Unusable | Unanswered | Overspent) -> Failure:
    return Failure(call.article, call.stage, error.code, str(error))
