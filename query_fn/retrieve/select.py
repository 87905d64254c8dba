"""From the fused list to the candidates: local re-rank, article balance, no duplicates, refill."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

RERANK = 10  # candidates that are looked at closely
PHRASE_BONUS = 0.05  # of the fused score's range, for a whole query phrase in the text
TITLE_SHARE, BODY_SHARE = 0.10, 0.05  # added for covered query weight in title and path, and in the body
MAX_ARTICLES, PER_ARTICLE = 3, 4
DUPLICATE = 0.88  # token Jaccard from which two chunks say the same


@dataclass(frozen=True, slots=True)
class Item:
    """A fused chunk with what the choice looks at. `tokens` are of its body, `head` of its titles."""

    n: int
    score: float
    article: str
    tokens: frozenset[str]
    head: frozenset[str]
    text: str  # normalised


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen items in order, and what was dropped as (row, reason)."""

    items: tuple[Item, ...]
    dropped: tuple[tuple[int, str], ...] = field(default=())


def covered(tokens: Sequence[str], text: frozenset[str], idf: Callable[[str], float]) -> float:
    """Return the share of the query's idf weight whose tokens occur in `text`, in 0..1."""
    weights = {token: idf(token) for token in tokens}
    total = sum(weights.values())
    return sum(weight for token, weight in weights.items() if token in text) / total if total else 0.0


def rerank(items: Sequence[Item], tokens: Sequence[str], phrase: str, idf: Callable[[str], float]) -> list[Item]:
    """Return the items with the first RERANK reordered: titles above body, a whole phrase on top."""

    def closer(item: Item) -> float:
        bonus = TITLE_SHARE * covered(tokens, item.head, idf) + BODY_SHARE * covered(tokens, item.tokens, idf)
        return item.score + bonus + (PHRASE_BONUS if phrase and phrase in item.text else 0.0)

    first = sorted(items[:RERANK], key=lambda item: (-closer(item), item.n))
    return [*first, *items[RERANK:]]


def balance(items: Sequence[Item], routes: Mapping[int, int]) -> list[Item]:
    """Return the best of the strongest articles interleaved, then the rest as they stood.

    An article's strength is the sum of its first three candidates, and how many routes found them breaks ties.
    """
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.article, []).append(item)

    def strength(article: str) -> tuple[float, int]:
        own = groups[article]
        return sum(item.score for item in own[:3]), max(routes.get(item.n, 0) for item in own)

    chosen = sorted(groups, key=strength, reverse=True)[:MAX_ARTICLES]
    rounds = range(PER_ARTICLE)
    lead = [groups[article][i] for i in rounds for article in chosen if i < len(groups[article])]
    taken = {item.n for item in lead}
    return [*lead, *(item for item in items if item.n not in taken)]


def diversify(items: Sequence[Item], limit: int, *, per_article: int) -> Selection:
    """Drop near duplicates, hold articles to `per_article` while others are left, and refill up to `limit`."""
    kept: list[Item] = []
    spare: list[Item] = []
    dropped: list[tuple[int, str]] = []
    for item in items:
        if any(_jaccard(item.tokens, other.tokens) >= DUPLICATE for other in kept):
            dropped.append((item.n, "duplicate"))
        elif sum(other.article == item.article for other in kept) >= per_article:
            spare.append(item)
        else:
            kept.append(item)
    chosen = [*kept, *spare][:limit]
    left = {item.n for item in chosen}
    dropped += [(item.n, "article_full") for item in spare if item.n not in left]
    return Selection(tuple(chosen), tuple(dropped))


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    if min(len(a), len(b)) < DUPLICATE * max(len(a), len(b)):
        return 0.0
    return len(a & b) / (len(a | b) or 1)
