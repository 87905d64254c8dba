"""From the fused list to the candidates: local re-rank, no duplicates, room for several articles, refill.

Each step stands here because it earns something; balancing three articles and interleaving them does not (GitLab
handbook, nDCG@10 62.7 → 53.1), nor do a bonus for title words or for the whole phrase on top of the coverage (0.0).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from query_fn.text import Fold, Terms, terms

RERANK = 10  # candidates that are looked at closely
COVERAGE_SHARE = 0.15  # added to the fused score for full coverage of the query's words; XQuAD-zh + 0.4, handbook + 0.8
PER_ARTICLE = 4  # candidates an article may have while others wait
DUPLICATE = 0.88  # Jaccard from which two chunks say the same

Weights = Sequence[tuple[str, float]]  # query tokens with their idf


class Cut:
    """A text whose terms are cut when they are first asked for: 0.1 ms each, the most of a search over few words."""

    def __init__(self, text: str, fold: Fold | None) -> None:
        self._text, self._fold = text, fold

    @cached_property
    def terms(self) -> Terms:
        """The words of the text."""
        return terms(self._text, self._fold)


class Item(Struct, frozen=True):
    """A fused chunk with what the choice looks at: the `cut` of its titles and its text."""

    n: int
    score: float
    article: str
    cut: Cut

    @property
    def terms(self) -> Terms:
        """The words of its titles and its text."""
        return self.cut.terms


class Selection(Struct, frozen=True):
    """The chosen items in order, and what was dropped as (row, reason)."""

    items: tuple[Item, ...]
    dropped: tuple[tuple[int, str], ...] = ()


def weigh(tokens: Iterable[str], idf: Callable[[str], float]) -> Weights:
    """Return each distinct token with its idf."""
    return [(token, idf(token)) for token in dict.fromkeys(tokens)]


def covered(weights: Weights, terms: Terms) -> float:
    """Return the share of the query's idf weight whose tokens occur in `terms`, in 0..1."""
    total = sum(weight for _, weight in weights)
    return sum(weight for token, weight in weights if token in terms) / total if total else 0.0


def rerank(items: Iterable[Item], covering: Callable[[Item], float], foreign: Callable[[Item], bool]) -> list[Item]:
    """Return the items, best first, with the share of the question added that `covering` finds in them.

    Words that were not translated can't occur in a foreign passage, so it counts as covered like the average of the
    others at least: 86.3 → 88.7 nDCG@10 over all questions of the mixed XQuAD base.
    """
    found = [(item, covering(item), foreign(item)) for item in items]
    own = [share for _, share, other in found if not other]
    usual = sum(own) / len(own) if own else 0.0
    closer = (
        replace(item, score=item.score + COVERAGE_SHARE * (max(share, usual) if other else share))
        for item, share, other in found
    )
    return sorted(closer, key=lambda item: (-item.score, item.n))


def diversify(items: Iterable[Item], limit: int, named: Container[int] = ()) -> Selection:
    """Take items until `limit`: near duplicates are dropped, an article with PER_ARTICLE waits for the others.

    The rows in `named` hold the query letter by letter: each is wanted, however alike they are.
    Items may come from a generator; no more are drawn than needed.
    """
    kept: list[Item] = []
    spare: list[Item] = []
    dropped: list[tuple[int, str]] = []

    def take(item: Item) -> None:
        if item.n not in named and any(_same(item.terms, other.terms) for other in kept):
            dropped.append((item.n, "duplicate"))
        else:
            kept.append(item)

    for item in items:
        if sum(other.article == item.article for other in kept) >= PER_ARTICLE:
            spare.append(item)
        else:
            take(item)
        if len(kept) == limit:
            break
    while spare and len(kept) < limit:
        take(spare.pop(0))
    return Selection(tuple(kept), (*dropped, *((item.n, "article_full") for item in spare)))


def _same(a: Terms, b: Terms) -> bool:
    """Tell whether two texts are near duplicates: Jaccard over words and CJK clauses, 5 µs a pair."""
    size_a, size_b = len(a.words) + len(a.runs), len(b.words) + len(b.runs)
    if min(size_a, size_b) < DUPLICATE * max(size_a, size_b):
        return False
    shared = len(a.words & b.words) + len(a.runs & b.runs)
    return shared >= DUPLICATE * (size_a + size_b - shared) > 0
