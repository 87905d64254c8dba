"""The chat model without a key: it searches, reads, and answers with the sentences that answer, each quoted.

It writes nothing of its own. When search is not confident, or nothing read answers, it says so by an empty draft.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from query_fn.agent.chat import spans as cutter
from query_fn.agent.chat.base import Call, Calls, Draft, Move, OutlineResult, Quoted, ReadResult, View
from query_fn.agent.chat.score import Idf, Question, Scored, Similarity, has_shape, keywords, known, score, subject
from query_fn.agent.chat.spans import Block, Span
from query_fn.agent.router import Intent
from query_fn.model import Evidence, SearchResult
from query_fn.text import Fold, plain, script_lang, tokenise

MAX_SENTENCES = 4
SURE = 0.75  # confidence of the search under which the words of the question must be known to what was read
KNOWN = 0.5
MAX_CROSS = 2  # sentences when only their meaning speaks for them
MAX_ITEMS = 12
READ_SIMPLE, READ_WIDE = 2, 4  # candidates read at once
FLOOR = 0.25  # a best span below it answers nothing; one that holds half of the question's words is far above
NEAR = 0.8  # of the best score: what stands in the answer beside it
SHAPED = 0.7  # of the best score: a number for how many, a name for who may stand this far below it
PLAINLY = 0.4  # share of the question's words a span without the shape asked for must hold to stand all the same
SAME = 0.8  # token Jaccard of two spans that say the same
_WIDE = (Intent.PAGES, Intent.STEPS, Intent.COUNT, Intent.TIME)
_UNSHAPED = {Intent.COUNT: "no_number", Intent.TIME: "no_date"}


@dataclass(frozen=True, slots=True)
class Extractive:
    """Pick and order the evidence that answers. `similarity` is absent without an embedder; words alone decide then."""

    similarity: Similarity | None = None
    fold: Fold | None = None
    idf: Idf | None = None
    name: str = "extractive"

    def next(self, view: View) -> Move:
        """Search (twice at most), read the best candidates, answer from them."""
        searches = [o.result for o in view.seen if isinstance(o.result, SearchResult)]
        if view.intent is Intent.SECTIONS and (move := _by_name(view)):
            return move
        if not searches:
            return Draft(()) if view.final else _search(subject(view.question, view.intent))
        best = max(searches, key=lambda found: (found.answerable, found.confidence))
        if not best.answerable:
            return self._again(view, searches)
        read = tuple(e for o in view.seen if isinstance(o.result, ReadResult) for e in o.result.evidence)
        if read:
            return self._answer(view, read, sure=best.confidence >= SURE)
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
            article = _named(found, subject(view.question, view.intent))
            return Calls((Call("outline", {"article": article}), Call("read", {"locators": [article]})))
        wanted = READ_WIDE if view.intent in _WIDE else READ_SIMPLE
        chosen = [c.chunk_id for c in found.candidates]
        if found.candidates[0].lang != script_lang(view.question):  # ranks are less sure across languages
            parts = [chosen[:READ_WIDE], chosen[READ_WIDE : 2 * READ_WIDE]]
            return Calls(tuple(Call("read", {"locators": part}) for part in parts if part))
        locators = list(dict.fromkeys((*chosen[:wanted], *view.carried[:READ_SIMPLE])))[:READ_WIDE]
        return Calls((Call("read", {"locators": locators}),))

    def _answer(self, view: View, evidence: Sequence[Evidence], *, sure: bool) -> Draft:
        if view.intent is Intent.SECTIONS:
            return _sections(view, evidence)
        pieces = {e.id: cutter.cut(e) for e in evidence}
        question = Question(view.question, script_lang(view.question), view.intent, self.fold, self.idf)
        spans = [span for own in pieces.values() for span in own]
        native = any(e.lang == question.lang for e in evidence)
        if native and not sure and known(spans, question) < KNOWN:
            return Draft(())
        scored = score(spans, question, self.similarity)
        rejected = {s.quotes for s in view.rejected}
        left = [s for s in scored if _quote(s.span) not in rejected]
        if view.intent is Intent.PAGES:
            return _pages(left)
        if listed := _best_block(pieces, left, steps=view.intent is Intent.STEPS):
            return listed
        usable = [s for s in left if _quotable(s.span)]
        if not usable or max(s.score for s in usable) < FLOOR:
            return Draft(())
        return self._sentences(view, usable)

    def _sentences(self, view: View, usable: Sequence[Scored]) -> Draft:
        """Take the best span and those near it, drop repeats, and put them in the order of the source."""
        ranked = sorted(usable, key=lambda s: -s.score)
        near = [s for s in ranked if s.score >= SHAPED * ranked[0].score]
        shaped = [s for s in near if has_shape(view.intent, s.span.text, question=view.question)]
        if not shaped and ranked[0].own < PLAINLY:
            return Draft(())
        best = shaped[0] if shaped else ranked[0]
        chosen, most = [best], MAX_SENTENCES if best.own else MAX_CROSS
        for candidate in ranked:
            fits = candidate.score >= NEAR * best.score and _as_close(candidate, best)
            if fits and len(chosen) < most and not any(_same(candidate.span, c.span) for c in chosen):
                chosen.append(candidate)
        order = {e: i for i, e in enumerate(dict.fromkeys(s.span.evidence.id for s in [best, *chosen]))}
        chosen.sort(key=lambda s: (order[s.span.evidence.id], s.span.start))
        missing = view.intent in _UNSHAPED and not shaped
        return Draft(tuple(_quoted(s.span) for s in chosen), (_UNSHAPED[view.intent],) if missing else ())


def _search(query: str) -> Calls:
    return Calls((Call("search", {"query": query}),))


def _by_name(view: View) -> Move | None:
    """Look for the page whose sections are asked for by its name, then read it; None: it must be searched for."""
    outlined = [o.result.article.id for o in view.seen if isinstance(o.result, OutlineResult)]
    read = tuple(e for o in view.seen if isinstance(o.result, ReadResult) for e in o.result.evidence)
    if not view.seen and not view.final:
        return Calls((Call("outline", {"article": subject(view.question, view.intent)}),))
    if not outlined:
        return None
    return _sections(view, read) if read or view.final else Calls((Call("read", {"locators": outlined[:1]}),))


def _named(found: SearchResult, name: str) -> str:
    """Return the id of the candidate article whose title is asked for, else of the first."""
    wanted = name.casefold()
    titled = [c.article_id for c in found.candidates if c.title.casefold() == wanted]
    return titled[0] if titled else found.candidates[0].article_id


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
    """Say whether a span can stand alone: not a heading, a table header, bare code or a lead-in without its list."""
    return span.kind not in ("heading", "code", "header") and not span.text.endswith((":", "：")) and len(span.text) > 3


def _as_close(candidate: Scored, best: Scored) -> bool:
    """Say whether a span is about as much of the question as the best one, by words or, without any, by meaning."""
    return candidate.own >= 0.5 * best.own if best.own else candidate.meaning >= 0.8 * best.meaning > 0


def _quote(span: Span) -> tuple[tuple[str, str], ...]:
    return ((span.evidence.id, span.raw),)


def _quoted(span: Span, *, label: str = "", item: bool | None = None) -> Quoted:
    listed = span.kind in ("item", "ordered", "row") if item is None else item
    return Quoted(span.text, _quote(span), label, listed)


def _numbers(members: Sequence[Span]) -> list[int]:
    """Return the numbers of a list's items: the author's where they rise, else by position (Markdown allows all 1)."""
    written = [m.number for m in members]
    rising = all(a < b for a, b in pairwise(written))
    return written if rising else list(range(1, len(members) + 1))


def _member(span: Span, number: int) -> Quoted:
    """Return one line of a block: numbered in a numbered list, code as it stands."""
    number = number if span.kind == "ordered" else 0
    return Quoted(span.text, _quote(span), item=span.kind != "code", number=number)


def _same(a: Span, b: Span) -> bool:
    one, two = set(tokenise(a.text)), set(tokenise(b.text))
    return one <= two or two <= one or len(one & two) >= SAME * len(one | two)


def _best_block(pieces: Mapping[str, Sequence[Span]], scored: Sequence[Scored], *, steps: bool) -> Draft | None:
    """Return the list, table or code that answers, with the sentence that introduces it, if it beats every sentence."""
    scores = {id(s.span): s.score for s in scored}
    blocks = [b for own in pieces.values() for b in cutter.blocks(own) if all(id(m) in scores for m in b.members)]
    found = [(_block_score(b, scores, steps=steps), b) for b in blocks]
    rival = max((s.score for s in scored if _quotable(s.span)), default=0.0)
    value, best = max(found, key=lambda pair: pair[0], default=(0.0, None))
    if best is None or value < max(FLOOR, NEAR * rival if steps else rival):
        return None
    most = MAX_ITEMS if steps else MAX_SENTENCES + 2
    opening = (_quoted(best.lead),) if best.lead is not None and len(best.lead.text) < 300 else ()
    lines = tuple(_member(m, n) for m, n in zip(best.members[:most], _numbers(best.members), strict=False))
    return Draft(opening + lines, ("list_cut",) if len(best.members) > most else ())


def _block_score(block: Block, scores: Mapping[int, float], *, steps: bool) -> float:
    """Score a block by its introduction or its members; a question for steps wants a list, a numbered one most."""
    values = [scores[id(m)] for m in block.members]
    introduced = scores.get(id(block.lead), 0.0)
    wanted = 0.2 if steps and block.members[0].kind != "header" else 0.0
    ordered = 0.1 if steps and block.members[0].kind == "ordered" else 0.0
    return max(introduced, sum(values) / len(values)) + wanted + ordered


def _pages(scored: Sequence[Scored]) -> Draft:
    """Return one line for each page: its title and the sentence of it that fits best."""
    best: dict[str, Scored] = {}
    shown = [s for s in scored if s.span.kind not in ("heading", "code")]
    for candidate in sorted(shown, key=lambda s: -s.score):
        best.setdefault(candidate.span.evidence.article_id, candidate)
    kept = [s for s in best.values() if s.score >= FLOOR]
    return Draft(tuple(_quoted(s.span, label=s.span.evidence.title, item=True) for s in kept))


def _sections(view: View, evidence: Sequence[Evidence]) -> Draft:
    """Return the headings of the page, quoted from its text, the top two levels of its outline."""
    outline = next((o.result for o in view.seen if isinstance(o.result, OutlineResult)), None)
    levels = sorted({n.level for n in outline.nodes if n.level}) if outline else []
    wanted = {plain(n.title) for n in outline.nodes if n.level in levels[:2]} if outline else set()
    headings = [s for e in evidence for s in cutter.cut(e) if s.kind == "heading" and s.text in wanted]
    lines = tuple(_quoted(s, item=True) for s in headings[: 2 * MAX_ITEMS])
    cut = len(headings) > 2 * MAX_ITEMS or len(wanted) > len({s.text for s in headings})
    return Draft(lines, ("list_cut",) if cut else ())
