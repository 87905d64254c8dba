"""The measures, as pure functions over rankings, scores and texts. All are 0..1, and None where there is nothing."""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

Ranking = Sequence[str]
Judged = tuple[Ranking, Collection[str]]  # a ranking without repeats, and what is relevant
RRF_K = 60  # Cormack, Clarke, Büttcher: Reciprocal Rank Fusion, 2009
CUT = 10


def recall(ranking: Ranking, relevant: Collection[str], k: int) -> float:
    """Return the share of the relevant documents among the first `k`."""
    return len(set(ranking[:k]) & set(relevant)) / len(relevant)


def reciprocal_rank(ranking: Ranking, relevant: Collection[str], k: int = CUT) -> float:
    """Return 1 / the place of the first relevant document, 0 when none is among the first `k`."""
    return next((1.0 / place for place, name in enumerate(ranking[:k], 1) if name in relevant), 0.0)


def ndcg(ranking: Ranking, relevant: Collection[str], k: int = CUT) -> float:
    """Return the normalised discounted cumulative gain of the first `k`; relevance is 0 or 1."""
    gain = sum(1.0 / math.log2(place + 1) for place, name in enumerate(ranking[:k], 1) if name in relevant)
    return gain / sum(1.0 / math.log2(place + 1) for place in range(1, min(len(set(relevant)), k) + 1))


FIGURES: Mapping[str, Callable[[Ranking, Collection[str]], float]] = {
    "recall@1": lambda ranking, relevant: recall(ranking, relevant, 1),
    "recall@5": lambda ranking, relevant: recall(ranking, relevant, 5),
    "recall@10": lambda ranking, relevant: recall(ranking, relevant, 10),
    "mrr@10": reciprocal_rank,
    "ndcg@10": ndcg,
}


def figures(judged: Sequence[Judged]) -> dict[str, float | None]:
    """Return the mean of every retrieval measure; questions without a relevant document must be left out before."""
    return {name: mean(measure(ranking, relevant) for ranking, relevant in judged) for name, measure in FIGURES.items()}


def reciprocal_rank_fusion(lists: Iterable[Ranking]) -> list[str]:
    """Return the documents of several rankings by Σ 1 / (60 + place), best first: the usual baseline of fusion."""
    total: dict[str, float] = {}
    for ranking in lists:
        for place, name in enumerate(ranking, 1):
            total[name] = total.get(name, 0.0) + 1.0 / (RRF_K + place)
    return sorted(total, key=lambda name: (-total[name], name))


def auc(answerable: Sequence[float], others: Sequence[float]) -> float | None:
    """Return the chance that an answerable question scores above another one; equal scores count half."""
    if not answerable or not others:
        return None
    low = sorted(others)
    wins = sum(bisect_left(low, score) + bisect_right(low, score) for score in answerable)
    return wins / (2 * len(answerable) * len(others))


def rejected(answerable: Sequence[float], others: Sequence[float], false_refusals: float = 0.05) -> float | None:
    """Return the share of the others under the threshold that refuses at most `false_refusals` of the answerable."""
    if not answerable or not others:
        return None
    threshold = sorted(answerable)[math.floor(false_refusals * len(answerable))]
    return sum(score < threshold for score in others) / len(others)


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of similar confidence: how sure they were and how often they were right."""

    confidence: float
    right: float
    count: int


def reliability(judged: Sequence[tuple[float, bool]], bins: int = 10) -> tuple[Bin, ...]:
    """Return the bins of equal width that hold anything, from unsure to sure."""
    held: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in judged:
        held.setdefault(min(bins - 1, int(confidence * bins)), []).append((confidence, right))
    return tuple(
        Bin(sum(c for c, _ in own) / len(own), sum(r for _, r in own) / len(own), len(own))
        for _, own in sorted(held.items())
    )


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """Return the expected calibration error: the mean distance of confidence and truth, bins weighted by size."""
    count = sum(item.count for item in bins)
    return sum(item.count * abs(item.confidence - item.right) for item in bins) / count if count else None


def percentile(values: Iterable[float], share: float) -> float | None:
    """Return the nearest-rank percentile: the smallest value that `share` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


def mean(values: Iterable[float]) -> float | None:
    """Return the arithmetic mean, None of nothing."""
    found = list(values)
    return math.fsum(found) / len(found) if found else None


def contains(answer: str, one_of: Sequence[str], every: Sequence[str] = (), *, cut: int | None = None) -> bool:
    """Tell whether the first `cut` characters hold one of the gold strings and every one that must be there.

    Compared without regard to width, case and blanks: "136 次" is "136次".
    """
    said = _bare(answer[:cut])
    held = [_bare(gold) in said for gold in one_of]
    return (any(held) or not held) and all(_bare(gold) in said for gold in every)


def _bare(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())
