"""Evidence cut into the pieces that an answer may quote: sentences, list items, table rows, headings. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from query_fn.model import Evidence
from query_fn.text import plain, sentences

MAX_ITEM = 400  # characters: a longer list item is quoted by its first sentence
MAX_CODE = 1_000  # characters: longer code is for the page to show
_ITEM = re.compile(r"[ \t]*(?:([-*+])|(\d{1,9})[.)])[ \t]+")
_HEADING = re.compile(r"#{1,6}[ \t]")
_RULE = re.compile(r"[\s|:*_-]+$")
_FENCE = re.compile(r"[ \t]*(?:`{3}|~{3})")
_EMBED = re.compile(r"!\[|\{\{[%<]|\{%")  # images and the shortcodes of other site generators: nothing to quote


@dataclass(frozen=True, slots=True)
class Span:
    """A quotable piece: ``evidence.text[start:end]`` and how it reads without markup.

    `kind`: sentence | item | ordered | header | row | heading | code. `group` numbers the list or table it
    stands in, from 1; 0 = none. `indent` is the depth of a list item in columns.
    """

    evidence: Evidence
    start: int
    end: int
    text: str
    kind: str
    group: int
    indent: int
    heading: str  # the nearest heading above, within the evidence; for a table row its header row too

    @property
    def number(self) -> int:
        """The number of an item of a numbered list as the author wrote it, 0 for anything else."""
        match = _ITEM.match(self.raw) if self.kind == "ordered" else None
        return int(match[2]) if match and match[2] else 0

    @property
    def raw(self) -> str:
        """The quote as it stands in the source."""
        return self.evidence.text[self.start : self.end]


def cut(evidence: Evidence) -> list[Span]:
    """Return the spans of one piece of evidence, in order; fenced code is one span of kind "code"."""
    spans: list[Span] = []
    group, heading, header, previous = 0, evidence.section[-1] if evidence.section else evidence.title, "", ""
    for start, end, found in _pieces(evidence.text):
        text, kind = plain(evidence.text[start:end]), found
        if not text or _RULE.match(text):
            continue
        if kind != "code":
            text = " ".join(text.split())
        if kind == "heading":
            heading = text
        listed = kind in ("item", "ordered", "row")
        if listed and not (previous and (kind == "row") == (previous == "row")):
            group += 1
            kind, header = ("header", text) if kind == "row" else (kind, "")
        context = f"{heading} {header}" if kind == "row" else heading
        indent = _indent(evidence.text, start)
        spans.append(Span(evidence, start, end, text, kind, group if listed else 0, indent, context))
        if listed or not (previous in ("item", "ordered") and _inside_item(evidence.text, start)):
            previous = found if listed else ""
    return spans


def _inside_item(text: str, start: int) -> bool:
    """Say whether a block begins indented, so that it belongs to the list item above and the list goes on."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return len(before) > 1 and before.isspace()


def _pieces(text: str) -> list[tuple[int, int, str]]:
    """Return (start, end, kind): sentence spans, with the later sentences of a list item joined to its first."""
    pieces: list[tuple[int, int, str]] = []
    for start, end in sentences(text):
        kind = _kind(text, start, end)
        if pieces and kind == "sentence" and _continues(text, pieces[-1], start, end):
            pieces[-1] = (pieces[-1][0], end, pieces[-1][2])
        else:
            pieces.append((start, end, kind))
    return pieces


def _continues(text: str, piece: tuple[int, int, str], start: int, end: int) -> bool:
    """Say whether the sentence from `start` belongs to the list item `piece`: same line, or indented below it."""
    begin, last, kind = piece
    if kind not in ("item", "ordered") or end - begin > MAX_ITEM:
        return False
    between = text[last:start]
    return "\n" not in between or ("\n\n" not in between and between.endswith((" ", "\t")))


def _kind(text: str, start: int, end: int) -> str:
    if _HEADING.match(text, start):
        return "heading"
    if _FENCE.match(text, start):
        return "code"
    if text.startswith("|", start) or (text[start:end].count("|") > 1 and text[:start].endswith(("\n", "\n "))):
        return "row"
    if match := _ITEM.match(text, start):
        return "ordered" if match[2] else "item"
    return "code" if _EMBED.match(text, start) else "sentence"


def _indent(text: str, start: int) -> int:
    return start - (text.rfind("\n", 0, start) + 1)


@dataclass(frozen=True, slots=True)
class Block:
    """A list, a table or a piece of code with the sentence that introduces it (None: a heading does)."""

    lead: Span | None
    members: tuple[Span, ...]


def blocks(spans: Sequence[Span]) -> list[Block]:
    """Return the blocks among the spans of one piece of evidence, in order; nested items are left out."""
    found: list[Block] = []
    begun: set[int] = set()
    for index, span in enumerate(spans):
        before = spans[index - 1] if index else None
        lead = before if before is not None and before.kind == "sentence" else None
        if span.group and span.group not in begun:
            begun.add(span.group)
            members = _outermost([s for s in spans[index:] if s.group == span.group])
            if len(members) > 1 or (lead is not None and _announces(lead)):
                found.append(Block(lead, members))
        elif span.kind == "code" and lead is not None and _announces(lead) and len(span.text) <= MAX_CODE:
            found.append(Block(lead, (span,)))
    return found


def _announces(span: Span) -> bool:
    return span.text.endswith((":", "："))


def _outermost(members: list[Span]) -> tuple[Span, ...]:
    least = min(m.indent for m in members)
    return tuple(m for m in members if m.indent <= least + 1)
