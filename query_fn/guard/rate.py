"""A thin in-process limit: one token bucket per client. The walls that count stand in front of the function."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from query_fn.errors import TooMany

MAX_CLIENTS = 10_000  # the least recently seen are forgotten, so memory is bounded


class Rate:
    """Let each client ask `per_minute` times a minute, in bursts up to that number. 0 = no limit."""

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, client: str) -> None:
        """Spend one request of `client`. Raises TooMany that names the seconds to wait."""
        if not self._per_minute:
            return
        with self._lock:
            left = self._refill(client)
            if left < 1:
                wait = math.ceil((1 - left) * 60 / self._per_minute)
                raise TooMany(f"Too many requests; try again in {wait} seconds.", retry_after=wait)
            self._put(client, left - 1)

    def _refill(self, client: str) -> float:
        left, since = self._buckets.get(client, (float(self._per_minute), self._clock()))
        return min(self._per_minute, left + (self._clock() - since) * self._per_minute / 60)

    def _put(self, client: str, left: float) -> None:
        self._buckets[client] = (left, self._clock())
        self._buckets.move_to_end(client)
        while len(self._buckets) > MAX_CLIENTS:
            self._buckets.popitem(last=False)
