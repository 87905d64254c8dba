"""The strategy for comparisons: each side is searched for, read and told for itself, by what is asked of both. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from query_fn.agent.chat import spans as cutter
from query_fn.agent.chat.base import Call, Calls, Draft, Quoted, ReadResult, View
from query_fn.agent.chat.counted import Words, label_of
from query_fn.agent.chat.draft import same
from query_fn.agent.chat.material import quotable, quote, quoted
from query_fn.agent.chat.score import Question, Scored, size_of
from query_fn.agent.chat.spans import Span
from query_fn.agent.chat.support import confidence, supported
from query_fn.agent.router import classify
from query_fn.model import Evidence, SearchResult
from query_fn.retrieve.rewrite import sides

READ = 4  # passages read for each side, and as many for the question
ROOM = 160  # `size_of` what is told of one side
BELONGS = 0.5  # share of a side's name, by rarity, that stands in or above what tells of it
# What counts beside closeness to the question, 1 for the closest piece: the side's name in the piece, in front of it,
# in the nearest heading; and the other side's name in front of it.
TEXT, LABEL, HEADING, OTHER = 0.4, 0.3, 0.3, 0.4
CLOSE = 0.6  # of the best score of a side: what is told beside it
Judge = Callable[[Sequence[Span], Question], tuple[list[Scored], tuple[str, ...]]]


class Side(Struct, frozen=True):
    """One side of a comparison: its name, the words only it has, and the question about it alone."""

    name: str
    own: frozenset[str]
    question: str


def compared(question: str, words: Words) -> tuple[Side, Side] | None:
    """Return the sides of a comparison, None when a question has no two sides with names of their own."""
    named = sides(question)
    if len(named) != 2 or named[0].casefold() == named[1].casefold():
        return None
    start, end = question.find(named[0]), question.rfind(named[1]) + len(named[1])
    held = [words.of(name) for name in named]
    one, two = (
        Side(name, held[at] - held[1 - at], f"{question[:start]}{name}{question[end:]}")
        for at, name in enumerate(named)
    )
    return one, two


def gathered(view: View, both: tuple[Side, Side], worth: Callable[[SearchResult], bool]) -> Calls | None:
    """Return what is still to be searched for and read: the question, and each side of it, if one search is `worth` it.

    None when there is no more."""
    found = {o.result.query: o.result for o in view.seen if isinstance(o.result, SearchResult)}
    if view.final:
        return None
    if not found:
        queries = dict.fromkeys((view.question, *(side.question for side in both)))
        return Calls(tuple(Call("search", {"query": query}) for query in queries))
    if any(o.call.tool == "read" for o in view.seen) or not any(map(worth, found.values())):
        return None
    wanted = dict.fromkeys(c.chunk_id for result in found.values() for c in result.candidates[:READ])
    places = list(wanted)
    return Calls(tuple(Call("read", {"locators": places[at : at + READ]}) for at in range(0, len(places), READ)))


def told(view: View, both: tuple[Side, Side], *, words: Words, judge: Judge) -> Draft | None:
    """Return what each side says of what is asked; None when one of them says nothing."""
    read = [span for e in _read(view) for span in cutter.cut(e)]
    sure = max((o.result.confidence for o in view.seen if isinstance(o.result, SearchResult)), default=0.0)
    lines: list[Quoted] = []
    doubts: tuple[str, ...] = ()
    for side, other in (both, both[::-1]):
        question = Question(side.question, view.lang, classify(side.question), words.fold, words.idf)
        spans = [span for span in read if _belongs(span, side, words) >= BELONGS]
        scored, doubts = judge(spans, question)
        native = [s for s in scored if not question.foreign(s.span)]
        chosen = _chosen(native, side, other, words) or _chosen(scored, side, other, words)
        known = chosen and label_of(chosen[0]).casefold() == side.name.casefold()
        if not known and not supported(spans, scored, question, sure=confidence(sure, scored, question)):
            return None
        if not chosen:
            return None
        new = [span for span in chosen if quote(span) not in [line.quotes for line in lines]]
        lines += [_line(span, side, first=not at) for at, span in enumerate(new)]
    return Draft(tuple(lines), doubts)


def _chosen(scored: Sequence[Scored], side: Side, other: Side, words: Words) -> list[Span]:
    """Return the piece that tells most of a side, with others that say something else as far as they fit."""
    top = max((s.score for s in scored), default=0.0) or 1.0
    valued = [(s.score / top + _named(s.span, side, other, words), s.span) for s in scored if quotable(s.span)]
    ranked = sorted(valued, key=lambda pair: -pair[0])
    chosen: list[Span] = []
    size = 0.0
    for value, span in ranked:
        size += size_of(span.text)
        if chosen and (size > ROOM or value < CLOSE * ranked[0][0]):
            break
        if not any(same(span, held) for held in chosen):
            chosen.append(span)
    return chosen


def _belongs(span: Span, side: Side, words: Words) -> float:
    return max(_holds(text, side, words) for text in (span.text, span.context, *span.path, span.evidence.title))


def _named(span: Span, side: Side, other: Side, words: Words) -> float:
    front = label_of(span) if span.kind != "sentence" else ""
    return (
        TEXT * _holds(span.text, side, words)
        + LABEL * _holds(front, side, words)
        + HEADING * _holds(span.heading, side, words)
        - OTHER * max(_holds(front, other, words) - _holds(front, side, words), 0.0)
    )


def _holds(text: str, side: Side, words: Words) -> float:
    """Return the share of a side's name in a text; a name without words of its own must stand there as it is."""
    if not text:
        return 0.0
    if side.own:
        return words.weight(side.own & words.of(text)) / (words.weight(side.own) or 1.0)
    return float(re.search(rf"(?<![\w*]){re.escape(side.name)}(?![\w*])", text, re.IGNORECASE) is not None)


def _line(span: Span, side: Side, *, first: bool) -> Quoted:
    """Return a piece as a line; the first of a side begins a paragraph, below its heading if it does not name it."""
    label = "" if side.name.casefold() in span.text.casefold() else span.heading
    return replace(quoted(span, label=label if first else ""), apart=first)


def _read(view: View) -> list[Evidence]:
    found = [e for o in view.seen if isinstance(o.result, ReadResult) for e in o.result.evidence]
    return list({e.id: e for e in found}.values())
