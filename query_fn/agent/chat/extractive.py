"""The chat model without a key: it searches, reads, and answers with the sentences that answer, each quoted.

It writes nothing of its own. When search is not confident, or nothing read answers, it says so by an empty draft.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from query_fn.agent.chat import spans as cutter
from query_fn.agent.chat.base import Call, Calls, Draft, Grader, Move, OutlineResult, ReadResult, View
from query_fn.agent.chat.closeness import Closeness
from query_fn.agent.chat.counted import Words
from query_fn.agent.chat.counting import count, counting, which_step
from query_fn.agent.chat.draft import drafted, pages, readable
from query_fn.agent.chat.hops import Bridge, bridge, hop, nested
from query_fn.agent.chat.material import Material, quote, quoted
from query_fn.agent.chat.parts import MOST, parts
from query_fn.agent.chat.procedure import headings_of, step_nodes, wants_steps
from query_fn.agent.chat.score import Idf, Question, Scored, score
from query_fn.agent.chat.sides import compared, gathered, told
from query_fn.agent.chat.spans import Span
from query_fn.agent.chat.structure import structured
from query_fn.agent.chat.support import changes_topic, confidence, supported
from query_fn.agent.chat.words import keywords, page_names, subject
from query_fn.agent.parallel import is_parallel
from query_fn.agent.router import Intent, classify
from query_fn.errors import RouteFailed
from query_fn.model import Candidate, Evidence, SearchResult
from query_fn.retrieve.asked import SAID
from query_fn.retrieve.bilingual import translated
from query_fn.retrieve.confidence import asked_for
from query_fn.text import Fold, plain, script_lang, tokenise

DOUBTFUL = 0.05  # confidence of a search under which nothing is read
READ = 4  # candidates read at once; twice as many across languages, where ranks are less sure, and to list pages
CARRIED = 2  # places of the turn before that a follow-up reads again
MAX_NAMES = 3  # ways to read the name of a page out of a question
MAX_HEADINGS = 24
SURE, SAYS_MUCH = 0.8, 4  # confidence, and content words, of a question that begins another topic
NEAR = 1.0  # added to what stands in a passage that the turn before cited
TOLD = 0.85  # factor of what the turn before told already


class Extractive(Struct, frozen=True):
    """Pick and order the evidence that answers. `closeness` is absent without an embedder; words alone decide then."""

    closeness: Closeness | None = None
    fold: Fold | None = None
    idf: Idf | None = None
    name: str = "extractive"
    writes: bool = False
    grader: Grader | None = None

    def next(self, view: View) -> Move:
        """Tell chapters, count where the question counts, take several questions one by one, else answer the one."""
        if move := structured(view, self.fold) or self._counted(view) or self._compared(view) or self._hopped(view):
            return move
        asked = parts(view.asked) if not view.said else (view.asked,)
        several = len(asked) > 1 and view.intent not in (Intent.SECTIONS, Intent.PAGES)
        return self._parts(view, asked) if several else self._one(view)

    def _one(self, view: View) -> Move:
        """Search (twice at most), read the best candidates, answer from them."""
        searches = [o.result for o in view.seen if isinstance(o.result, SearchResult)]
        if view.intent is Intent.SECTIONS and (move := _by_name(view)):
            return move
        if not searches:
            return Draft(()) if view.final else _searched(view)
        best = max(searches, key=lambda found: (found.answerable, found.confidence))
        if not best.answerable and (again := self._again(view, best, len(searches))):
            return again
        if not self._worth(best):
            return Draft(())
        if _goes_on(view, searches):
            carried = view.turns[-1].evidence
            view = replace(view, question=_after(view), said=view.asked, carried=carried)
        if view.intent is Intent.STEPS and wants_steps(view.asked) and (move := self._steps(view, best)):
            return move
        read = tuple(e for o in view.seen if isinstance(o.result, ReadResult) for e in o.result.evidence)
        if read and self._leaves(view, searches, read):
            return self._answer(replace(view, question=view.asked, said=""), read, searches[0].confidence)
        if read:
            return self._answer(view, read, best.confidence)
        tried = any(o.call.tool == "read" for o in view.seen)
        return Draft(()) if view.final or tried or not best.candidates else self._look(view, best)

    def _counted(self, view: View) -> Move | None:
        """Count on from the turn before, or to the step that is asked for; None: the question does not count."""
        words = Words(self.fold, self.idf)
        if task := counting(view, words):
            return count(view, task, words=words, order=self._order)
        return which_step(view, order=self._order)

    def _compared(self, view: View) -> Move | None:
        """Search, read and tell each side of a comparison; None: it is none, or a side says nothing."""
        words = Words(self.fold, self.idf)
        chapters = view.said or view.intent in (Intent.SECTIONS, Intent.PAGES)
        both = None if chapters else compared(view.asked, words)
        if both is None:
            return None
        return gathered(view, both, self._worth) or told(view, both, words=words, judge=self._scored)

    def _hopped(self, view: View) -> Move | None:
        """Search and read along the clauses of a nested question; None: it is not one, or all was read."""
        words = Words(self.fold, self.idf)
        task = nested(view.asked, words) if view.intent not in (Intent.SECTIONS, Intent.PAGES) else None
        if task is None:
            return None
        if move := hop(view, task, words=words, order=self._order):
            return move
        found = bridge(view, task, words=words, order=self._order)
        return self._bridged(view, found) if found else None

    def _bridged(self, view: View, found: Bridge) -> Draft | None:
        """Answer with the name the inner clauses lead to in their place, after the piece that tells it."""
        read = {e.id: e for o in view.seen if isinstance(o.result, ReadResult) for e in o.result.evidence}
        sure = max((o.result.confidence for o in view.seen if isinstance(o.result, SearchResult)), default=0.0)
        draft = self._answer(replace(view, question=found.question, said=""), list(read.values()), sure)
        first = quoted(found.span)
        lines = [replace(line, apart=not at) for at, line in enumerate(draft.sentences) if line.quotes != first.quotes]
        return replace(draft, sentences=(first, *lines)) if lines else None

    def _order(self, spans: Sequence[Span], about: str) -> list[float]:
        """Return how well spans answer a question."""
        question = Question(about, script_lang(about), classify(about), self.fold, self.idf)
        return [s.score for s in self._scored(spans, question)[0]]

    def _leaves(self, view: View, searches: Sequence[SearchResult], read: Sequence[Evidence]) -> bool:
        """Say whether a whole question after a turn is about something else, though the turn before found pages."""
        if not view.said or len(searches) < 2 or searches[0].confidence >= SURE:
            return False
        spans = [span for e in read for span in cutter.cut(e)]
        return changes_topic(view.said, spans, self._question(view, read))

    def _parts(self, view: View, asked: Sequence[str]) -> Move:
        """Search for every part, read what each found, and answer one after the other."""
        found = {o.result.query: o.result for o in view.seen if isinstance(o.result, SearchResult)}
        places = {part: _places(found.get(part)) for part in asked}
        read = [e for o in view.seen if isinstance(o.result, ReadResult) for e in o.result.evidence]
        if not view.final and not found:
            return Calls(tuple(Call("search", {"query": part}) for part in asked))
        if not view.final and not read and any(places.values()):
            return Calls(tuple(Call("read", {"locators": own}) for own in places.values() if own))
        drafts = [
            self._answer(
                replace(view, question=part, intent=classify(part)),
                [e for e in read if e.locator in places[part]],
                found[part].confidence if part in found else 0.0,
            )
            for part in asked
        ]
        lines = dict.fromkeys(line for draft in drafts for line in draft.sentences[:MOST])
        doubts = [key for draft in drafts for key in draft.uncertainties]
        missing = ["part_unanswered"] if lines and not all(d.sentences for d in drafts) else []
        return Draft(tuple(lines), tuple(dict.fromkeys((*doubts, *missing))))

    def _steps(self, view: View, best: SearchResult) -> Move | None:
        """Look whether the steps asked for are the headings of the best page; None: they are not."""
        outline = next((o.result for o in view.seen if isinstance(o.result, OutlineResult)), None)
        if outline is None:
            tried = any(o.call.tool in ("outline", "read") for o in view.seen)
            return (
                None if tried or view.final else Calls((Call("outline", {"article": best.candidates[0].article_id}),))
            )
        nodes = step_nodes(outline)
        if not nodes:
            return None
        page = [
            e for o in view.seen if isinstance(o.result, ReadResult) for e in o.result.evidence
            if e.locator == outline.article.id
        ]  # fmt: skip
        if not page and not view.final:
            return Calls((Call("read", {"locators": [outline.article.id]}),))
        draft = headings_of(nodes, page)
        return draft if draft.sentences else None

    def _again(self, view: View, best: SearchResult, searches: int) -> Calls | None:
        """Search once more, for the content words alone; None: not again."""
        read = any(isinstance(o.result, ReadResult) for o in view.seen)
        if view.final or read or searches >= view.rounds:
            return None
        rewritten = " ".join(_content_words(view.question, self.fold))
        return None if self._worth(best) or rewritten in ("", best.query) else _search(rewritten)

    def _worth(self, found: SearchResult) -> bool:
        """Say whether what a search found is worth reading; with a model that reads, reading decides."""
        return found.answerable or (self.closeness is not None and found.confidence >= DOUBTFUL)

    def _look(self, view: View, found: SearchResult) -> Move:
        """Choose what to read: the page and its outline for a question about structure, else the best passages."""
        if view.intent is Intent.SECTIONS:
            article = _named(found, subject(view.question, view.intent))
            return Calls((Call("outline", {"article": article}), Call("read", {"locators": [article]})))
        chosen = _worth_reading(found, view.intent)
        lang = script_lang(view.asked)
        foreign = [c.chunk_id for c in chosen if c.lang != lang]
        if view.intent is Intent.PAGES or set(foreign) & {c.chunk_id for c in chosen[:READ]}:
            native = [c.chunk_id for c in chosen if c.lang == lang]
            parts = [native[:READ], foreign[:READ], foreign[READ : 2 * READ] if not native else native[READ : 2 * READ]]
            return Calls(tuple(Call("read", {"locators": part}) for part in parts if part)[:2])
        if view.said:
            return _read_on(view)
        carried = [c for c in view.carried[:CARRIED] if c not in {c.chunk_id for c in chosen}]
        locators = list(dict.fromkeys((*(c.chunk_id for c in chosen[: READ - len(carried)]), *carried)))[:READ]
        return Calls((Call("read", {"locators": locators}),))

    def _answer(self, view: View, evidence: Sequence[Evidence], found: float) -> Draft:
        """Answer from what was read; `found` is the confidence of the search."""
        if view.intent is Intent.SECTIONS:
            return _sections(view, evidence)
        pieces = {e.id: cutter.cut(e) for e in evidence}
        question = self._question(view, evidence)
        spans = [span for own in pieces.values() for span in own]
        scored, doubts = self._scored(spans, question)
        sure = confidence(found, scored, question)
        if not supported(spans, scored, question, sure=1.0 if view.intent is Intent.PAGES else sure):
            return Draft(())  # pages are for reading
        rejected = {s.quotes for s in view.rejected}
        left = _unsaid([s for s in scored if quote(s.span) not in rejected], view, self.fold)
        if view.intent is Intent.PAGES:
            return pages(left)
        draft = drafted(Material(view.intent, view.asked, pieces, readable(left, question)))
        return replace(draft, confidence=sure, uncertainties=(*draft.uncertainties, *doubts))

    def _scored(self, spans: Sequence[Span], question: Question) -> tuple[list[Scored], tuple[str, ...]]:
        """Return the scored spans and what to doubt: when the model fails, words alone decide, and that is said."""
        try:
            return score(spans, question, self.closeness), ()
        except RouteFailed:
            return score(spans, question), ("route_failed",)

    def _question(self, view: View, evidence: Sequence[Evidence]) -> Question:
        """Return what spans are scored against: the question, and its words in the other language of what was read."""
        lang, asked = script_lang(view.asked), subject(view.question, view.intent)
        other = next((e.lang for e in evidence if e.lang != lang), lang)
        found = translated(asked, other, content=asked_for, fold=self.fold)
        across = found.text if found is not None and found.share >= SAID else ""
        return Question(view.question, lang, view.intent, self.fold, self.idf, across=across, said=view.said)


def _unsaid(scored: list[Scored], view: View, fold: Fold | None) -> list[Scored]:
    """Return the spans with what the turn before told already put last: a reader who asks on wants something else.

    A piece that holds all that is new in the question answers it, told or not.

    "And for B?" after A is a question for another thing, so what was told of A does not answer it at all.
    """
    if not view.said or not keywords(view.said):
        return scored
    told = " ".join(plain(view.turns[-1].answer).split())
    near = [replace(s, score=s.score + NEAR * (s.span.evidence.locator in view.turns[-1].evidence)) for s in scored]
    new = set(keywords(view.said, fold))
    again = [s.span.text in told and not (len(new) > 1 and new <= set(tokenise(s.span.text, fold))) for s in near]
    if is_parallel(view.said):
        return [s for s, known in zip(near, again, strict=True) if not known] or near
    return [replace(s, score=s.score * TOLD) if k else s for s, k in zip(near, again, strict=True)]


def _places(found: SearchResult | None) -> list[str]:
    """Return the chunks worth reading of a search that is confident."""
    return [c.chunk_id for c in found.candidates[:READ]] if found is not None and found.answerable else []


def _searched(view: View) -> Calls:
    """Search for the question; in a conversation also with the turn before in front, unless it stands there already."""
    queries = [subject(view.question, view.intent)]
    queries += [_after(view)] if view.turns and not view.said and not view.carried else []
    return Calls(tuple(Call("search", {"query": query}) for query in queries))


def _goes_on(view: View, searches: Sequence[SearchResult]) -> bool:
    """Say whether a question that could stand alone goes on from the turn before.

    It does not when it says much and finds another page for sure.
    """
    if not view.turns or view.said or view.carried or len(searches) < 2:
        return False
    alone, after = searches[:2]
    pages = {c.article_id for c in after.candidates if c.chunk_id in view.turns[-1].evidence}
    first = alone.candidates[0].article_id if alone.candidates else ""
    says_much = len(keywords(view.asked)) >= SAYS_MUCH
    return bool(view.turns[-1].evidence) and not (says_much and alone.confidence >= SURE and first not in pages)


def _read_on(view: View) -> Calls:
    """Read what a follow-up found: with the turn before in front, alone, and some of what the turn before cited."""
    found = [o.result for o in view.seen if isinstance(o.result, SearchResult)]
    wanted = dict.fromkeys(view.carried[:CARRIED])
    for result in reversed(found[:2]):
        wanted |= dict.fromkeys([c.chunk_id for c in result.candidates if c.chunk_id not in wanted][:READ])
    places = list(wanted)[: 2 * READ]
    return Calls(tuple(Call("read", {"locators": places[at : at + READ]}) for at in range(0, len(places), READ)))


def _search(query: str) -> Calls:
    return Calls((Call("search", {"query": query}),))


def _after(view: View) -> str:
    """Return the question with the turn before in front."""
    return view.question if view.said else f"{view.turns[-1].standalone} {view.question}"


def _by_name(view: View) -> Move | None:
    """Look for the page whose sections are asked for by its name, then read it; None: it must be searched for."""
    outlined = [o.result.article.id for o in view.seen if isinstance(o.result, OutlineResult)]
    read = tuple(e for o in view.seen if isinstance(o.result, ReadResult) for e in o.result.evidence)
    if not view.seen and not view.final:
        return Calls(tuple(Call("outline", {"article": name}) for name in page_names(view.question)[:MAX_NAMES]))
    if not outlined:
        return None
    return _sections(view, read) if read or view.final else Calls((Call("read", {"locators": outlined[:1]}),))


def _named(found: SearchResult, name: str) -> str:
    """Return the id of the candidate article whose title is asked for, else of the first."""
    wanted = name.casefold()
    titled = [c.article_id for c in found.candidates if c.title.casefold() == wanted]
    return titled[0] if titled else found.candidates[0].article_id


def _worth_reading(found: SearchResult, intent: Intent) -> list[Candidate]:
    """Return candidates, best first; of each page one when pages are asked for."""
    if intent is not Intent.PAGES:
        return list(found.candidates)
    first: dict[str, Candidate] = {}
    for candidate in found.candidates:
        first.setdefault(candidate.article_id, candidate)
    return list(first.values())


def _content_words(question: str, fold: Fold | None) -> list[str]:
    """Return the question's content as words to search for; adjoining Chinese bigrams are joined again."""
    words: list[str] = []
    for token in keywords(question, fold):
        if words and not token.isascii() and words[-1][-1] == token[0]:
            words[-1] += token[1:]
        else:
            words.append(token)
    return words


def _sections(view: View, evidence: Sequence[Evidence]) -> Draft:
    """Return the headings of the page, quoted from its text, the top two levels of its outline."""
    outline = next((o.result for o in view.seen if isinstance(o.result, OutlineResult)), None)
    levels = sorted({n.level for n in outline.nodes if n.level}) if outline else []
    wanted = {plain(n.title) for n in outline.nodes if n.level in levels[:2]} if outline else set()
    headings = [s for e in evidence for s in cutter.cut(e) if s.kind == "heading" and s.text in wanted]
    lines = tuple(quoted(s, item=True) for s in headings[:MAX_HEADINGS])
    cut = len(headings) > MAX_HEADINGS or len(wanted) > len({s.text for s in headings})
    return Draft(lines, ("list_cut",) if cut else ())
