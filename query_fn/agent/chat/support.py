"""Whether what was read can answer at all: are the words of the question known to it, and to the base. Pure.

Search is confident when much of a question is about this base. The rest of the question may still name what the base
has never heard of; then the nearest sentences are about something else, and no answer is the answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from query_fn.agent.chat.score import HELD, Idf, Question, Scored, above, share
from query_fn.agent.chat.spans import Span
from query_fn.agent.chat.words import keywords
from query_fn.regex import regex
from query_fn.text import tokenise

# Measured on XQuAD-zh-abstain, the handbook questions and 108 questions over three other bases.
MIDDLE = 0.1  # meaning of the closest piece that changes nothing
CLOSEST = 3.6  # what that meaning counts, in log odds
AGAINST = 4.0  # what a question of strange words alone would count against it, in log odds
REFUSED = 0.5
SURE = 0.75  # confidence of a search under which, without closeness, more words must be known
KNOWN = 0.5  # share of the question's words that must be known to what was read when search is not sure
KNOWN_EVER = 0.25  # the same whatever search says
STRANGE = 0.3  # share of words that no page of the base holds; Chinese bigrams across words are no evidence of that
UNHEARD = 0.5  # share of a follow-up's words that no page of the base holds, from which it is about something else
MAX_NAMES = 2
_TINY = 1e-9
# What leans on the turn before whatever else it says: "that", and a question that begins "Under which …".
_POINTS = regex(
    r"\b(?:that|this|it|its|they|them|their|those|these|ones?|there)\b"
    r"|^(?:in|on|at|from|under|by|for|with|to|of) wh|[那这它其]",
    re.IGNORECASE,
)
_A_NOT_A = regex(r"([\u3400-\u9fff])[没不]\1")
_NAME = regex(r"(?<=[^.?!。？！\s])\s*['\"“‘(]?(?<![A-Za-z0-9])([A-Z][A-Za-z0-9+.-]*[A-Za-z0-9+])")


def confidence(found: float, scored: Sequence[Scored], question: Question) -> float:
    """Return how sure an answer is, 0..1: the confidence of the search, moved by the closest piece that was read.

    Words that the base has never seen speak against it. On XQuAD-zh-abstain, at 3 % false refusals, the closest piece
    makes that 95 % of the others are refused and not 93 %.
    """
    meanings = [s.meaning for s in scored if s.meaning is not None]
    if not meanings:
        return found
    odds = math.log(max(found, _TINY) / max(1.0 - found, _TINY)) + CLOSEST * (max(meanings) - MIDDLE)
    odds -= AGAINST * _strange(question, foreign=_foreign(scored, question))
    return 1.0 / (1.0 + math.exp(-odds))


def supported(spans: Sequence[Span], scored: Sequence[Scored], question: Question, *, sure: float) -> bool:
    """Say whether the evidence knows what is asked about; `sure` is the confidence."""
    if any(s.meaning is not None for s in scored):
        return sure >= REFUSED and not _strange_name(spans, question)
    held, foreign = max((max(s.own, s.headed) for s in scored), default=0.0), _foreign(scored, question)
    if held >= HELD:
        return True
    if not foreign and _known(spans, question) < (KNOWN_EVER if sure >= SURE else KNOWN):
        return False
    return not _strange_name(spans, question) and _strange(question, foreign=foreign) < STRANGE


def changes_topic(said: str, spans: Sequence[Span], question: Question) -> bool:
    """Say whether the words of a follow-up are mostly strange, to what was read and to the base: it asks anew."""
    if question.idf is None or _POINTS.search(said):
        return False
    asked = keywords(_A_NOT_A.sub(r"\1", said), question.fold)
    weights = {word: question.idf(word) for word in asked if len(word) > 1}
    nowhere = frozenset(word for word in weights if question.idf(word) >= question.idf("\x00"))
    return share(nowhere, weights) >= UNHEARD and share(_held(spans, question), weights) < KNOWN


def _foreign(scored: Sequence[Scored], question: Question) -> bool:
    return all(question.foreign(s.span) for s in scored)


def _known(spans: Sequence[Span], question: Question) -> float:
    """Return the share of the question's words, by their rarity in the base, that the evidence and its titles hold."""
    weights = {word: question.idf(word) if question.idf else 1.0 for word in question.words()}
    return share(_held(spans, question), weights)


def _held(spans: Sequence[Span], question: Question) -> frozenset[str]:
    texts = (" ".join((s.text, *above(s))) for s in spans)
    return frozenset(token for text in texts for token in tokenise(text, question.fold))


def _strange(question: Question, *, foreign: bool) -> float:
    """Return the share of the question's words, by rarity, that are Latin and stand on no page of the base."""
    if question.idf is None:
        return 0.0
    weights = {word: question.idf(word) for word in question.words(foreign=foreign)}
    return share(frozenset(word for word in weights if word.isascii() and _unheard(word, question.idf)), weights)


def _unheard(word: str, idf: Idf) -> bool:
    """Say whether no page holds a word or, of a compound such as ``command-line``, a part of it."""
    nowhere = idf("\x00")  # nothing is rarer than what is nowhere
    return all(idf(token) >= nowhere for token in tokenise(word) or [word])


def _strange_name(spans: Sequence[Span], question: Question) -> bool:
    """Say whether the question names something, in the middle of a sentence, that nothing read mentions.

    A question that names much sets some of it aside, so it proves nothing there.
    """
    names = {tokenise(name, question.fold)[0] for name in _NAME.findall(question.text)}
    return 0 < len(names) <= MAX_NAMES and not names <= _held(spans, question)
