"""Prompts are files. The first line of each is its version: raising it asks for everything of that kind anew."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_HEAD = re.compile(r"<!-- version: (\d+) -->\n")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt and its version."""

    name: str
    version: str
    text: str


@cache
def prompt(name: str) -> Prompt:
    """Return the prompt of a file in `prompts/`."""
    raw = (files(__package__) / "prompts" / f"{name}.md").read_text("utf-8")
    head = _HEAD.match(raw)
    assert head, f"prompts/{name}.md has no version"
    return Prompt(name, head[1], raw[head.end() :].strip())


ASKED = ("questions", "sections", "source", "subjects", "sayings")  # what each public article is asked for


def versions() -> dict[str, str]:
    """Return the version of each prompt that articles are asked with."""
    return {name: prompt(name).version for name in ASKED}


def system(guide: str) -> tuple[str, ...]:
    """Return the parts of the system prompt; the owner's guide stands apart from the rules and below them."""
    rules = prompt("system").text
    return (rules, f"{prompt('guide').text}\n\n<guide>\n{guide}\n</guide>") if guide else (rules,)
