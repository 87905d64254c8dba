"""From scored spans to the sentences of an answer: which pieces, with what around them, in which order. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from query_fn.agent.chat import spans as cutter
from query_fn.agent.chat.base import Draft, Quoted
from query_fn.agent.chat.score import HELD, Question, Scored, has_shape
from query_fn.agent.chat.spans import MAX_CODE, Block, Span, announces
from query_fn.agent.router import Intent
from query_fn.text import tokenise

MAX_SENTENCES = 4
MAX_CROSS = 2  # sentences when only their meaning speaks for them
MAX_ITEMS = 12
MAX_PAGES = 8
MAX_OPENING = 500  # characters of the sentences that open a section
MAX_TOGETHER = 4  # items of a list that is given whole when one of them answers
MAX_BESIDE = 300  # characters of a sentence that is added so that another can be understood
FLOOR = 0.25  # a best span below it answers nothing; one that holds half of the question's words is far above
NEAR = 0.8  # of the best score: what stands in the answer beside it
SHAPED = 0.6  # of the best score: a number for how many, a name for who may stand this far below it
PLAINLY = 0.4  # share of the question's words a span without the shape asked for must hold to stand all the same
SAME = 0.8  # token Jaccard of two spans that say the same
THE_QUESTION = 0.55  # from here the headings of a section are the question, and its opening tells how or what
SURELY = 0.85  # from here it answers any question, as on a page of questions and answers
TIED = 0.3  # share of the question that the lead-in or the headings of a list must hold for it to be the steps
LISTED = 0.35  # added for steps to a list that is tied to the question in full
ORDERED = 0.1
_UNSHAPED = {Intent.COUNT: "no_number", Intent.TIME: "no_date"}
_OPENED = (Intent.STEPS, Intent.DEFINITION)
BESIDE = 2  # pieces around the best one in which the number that is asked for may stand

# A sentence that begins like this cannot be understood without the one before it.
_LEANING = re.compile(
    r"(?:however|but|also|so|then|thus|therefore|hence|instead|otherwise|in addition|additionally|moreover|furthermore"
    r"|this|these|those|that|it|they|he|she|such|both|neither|and|or|because of this|for this reason|as a result"
    r"|in this (?:case|mode|way))\b"
    r"|但是?|然而|不过|因此|所以|此外|另外|同时|而且|并且|于是|然后|否则|这|那|该|其|它|他|她|此时|此|为此|例如|如此|上述|以上",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Material:
    """What an answer is made of: the spans of each piece of evidence, in order, and the usable ones with scores."""

    intent: Intent
    question: str
    pieces: Mapping[str, Sequence[Span]]
    scored: Sequence[Scored]

    def shaped(self, span: Span, *, alone: bool = False) -> bool:
        """Say whether a span has what the intent asks for; a date may stand in its heading, not when `alone`."""
        text = span.text if alone or self.intent is not Intent.TIME else f"{span.heading} {span.text}"
        return has_shape(self.intent, text, question=self.question)

    def before(self, span: Span) -> Span | None:
        """Return the sentence before a span under the same headings."""
        own = self.pieces[span.evidence.id]
        at = own.index(span)
        found = own[at - 1] if at else None
        return found if found is not None and found.kind == "sentence" and found.path == span.path else None

    def after(self, span: Span) -> Span | None:
        """Return the sentence that goes on in the paragraph of a span."""
        own = self.pieces[span.evidence.id]
        at = own.index(span) + 1
        found = own[at] if at < len(own) else None
        if found is None or found.kind != "sentence" or announces(found):
            return None
        return found if "\n\n" not in span.evidence.text[span.end : found.start] else None

    def lead(self, span: Span) -> Span | None:
        """Return the sentence that announces the list a span stands in."""
        own = self.pieces[span.evidence.id]
        first = next(i for i, other in enumerate(own) if other.group == span.group)
        found = own[first - 1] if first else None
        return found if found is not None and found.kind == "sentence" and announces(found) else None


def readable(scored: Sequence[Scored], question: Question) -> Sequence[Scored]:
    """Return the spans in the reader's language when they answer; the others too when those tell more.

    A section in the other language whose heading is the question tells more than sentences that only share its words.
    """
    native = [s for s in scored if not question.foreign(s.span)]
    foreign = [s for s in scored if question.foreign(s.span)]
    if not native or not foreign:
        return scored
    headed = [max(s.headed for s in side) for side in (native, foreign)]
    if question.intent in _OPENED and headed[1] >= THE_QUESTION > headed[0]:
        return foreign
    return native if max(max(s.own, s.headed) for s in native) >= HELD else scored


def drafted(material: Material) -> Draft:
    """Return the answer: a section whose headings are the question, a list or code that is asked for, or sentences."""
    if opening := _opening(material):
        return opening
    if listed := _best_block(material):
        return listed
    usable = [s for s in material.scored if quotable(s.span)]
    if not usable or max(s.score for s in usable) < FLOOR:
        return Draft(())
    return _sentences(material, usable)


def quotable(span: Span) -> bool:
    """Say whether a span can stand alone: not a heading, a table header, bare code or a lead-in without its list."""
    return span.kind not in ("heading", "code", "header") and not announces(span) and len(span.text) > 3


# --- the opening of a section -----------------------------------------------------------------------------------------


def _opening(material: Material) -> Draft | None:
    """Return how the section begins whose headings are the question; None when there is none or it is not asked so."""
    first = max(material.scored, key=lambda s: (round(s.headed, 1), bool(s.span.path), s.score), default=None)
    if first is None or first.headed < THE_QUESTION or not (material.intent in _OPENED or first.headed > SURELY):
        return None
    steps = material.intent is Intent.STEPS
    lines, cut = _open(_section(material, first.span, whole=steps), steps=steps)
    if not lines or not _shaped_somewhere(material, lines):
        return None
    if steps and not first.span.path and not any(line.item or "\n" in line.text for line in lines):
        return None  # a page is introduced before it says how
    return Draft(lines, ("list_cut",) if cut else ())


def _section(material: Material, span: Span, *, whole: bool) -> list[Span]:
    """Return what stands under the last heading above a span, `whole` with what stands under the headings below it."""
    allowed = {id(s.span) for s in material.scored}
    depth = len(span.path)
    own = [
        s for s in material.pieces[span.evidence.id] if s.path == span.path or (whole and s.path[:depth] == span.path)
    ]
    return [s for s in own if s.kind != "heading" and id(s) in allowed]


def _shaped_somewhere(material: Material, lines: Sequence[Quoted]) -> bool:
    """Say whether an opening has the number or date that is asked for."""
    wanted = material.intent in (Intent.COUNT, Intent.TIME)
    return not wanted or any(has_shape(material.intent, line.text, question=material.question) for line in lines)


def _open(spans: Sequence[Span], *, steps: bool) -> tuple[tuple[Quoted, ...], bool]:
    """Return the first sentences of a section, for steps its first list or code too, and whether that list was cut."""
    lines: list[Quoted] = []
    size = 0
    for index, span in enumerate(spans):
        if span.group and (steps or not lines or announces(spans[index - 1])):
            members = cutter.outermost([s for s in spans if s.group == span.group])
            return (*lines, *_members(members[:MAX_ITEMS])), len(members) > MAX_ITEMS
        full = len(lines) >= MAX_SENTENCES or size + len(span.text) > MAX_OPENING
        if span.kind == "code":
            if len(span.text) <= MAX_CODE and span.evidence.text.startswith(("`", "~"), span.start):
                lines.append(quoted(span))
        elif lines and full and not announces(span):
            break
        elif span.kind in ("sentence", "item", "ordered") and len(span.text) > 3:
            lines.append(quoted(span))
            size += len(span.text)
    return _without_loose_end(lines), False


def _without_loose_end(lines: Sequence[Quoted]) -> tuple[Quoted, ...]:
    """Drop last lines that announce something which is not there."""
    kept = list(lines)
    while kept and kept[-1].text.endswith((":", "：")):
        kept.pop()
    return tuple(kept)


# --- a list, a table, code --------------------------------------------------------------------------------------------


def _best_block(material: Material) -> Draft | None:
    """Return the list, table or code that answers, with what introduces it, if it beats every sentence."""
    scores = {id(s.span): s for s in material.scored}
    blocks = [
        b for own in material.pieces.values() for b in cutter.blocks(own) if all(id(m) in scores for m in b.members)
    ]
    steps = material.intent is Intent.STEPS
    found = [(_block_score(b, scores, steps=steps), b) for b in blocks]
    rival = max((s.score for s in material.scored if quotable(s.span)), default=0.0)
    value, best = max(found, key=lambda pair: pair[0], default=(0.0, None))
    if best is None or value < max(FLOOR, NEAR * rival if steps else rival):
        return None
    most = MAX_ITEMS if steps else MAX_SENTENCES + 2
    opening = _introduced(material, best)
    return Draft(opening + _members(best.members, most), ("list_cut",) if len(best.members) > most else ())


def _introduced(material: Material, block: Block) -> tuple[Quoted, ...]:
    """Return the lead-in of a block, with the sentence before it when it leans on that one."""
    if block.lead is None or len(block.lead.text) > MAX_BESIDE:
        return ()
    before = material.before(block.lead) if _LEANING.match(block.lead.text) else None
    return tuple(quoted(s) for s in (before, block.lead) if s is not None and not (s is before and announces(s)))


def _block_score(block: Block, scores: Mapping[int, Scored], *, steps: bool) -> float:
    """Score a block by its introduction or its members; steps want a list tied to the question, a numbered one most."""
    members = [scores[id(m)] for m in block.members]
    lead = scores.get(id(block.lead))
    value = max(lead.score if lead else 0.0, sum(s.score for s in members) / len(members))
    tie = max(lead.own if lead else 0.0, *(s.headed for s in members))
    if not steps or block.members[0].kind == "header" or tie < TIED:
        return value
    return value + LISTED * tie + (ORDERED if block.members[0].kind == "ordered" else 0.0)


def _numbers(members: Sequence[Span]) -> list[int]:
    """Return the numbers of a list's items: the author's where they rise, else by position (Markdown allows all 1)."""
    written = [m.number for m in members]
    rising = all(a < b for a, b in pairwise(written))
    return written if rising else list(range(1, len(members) + 1))


def _members(members: Sequence[Span], most: int = MAX_ITEMS) -> tuple[Quoted, ...]:
    """Return the lines of a block: numbered in a numbered list, code as it stands."""
    pairs = list(zip(members, _numbers(members), strict=True))[:most]
    return tuple(
        Quoted(m.text, quote(m), item=m.kind != "code", number=n if m.kind == "ordered" else 0) for m, n in pairs
    )


# --- sentences --------------------------------------------------------------------------------------------------------


def _sentences(material: Material, usable: Sequence[Scored]) -> Draft:
    """Take the best span and those near it, drop repeats, add what they lean on, in the order of the source."""
    intent = material.intent
    ranked = sorted(usable, key=lambda s: -s.score)
    near = [s for s in ranked if s.score >= SHAPED * ranked[0].score]
    shaped = [s for s in near if material.shaped(s.span)]
    best = shaped[0] if shaped else ranked[0]
    beside = [] if material.shaped(best.span, alone=True) else _shaped_beside(material, best.span)
    if not shaped and not beside and max(best.own, best.headed) < PLAINLY:
        return Draft(())
    chosen = _chosen(ranked, best)
    order = {e: i for i, e in enumerate(dict.fromkeys(s.evidence.id for s in chosen))}
    rounded = [part for span in chosen for part in _rounded(material, span, alone=len(chosen) == 1)]
    kept = sorted(dict.fromkeys((*rounded, *beside)), key=lambda s: (order[s.evidence.id], s.start))[
        : MAX_SENTENCES + 1
    ]
    missing = intent in _UNSHAPED and not shaped and not beside
    return Draft(tuple(quoted(s) for s in kept), (_UNSHAPED[intent],) if missing else ())


def _chosen(ranked: Sequence[Scored], best: Scored) -> list[Span]:
    """Return the best span and the ones near it that say something else."""
    chosen, most = [best.span], MAX_SENTENCES if best.own else MAX_CROSS
    for candidate in ranked:
        fits = candidate.score >= NEAR * best.score and _as_close(candidate, best)
        if fits and len(chosen) < most and not any(same(candidate.span, span) for span in chosen):
            chosen.append(candidate.span)
    return chosen


def _as_close(candidate: Scored, best: Scored) -> bool:
    """Say whether a span is about as much of the question as the best one, by words or, without any, by meaning."""
    return candidate.own >= 0.5 * best.own if best.own else candidate.meaning >= 0.8 * best.meaning > 0


def _rounded(material: Material, span: Span, *, alone: bool) -> list[Span]:
    """Return a span with what it needs to be understood: its lead-in, what it leans on, what goes on."""
    lead = material.lead(span) if span.group else None
    before = material.before(span) if span.kind == "sentence" and _LEANING.match(span.text) else None
    goes_on = alone and before is None and span.kind == "sentence" and material.intent not in _UNSHAPED
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
    if material.intent not in _UNSHAPED:
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


# --- pages ------------------------------------------------------------------------------------------------------------


def pages(scored: Sequence[Scored]) -> Draft:
    """Return one line for each page: its title and the sentence of it that fits best."""
    best: dict[str, Scored] = {}
    shown = [s for s in scored if quotable(s.span)]
    for candidate in sorted(shown, key=lambda s: -s.score):
        best.setdefault(candidate.span.evidence.article_id, candidate)
    kept = [s for s in best.values() if s.score >= FLOOR][:MAX_PAGES]
    return Draft(tuple(quoted(s.span, label=s.span.evidence.title, item=True) for s in kept))


def quote(span: Span) -> tuple[tuple[str, str], ...]:
    """Return the pair of evidence id and raw text that proves a span."""
    return ((span.evidence.id, span.raw),)


def quoted(span: Span, *, label: str = "", item: bool | None = None) -> Quoted:
    """Return a span as a sentence of the answer."""
    listed = span.kind in ("item", "ordered", "row") if item is None else item
    return Quoted(span.text, quote(span), label, listed)
