"""The strategy for questions that count: find the place that was told, or the row asked about, and count. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from query_fn.agent.chat import spans as cutter
from query_fn.agent.chat.base import Call, Calls, Draft, Move, OutlineResult, ReadResult, View
from query_fn.agent.chat.block import numbers
from query_fn.agent.chat.counted import (
    Close,
    Place,
    Row,
    Words,
    counted,
    named,
    rows,
    sections,
    told_line,
    told_section,
)
from query_fn.agent.chat.procedure import is_step, step_nodes
from query_fn.agent.chat.spans import Span
from query_fn.agent.onward import Onward, asks_which_step, onward
from query_fn.model import Evidence, SearchResult
from query_fn.text import plain

READ, MOST = 4, 10  # passages read at once, and in all
SURE, LIKELY = 0.85, 0.7  # confidence: the place stood in the answer before; it was found by its label
RIVAL = 0.6  # of the best score: a numbered step this close to the best piece is the step that is asked for
Order = Callable[[Sequence[Span], str], Sequence[float]]  # how well spans answer a question


class Counting(Struct, frozen=True):
    """What a counting question asks: `query` is searched for, `asked` is what it is about but for the number.

    `named` holds the name of the place it counts from.

    `told` is the answer before, "" for a question alone. After a question that counted, only `told` says where we are.
    """

    way: Onward
    query: str
    asked: str
    named: str
    told: str


def counting(view: View, words: Words) -> Counting | None:
    """Return how a question counts: on from the turn before, or in a row that it names itself; None: it does not."""
    way = onward(view.asked)
    if way is None:
        return None
    last = view.turns[-1] if view.turns else None
    if last is not None and (way.by or not words.of(way.rest)):
        name = "" if onward(last.question) else last.standalone
        return Counting(way, last.standalone, last.standalone, name, " ".join(plain(last.answer).split()))
    return (
        Counting(way, view.asked, f"{way.rest} {way.thing}", way.rest, "") if way.nth and words.of(way.rest) else None
    )


def count(view: View, task: Counting, *, words: Words, order: Order) -> Move | None:
    """Return the next move: search, read, look at the outline, tell the place. None: there is nothing to count."""
    if move := gathered(view, task.query, *(() if task.told else (task.asked,))):
        return move
    read = _read(view)
    outline = next((o.result for o in view.seen if isinstance(o.result, OutlineResult)), None)
    if outline is not None:
        return _in_outline(view, task, outline, read=read, order=order, words=words)
    pieces = [cutter.cut(e) for e in read]
    lists = [row for own in pieces for row in rows(own)]
    if task.way.nth:
        long_enough = [row for row in lists if row.at(task.way, 0) is not None]
        row = counted(long_enough, task.asked, task.told, words, _closeness(pieces, task, order))
        return (_tell(row, task.way, 0) if row else None) or _look(view, _pages(view))
    found, head = named(lists, task.named, task.told, words), named(_heads(pieces, task), task.named, task.told, words)
    if found and (head is None or found[0] >= head[0]) and (draft := _tell(found[1], task.way, found[2])):
        return draft
    return _look(view, [head[1].places[0].locator] if head else [])


def _closeness(pieces: Sequence[Sequence[Span]], task: Counting, order: Order) -> Close:
    """Return what says how close a piece is to the question, 1 for the closest of those that were read."""
    spans = [span for own in pieces for span in own]
    values = order(spans, task.asked)
    top = max(values, default=0.0) or 1.0
    found = {id(span): value / top for span, value in zip(spans, values, strict=True)}
    return lambda span: max(0.0, found.get(id(span), 0.0))


def which_step(view: View, *, order: Order) -> Move | None:
    """Return the number of the step that is asked for; None: no numbered step answers."""
    asked = asks_which_step(view.asked)
    if not asked:
        return None
    if move := gathered(view, asked):
        return move
    spans = [span for e in _read(view) for span in cutter.cut(e)]
    scores = list(order(spans, asked))
    top = max(scores, default=0.0)
    steps = [(s, span) for s, span in zip(scores, spans, strict=True) if span.kind == "ordered" or is_step(span)]
    value, best = max(steps, key=lambda step: step[0], default=(0.0, None))
    if best is None or value <= 0 or value < RIVAL * top:
        return None
    own = cutter.outermost([s for s in spans if s.group == best.group and s.evidence is best.evidence and s.group])
    number = numbers(own)[own.index(best)] if best in own else 0
    return Draft((told_line(Place("", best), number),), confidence=LIKELY)


def gathered(view: View, asked: str, *more: str) -> Calls | None:
    """Return what is still to be searched for and read; None when all that may help was read."""
    searches = [o.result for o in view.seen if isinstance(o.result, SearchResult)]
    if view.final:
        return None
    if not searches:
        carried = (Call("read", {"locators": list(view.carried)}),) if view.carried else ()
        also = {"queries": list(more)} if more else {}
        return Calls((Call("search", {"query": asked, **also}), *carried))
    known = {e.locator for e in _read(view)} | set(view.carried)
    wanted = [c.chunk_id for c in searches[0].candidates[:MOST] if c.chunk_id not in known]
    tried = any(o.call.tool == "read" and o.call.args.get("locators") != list(view.carried) for o in view.seen)
    if tried or not wanted:
        return None
    return Calls(tuple(Call("read", {"locators": wanted[at : at + READ]}) for at in range(0, len(wanted), READ)))


def _read(view: View) -> tuple[Evidence, ...]:
    found = [e for o in view.seen if isinstance(o.result, ReadResult) for e in o.result.evidence]
    return tuple({e.id: e for e in found}.values())


def _tell(row: Row, way: Onward, start: int) -> Draft | None:
    """Return the place that `way` leads to in a list or table; None beyond its end."""
    to = row.at(way, start)
    if to is None:
        return None
    spans = [place.span for place in row.places if place.span]
    number = numbers(spans)[to] if row.ordered else 0
    return Draft((told_line(row.places[to], number),), confidence=LIKELY)


def _heads(pieces: Iterable[Sequence[Span]], task: Counting) -> list[Row]:
    """Return the headings of what was read, each a row of its own, with what was told below it."""
    found: dict[tuple[str, ...], Row] = {}
    for span in (span for own in pieces for span in own if span.path):
        told = span.kind != "heading" and len(span.text) > 3 and span.text in task.told
        if span.path not in found or told:
            place = Place(span.heading, span if told else None, span.evidence.article_id)
            found[span.path] = Row((place,), " ".join((span.evidence.title, *span.path[:-1])))
    return list(found.values())


def _pages(view: View) -> list[str]:
    return [c.article_id for o in view.seen if isinstance(o.result, SearchResult) for c in o.result.candidates[:1]]


def _look(view: View, pages: Sequence[str]) -> Calls | None:
    """Return the call for the outline of a page; None when there is none to look at."""
    return Calls((Call("outline", {"article": pages[0]}),)) if pages and not view.final else None


def _in_outline(
    view: View, task: Counting, outline: OutlineResult, *, read: Sequence[Evidence], order: Order, words: Words
) -> Move | None:
    """Read the section that is counted to, then tell what it says."""
    place = _section(task, outline, words, read)
    if place is None:
        return None
    own = [e for e in read if e.locator == place.locator]
    if not own:
        tried = any(place.locator in o.call.args.get("locators", ()) for o in view.seen)  # type: ignore[operator]
        return None if tried or view.final else Calls((Call("read", {"locators": [place.locator]}),))
    spans = cutter.cut(own[0])
    about = task.way.rest if task.told and words.of(task.way.rest) else task.asked
    values = dict(zip(map(id, spans), order(spans, about), strict=True))
    lines = told_section(place.label, spans, lambda span: values[id(span)])
    return Draft(lines, confidence=SURE if task.told else LIKELY) if lines else None


def _section(task: Counting, outline: OutlineResult, words: Words, read: Sequence[Evidence]) -> Place | None:
    """Return the section that the question counts to."""
    if task.way.nth:
        steps = {f"{outline.article.id}#{node.anchor}" for node in step_nodes(outline)}
        row = next((row for row in sections(outline) if steps & {p.locator for p in row.places}), None)
        kept = tuple(p for p in row.places if p.locator in steps) if row else ()
        to = Row(kept, "").at(task.way, 0)
        return kept[to] if to is not None else None
    told = {
        h[1].places[0].label for h in [named(_heads(map(cutter.cut, read), task), task.named, task.told, words)] if h
    }
    for row in sections(outline):
        for at, place in enumerate(row.places):
            if place.label in told:
                to = row.at(task.way, at)
                return row.places[to] if to is not None else None
    return None
