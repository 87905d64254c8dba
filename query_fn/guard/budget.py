"""What all questions of a day may cost together. The worst case is reserved first, so the cap is never passed."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import defaultdict
from collections.abc import Callable

from query_fn.guard.counters import Counters, StoreDown

DAY = 24 * 3600
KEPT = 2 * DAY  # how long a day's sum is kept
_MICRO = 1_000_000  # the table counts whole numbers: millionths of a dollar, rounded up
_log = logging.getLogger("geosmin.budget")


class DailyBudget:
    """A budget in US dollars for each UTC day. When the store is down nobody can tell what is left: nothing is."""

    def __init__(self, counters: Counters, usd: float, *, clock: Callable[[], float] = time.time) -> None:
        self._counters = counters
        self._limit = int(usd * _MICRO)
        self._clock = clock
        self._lock = threading.Lock()
        self._open: defaultdict[int, list[int]] = defaultdict(list)  # amounts set aside → the days they belong to

    def reserve(self, usd: float) -> bool:
        """Set an amount aside; False when it is not there, or when the store is down."""
        amount, day = math.ceil(usd * _MICRO), int(self._clock()) // DAY
        if amount <= 0:
            return True
        try:
            got = self._counters.take(_key(day), amount, limit=self._limit, until=day * DAY + KEPT)
        except StoreDown as error:
            _log.error("the budget cannot be read, no model is asked: %s", error)
            return False
        if got:
            with self._lock:
                self._open[amount].append(day)
        return got

    def settle(self, reserved: float, usd: float) -> None:
        """Replace what was set aside by what was used, on the day it was set aside.

        When the store is down the whole reservation counts as spent.
        """
        amount, used = math.ceil(reserved * _MICRO), math.ceil(usd * _MICRO)
        with self._lock:
            days = self._open[amount]
            day = days.pop(0) if days else int(self._clock()) // DAY
            if not days:
                del self._open[amount]
        if used == amount:
            return
        try:
            self._counters.give(_key(day), used - amount, until=day * DAY + KEPT)
        except StoreDown as error:
            _log.error("a reservation stays: %s", error)


def _key(day: int) -> str:
    return f"usd:{day}"
