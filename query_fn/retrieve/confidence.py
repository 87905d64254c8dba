"""How sure a search is that the base answers the question: one number in 0..1, refusal under the threshold.

The measure is the z-score of the best cosine (against what unrelated questions reach in this base) plus six times the
idf-weighted share of the question's words in the best candidates. A logistic curve maps it to 0..1 so that 0.5 is the
threshold of the calibration.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from query_fn.regex import regex
from query_fn.retrieve.bilingual import Translation
from query_fn.retrieve.select import Item, Weights, covered
from query_fn.text import Fold, Terms, tokenise

COVERAGE_WEIGHT = 6.0
MIDDLE = 3.8  # keeps 95 % of the answerable XQuAD-zh and handbook questions, refuses 95 % of the others (AUC 0.989)
FOREIGN_MIDDLE = 0.8  # the z-score alone: keeps 65-70 % of cross-language answers, passes 6-8 % of the others
WORDS_MIDDLE = 0.34  # the coverage alone, without vectors: keeps 95 %, refuses 88 % (AUC 0.97)
STEEPNESS = 1.0
FAILED_ROUTE = 0.85  # factor for each configured route that failed
LOOKED_AT = 3

# Words that ask rather than name what is asked for: an answer seldom repeats them.
_ASKING = regex(
    r"什么时候|为什么|什么是|是什么|什么|怎么样|怎么|怎样|如何|多少|多久|哪里|哪些|哪个|哪|谁|是否|有没有|能不能|可不可以|请问|吗|呢|么"
    r"|\b(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|should|would|will|please"
    r"|the|a|an|of|in|on|to|for|i|my|me|we|our|you|your|it|there|many|much)\b",
    re.I,
)


class Signals(Struct, frozen=True):
    """What the decision is made from; `z` is None without vectors."""

    z: float | None
    coverage: float
    foreign: bool


def asked_for(question: str) -> str:
    """Return the question without its asking words; unchanged when nothing else is left."""
    return rest if (rest := " ".join(_ASKING.sub(" ", question).split())) else question


def coverage(weights: Weights, items: Sequence[Item]) -> float:
    """Return the best idf-weighted share of the question's words in one of the first candidates, titles included."""
    return max((covered(weights, item.terms) for item in items[:LOOKED_AT]), default=0.0)


def coverage_of_names(weights: Weights, aliases: Sequence[Sequence[Terms]]) -> float:
    """Return the best share of the question's words in one alias of the first candidates, e.g. a generated question."""
    return max((covered(weights, alias) for names in aliases for alias in names), default=0.0)


Wanted = Sequence[tuple[tuple[tuple[str, ...], ...], float]]  # each term's ways to say it, in tokens, and its idf


def wanted(translation: Translation, idf: Callable[[str], float], fold: Fold | None) -> Wanted:
    """Return the terms of a translated question with their idf, that of the most usual way to say them."""
    ways = [tuple(tuple(tokenise(way, fold)) for way in term) for term in translation.terms]
    return [(term, min(max(map(idf, tokens), default=0.0) for tokens in term)) for term in ways]


def coverage_across(terms: Wanted, share: float, items: Sequence[Item]) -> float:
    """Return the best share of a translated question's terms in one of the first candidates.

    What could not be translated counts as not covered: `share` says how much could.
    """
    whole = sum(weight for _, weight in terms) or 1.0
    held = [
        sum(weight for term, weight in terms if any(all(t in item.terms for t in tokens) for tokens in term))
        for item in items[:LOOKED_AT]
    ]
    return share * max(held, default=0.0) / whole


def confidence(signals: Signals, *, failed: int = 0) -> float:
    """Return the confidence in 0..1; each failed route lowers it.

    When the nearest passage is in another language its words cannot be covered, so its z-score may stand alone.
    """
    if signals.z is None:
        raw = 2 * COVERAGE_WEIGHT * (signals.coverage - WORDS_MIDDLE)
    else:
        raw = signals.z + COVERAGE_WEIGHT * signals.coverage - MIDDLE
        if signals.foreign:
            raw = max(raw, signals.z - FOREIGN_MIDDLE)
    return 1.0 / (1.0 + math.exp(-STEEPNESS * max(-30.0, min(30.0, raw)))) * FAILED_ROUTE**failed
