"""BM25 routes over the tantivy indexes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import tantivy

from query_fn.errors import RouteFailed
from query_fn.retrieve.catalog import Mask
from query_fn.store import Store

Hits = list[tuple[int, float]]  # (row number, score), best first

# Field weights. A title is short, so BM25 already gives its words much; at 1.0 the handbook loses 3 points of nDCG@10.
BOOSTS = {
    "chunks": {"title": 0.3, "path": 0.5, "body": 1.0},
    "questions": {"title": 0.3, "path": 0.5, "body": 1.0},
    "pages": {"title": 3.0, "path": 2.0, "body": 1.0},
    "nodes": {"title": 2.0, "path": 1.0, "body": 1.0},
    "headings": {"title": 2.0, "path": 1.0},
}
_INDEX = {"headings": "nodes"}  # what is searched under a name of its own
MAX_TOKENS = 200  # of a query; longer ones are cut, so that a pasted page cannot stall the function
_SATURATION = 2.2  # k1 + 1 of tantivy's BM25 (k1 = 1.2): no term can add more than this times its idf
_GROWTH = 8  # over-fetch when hits are filtered out


class Lexical:
    """Searches the BM25 indexes of a store with tokens of `query_fn.text`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._idf = lru_cache(maxsize=1 << 14)(self._measure_idf)

    def search(self, name: str, tokens: Sequence[str], *, limit: int, seen: Mask) -> Hits:
        """Return up to `limit` visible rows by BM25; an empty or unknown query gives none. Raises RouteFailed."""
        tokens = list(dict.fromkeys(tokens))[:MAX_TOKENS]
        if not tokens or 1 not in seen:
            return []
        try:
            index = self._store.lexical(_INDEX.get(name, name))
            return _visible(index.searcher(), _query(index.schema, name, tokens), limit=limit, seen=seen)
        except (ValueError, OSError) as error:
            raise RouteFailed(f"lexical/{name}: {error}") from error

    def idf(self, token: str) -> float:
        """Return the inverse document frequency of a token in chunk bodies, as BM25 defines it."""
        return self._idf(token)

    def ceiling(self, tokens: Sequence[str]) -> float:
        """Return the BM25 score no body can exceed: the theoretical maximum that makes scores comparable.

        Bruch, Gai, Ingber: An Analysis of Fusion Functions for Hybrid Retrieval, 2023 (TMM normalisation).
        """
        return _SATURATION * sum(self.idf(token) for token in dict.fromkeys(tokens)) or 1.0

    def _measure_idf(self, token: str) -> float:
        searcher = self._store.lexical("chunks").searcher()
        found, total = searcher.doc_freq("body", token), searcher.num_docs
        return math.log(1 + (total - found + 0.5) / (found + 0.5))


def _query(schema: tantivy.Schema, name: str, tokens: Sequence[str]) -> tantivy.Query:
    query, either = tantivy.Query, tantivy.Occur.Should
    return query.boolean_query(
        [
            (either, query.boost_query(query.term_query(schema, field, token, index_option="freq"), boost))
            for field, boost in BOOSTS[name].items()
            for token in tokens
        ]
    )


def _visible(searcher: tantivy.Searcher, query: tantivy.Query, *, limit: int, seen: Mask) -> Hits:
    """Fetch ever more until `limit` hits are visible or the index is exhausted."""
    wanted = limit if 0 not in seen else 2 * limit
    while True:
        hits = searcher.search(query, limit=wanted, count=False).hits
        kept = [(address.doc, float(score)) for score, address in hits if seen[address.doc]]
        if len(kept) >= limit or len(hits) < wanted:
            return kept[:limit]
        wanted = min(wanted * _GROWTH, searcher.num_docs + 1)
