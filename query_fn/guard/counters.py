"""Numbers that all containers of a function share: added up to a limit, and never past it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Protocol

Amounts = tuple[int, ...]  # what is counted under one key: for a budget, millionths of a dollar and tokens
MAX_KEYS = 10_000  # of one process; past it the oldest windows are forgotten


class StoreDown(Exception):
    """The store gives no answer; whoever asked decides what is safe then."""


class Counters(Protocol):
    """Atomic counters, each with an end. Raises StoreDown from every method."""

    def take(self, key: str, amounts: Amounts, *, limits: Amounts, until: int) -> bool:
        """Add all `amounts` (≥ 0), or none when a sum would pass its limit; say whether they were added.

        The sums are gone after `until`, in UTC epoch seconds.
        """
        ...

    def give(self, key: str, amounts: Amounts, *, until: int) -> None:
        """Add `amounts`, whatever the sums are then; negative ones give back."""
        ...

    def flag(self, key: str) -> str:
        """Return a word that the owner has set, "" for none."""
        ...


class MemoryCounters:
    """The counters of one process: the default, exact as long as there is one container."""

    def __init__(self, flags: Mapping[str, str] | None = None, *, clock: Callable[[], float] = time.time) -> None:
        self._flags = dict(flags or {})
        self._clock = clock
        self._sums: dict[str, tuple[Amounts, int]] = {}
        self._lock = threading.Lock()

    def take(self, key: str, amounts: Amounts, *, limits: Amounts, until: int) -> bool:
        """Add when all fit."""
        with self._lock:
            totals = self._totals(key, amounts)
            if any(total > limit for total, limit in zip(totals, limits, strict=True)):
                return False
            self._put(key, totals, until)
            return True

    def give(self, key: str, amounts: Amounts, *, until: int) -> None:
        """Add in any case."""
        with self._lock:
            self._put(key, self._totals(key, amounts), until)

    def flag(self, key: str) -> str:
        """Return a flag."""
        return self._flags.get(key, "")

    def _totals(self, key: str, amounts: Amounts) -> Amounts:
        before = self._sums.get(key, ((0,) * len(amounts), 0))[0]
        return tuple(sum(pair) for pair in zip(before, amounts, strict=True))

    def _put(self, key: str, totals: Amounts, until: int) -> None:
        if key not in self._sums and len(self._sums) >= MAX_KEYS:
            now = self._clock()
            self._sums = {name: item for name, item in self._sums.items() if item[1] > now}
            for name in list(self._sums)[: len(self._sums) - MAX_KEYS + 1]:
                del self._sums[name]
        self._sums[key] = (totals, until)
