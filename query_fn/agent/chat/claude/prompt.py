"""The instructions: one file with a version, the same bytes for every question, so that the provider can cache them."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from query_fn.text import tokenise

_RUN = 8  # words in a row that no answer shares with the instructions by chance
_HEAD = re.compile(r"<!-- version: (\d+) -->\n")


@cache
def instructions() -> str:
    """Return the text of `prompt.md` without its first line, which is the version."""
    raw = (files(__package__) / "prompt.md").read_text("utf-8")
    head = _HEAD.match(raw)
    assert head, "prompt.md has no version"
    return raw[head.end() :].strip()


def repeats(text: str) -> bool:
    """Say whether a text repeats a run of the instructions: they hold no secret, and are no answer either."""
    return not _runs(text).isdisjoint(_own_runs())


@cache
def _own_runs() -> frozenset[tuple[str, ...]]:
    return _runs(instructions())


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = tokenise(text)
    return frozenset(tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))
