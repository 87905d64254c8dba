"""What an answer is made of, and when a piece of it can stand alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import dedent

from msgspec import Struct

from query_fn.agent.chat.base import Quoted
from query_fn.agent.chat.score import Scored, has_shape
from query_fn.agent.chat.spans import Span, announces
from query_fn.agent.router import Intent
from query_fn.regex import regex

MAX_SENTENCES = 4
MAX_ITEMS = 12
MAX_BESIDE = 300  # characters of a sentence that is added so that another can be understood
FLOOR = 0.25  # a best span below it answers nothing; one that holds half of the question's words is far above
NEAR = 0.8  # of the best score: what stands in the answer beside it

# A sentence that begins like this cannot be understood without the one before it.
LEANING = regex(
    r"(?:however|but|also|so|then|thus|therefore|hence|instead|otherwise|in addition|additionally|moreover|furthermore"
    r"|this|these|those|that|it|they|he|she|such|both|neither|and|or|because of this|for this reason|as a result"
    r"|in this (?:case|mode|way))\b"
    r"|但是?|然而|不过|因此|所以|此外|另外|同时|而且|并且|于是|然后|否则|这|那|该|其|它|他|她|此时|此|为此|例如|如此|上述|以上",
    re.I,
)


# A sentence that only sends the reader elsewhere answers nothing.
_POINTER = regex(r"(?:另?见|参见|详见|请看|请参阅|see(?: also)?\b|read more\b|learn more\b).{0,60}", re.I | re.S)
_LINKED = regex(
    r"(?:[-*+]|\d+[.)])?\s*(?:\[[^\]]+\]\(|\[\[)|(?:见|参阅|参考|请看|\bsee|\bread)\s*(?:\[[^\]]+\]\(|\[\[)", re.I
)
_FENCE = regex(r"`{3,}|~{3,}")
POINTING = 80  # characters up to which a piece that begins with a link, or says "see" one, only points


class Material(Struct, frozen=True):
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


def quotable(span: Span) -> bool:
    """Say whether a span can stand alone: not a heading, a table header, bare code or a lead-in without its list."""
    alone = span.kind not in ("heading", "code", "header") and not announces(span) and len(span.text) > 3
    return alone and not _POINTER.fullmatch(span.text) and not points(span)


def points(span: Span) -> bool:
    """Say whether a short piece is a link, or sends the reader to one."""
    return len(span.text) <= POINTING and span.kind != "row" and _LINKED.search(span.raw) is not None


def quote(span: Span) -> tuple[tuple[str, str], ...]:
    """Return the pair of evidence id and raw text that proves a span."""
    return ((span.evidence.id, span.raw),)


def quoted(span: Span, *, label: str = "", item: bool | None = None) -> Quoted:
    """Return a span as a sentence of the answer."""
    listed = span.kind in ("item", "ordered", "row") if item is None else item
    return Quoted(shown(span), quote(span), label, listed)


def shown(span: Span) -> str:
    """Return how a span stands in an answer: as plain text, but fenced code as a whole with its fence."""
    lines = span.raw.strip().splitlines()
    fence = _FENCE.match(lines[0]) if span.kind == "code" and len(lines) > 1 else None
    if fence is None or lines[-1].strip() != fence[0]:
        return span.text
    body = dedent("\n".join(lines[1:-1]))
    return "\n".join((lines[0], body, fence[0]))
