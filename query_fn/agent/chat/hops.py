"""The strategy for nested questions: "the executive who leads the group that …". What one hop finds leads to the next.

The question and its clauses are searched for and read; names in what answers the innermost clause make the next query.
Then everything that was read may answer. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice

from msgspec import Struct

from query_fn.agent.chat import spans as cutter
from query_fn.agent.chat.base import Call, Calls, ReadResult, View
from query_fn.agent.chat.counted import Words
from query_fn.agent.chat.spans import Span
from query_fn.model import Evidence, SearchResult
from query_fn.regex import regex

READ = 4  # passages read for each query
CLAUSES = 2  # innermost clauses that are searched for by themselves
LEAST = 2  # content words of a clause that can be searched for
NAMES = 2  # names from one hop that lead to the next
CLOSEST = 2  # pieces that names are taken from
TELLING = 3  # content words of a clause that can be searched for; a shorter one only connects
COMMON = 0.15  # of the greatest rarity: a rarer name leads somewhere
_NESTED = regex(
    r"\bthe (?:[\w'-]+ ){1,4}(?:who|that|which|whose|responsible for|in charge of)\b"
    r"|(?:负责|主管|主导|掌管|管理|所在|所属|领导|编写|发布|维护)[^，。？?]{2,24}的[^，。？?的]{1,12}(?:的|是谁|由谁|叫)",
    re.IGNORECASE,
)
_CUT = regex(
    r",?\s+(?=(?:who|that|which|whose)\b)|\s+(?=(?:responsible for|in charge of)\b)|[.;?]\s|,\s+(?:as noted |a )|，",
    re.IGNORECASE,
)
_CONNECTS = regex(r"who|that|which|whose|responsible|in charge|[\u3400-\u9fff]", re.IGNORECASE)
_ASKS = regex(r"^(?:what|who|which|where|when|how)\b|[谁哪几]|什么|多少", re.IGNORECASE)
_IDENTITY = regex(r"\b(?:names?|terms?) (?:of|for) the\b|叫什么|名称|名字", re.IGNORECASE)  # the clause tells it itself
_HEAD = regex(r"^.*\b(?:of|for|is|are|to)\s+(?:the\s+)?", re.IGNORECASE)
_NAME = regex(r"[A-Z][\w+-]*(?:[ -][A-Z][\w+-]*)*|[「“《]([^」”》]{2,20})[」”》]")
Order = Callable[[Sequence[Span], str], Sequence[float]]  # how well spans answer a question


class Nested(Struct, frozen=True):
    """A question in its parts: what it asks, the clauses that only connect, and those that tell, innermost first.

    `head` is the noun that the clauses are about, the end of `asks`.
    """

    asks: str
    head: str
    connecting: tuple[str, ...]
    telling: tuple[str, ...]


class Bridge(Struct, frozen=True):
    """What the inner clauses lead to: names, the piece that tells the first, and the question with them in it."""

    names: tuple[str, ...]
    span: Span
    question: str


def nested(question: str, words: Words) -> Nested | None:
    """Return the parts of a nested question, None for any other."""
    if not _NESTED.search(question):
        return None
    parts = [part.strip(" ,，?？") for part in _CUT.split(question) if part.strip(" ,，?？")]
    at = next((i for i, part in enumerate(parts) if _ASKS.search(part)), 0)
    clauses = parts[at + 1 :] or parts[:at]
    telling = [clause for clause in clauses if len(words.of(clause)) >= TELLING] or clauses[-1:]
    connecting = tuple(clause for clause in clauses if clause not in telling and _CONNECTS.match(clause))
    if not telling or (not connecting and _IDENTITY.search(question)):
        return None
    return Nested(parts[at], _HEAD.sub("", parts[at]), connecting, tuple(reversed(telling)))


def hop(view: View, task: Nested, *, words: Words, order: Order) -> Calls | None:
    """Return the next search or reading; None when the hops are done and what was read may answer."""
    if view.final:
        return None
    searches = [o.result for o in view.seen if isinstance(o.result, SearchResult)]
    queries = (view.question, *task.telling[:CLAUSES])
    if not searches:
        return Calls(tuple(Call("search", {"query": query}) for query in queries))
    known = {name for o in view.seen if o.call.tool == "read" for name in _names(o.call)}
    if not known:
        return _reading([(searches[0], READ), *((found, READ // len(searches[1:])) for found in searches[1:])], known)
    if len(searches) > len(queries):
        return _reading([(searches[-1], 2 * READ)], known) if view.seen[-1].call.tool == "search" else None
    found = bridge(view, task, words=words, order=order)
    if found is None:
        return None
    query = " ".join((task.head, *task.connecting, *found.names))
    return Calls((Call("search", {"query": query, "queries": [found.question]}),))


def _reading(found: Sequence[tuple[SearchResult, int]], known: set[str]) -> Calls | None:
    """Return the reading of the best places of each search that were not read yet, so many of each."""
    wanted: dict[str, None] = {}
    for result, most in found:
        new = (c.chunk_id for c in result.candidates if c.chunk_id not in known and c.chunk_id not in wanted)
        wanted |= dict.fromkeys(islice(new, most))
    places = list(wanted)
    calls = [Call("read", {"locators": places[at : at + READ]}) for at in range(0, len(places), READ)]
    return Calls(tuple(calls)) if calls else None


def _names(call: Call) -> Sequence[str]:
    found = call.args.get("locators")
    return [str(name) for name in found] if isinstance(found, list | tuple) else []


def bridge(view: View, task: Nested, *, words: Words, order: Order) -> Bridge | None:
    """Return where the inner clauses lead: names of the kind that the question connects by, else those beside them."""
    asked, kinds = words.of(view.question), words.of(" ".join((task.head, *task.connecting)))
    for clause in reversed(task.telling[:CLAUSES]):
        spans = [s for e in _of_clause(view, clause) for s in cutter.cut(e) if s.kind not in ("heading", "header")]
        ranked = [span for _, span in sorted(zip(order(spans, clause), spans, strict=True), key=lambda p: -p[0])]
        typed = [(name, span) for span in ranked for name in _typed(span, kinds, words)]
        beside = [(name, span) for span in ranked[:CLOSEST] for name in _capitals(span)]
        for found in (typed, beside):
            new = {name: span for name, span in reversed(found) if _leads(name, asked, words)}
            names = [name for name, _ in found if name in new]
            if names:
                names = list(dict.fromkeys(names))[:NAMES]
                return Bridge(tuple(names), new[names[0]], " ".join((task.asks, *task.connecting, *names)))
    return None


def _leads(name: str, asked: frozenset[str], words: Words) -> bool:
    new = words.of(name) - asked
    return bool(new) and max(words.weight([word]) for word in new) >= COMMON * words.weight(["\x00"])


def _typed(span: Span, kinds: frozenset[str], words: Words) -> list[str]:
    """Return the names of a kind in a piece: "the Marketing department", or the cell below the heading Department."""
    if span.kind == "row" and " · " in span.text:
        cells = zip(span.context.split(" · "), span.text.split(" · "), strict=False)
        return [cell for title, cell in cells if words.of(title) and words.of(title) <= kinds]
    after = [(match[0], span.text[match.end() :].split(maxsplit=1)[:1]) for match in _NAME.finditer(span.text)]
    return [name for name, following in after if following and words.of(following[0]) & kinds]


def _capitals(span: Span) -> list[str]:
    """Return the names in a piece; the first word of a sentence is capital anyway."""
    row = span.kind == "row"
    found = ((m, m[1] or m[0]) for m in _NAME.finditer(span.text))
    return [name for match, name in found if row or match.start() or match[1] or " " in name]


def _of_clause(view: View, clause: str) -> list[Evidence]:
    """Return what was read of the places that a clause found."""
    found = [o.result for o in view.seen if isinstance(o.result, SearchResult) and o.result.query == clause]
    places = {c.chunk_id for result in found for c in result.candidates[:READ]}
    read = [e for o in view.seen if isinstance(o.result, ReadResult) for e in o.result.evidence]
    return [e for e in read if e.locator in places]
