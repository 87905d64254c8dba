"""The routes from one query to chunks: five always, and those that stand in when they find nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from query_fn.contract import LanguageCalibration
from query_fn.retrieve.catalog import Catalog, Mask, file_name
from query_fn.retrieve.confidence import asked_for
from query_fn.retrieve.dense import Dense
from query_fn.retrieve.fuse import RouteHits, first_per_chunk
from query_fn.retrieve.lexical import Hits, Lexical
from query_fn.retrieve.phrases import Phrases
from query_fn.store import Store
from query_fn.text import normalise, tokenise

if TYPE_CHECKING:
    from query_fn.retrieve.dense import Floats

HEADINGS = 10  # headings that are compared with the question
ALIKE = 0.6  # idf-weighted Jaccard from which a heading counts as the question
SHORT = 8  # characters of a query up to which it may be a part of a word, which only exact search finds
FEW_PAGES = 10  # a phrase of more pages singles none of them out: the words rank them
DEPTH = 20  # hits a route gives per query; 10 loses 0.3 recall@10 on the handbook


class Query(Struct, frozen=True):
    """One query, ready to run: its tokens, its centred vector (None without an embedder) and its calibration."""

    text: str
    tokens: tuple[str, ...]
    vector: Floats | None
    calibration: LanguageCalibration


class Routes:
    """Runs single routes over one store."""

    def __init__(self, store: Store, catalog: Catalog, lexical: Lexical) -> None:
        self._store = store
        self._catalog = catalog
        self._lexical = lexical
        self._dense = Dense(store)
        self._phrases = Phrases(store, catalog)

    def main(
        self, query: Query, seen: Mapping[str, Mask], *, wiki: bool
    ) -> Iterator[tuple[str, Callable[[], RouteHits]]]:
        """Yield (route, call) for the main routes; `wiki` is off when one article is searched."""
        yield "chunk_words", lambda: self._words("chunk_words", query, seen)
        yield "question_words", lambda: self._words("question_words", query, seen)
        yield "headings", lambda: self.headings(query, seen)
        if wiki:
            yield "wiki_words", lambda: self._words("wiki_words", query, seen)
        yield from self.meaning(query, seen)

    def meaning(self, query: Query, seen: Mapping[str, Mask]) -> Iterator[tuple[str, Callable[[], RouteHits]]]:
        """Yield the routes that need no word of the query; none without a vector."""
        if query.vector is not None:
            yield "chunk_vector", lambda: self._vectors("chunk_vector", query, seen)
            yield "question_vector", lambda: self._vectors("question_vector", query, seen)

    def tree(self, query: Query, seen: Mapping[str, Mask]) -> Iterator[tuple[str, Callable[[], RouteHits]]]:
        """Yield the PageIndex routes: for questions about structure, or when the main routes found nothing."""
        yield "node_words", lambda: self._words("node_words", query, seen)
        if query.vector is not None:
            yield "node_vector", lambda: self._vectors("node_vector", query, seen)

    def headings(self, query: Query, seen: Mapping[str, Mask]) -> RouteHits:
        """Return the sections whose heading, with or without the name of its page, is the question."""
        began, asked = time.perf_counter(), frozenset(tokenise(asked_for(query.text), self._store.fold))
        found = self._lexical.search("headings", sorted(asked), limit=HEADINGS, seen=seen["nodes"])
        alike = {n: self._likeness(asked, n) for n, _ in found}
        hits = sorted(((n, value) for n, value in alike.items() if value >= ALIKE), key=lambda hit: (-hit[1], hit[0]))
        chunks = self._chunks("nodes", hits, seen)
        return _report("headings", query, chunks, [score for _, score in chunks], began)

    def _likeness(self, asked: frozenset[str], n: int) -> float:
        """Return the idf-weighted Jaccard of a question and the names of a tree node, the best of them."""
        node = self._store.node_by_n(n)
        if node is None:
            return 0.0
        article = self._store.articles_by_id[node.article_id]
        pages = ("", article.title, file_name(article.path), *article.aliases)
        names = [asked_for(f"{page} {node.title}" if node.level else page) for page in pages if page or node.level]
        sets = [frozenset(tokenise(name, self._store.fold)) for name in names]
        return max((self._weight(asked & held) / (self._weight(asked | held) or 1.0) for held in sets), default=0.0)

    def _weight(self, tokens: frozenset[str]) -> float:
        return sum(map(self._lexical.idf, tokens))

    def title(self, query: Query, seen: Mapping[str, Mask]) -> RouteHits:
        """Match article and section titles that contain the query or stand in it."""
        began, wanted, hits = time.perf_counter(), normalise(query.text, self._store.fold).strip(), []
        for n, title in enumerate(self._catalog.titles if wanted else ()):
            if seen["chunks"][n] and len(title) > 1 and (title in wanted or wanted in title):
                hits.append((n, min(len(title), len(wanted)) / max(len(title), len(wanted))))
        hits.sort(key=lambda hit: (-hit[1], hit[0]))
        return _report("title", query, hits[:DEPTH], [score for _, score in hits[:DEPTH]], began)

    def is_name(self, query: Query) -> bool:
        """Tell whether a query is looked up letter by letter even if its words are found; signs alone name nothing."""
        wanted = self._phrases.wanted(query.text)
        return (len(wanted) <= SHORT and any(map(str.isalnum, wanted))) or wanted in self._catalog.named

    def phrase(self, query: Query, seen: Mapping[str, Mask]) -> RouteHits:
        """Return the pages with the query as their title, and the first place on each of the few that hold it."""
        began, text, most = time.perf_counter(), query.text, FEW_PAGES + 1
        named = [n for n in self._catalog.named.get(self._phrases.wanted(text), ()) if seen["chunks"][n]]
        found = [named, self._phrases.published(text, seen["chunks"], articles=most)]
        if self._few(found[1]):
            found.append(self._phrases.shown(text, seen["chunks"], articles=most))
        hits = [(n, 1.0) for n in self._firsts(n for rows in found if self._few(rows) for n in rows)]
        return _report("phrase", query, hits, [score for _, score in hits], began)

    def find(self, phrase: str, seen: Mapping[str, Mask], *, articles: int) -> RouteHits:
        """Return the places that hold a phrase letter by letter, until so many articles do. Raises RouteFailed."""
        began = time.perf_counter()
        hits = [(n, 1.0) for n in self._phrases.find(phrase, seen["chunks"], articles=articles)]
        return RouteHits("phrase", phrase, hits, (1.0,) * len(hits), (time.perf_counter() - began) * 1000)

    def _firsts(self, rows: Iterable[int]) -> list[int]:
        """Return the first row of each article, in order."""
        firsts: dict[str, int] = {}
        for n in rows:
            firsts.setdefault(self._catalog.chunk_articles[n], n)
        return list(firsts.values())

    def _few(self, rows: Sequence[int]) -> bool:
        return len(self._firsts(rows)) <= FEW_PAGES

    def _words(self, route: str, query: Query, seen: Mapping[str, Mask]) -> RouteHits:
        began, name = time.perf_counter(), _INDEX[route]
        found = self._lexical.search(name, query.tokens, limit=DEPTH, seen=seen[name])
        hits, ceiling = self._chunks(name, found, seen), self._lexical.ceiling(query.tokens)
        return _report(route, query, hits, [min(1.0, score / ceiling) for _, score in hits], began)

    def _vectors(self, route: str, query: Query, seen: Mapping[str, Mask]) -> RouteHits:
        began, name, floor = time.perf_counter(), _INDEX[route], query.calibration.floor
        assert query.vector is not None
        mean = query.calibration.passage_mean
        found = self._dense.search(name, query.vector, limit=DEPTH, seen=seen[name], mean=mean)
        hits = self._chunks(name, [hit for hit in found if hit[1] > floor], seen)
        return _report(route, query, hits, [(score - floor) / (1.0 - floor) for _, score in hits], began)

    def _chunks(self, name: str, hits: Hits, seen: Mapping[str, Mask]) -> Hits:
        """Return hits on any index as hits on chunks; what may not be seen is dropped here too."""
        if name == "chunks":
            return hits
        if name == "questions":
            return first_per_chunk((int(self._catalog.question_chunks[n]), score) for n, score in hits)
        places = self._catalog.page_chunks if name == "pages" else self._catalog.node_chunks
        return first_per_chunk((chunk, score) for n, score in hits for chunk in places[n] if seen["chunks"][chunk])


_INDEX = {
    "chunk_words": "chunks",
    "chunk_vector": "chunks",
    "question_words": "questions",
    "question_vector": "questions",
    "wiki_words": "pages",
    "node_words": "nodes",
    "node_vector": "nodes",
}


def prepare(text: str, store: Store, vector: Floats | None, calibration: LanguageCalibration) -> Query:
    """Return a query with its tokens; an empty one has none and finds nothing."""
    tokens = tuple(dict.fromkeys(tokenise(text, store.fold)))
    return Query(text, tokens, None if vector is None else vector.astype("f4"), calibration)


def _report(route: str, query: Query, hits: Hits, scaled: list[float], began: float) -> RouteHits:
    return RouteHits(route, query.text, hits, tuple(scaled), (time.perf_counter() - began) * 1000)
