"""Fields of settings whose value has bounds."""

from __future__ import annotations

from dataclasses import field
from typing import Any


def between(default: Any, low: float, high: float) -> Any:
    """Return a field whose value lies from `low` to `high`, both included."""
    return field(default=default, metadata={"range": (low, high)})
