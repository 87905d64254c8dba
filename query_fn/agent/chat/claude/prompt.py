"""The instructions: one file with a version, the same bytes for every question, so that the provider can cache them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from query_fn.regex import regex
from query_fn.text import tokenise

_RUN = 8  # words in a row that no answer shares with the instructions by chance
_HEAD = regex(r"<!-- version: (\d+) -->\n")


@cache
def instructions() -> str:
    """Return the text of `prompt.md` without its first line, which is the version."""
    raw = Path(__file__).with_name("prompt.md").read_text("utf-8")
    head = _HEAD.match(raw)
    assert head, "prompt.md has no version"
    return raw[head.end() :].strip()


def repeats(text: str) -> bool:
    """Say whether a text repeats a run of the instructions: they hold no secret, and are no answer either."""
    own = _own_runs()
    return any(run in own for run in _runs(text))


@cache
def _own_runs() -> frozenset[tuple[str, ...]]:
    return frozenset(_runs(instructions()))


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = tokenise(text)
    return zip(*(words[at:] for at in range(_RUN)), strict=False)
