"""Numbers that all containers of a function share: added up to a limit, and never past it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Protocol

MAX_KEYS = 10_000  # of one process; past it the oldest windows are forgotten


class StoreDown(Exception):
    """The store gives no answer; whoever asked decides what is safe then."""


class Counters(Protocol):
    """Atomic counters, each with an end. Raises StoreDown from every method."""

    def take(self, key: str, amount: int, *, limit: int, until: int) -> bool:
        """Add `amount` (> 0) when the sum stays at or under `limit`; say whether it was added. Gone after `until`."""
        ...

    def give(self, key: str, amount: int, *, until: int) -> None:
        """Add `amount`, whatever the sum is then; a negative one gives back."""
        ...

    def flag(self, key: str) -> str:
        """Return a word that the owner has set, "" for none."""
        ...


class MemoryCounters:
    """The counters of one process: the default, exact as long as there is one container."""

    def __init__(self, flags: Mapping[str, str] | None = None, *, clock: Callable[[], float] = time.time) -> None:
        self._flags = dict(flags or {})
        self._clock = clock
        self._sums: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()

    def take(self, key: str, amount: int, *, limit: int, until: int) -> bool:
        """Add when it fits."""
        with self._lock:
            total = self._sums.get(key, (0, until))[0] + amount
            if total > limit:
                return False
            self._put(key, total, until)
            return True

    def give(self, key: str, amount: int, *, until: int) -> None:
        """Add in any case."""
        with self._lock:
            self._put(key, self._sums.get(key, (0, until))[0] + amount, until)

    def flag(self, key: str) -> str:
        """Return a flag."""
        return self._flags.get(key, "")

    def _put(self, key: str, total: int, until: int) -> None:
        if key not in self._sums and len(self._sums) >= MAX_KEYS:
            now = self._clock()
            self._sums = {name: item for name, item in self._sums.items() if item[1] > now}
            for name in list(self._sums)[: len(self._sums) - MAX_KEYS + 1]:
                del self._sums[name]
        self._sums[key] = (total, until)
