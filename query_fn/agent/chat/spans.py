"""Evidence cut into the pieces that an answer may quote: sentences, list items, table rows, headings. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from query_fn.model import Evidence
from query_fn.regex import regex
from query_fn.text import plain, sentences

MAX_ITEM = 400  # characters: a longer list item is quoted by its first sentence
MAX_CODE = 1_000  # characters: longer code is for the page to show
_ITEM = regex(r"[ \t]*(?:([-*+])|(\d{1,9})[.)])[ \t]+")
_HEADING = regex(r"#{1,6}[ \t]")
_RULE = regex(r"[\s|:*_-]+$")
_DELIMITER = regex(r"^[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$", re.MULTILINE)
_FENCE = regex(r"[ \t]*(?:`{3}|~{3})")
_EMBED = regex(r"!\[|\{\{[%<]|\{%|\$\{[^}\n]*\}[ \t]*(?=\n|$)")  # images, shortcodes, live code: nothing to quote


class Span(Struct, frozen=True):
    """A quotable piece: ``evidence.text[start:end]`` and how it reads without markup.

    `kind`: sentence | item | ordered | header | row | heading | code. `group` numbers the list or table it
    stands in, from 1; 0 = none. `indent` is the depth of a list item in columns. `path` are the headings above it,
    outermost first; `nth` counts the pieces since the last of them, from 0. `context` is what introduces it: the
    header row of its table, the sentence before its list.
    """

    evidence: Evidence
    start: int
    end: int
    text: str
    kind: str
    group: int
    indent: int
    path: tuple[str, ...] = ()
    nth: int = 0
    context: str = ""

    @property
    def heading(self) -> str:
        """The nearest heading above, the title of the page when there is none."""
        return self.path[-1] if self.path else self.evidence.title

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
    group, previous = 0, ""
    for start, end, found in _pieces(evidence.text):
        text, kind = plain(evidence.text[start:end]), found
        if not text or _RULE.match(text):
            continue
        if kind != "code":
            text = " ".join(text.split())
        listed = kind in ("item", "ordered", "row")
        if listed and not (previous and (kind == "row") == (previous == "row")):
            group += 1
            kind = "header" if kind == "row" else kind
        spans.append(Span(evidence, start, end, text, kind, group if listed else 0, _indent(evidence.text, start)))
        if listed or not (previous in ("item", "ordered") and _inside_item(evidence.text, start)):
            previous = found if listed else ""
    return _placed(spans, evidence.section)


def _placed(spans: Sequence[Span], above: tuple[str, ...]) -> list[Span]:
    """Return the spans with their headings, their place under the last one, and what introduces them."""
    placed: list[Span] = []
    path, levels = above, [0] * len(above)
    nth, context = 0, ""
    for index, span in enumerate(spans):
        if span.kind == "heading":
            path, levels = _below(path, levels, span)
            nth = -1
        if span.group and (not index or spans[index - 1].group != span.group) and span.group != _group(placed):
            context = _introduction(spans, index)
        placed.append(replace(span, path=path, nth=max(nth, 0), context=context if span.group else ""))
        nth += 1
    return placed


def _below(path: tuple[str, ...], levels: list[int], heading: Span) -> tuple[tuple[str, ...], list[int]]:
    """Return the headings in force after one more, with their levels (0: given with the evidence, level unknown)."""
    level = len(heading.raw) - len(heading.raw.lstrip("#"))
    if heading.text in path and not levels[path.index(heading.text)]:
        kept = path.index(heading.text)
    else:
        kept = sum(1 for known in levels if 0 < known < level) + _unknown_above(levels)
    return (*path[:kept], heading.text), [*levels[:kept], level]


def _unknown_above(levels: list[int]) -> int:
    """Return how many headings of unknown level stay in force: the last may be a sibling of the next one."""
    unknown = levels.count(0)
    return unknown - 1 if unknown and len(levels) == unknown else unknown


def _group(placed: Sequence[Span]) -> int:
    """Return the newest list or table so far, which goes on after code or a paragraph inside one of its items."""
    return next((span.group for span in reversed(placed) if span.group), 0)


def _introduction(spans: Sequence[Span], index: int) -> str:
    """Return what introduces the list or table that begins at `index`."""
    if spans[index].kind == "header":
        return spans[index].text
    before = spans[index - 1] if index else None
    return before.text if before is not None and before.kind == "sentence" and announces(before) else ""


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
    if text.startswith("|", start) or (text[start:end].count("|") > 1 and _in_table(text, start)):
        return "row"
    if match := _ITEM.match(text, start):
        return "ordered" if match[2] else "item"
    return "code" if _EMBED.match(text, start) else "sentence"


def _in_table(text: str, start: int) -> bool:
    """Say whether the lines around `start` hold the rule that makes a table of them, for rows without outer pipes."""
    first, last = text.rfind("\n\n", 0, start) + 1, text.find("\n\n", start)
    return _DELIMITER.search(text, first, last if last >= 0 else len(text)) is not None


def _indent(text: str, start: int) -> int:
    return start - (text.rfind("\n", 0, start) + 1)


class Block(Struct, frozen=True):
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
            members = outermost([s for s in spans[index:] if s.group == span.group])
            if len(members) > 1 or (lead is not None and announces(lead)):
                found.append(Block(lead, members))
        elif span.kind == "code" and lead is not None and announces(lead) and len(span.text) <= MAX_CODE:
            found.append(Block(lead, (span,)))
    return found


def announces(span: Span) -> bool:
    """Say whether a sentence ends by pointing to what follows it."""
    return span.text.endswith((":", "："))


def outermost(members: Sequence[Span]) -> tuple[Span, ...]:
    """Return the items of a list without those nested below them."""
    least = min(m.indent for m in members)
    return tuple(m for m in members if m.indent <= least + 1)
