"""An iterator that blocks is read as it goes; its end, its faults and the reader's leaving are seen on both sides."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator

import pytest

from query_fn.pump import ALIVE, pumped


async def _all(make: Callable[[Callable[[], bool]], Iterator[str]], silence: float = 5.0) -> list[str]:
    return [line async for line in pumped(make, silence=silence)]


def test_lines_come_in_order() -> None:
    """Every line comes, in order, and then the end."""
    assert asyncio.run(_all(lambda _: iter("abc"))) == ["a", "b", "c"]


def test_a_fault_comes_after_the_lines_before_it() -> None:
    """What the iterator raises is raised to the reader."""

    def broken(_: Callable[[], bool]) -> Iterator[str]:
        yield "a"
        raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        asyncio.run(_all(broken))


def test_signs_of_life() -> None:
    """While nothing comes there is a sign of life."""

    def slow(_: Callable[[], bool]) -> Iterator[str]:
        time.sleep(0.2)
        yield "a"

    lines = asyncio.run(_all(slow, 0.05))
    assert (lines[-1], set(lines[:-1])) == ("a", {ALIVE})


def test_a_reader_who_leaves_is_noticed() -> None:
    """When the reader leaves, the iterator is told within a second."""
    told: list[float] = []

    def endless(gone: Callable[[], bool]) -> Iterator[str]:
        while not gone():
            yield "a"
            time.sleep(0.01)
        told.append(time.monotonic())

    async def leave() -> float:
        lines = pumped(endless, silence=5.0)
        await anext(lines)
        await lines.aclose()  # type: ignore[attr-defined]
        left = time.monotonic()
        await asyncio.sleep(0.3)
        return left

    left = asyncio.run(leave())
    assert told
    assert told[0] - left < 1.0
