"""The token bucket of one client, with a clock of its own."""

from __future__ import annotations

import pytest

from query_fn.errors import TooMany
from query_fn.guard import rate
from query_fn.guard.rate import Rate


def _spend(bucket: Rate, client: str, times: int) -> None:
    for _ in range(times):
        bucket.take(client)


def test_off() -> None:
    """Zero means no limit."""
    _spend(Rate(0, clock=lambda: 0.0), "a", 1_000)


def test_burst_then_wait() -> None:
    """A burst of a minute's worth is allowed; the next one is told how long to wait."""
    now = [0.0]
    bucket = Rate(6, clock=lambda: now[0])
    _spend(bucket, "a", 6)
    with pytest.raises(TooMany) as caught:
        bucket.take("a")
    assert caught.value.retry_after == 10
    now[0] = 10.0
    bucket.take("a")


def test_clients_are_apart() -> None:
    """One client's haste is not another's."""
    bucket = Rate(1, clock=lambda: 0.0)
    _spend(bucket, "a", 1)
    bucket.take("b")


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the most recently seen clients are remembered."""
    monkeypatch.setattr(rate, "MAX_CLIENTS", 3)
    bucket = Rate(1, clock=lambda: 0.0)
    for client in "abcd":
        bucket.take(client)
    bucket.take("a")
    with pytest.raises(TooMany):
        bucket.take("d")
