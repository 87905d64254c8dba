"""The instructions: one file with a version, the same bytes for every question, so that the provider can cache them."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_HEAD = re.compile(r"<!-- version: (\d+) -->\n")


@cache
def instructions() -> str:
    """Return the text of `prompt.md` without its first line, which is the version."""
    raw = (files(__package__) / "prompt.md").read_text("utf-8")
    head = _HEAD.match(raw)
    assert head, "prompt.md has no version"
    return raw[head.end() :].strip()
