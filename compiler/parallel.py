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
from typing import Any, TypeVar

ENOUGH = 48  # items from which a process is worth its start: about half a second of pages
CHUNK = 4  # items per message: few enough that both cores end together

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """Processes that are forked for one long list and end with it; short lists run where they are, or in one process.

    A fork has the items, and whatever was loaded before it, without a copy: only results travel. Only Linux has them:
    elsewhere a started process begins with imports that cost more than they save here.
    """

    def __init__(self, count: int | None = None) -> None:
        self.count = (cores() if sys.platform == "linux" else 1) if count is None else count
        self._pool: ProcessPoolExecutor | None = None
        self._side: ProcessPoolExecutor | None = None

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        load: Callable[[Sequence[Item]], object] | None = None,
        beside: bool = False,
    ) -> Iterator[Result]:
        """Yield `function` of each item, in order. `function` depends on its item alone.

        A long list, or any list that is made `beside` what the caller does meanwhile, is begun at once. What `load`
        makes of a long list is shared by all processes; what a short list loads serves the next one made beside, too.
        """
        if self.count < 2 or not items or (len(items) < ENOUGH and not beside):
            return map(function, items)
        if len(items) < ENOUGH:
            self._side = self._side or ProcessPoolExecutor(1, get_context("fork"), initializer=_begin)
            return self._side.map(function, items)
        if load and not beside:
            load(items)
        self.close()
        self._pool = ProcessPoolExecutor(
            min(self.count, len(items)), get_context("fork"), initializer=_begin_list, initargs=(function, items)
        )
        return self._ending(self._pool.map(_made, range(len(items)), chunksize=CHUNK))

    def _ending(self, results: Iterator[Result]) -> Iterator[Result]:
        yield from results
        self.close()

    def close(self) -> None:
        """End the processes."""
        for pool in (self._pool, self._side):
            if pool is not None:
                pool.shutdown(cancel_futures=True)
        self._pool = self._side = None


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_job: list[Callable[[int], Any]] = []  # of this process: what makes the n-th result


def _begin_list(function: Callable[[Item], Result], items: Sequence[Item]) -> None:
    _job.append(lambda n: function(items[n]))
    _begin()


def _begin() -> None:
    """Leave Ctrl-C to the build, and end when the build is killed: a pipe alone would keep a worker waiting."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # else collecting would copy every page of memory that is shared with the build
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _made(n: int) -> Any:
    return _job[-1](n)


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
