"""Places that stand in a row: the rows of a table, the items of a list, the sections under one heading. Pure.

"The next one" is the neighbour of the place that was told; "the third step" is counted from the top. Both need the
place in its row, and that is found by its label: the first cell, the words in bold, the heading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from query_fn.agent.chat import spans as cutter
from query_fn.agent.chat.base import OutlineResult, Quoted
from query_fn.agent.chat.material import MAX_ITEMS, quotable, quote, quoted
from query_fn.agent.chat.score import Idf, above, size_of
from query_fn.agent.chat.spans import Span
from query_fn.agent.chat.words import keywords
from query_fn.agent.onward import Onward
from query_fn.contract import NodeRow
from query_fn.regex import regex
from query_fn.text import Fold, plain

LEAST = 0.5  # share of a label that must stand in the question for the label to be what it asks about
TOLD = 0.5  # added to a place whose text stands in the answer before
ORDERED = 0.1  # added to a numbered list, three times when steps are counted
INSIDE = 0.5  # what the closeness of its places counts for a row
SECTION = 300  # `size_of` a section that is told whole
_LABEL = regex(r"^(?:[-*+]|\d+[.)])?\s*(?:\*\*(.+?)\*\*|__(.+?)__|`([^`]+)`|\[([^\]]+)\])")
_COLON = regex(r"^(.{1,60}?)(?:[:：]|\s[-–—]\s|——)")
_STEPS = regex(r"\b(?:step|stage|phase)s?\b|步", re.IGNORECASE)
_ASIDE = regex(r"\s*[(（][^)）]*[)）]")


Close = Callable[[Span], float]


class Place(Struct, frozen=True):
    """One place in a row. `span` is the piece that tells it, None for a section, which `locator` leads to."""

    label: str
    span: Span | None = None
    locator: str = ""


class Row(Struct, frozen=True):
    """Places in their order, and what stands above them: headings, the header of a table, the lead-in of a list."""

    places: tuple[Place, ...]
    above: str
    ordered: bool = False

    def at(self, way: Onward, start: int) -> int | None:
        """Return where `way` leads from the place `start`, None beyond either end."""
        count = len(self.places)
        to = (count - 1 if way.nth < 0 else way.nth - 1) if way.nth else start + way.by
        return to if 0 <= to < count else None


class Words(Struct, frozen=True):
    """Compares words of the question with those of labels, by their rarity in the base."""

    fold: Fold | None = None
    idf: Idf | None = None

    def weight(self, words: Iterable[str]) -> float:
        """Return the sum of the rarities."""
        return sum(self.idf(word) if self.idf else 1.0 for word in words)

    def of(self, text: str) -> frozenset[str]:
        """Return the content words of a text."""
        return frozenset(keywords(text.replace("/", " "), self.fold))


def rows(spans: Sequence[Span]) -> Iterator[Row]:
    """Yield the lists and tables among the spans of one piece of evidence."""
    for group in dict.fromkeys(span.group for span in spans if span.group):
        own = [s for s in spans if s.group == group and s.kind in ("row", "item", "ordered")]
        members = cutter.outermost(own) if own else ()
        if len(members) > 1:
            places = tuple(Place(label_of(m), m) for m in members)
            yield Row(places, " ".join(above(members[0])), ordered=members[0].kind == "ordered")


def sections(outline: OutlineResult) -> Iterator[Row]:
    """Yield the sections of a page, those under one heading together."""
    siblings: dict[str | None, list[NodeRow]] = {}
    for node in outline.nodes:
        if node.level:
            siblings.setdefault(node.parent_id, []).append(node)
    titles = {node.id: node.title for node in outline.nodes}
    for parent, nodes in siblings.items():
        places = tuple(Place(plain(n.title), locator=f"{outline.article.id}#{n.anchor}") for n in nodes)
        yield Row(places, f"{outline.article.title} {titles.get(parent or '', '')}")


def label_of(span: Span) -> str:
    """Return what names a row or an item: its first cell, what is marked in front, what a colon follows."""
    if span.kind == "row":
        return plain(span.raw.strip().strip("|").split("|")[0]).strip()
    if match := _LABEL.match(span.raw.strip()):
        return plain(next(filter(None, match.groups()))).strip()
    match = _COLON.match(span.text)
    return match[1].strip() if match else span.text


def named(found: Iterable[Row], asked: str, told: str, words: Words) -> tuple[float, Row, int] | None:
    """Return the place that the question before asked about, with its score, its row and where it stands in it.

    A place that the answer before told counts more; of several that were told, the one the question names.
    """
    best: tuple[float, Row, int] | None = None
    wanted = words.of(asked)
    for row in found:
        context = words.of(row.above)
        for at, place in enumerate(row.places):
            score = _match(place, wanted, context, words) + TOLD * _was_told(place, told)
            if score > 0 and (best is None or score > best[0]):
                best = (score, row, at)
    return best


def counted(found: Iterable[Row], asked: str, told: str, words: Words, close: Close) -> Row | None:
    """Return the row that the question is about when it counts from the top: by what stands above it and in it.

    `close` says in 0..1 how close a piece is to the question. Steps are counted in a numbered list, if there is one.
    """
    wanted, steps = words.of(asked), _STEPS.search(asked) is not None

    def fits(row: Row) -> float:
        above = words.weight(wanted & words.of(row.above)) / (words.weight(wanted) or 1.0)
        inside = sum(close(p.span) for p in row.places if p.span) / len(row.places)
        told_of = sum(_was_told(p, told) for p in row.places) / len(row.places)
        return above + INSIDE * inside + ORDERED * row.ordered * (1 + 2 * steps) + TOLD * told_of

    best = max(found, key=fits, default=None)
    return best if best is not None and fits(best) >= LEAST else None


def told_line(place: Place, number: int) -> Quoted:
    """Return a place as a line of the answer; `number` is that of a numbered list, 0 in another."""
    span = place.span
    if span is None:
        raise ValueError("a section is read before it is told")
    return Quoted(span.text, quote(span), item=True, number=number)


def told_section(label: str, spans: Sequence[Span], order: Callable[[Span], float]) -> tuple[Quoted, ...]:
    """Return what a section says: all of it if it is short, else what comes first by `order`, as it stands."""
    usable = [s for s in spans if quotable(s) or s.kind == "code"]
    kept: list[Span] = []
    size = 0.0
    for span in sorted(usable, key=lambda s: -order(s)):
        size += size_of(span.text)
        if kept and size > SECTION:
            break
        kept.append(span)
    lines = [quoted(s) for s in sorted(kept, key=lambda s: s.start)][:MAX_ITEMS]
    return tuple(replace(line, label=label if not at else "") for at, line in enumerate(lines))


def _match(place: Place, wanted: frozenset[str], context: frozenset[str], words: Words) -> float:
    """Return how far a label is what a question asks about: its share of it, and what stands above it as well."""
    label = words.of(_ASIDE.sub("", place.label)) or words.of(place.label)
    precise = words.weight(label & wanted) / (words.weight(label) or 1.0)
    if precise < LEAST:
        return 0.0
    return precise * (0.3 + words.weight((label | context) & wanted) / (words.weight(wanted) or 1.0))


def _was_told(place: Place, told: str) -> bool:
    return place.span is not None and len(place.span.text) > 3 and place.span.text in told
