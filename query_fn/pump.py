"""An iterator that blocks, read from a coroutine: its lines as they come, and a sign of life while there are none.

The iterator runs in a thread of its own. When the reader leaves, the thread is told so and stops at its next look.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TypeVar

import anyio.to_thread

T = TypeVar("T")
LOOK = 0.25  # seconds between two looks whether a reader has left
ALIVE = ": still here\n\n"  # a comment of server-sent events


async def pumped(make: Callable[[Callable[[], bool]], Iterator[str]], *, silence: float) -> AsyncIterator[str]:
    """Yield the lines of ``make(gone)``, and ALIVE after each `silence` seconds without one. Raises what it raises."""
    gone, loop = threading.Event(), asyncio.get_running_loop()
    arrived: asyncio.Queue[str | None] = asyncio.Queue()

    def put(line: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens
            loop.call_soon_threadsafe(arrived.put_nowait, line)

    def work() -> None:
        try:
            for line in make(gone.is_set):
                put(line)
        finally:
            put(None)

    running = asyncio.ensure_future(anyio.to_thread.run_sync(work))
    try:
        while (line := await _next(arrived, silence)) is not None:
            yield line
        await running
    finally:
        gone.set()


async def attended(work: Callable[[Callable[[], bool]], T], left: Callable[[], Awaitable[bool]]) -> T:
    """Return what ``work(gone)`` returns; `gone` is told within LOOK seconds that the reader has `left`."""
    gone = threading.Event()
    running = asyncio.ensure_future(anyio.to_thread.run_sync(work, gone.is_set))
    while not (await asyncio.wait({running}, timeout=LOOK))[0]:
        if await left():
            gone.set()
    return await running


async def _next(arrived: asyncio.Queue[str | None], silence: float) -> str | None:
    try:
        return await asyncio.wait_for(arrived.get(), silence)
    except TimeoutError:
        return ALIVE
