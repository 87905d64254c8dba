"""What all questions of a day may use together. The worst case is reserved first, so the cap is never passed."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import defaultdict
from collections.abc import Callable

from query_fn.guard.counters import Amounts, Counters, StoreDown
from query_fn.prices import Spending

DAY = 24 * 3600
KEPT = 2 * DAY  # how long a day's sums are kept
_MICRO = 1_000_000  # the table counts whole numbers: millionths of a dollar, rounded up
_NO_LIMIT = 10**15  # tokens, when the owner limits dollars alone: they are counted all the same
_log = logging.getLogger("geosmin.budget")


class DailyBudget:
    """A budget for each UTC day, dollars and tokens at once. When the store is down nobody can tell what is left."""

    def __init__(self, counters: Counters, cap: Spending, *, clock: Callable[[], float] = time.time) -> None:
        self._counters = counters
        self._limits = (int(cap.usd * _MICRO), cap.tokens or _NO_LIMIT)
        self._clock = clock
        self._lock = threading.Lock()
        self._open: defaultdict[Spending, list[int]] = defaultdict(list)  # what is set aside → the days it belongs to

    def reserve(self, worst: Spending) -> bool:
        """Set dollars and tokens aside; False, with nothing kept, when one is not there or the store is down."""
        amounts, day = _amounts(worst), int(self._clock()) // DAY
        if not any(amounts):
            return True
        try:
            got = self._counters.take(_key(day), amounts, limits=self._limits, until=day * DAY + KEPT)
        except StoreDown as error:
            _log.error("the budget cannot be read, no model is asked: %s", error)
            return False
        if got:
            with self._lock:
                self._open[worst].append(day)
        return got

    def settle(self, reserved: Spending, used: Spending) -> None:
        """Replace what was set aside by what was used, on the day it was set aside.

        When the store is down the whole reservation counts as spent.
        """
        with self._lock:
            days = self._open[reserved]
            day = days.pop(0) if days else int(self._clock()) // DAY
            if not days:
                del self._open[reserved]
        pairs = zip(_amounts(used), _amounts(reserved), strict=True)
        changes = tuple(amount - before for amount, before in pairs)
        if not any(changes):
            return
        try:
            self._counters.give(_key(day), changes, until=day * DAY + KEPT)
        except StoreDown as error:
            _log.error("a reservation stays: %s", error)


def _amounts(spending: Spending) -> Amounts:
    return math.ceil(spending.usd * _MICRO), spending.tokens


def _key(day: int) -> str:
    return f"spent:{day}"
