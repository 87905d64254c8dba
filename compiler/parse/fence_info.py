"""The words behind a code fence: language, title, marked lines, line numbers, in the forms that site makers use."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_LINE = 100_000  # a marked range can't name more lines than a page has
_PAIR = re.compile(r"([A-Za-z_-]+)[ \t]*=[ \t]*(?:\"([^\"]*)\"|'([^']*)'|\[([^\]]*)\]|([^\s,}]+))")
_RANGES = re.compile(r"\{([\d,\s-]+)\}")
_TITLE = re.compile(r"\[([^\]]+)\]")
_RANGE = re.compile(r"(\d+)(?:\s*-\s*(\d+))?")
_FIRST = re.compile(r"\{?[ \t]*\.?([^\W\d_][^\s{}:=\[\",]*)?")
_NUMBERED = re.compile(r":line-numbers(?:=(\d+))?|\bshowLineNumbers\b")


@dataclass(frozen=True, slots=True)
class FenceInfo:
    """What an info string says. `first` numbers the first line, None without numbers; `marked` counts from 1."""

    language: str = ""
    title: str = ""
    marked: frozenset[int] = frozenset()
    first: int | None = None


def read_info(info: str) -> FenceInfo:
    """Return what an info string says, in the spelling of pymdownx, Docusaurus, VuePress or Hugo."""
    info = info.strip()
    if info.isalnum():
        return FenceInfo(info.lower())
    pairs = {m[1].lower(): next(g for g in m.groups()[1:] if g is not None) for m in _PAIR.finditer(info)}
    bare = _PAIR.sub(" ", info)
    head = _FIRST.match(bare)
    language = (head[1] or "").lower() if head else ""
    bracket = _TITLE.search(bare)
    numbered = _NUMBERED.search(info)
    first = _first(pairs.get("linenums") or pairs.get("linenostart") or (numbered and (numbered[1] or "1")) or "")
    if first is None and pairs.get("linenos", "").lower() in ("true", "table", "inline"):
        first = 1
    ranges = [pairs.get("hl_lines", ""), *_RANGES.findall(bare)]
    title = pairs.get("title") or pairs.get("filename") or (bracket[1] if bracket else "")
    return FenceInfo(language, title, _marked(" ".join(ranges)), first)


def _first(number: str) -> int | None:
    digits = next(iter(number.split()), "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 8 else None


def _marked(ranges: str) -> frozenset[int]:
    out: set[int] = set()
    for match in _RANGE.finditer(ranges.replace('"', " ")):
        low, high = int(match[1][:7]), int((match[2] or match[1])[:7])
        out.update(range(low, min(high, MAX_LINE) + 1))
    return frozenset(out)
