"""The owner's kill switch: ``model`` stops the paid model, ``all`` stops every answer. Read again every half minute."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from query_fn.guard.counters import Counters, StoreDown

KEY = "switch"
POSITIONS = ("", "model", "all")
SECONDS = 30.0  # a flip is seen after this time at the latest
_log = logging.getLogger("geosmin.switch")


class Switch:
    """Where the switch stands: the stricter of the setting and the store."""

    def __init__(self, fixed: str, store: Counters | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._fixed = fixed
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._seen, self._until = "", float("-inf")

    def position(self) -> str:
        """Return "", "model" or "all". Without an answer of the store no money is spent: "model"."""
        if self._fixed == "all" or self._store is None:
            return self._fixed
        with self._lock:
            if self._clock() >= self._until:
                self._seen = self._read(self._store)
                self._until = self._clock() + SECONDS
            return max(self._fixed, self._seen, key=POSITIONS.index)

    def _read(self, store: Counters) -> str:
        try:
            word = store.flag(KEY)
        except StoreDown as error:
            _log.error("the switch cannot be read, no model is asked: %s", error)
            return "all" if self._seen == "all" else "model"
        return word if word in POSITIONS else "all"  # a word that nobody knows was meant to stop something
