"""The chat model without a key: it searches, reads, and answers with the sentences that answer, each quoted.

It writes nothing of its own. When search is not confident, or nothing read answers, it says so by an empty draft.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from query_fn.agent.chat import spans as cutter
from query_fn.agent.chat.base import Call, Calls, Draft, Move, OutlineResult, Quoted, ReadResult, View
from query_fn.agent.chat.score import Question, Scored, Similarity, has_shape, keywords, score
from query_fn.agent.chat.spans import Span
from query_fn.agent.router import Intent
from query_fn.model import Evidence, SearchResult
from query_fn.text import Fold, tokenise

MAX_SENTENCES = 4
MAX_ITEMS = 12
READ_SIMPLE, READ_WIDE = 2, 4  # candidates read at once
FLOOR = 0.35  # a best span below it answers nothing; a span that holds half of the question's words is far above
NEAR = 0.72  # of the best score: what stands in the answer beside it
SAME = 0.8  # token Jaccard of two spans that say the same
_WIDE = (Intent.PAGES, Intent.STEPS, Intent.COUNT, Intent.TIME)
_UNSHAPED = {Intent.COUNT: "no_number", Intent.TIME: "no_date"}


@dataclass(frozen=True, slots=True)
class Extractive:
    """Pick and order the evidence that answers. `similarity` is absent without an embedder; words alone decide then."""

    similarity: Similarity | None = None
    fold: Fold | None = None
    name: str = "extractive"

    def next(self, view: View) -> Move:
        """Search (twice at most), read the best candidates, answer from them."""
        searches = [o.result for o in view.seen if isinstance(o.result, SearchResult)]
        if not searches:
            return Draft(()) if view.final else _search(view.question)
        best = max(searches, key=lambda found: (found.answerable, found.confidence))
        if not best.answerable:
            return self._again(view, searches)
        read = tuple(e for o in view.seen if isinstance(o.result, ReadResult) for e in o.result.evidence)
        if read:
            return self._answer(view, read)
        tried = any(o.call.tool == "read" for o in view.seen)
        return Draft(()) if view.final or tried or not best.candidates else self._look(view, best)

    def _again(self, view: View, searches: Sequence[SearchResult]) -> Move:
        """Rewrite the question to its content words and search once more, else give up."""
        rewritten = " ".join(_content_words(view.question, self.fold))
        if view.final or len(searches) >= view.rounds or not rewritten or rewritten == searches[-1].query:
            return Draft(())
        return _search(rewritten)

    def _look(self, view: View, found: SearchResult) -> Move:
        """Choose what to read: the page and its outline for a question about structure, else the best passages."""
        if view.intent is Intent.SECTIONS:
            article = found.candidates[0].article_id
            return Calls((Call("outline", {"article": article}), Call("read", {"locators": [article]})))
        wanted = READ_WIDE if view.intent in _WIDE else READ_SIMPLE
        chosen = [c.chunk_id for c in found.candidates[:wanted]]
        return Calls((Call("read", {"locators": chosen}),))

    def _answer(self, view: View, evidence: Sequence[Evidence]) -> Draft:
        if view.intent is Intent.SECTIONS:
            return _sections(view, evidence)
        pieces = [span for e in evidence for span in cutter.cut(e)]
        question = Question(view.question, view.lang, view.intent, self.fold)
        scored = score(pieces, question, self.similarity)
        rejected = {s.quotes for s in view.rejected}
        usable = [s for s in scored if _quotable(s.span) and _quote(s.span) not in rejected]
        if not usable or max(s.score for s in usable) < FLOOR:
            return Draft(())
        if view.intent is Intent.PAGES:
            return _pages(usable)
        if view.intent is Intent.STEPS and (listed := _best_list(pieces, scored)):
            return listed
        return self._sentences(view, usable)

    def _sentences(self, view: View, usable: Sequence[Scored]) -> Draft:
        """Take the best span and those near it, drop repeats, and put them in the order of the source."""
        ranked = sorted(usable, key=lambda s: -s.score)
        shaped = [s for s in ranked if has_shape(view.intent, s.span.text) and s.score >= NEAR * ranked[0].score]
        best = shaped[0] if shaped else ranked[0]
        chosen = [best]
        for candidate in ranked:
            fits = candidate.score >= NEAR * best.score and candidate.own > 0
            if fits and len(chosen) < MAX_SENTENCES and not any(_same(candidate.span, c.span) for c in chosen):
                chosen.append(candidate)
        order = {e: i for i, e in enumerate(dict.fromkeys(s.span.evidence.id for s in [best, *chosen]))}
        chosen.sort(key=lambda s: (order[s.span.evidence.id], s.span.start))
        missing = view.intent in _UNSHAPED and not shaped
        return Draft(tuple(_quoted(s.span) for s in chosen), (_UNSHAPED[view.intent],) if missing else ())


def _search(query: str) -> Calls:
    return Calls((Call("search", {"query": query}),))


def _content_words(question: str, fold: Fold | None) -> list[str]:
    """Return the question's content as words to search for; adjoining Chinese bigrams are joined again."""
    words: list[str] = []
    for token in keywords(question, fold):
        if words and not token.isascii() and words[-1][-1] == token[0]:
            words[-1] += token[1:]
        else:
            words.append(token)
    return words


