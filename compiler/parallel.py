"""Runs a pure function over many items on all cores. The order of the results is that of the items, always."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import TypeVar

ENOUGH = 48  # items from which a process is worth its start: about half a second of pages
CHUNK = 4  # items per message: few enough that both cores end together

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """Processes that are started at the first long list and end with the build; short lists run where they are.

    Only Linux has them: elsewhere a started process begins with imports that cost more than they save here.
    """

    def __init__(self, count: int | None = None) -> None:
        self.count = (cores() if sys.platform == "linux" else 1) if count is None else count
        self._pool: ProcessPoolExecutor | None = None

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item], *, beside: bool = False
    ) -> Iterator[Result]:
        """Yield `function` of each item, in order. `function` is a module's own and depends on its item alone.

        A long list, or any list that is made `beside` what the caller does meanwhile, is begun at once.
        """
        if self.count < 2 or not items or (len(items) < ENOUGH and not beside):
            return map(function, items)
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.count, mp_context=get_context("fork"), initializer=_begin)
        return self._pool.map(function, items, chunksize=CHUNK)

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _begin() -> None:
    """Leave Ctrl-C to the build, and end when the build is killed: a pipe alone would keep a worker waiting."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # else collecting would copy every page of memory that is shared with the build
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
