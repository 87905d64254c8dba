"""What readers asked and the base could not answer, from the function's log lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

UNANSWERED = ("no_answer", "refused")
_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Gap:
    """One question that got no answer, or a bad one. `text` is "" unless the owner had words written down."""

    question: str  # the hash
    text: str
    unanswered: int
    disliked: int
    nearest: tuple[str, ...]  # addresses of the pages that came closest

    @property
    def times(self) -> int:
        """How often it happened."""
        return self.unanswered + self.disliked


def gaps(lines: Iterable[str]) -> tuple[Gap, ...]:
    """Return the gaps of a log, the most frequent first. Whatever is no line of ours is passed over."""
    found: dict[str, Gap] = {}
    for line in _ours(lines):
        open_, disliked = line.get("outcome") in UNANSWERED, line.get("rating") == "down"
        if not (open_ or disliked):
            continue
        key = line["question"]
        old = found.get(key, Gap(key, "", 0, 0, ()))
        nearest = tuple(dict.fromkeys((*old.nearest, *_texts(line.get("nearest")))))[:_NEAREST]
        text = old.text or str(line.get("text", ""))
        found[key] = Gap(key, text, old.unanswered + open_, old.disliked + disliked, nearest)
    return tuple(sorted(found.values(), key=lambda gap: (-gap.times, gap.question)))


def _ours(lines: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    """Yield our records; exports of CloudWatch put a time before each."""
    for line in lines:
        begin = line.find("{")
        try:
            value: Any = json.loads(line[begin:]) if begin >= 0 else None
        except (ValueError, RecursionError):
            continue
        if not isinstance(value, dict) or value.get("event") not in ("request", "feedback"):
            continue
        if isinstance(value.get("question"), str):
            yield value


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
