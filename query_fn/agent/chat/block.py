"""The list, the table or the code that answers, with what introduces it; and how a section opens. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from query_fn.agent.chat import spans as cutter
from query_fn.agent.chat.base import Draft, Quoted
from query_fn.agent.chat.material import (
    FLOOR,
    LEANING,
    MAX_BESIDE,
    MAX_ITEMS,
    MAX_SENTENCES,
    NEAR,
    Material,
    points,
    quotable,
    quote,
    quoted,
    shown,
)
from query_fn.agent.chat.score import Scored, has_shape
from query_fn.agent.chat.spans import MAX_CODE, Block, Span, announces
from query_fn.agent.router import Intent

MAX_OPENING = 500  # characters of the sentences that open a section
THE_QUESTION = 0.55  # from here the headings of a section are the question, and its opening tells how or what
ASKED = 0.7  # meaning from which a heading is the question
SURELY = 0.85  # from here it answers any question, as on a page of questions and answers
TIED = 0.3  # share of the question that the lead-in or the headings of a list must hold for it to be the steps
LISTED = 0.35  # added for steps to a list that is tied to the question in full
ORDERED = 0.1
OPENED = (Intent.STEPS, Intent.DEFINITION)


def opening(material: Material) -> Draft | None:
    """Return how the section begins whose headings are the question; None when there is none or it is not asked so."""
    steps = material.intent is Intent.STEPS
    first = _heading(material) or _headed(material)
    if first is None:
        return None
    lines, cut = _open(_section(material, first, whole=steps), steps=steps)
    if not lines or not _shaped_somewhere(material, lines):
        return None
    if steps and not first.path and not any(line.item or "\n" in line.text for line in lines):
        return None  # a page is introduced before it says how
    return Draft(lines, ("list_cut",) if cut else ())


def _heading(material: Material) -> Span | None:
    """Return the heading that is closer to the question than anything else that was read."""
    top = max(material.scored, key=lambda s: s.score, default=None)
    return top.span if top and top.span.kind == "heading" and (top.meaning or 0.0) >= ASKED else None


def _headed(material: Material) -> Span | None:
    """Return a piece whose headings are the question by their words."""
    first = max(material.scored, key=lambda s: (round(s.headed, 1), bool(s.span.path), s.score), default=None)
    if first is None or first.headed < THE_QUESTION or not (material.intent in OPENED or first.headed > SURELY):
        return None
    return first.span


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
            return (*lines, *members_of(members[:MAX_ITEMS])), len(members) > MAX_ITEMS
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


def best_block(material: Material) -> Draft | None:
    """Return the list, table or code that answers, with what introduces it, if it beats every sentence."""
    scores = {id(s.span): s for s in material.scored}
    listed = (b for own in material.pieces.values() for b in cutter.blocks(own))
    blocks = [b for b in listed if all(id(m) in scores for m in b.members) and not _points(b)]
    steps = material.intent is Intent.STEPS
    found = [(_block_score(b, scores, steps=steps), b) for b in blocks]
    rival = max((s.score for s in material.scored if quotable(s.span)), default=0.0)
    value, best = max(found, key=lambda pair: pair[0], default=(0.0, None))
    if best is None or value < max(FLOOR, NEAR * rival if steps else rival):
        return None
    most = MAX_ITEMS if steps or _short(best) else MAX_SENTENCES + 2
    opening = _introduced(material, best)
    return Draft(opening + members_of(best.members, most), ("list_cut",) if len(best.members) > most else ())


def _points(block: Block) -> bool:
    """Say whether most of a list sends the reader elsewhere."""
    return 2 * sum(map(points, block.members)) > len(block.members)


def _short(block: Block) -> bool:
    """Say whether a whole block is no longer than the sentences of an answer would be."""
    return sum(len(member.text) for member in block.members) <= MAX_OPENING


def _introduced(material: Material, block: Block) -> tuple[Quoted, ...]:
    """Return the lead-in of a block, with the sentence before it when it leans on that one."""
    if block.lead is None or len(block.lead.text) > MAX_BESIDE:
        return ()
    before = material.before(block.lead) if LEANING.match(block.lead.text) else None
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


def numbers(members: Sequence[Span]) -> list[int]:
    """Return the numbers of a list's items: the author's where they rise, else by position (Markdown allows all 1)."""
    written = [m.number for m in members]
    rising = all(a < b for a, b in pairwise(written))
    return written if rising else list(range(1, len(members) + 1))


def members_of(members: Sequence[Span], most: int = MAX_ITEMS) -> tuple[Quoted, ...]:
    """Return the lines of a block: numbered in a numbered list, code as it stands."""
    pairs = list(zip(members, numbers(members), strict=True))[:most]
    return tuple(
        Quoted(shown(m), quote(m), item=m.kind != "code", number=n if m.kind == "ordered" else 0) for m, n in pairs
    )
