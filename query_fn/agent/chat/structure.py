"""Questions about chapters are answered from the tree: outline, then read what it names, then quote in its order."""

from __future__ import annotations

from collections.abc import Sequence

from query_fn.agent.chat import spans as cutter
from query_fn.agent.chat.base import Call, Calls, Draft, Move, OutlineResult, Quoted, ReadResult, View
from query_fn.agent.chat.chapters import Task, Wish, chapters, numbered, task_of
from query_fn.agent.chat.material import quotable, quote, quoted
from query_fn.agent.chat.spans import Span
from query_fn.agent.chat.words import keywords
from query_fn.contract import NodeRow
from query_fn.model import Candidate, Evidence, SearchResult
from query_fn.text import Fold, plain, tokenise

READ = 4  # locators of one call
MOST = 12  # chapters of one answer
EACH = 3  # sentences of each side of a comparison
COVERED = 0.6  # share of a topic's words that a chapter must hold to discuss it


def structured(view: View, fold: Fold | None) -> Move | None:
    """Return the next move for a question about chapters; None: it is none, or the page it names is not there."""
    task = task_of(view.asked) if not view.said else None
    if task is None or not (task.page or task.topic):
        return None
    if task.page and not view.seen and not view.final:
        return Calls((Call("outline", {"article": task.page}),))
    outline = next((o.result for o in view.seen if isinstance(o.result, OutlineResult)), None)
    if task.page and outline is None:
        return _sought(view, task, fold) if task.sure else None
    if task.wish is Wish.WHICH:
        return _which(view, task, outline, fold)
    return _told(view, task, outline, fold) if outline else None


def _sought(view: View, task: Task, fold: Fold | None) -> Move:
    """Search for a page that has no page of just this name, by the words of its title."""
    found = next((o.result for o in view.seen if isinstance(o.result, SearchResult)), None)
    if found is None and not view.final:
        return Calls((Call("search", {"query": task.page}),))
    name = frozenset(keywords(task.page, fold))
    titled = [c.article_id for c in (found.candidates if found else ()) if name and _covers(name, c.title, fold)]
    if view.final or not titled or any(o.call.args.get("article") == titled[0] for o in view.seen):
        return Draft(())
    return Calls((Call("outline", {"article": titled[0]}),))


def _told(view: View, task: Task, outline: OutlineResult, fold: Fold | None) -> Move:
    """Read the chapters that are asked for and tell them in their order."""
    nodes = chapters(outline.nodes)
    if task.wish is Wish.COMPARE:
        wanted = [node for n in task.numbers if (node := numbered(nodes, n))]
        if len(wanted) < len(task.numbers):
            return Draft(())
    else:
        wanted = list(nodes[:MOST])
    places = [node.id for node in wanted] or [outline.article.id]
    read = _read(view)
    if not read and not view.final:
        return _reading(places)
    if task.wish is Wish.COMPARE:
        return _compared([e for place in places for e in read if e.locator == place], fold)
    lines = [_line(e, node) for node in wanted for e in read if e.locator == node.id]
    if not wanted:
        lines = [_line(e, outline.nodes[0]) for e in read]
    told = tuple(line for line in lines if line)
    return Draft(told, ("list_cut",) if len(nodes) > MOST or len(told) < len(wanted) else ())


def _compared(sides: Sequence[Evidence], fold: Fold | None) -> Draft:
    """Return what each side says, first what it says at first, then what has most words in common with the other."""
    words = [set(tokenise(plain(e.text), fold)) for e in sides]
    lines: list[Quoted] = []
    for n, side in enumerate(sides):
        others = {word for m, own in enumerate(words) if m != n for word in own}
        usable = [span for span in cutter.cut(side) if quotable(span) and span.kind != "row"]
        shared = sorted(usable[1:], key=lambda span: -_shared(span, others, fold))[: EACH - 1]
        chosen = [span for span in usable if span in (*usable[:1], *shared)]
        lines += [_labelled(span, side, first=not m) for m, span in enumerate(chosen)]
    told = {quotes[0][0] for line in lines for quotes in [line.quotes]}
    return Draft(tuple(lines), () if len(told) == len(sides) else ("part_unanswered",))


