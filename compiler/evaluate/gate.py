"""Holds a run against an earlier one: which figures fell. For CI."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compiler.errors import SettingsError

GATED = ("fused", "selected", "by_type", "by_lang", "answer", "refusal")
WORSE_WHEN_HIGHER = ("false_refusals", "answers_refused_wrongly")
NOT_SCORES = ("queries", "asked", "lost")  # counts, and what explains a score
SAME = ("set", "docs", "queries")  # must agree, or the figures cannot be compared


@dataclass(frozen=True, slots=True)
class Fall:
    """A figure that fell: its place in the report, what it was and what it is (None: no longer measured)."""

    name: str
    before: float
    now: float | None


def read_baseline(path: Path) -> dict[str, Any]:
    """Return the report of an earlier run. Raises SettingsError when it is none."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        raise SettingsError(f"--baseline {path}: not the --json output of an earlier run") from None
    if not isinstance(data, dict) or any(name not in data for name in ("fused", *SAME)):
        raise SettingsError(f"--baseline {path}: not the --json output of an earlier run")
    return data


def falls(report: dict[str, Any], baseline: dict[str, Any], share: float) -> list[Fall]:
    """Return the figures under `share` of the baseline's; for figures where less is better, over 1/share of them.

    Raises SettingsError when the two runs are of different sets.
    """
    if differ := [name for name in SAME if report[name] != baseline[name]]:
        name = differ[0]
        raise SettingsError(f"--baseline: its {name} is {baseline[name]!r}, that of this run {report[name]!r}")
    now = dict(_scores(report))
    return [
        Fall(name, before, now.get(name))
        for name, before in _scores(baseline)
        if _fell(before, now.get(name), share, name.rpartition(".")[2])
    ]


def _fell(before: float, now: float | None, share: float, measure: str) -> bool:
    if now is None:
        return True
    if measure in WORSE_WHEN_HIGHER:
        return now * share > before + 1e-9
    return now < before * share - 1e-9


def _scores(report: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for part in GATED:
        yield from _leaves(part, report.get(part))


def _leaves(name: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key in (key for key in value if key not in NOT_SCORES):
            yield from _leaves(f"{name}.{key}", value[key])
    elif isinstance(value, int | float):
        yield name, float(value)