def _quotable(span: Span) -> bool:
    """Say whether a span can stand in an answer: not a heading, not bare code, not a lead-in without its list."""
    return span.kind not in ("heading", "code") and not span.text.endswith((":", "：")) and len(span.text) > 3


def _quote(span: Span) -> tuple[tuple[str, str], ...]:
    return ((span.evidence.id, span.raw),)


def _quoted(span: Span, *, label: str = "", item: bool | None = None) -> Quoted:
    listed = span.kind in ("item", "ordered", "row") if item is None else item
    return Quoted(span.text, _quote(span), label, listed)


def _same(a: Span, b: Span) -> bool:
    one, two = set(tokenise(a.text)), set(tokenise(b.text))
    return one <= two or two <= one or len(one & two) >= SAME * len(one | two)


def _best_list(pieces: Sequence[Span], scored: Sequence[Scored]) -> Draft | None:
    """Return the list that answers, with the sentence that introduces it, when it scores near the best span."""
    scores = {id(s.span): s.score for s in scored}
    best, top = None, 0.0
    for evidence in dict.fromkeys(span.evidence.id for span in pieces):
        own = [span for span in pieces if span.evidence.id == evidence]
        for members in cutter.lists(own):
            intro = cutter.lead(own, members[0])
            value = _list_score(members, intro, scores)
            if value > top:
                best, top = (intro, members), value
    if best is None or top < max(FLOOR, NEAR * max(scores.values())):
        return None
    intro, members = best
    lines = tuple(_quoted(m, item=True) for m in members[:MAX_ITEMS])
    opening = (_quoted(intro),) if intro is not None and len(intro.text) < 300 else ()
    return Draft(opening + lines, ("list_cut",) if len(members) > MAX_ITEMS else ())


def _list_score(members: Sequence[Span], intro: Span | None, scores: dict[int, float]) -> float:
    """Score a list by its introduction or its best member; numbered lists are likelier steps."""
    values = [scores[id(m)] for m in members]
    introduced = scores[id(intro)] if intro is not None else 0.0
    ordered = 0.1 if members[0].kind == "ordered" else 0.0
    return max(introduced, sum(values) / len(values), 0.8 * max(values)) + ordered


def _pages(usable: Sequence[Scored]) -> Draft:
    """Return one line for each page: its title and the sentence of it that fits best."""
    best: dict[str, Scored] = {}
    for candidate in sorted(usable, key=lambda s: -s.score):
        best.setdefault(candidate.span.evidence.article_id, candidate)
    kept = [s for s in best.values() if s.score >= FLOOR]
    return Draft(tuple(_quoted(s.span, label=s.span.evidence.title, item=True) for s in kept))


def _sections(view: View, evidence: Sequence[Evidence]) -> Draft:
    """Return the headings of the page, quoted from its text, the top two levels of its outline."""
    outline = next((o.result for o in view.seen if isinstance(o.result, OutlineResult)), None)
    levels = sorted({n.level for n in outline.nodes if n.level}) if outline else []
    wanted = {n.title for n in outline.nodes if n.level in levels[:2]} if outline else set()
    headings = [s for e in evidence for s in cutter.cut(e) if s.kind == "heading" and s.text in wanted]
    lines = tuple(_quoted(s, item=True) for s in headings[: 2 * MAX_ITEMS])
    return Draft(lines, ("list_cut",) if len(headings) > 2 * MAX_ITEMS else ())