def _shared(span: Span, others: set[str], fold: Fold | None) -> int:
    return len(set(keywords(span.text, fold)) & others)


def _labelled(span: Span, side: Evidence, *, first: bool) -> Quoted:
    label = side.section[-1] if side.section else side.title
    return Quoted(span.text, quote(span), label if first else "", apart=first)


def _line(evidence: Evidence, node: NodeRow) -> Quoted | None:
    """Return one chapter as a line: its heading, and the sentence that its summary begins with, else its first one."""
    usable = [span for span in cutter.cut(evidence) if quotable(span) and span.kind != "row"]
    best = next((span for span in usable if node.summary.startswith(span.text)), usable[0] if usable else None)
    if best is not None:
        return Quoted(best.text, quote(best), plain(node.title), item=True)
    heading = next((span for span in cutter.cut(evidence) if span.kind == "heading"), None)
    return quoted(heading, item=True) if heading else None


def _which(view: View, task: Task, outline: OutlineResult | None, fold: Fold | None) -> Move:
    """Search for the topic and for its very words, read the places found, and name the headings that hold it."""
    searches = [o.result for o in view.seen if isinstance(o.result, SearchResult) and o.result.query == task.topic]
    inside = {"article": outline.article.id} if outline else {}
    if not searches:
        asked = Call("search", {"query": task.topic, **inside}), Call("find", {"phrase": task.topic, **inside})
        return Draft(()) if view.final else Calls(asked)
    exact, found = [s for s in searches if not s.answerable], [s for s in searches if s.answerable]
    places = list(dict.fromkeys(_place(c) for s in (*found, *exact) for c in s.candidates))[: 2 * READ]
    read = _read(view)
    if not read and places and not view.final:
        return _reading(places)
    topic = frozenset(keywords(task.topic, fold)) or frozenset(tokenise(task.topic, fold))
    lines = [_named(span, outline) for e in read for span in _holding(e, topic, fold)]
    return Draft(tuple(dict.fromkeys(lines)), ("list_cut",) if len(places) == 2 * READ else ())


def _holding(evidence: Evidence, topic: frozenset[str], fold: Fold | None) -> list[Span]:
    """Return the headings of what was read below which the topic stands, the nearest ones; else the first one."""
    pieces = cutter.cut(evidence)
    found, heading = dict[int, Span](), pieces[0] if pieces else None
    for piece in pieces:
        heading = piece if piece.kind == "heading" else heading
        if heading and _covers(topic, f"{heading.text} {piece.text}", fold):
            found.setdefault(heading.start, heading)
    whole = pieces[:1] if _covers(topic, plain(evidence.text), fold) else []
    return list(found.values()) or whole


def _covers(topic: frozenset[str], text: str, fold: Fold | None) -> bool:
    return len(topic & set(tokenise(text, fold))) >= COVERED * len(topic)


def _named(heading: Span, outline: OutlineResult | None) -> Quoted:
    """Return a heading as a line, below the title of its page unless that page was named."""
    title = heading.evidence.title
    return Quoted(heading.text, quote(heading), "" if outline or heading.text == title else title, item=True)


def _place(candidate: Candidate) -> str:
    """Return the locator of the section a candidate stands in."""
    anchor = candidate.url.partition("#")[2]
    return f"{candidate.article_id}#{anchor}" if anchor else candidate.chunk_id


def _read(view: View) -> list[Evidence]:
    return [e for o in view.seen if isinstance(o.result, ReadResult) for e in o.result.evidence]


def _reading(places: Sequence[str]) -> Calls:
    return Calls(tuple(Call("read", {"locators": places[at : at + READ]}) for at in range(0, len(places), READ)))
