"""From scored spans to the sentences of an answer: which pieces, with what around them, in which order. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from query_fn.agent.chat.base import Draft, Quoted
from query_fn.agent.chat.block import OPENED, THE_QUESTION, best_block, opening
from query_fn.agent.chat.material import (
    FLOOR,
    LEANING,
    MAX_BESIDE,
    MAX_SENTENCES,
    NEAR,
    Material,
    quotable,
    quoted,
)
from query_fn.agent.chat.score import HELD, Question, Scored, asks_price, size_of
from query_fn.agent.chat.spans import Span
from query_fn.agent.router import Intent
from query_fn.text import tokenise

FIRST, WHOLE = 150, 300  # size of an answer's first paragraph and of both, in Chinese characters (`size_of`)
CLOSE, AS_CLOSE = 0.3, 0.95  # of the best score: what may fill an answer, from its page and from another one
PRICED = 0.85  # of the best score
ENOUGH = 0.35  # meaning from which the reader's language is not left for another one that says it better
MAX_CROSS = 2  # sentences when only their meaning speaks for them
MAX_PAGES = 8
MAX_TOGETHER = 4  # items of a list that is given whole when one of them answers
SHAPED = 0.6  # of the best score: a number for how many, a name for who may stand this far below it
PLAINLY = 0.4  # share of the question's words a span without the shape asked for must hold to stand all the same
SAME = 0.8  # token Jaccard of two spans that say the same
_MEASURED = (Intent.COUNT, Intent.TIME)
BESIDE = 2  # pieces around the best one in which the number that is asked for may stand


def readable(scored: Sequence[Scored], question: Question) -> Sequence[Scored]:
    """Return the spans in the reader's language when they answer; the others when those tell more.

    A section in the other language whose heading is the question tells more than sentences that only share its words.
    """
    native = [s for s in scored if not question.foreign(s.span)]
    foreign = [s for s in scored if question.foreign(s.span)]
    if not native or not foreign:
        return scored
    meant = [max((s.meaning for s in side if s.meaning is not None), default=None) for side in (native, foreign)]
    if meant[0] is not None and meant[1] is not None:
        return native if meant[0] >= min(meant[1], ENOUGH) else foreign
    headed = [max(s.headed for s in side) for side in (native, foreign)]
    if question.intent in OPENED and headed[1] >= THE_QUESTION > headed[0]:
        return foreign
    return native if max(max(s.own, s.headed) for s in native) >= HELD else scored


def drafted(material: Material) -> Draft:
    """Return the answer: a section whose headings are the question, a list or code that is asked for, or sentences."""
    if asks_price(material.question) and not _priced(material):
        return Draft(())  # what something costs is an amount, or is not there
    if opened := opening(material):
        return opened
    if listed := best_block(material):
        return listed
    usable = [s for s in material.scored if quotable(s.span)]
    if not usable or max(s.score for s in usable) < FLOOR:
        return Draft(())
    return answering(material, usable)


def _priced(material: Material) -> bool:
    """Say whether an amount stands near the best that was found; another one is the price of something else."""
    top = max((s.score for s in material.scored), default=0.0)
    near = (s for s in material.scored if s.meaning is None or s.score >= PRICED * top)
    return any(material.shaped(s.span) for s in near)


def answering(material: Material, usable: Sequence[Scored]) -> Draft:
    """Take the best span and those near it, drop repeats, add what they lean on, in the order of the source."""
    ranked = sorted(usable, key=lambda s: -s.score)
    near = [s for s in ranked if s.score >= SHAPED * ranked[0].score]
    shaped = [s for s in near if material.shaped(s.span)]
    best = shaped[0] if shaped else ranked[0]
    beside = [] if material.shaped(best.span, alone=True) else _shaped_beside(material, best.span)
    if not shaped and not beside and max(best.own, best.headed, best.meaning or 0.0) < PLAINLY:
        return Draft(())
    chosen = _chosen(ranked, best) if best.meaning is None else [best.span]
    rounded = [part for span in chosen for part in _rounded(material, span, alone=len(chosen) == 1)]
    first = list(dict.fromkeys((*rounded, *beside)))
    more: list[Span] = []
    if best.meaning is not None:
        first = _filled(first, ranked, best, room=FIRST)
        more = _filled(first, ranked, best, room=WHOLE)[len(first) :]
    return Draft((*_said(first), *_said(more, apart=True)))


def _filled(held: Sequence[Span], ranked: Sequence[Scored], best: Scored, *, room: float) -> list[Span]:
    """Return the spans with the next best ones that fit, say something else, and are in the language of the best.

    They are of its page too, unless they are as close: another page tells of another thing.
    """
    chosen, size = list(held), sum(size_of(span.text) for span in held)
    for candidate in ranked:
        span = candidate.span
        one_page = span.evidence.article_id == best.span.evidence.article_id
        near = candidate.score >= (CLOSE if one_page else AS_CLOSE) * best.score
        fits = near and span.evidence.lang == best.span.evidence.lang and _goes_with(span, best.span)
        if fits and size + size_of(span.text) <= room and not any(same(span, other) for other in chosen):
            chosen.append(span)
            size += size_of(span.text)
    return chosen


def _goes_with(span: Span, best: Span) -> bool:
    """Say whether a piece reads well beside the best one: sentences with sentences, items with those of their list."""
    return span.group == best.group and (not span.group or span.evidence.id == best.evidence.id)


def _said(spans: Sequence[Span], *, apart: bool = False) -> tuple[Quoted, ...]:
    """Return the lines of a paragraph, `apart` from what stands before: page after page, each in its own order."""
    order = {e: i for i, e in enumerate(dict.fromkeys(span.evidence.id for span in spans))}
    lines = [quoted(span) for span in sorted(spans, key=lambda s: (order[s.evidence.id], s.start))]
    return tuple(replace(line, apart=apart and not at) for at, line in enumerate(lines))


def _chosen(ranked: Sequence[Scored], best: Scored) -> list[Span]:
    """Return the best span and the ones near it that say something else, in its language."""
    chosen, most = [best.span], MAX_SENTENCES if best.own else MAX_CROSS
    for candidate in ranked:
        one_language = candidate.span.evidence.lang == best.span.evidence.lang
        fits = one_language and candidate.score >= NEAR * best.score and _as_close(candidate, best)
        if fits and len(chosen) < most and not any(same(candidate.span, span) for span in chosen):
            chosen.append(candidate.span)
    return chosen


def _as_close(candidate: Scored, best: Scored) -> bool:
    """Say whether a span is about as much of the question as the best one."""
    return candidate.own >= 0.5 * best.own if best.own else candidate.headed >= 0.8 * best.headed


def _rounded(material: Material, span: Span, *, alone: bool) -> list[Span]:
    """Return a span with what it needs to be understood: its lead-in, what it leans on, what goes on."""
    lead = material.lead(span) if span.group else None
    before = material.before(span) if span.kind == "sentence" and LEANING.match(span.text) else None
    goes_on = alone and before is None and span.kind == "sentence" and material.intent not in _MEASURED
    after = material.after(span) if goes_on else None
    around = [s for s in (lead, before, after) if s is not None and len(s.text) <= MAX_BESIDE]
    return [*(s for s in around if s is lead or quotable(s)), *(_short_list(material, span) if alone else ()), span]


def _short_list(material: Material, span: Span) -> list[Span]:
    """Return the list an item stands in when it is so short that its items explain each other."""
    own = [s for s in material.pieces[span.evidence.id] if s.group == span.group] if span.group else []
    short = len(own) <= MAX_TOGETHER and sum(len(s.text) for s in own) <= MAX_BESIDE
    return own if short and all(s.kind in ("item", "ordered") for s in own) else []


def _shaped_beside(material: Material, span: Span) -> list[Span]:
    """Return the nearest piece around a span that has the number or date asked for, as a list of none or one."""
    if material.intent not in _MEASURED:
        return []
    own = material.pieces[span.evidence.id]
    at = own.index(span)
    near = sorted(range(max(0, at - BESIDE), min(len(own), at + BESIDE + 1)), key=lambda i: abs(i - at))
    places = [own[i] for i in near if quotable(own[i]) or own[i].kind == "heading"]
    shaped = [s for s in places if s.path == span.path and material.shaped(s, alone=True)]
    return [s for s in shaped if len(s.text) <= MAX_BESIDE][:1]


def same(a: Span, b: Span) -> bool:
    """Say whether two spans say the same, or one is part of the other."""
    one, two = set(tokenise(a.text)), set(tokenise(b.text))
    return one <= two or two <= one or len(one & two) >= SAME * len(one | two)


def pages(scored: Sequence[Scored]) -> Draft:
    """Return one line for each page: its title and the sentence of it that fits best."""
    best: dict[str, Scored] = {}
    shown = [s for s in scored if quotable(s.span)]
    for candidate in sorted(shown, key=lambda s: -s.score):
        best.setdefault(candidate.span.evidence.article_id, candidate)
    kept = [s for s in best.values() if s.score >= FLOOR][:MAX_PAGES]
    return Draft(tuple(quoted(s.span, label=s.span.evidence.title, item=True) for s in kept))
