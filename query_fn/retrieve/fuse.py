"""Several ranked lists become one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from query_fn.retrieve.lexical import Hits

RRF_K = 60  # Cormack, Clarke, Büttcher: Reciprocal Rank Fusion, SIGIR 2009
MAX_FUSED = 30
GATE = 0.7  # share of the list's best score under which a BM25 hit says nothing


@dataclass(frozen=True, slots=True)
class RouteHits:
    """One route's answer to one query: hits on chunk rows with the raw score, and the score in 0..1 for fusion."""

    route: str
    query: str
    hits: Hits
    scaled: tuple[float, ...]
    ms: float


def gate(hits: Hits, share: float = GATE) -> Hits:
    """Return the hits whose score reaches `share` of the best."""
    return [hit for hit in hits if hit[1] >= share * hits[0][1]]


def first_per_chunk(hits: Iterable[tuple[int, float]]) -> Hits:
    """Return each chunk once, at its best place."""
    best: dict[int, float] = {}
    for chunk, score in hits:
        best.setdefault(chunk, score)
    return list(best.items())


def rrf(lists: Iterable[RouteHits], weights: Mapping[str, float]) -> Hits:
    """Return the fused chunks by weighted reciprocal rank: ``Σ w / (60 + rank + 1)``, rank from 0."""
    total: dict[int, float] = {}
    for item in lists:
        for rank, (chunk, _) in enumerate(item.hits):
            total[chunk] = total.get(chunk, 0.0) + weights[item.route] / (RRF_K + rank + 1)
    return _ordered(total)


def convex(lists: Iterable[RouteHits], weights: Mapping[str, float]) -> Hits:
    """Return the fused chunks by weighted sum of scaled scores; of several queries a route counts its best."""
    best: dict[tuple[int, str], float] = {}
    for item in lists:
        for (chunk, _), score in zip(item.hits, item.scaled, strict=True):
            key = (chunk, item.route)
            best[key] = max(best.get(key, 0.0), weights[item.route] * score)
    total: dict[int, float] = {}
    for (chunk, _), score in best.items():
        total[chunk] = total.get(chunk, 0.0) + score
    return _ordered(total)


def _ordered(total: Mapping[int, float]) -> Hits:
    """Best first; equal scores in row order, so that the result repeats."""
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))[:MAX_FUSED]
