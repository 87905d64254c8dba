"""Search proposes: from a question to places worth reading, with the reasons. No body text leaves this module."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from query_fn.contract import ArticleRow, ChunkRow
from query_fn.errors import ArtifactError, RouteFailed
from query_fn.model import Candidate, Diagnostics, RouteReport, Scope, SearchResult
from query_fn.retrieve import confidence as sure
from query_fn.retrieve.bilingual import Translation, translated
from query_fn.retrieve.catalog import Catalog, Mask
from query_fn.retrieve.dense import Floats, calibration_for, centre_query
from query_fn.retrieve.embed import QueryEmbedder
from query_fn.retrieve.fuse import RouteHits, discounted, fuse
from query_fn.retrieve.lexical import Hits, Lexical
from query_fn.retrieve.rewrite import asks_structure, rewrite
from query_fn.retrieve.routes import Query, Routes, prepare
from query_fn.retrieve.select import RERANK, Item, Weights, diversify, rerank, weigh
from query_fn.store import Store, check_embedder
from query_fn.text import script_lang, terms, tokenise
from query_fn.visibility import Visibility

MAX_LIMIT = 20
FEW = 0.10  # share of the passages in the reader's language under which the question is translated
SAID = 0.5  # share of the question's content that must be sayable in the other language
_ROUTE_ERRORS = (RouteFailed, ArtifactError, sqlite3.Error)


@dataclass(slots=True)
class _Run:
    """What one search gathers on its way: reports, fallbacks and times."""

    lists: list[RouteHits] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    failed: int = 0

    def timed(self, stage: str, began: float) -> None:
        """Note how long a stage took, in milliseconds."""
        self.timings[stage] = round((time.perf_counter() - began) * 1000, 3)

    def attempt(self, calls: Iterable[tuple[str, Callable[[], RouteHits]]]) -> None:
        """Run routes; one that fails is named and the others go on."""
        for route, call in calls:
            try:
                self.lists.append(call())
            except _ROUTE_ERRORS:
                self.failed += 1
                self.degraded.append(f"route_failed:{route}")


@dataclass(frozen=True, slots=True)
class Across:
    """The question in the language of the base: the query that is run and what it was made from."""

    query: Query
    translation: Translation


@dataclass(frozen=True, slots=True)
class Asked:
    """The reader's question, and its translation when the base is in the other language."""

    query: Query
    across: Across | None

    @property
    def searched(self) -> Query:
        """The query whose words the base can hold."""
        return self.across.query if self.across else self.query


class Searcher:
    """Searches one store. Thread-safe; opens indexes and model at the first question.

    Raises ProfileMismatch at once when the embedder is not the one the build was made with.
    """

    def __init__(self, store: Store, embedder: QueryEmbedder | None = None) -> None:
        if embedder is not None and store.manifest.profile.embedder is not None:
            check_embedder(store.manifest, embedder.profile)
        self._store = store
        self._embedder = embedder if store.manifest.profile.embedder is not None else None
        self._catalog = Catalog(store)
        self._lexical = Lexical(store)
        self._routes = Routes(store, self._catalog, self._lexical)

    def search(
        self,
        question: str,
        *,
        now: int,
        scope: Scope | None = None,
        limit: int = 10,
        queries: tuple[str, ...] = (),
        article: str | None = None,
    ) -> SearchResult:
        """Return at most `limit` (≤ 20) candidates, best first, with confidence and diagnostics.

        `now` is UTC epoch seconds; `article` narrows the scope to one article and leaves the wiki out. A route that
        fails is listed in ``diagnostics.degraded`` and lowers the confidence; the search itself does not raise for it.
        """
        run, began = _Run(), time.perf_counter()
        seen = self._catalog.masks(Visibility(now, _narrowed(scope or Scope(), article)))
        prepared = [self._prepare(text, run) for text in rewrite(question, queries)]
        across = self._across(question, run)
        run.timed("prepare", began)
        self._run_routes([*prepared, *([across.query] if across else [])], seen, run, wiki=article is None)
        run.lists = [item if item.query in _whole(prepared, across) else discounted(item) for item in run.lists]
        first = time.perf_counter()
        asked = script_lang(question)
        fused = fuse(run.lists, lambda n: self._catalog.chunk_langs[n] != asked)
        run.timed("fuse", first)
        return self._result(Asked(prepared[0], across), fused, run, max(1, min(limit, MAX_LIMIT)))

    # --- stages -----------------------------------------------------------------------------------------------------

    def _prepare(self, text: str, run: _Run) -> Query:
        """Tokenise and embed a query; without a vector the reason is named once."""
        calibration = calibration_for(self._store.manifest, text)
        vector: Floats | None = None
        if self._embedder is None:
            _once(run.degraded, "no_embedder")
        elif text.strip():
            try:
                vector = centre_query(self._embedder.query(text), calibration)
            except RouteFailed:
                run.failed += 1
                _once(run.degraded, "route_failed:embedder")
        return prepare(text, self._store, vector, calibration)

    def _across(self, question: str, run: _Run) -> Across | None:
        """Return the question in the language of the base, when the base has hardly a page in the reader's."""
        mine, theirs = script_lang(question), self._catalog.main_lang
        if self._catalog.lang_share(mine) >= FEW or mine == theirs:
            return None
        found = translated(question, theirs, content=sure.asked_for, fold=self._store.fold)
        return Across(self._prepare(found.text, run), found) if found and found.share >= SAID else None

    def _run_routes(self, queries: list[Query], seen: Mapping[str, Mask], run: _Run, *, wiki: bool) -> None:
        """Run the five routes of every query, then those that stand in for empty ones."""
        began = time.perf_counter()
        for query in queries:
            run.attempt(self._routes.main(query, seen, wiki=wiki))
        found = Counter(item.route for item in run.lists if item.hits)
        if not found["chunk_words"] and not found["question_words"]:
            run.attempt([("title", lambda: self._routes.title(queries[0], seen))])
        if not found or asks_structure(queries[0].text):
            run.attempt(self._routes.tree(queries[0], seen))
        for name, ready in self._store.manifest.vectors.items():
            if ready.ready < ready.total and self._embedder is not None:
                _once(run.degraded, f"vectors_incomplete:{name}")
        run.timed("routes", began)

    def _items(self, fused: Hits) -> Iterator[Item]:
        """Yield the fused chunks with their terms, read one by one as they are asked for."""
        for n, score in fused:
            chunk = self._store.chunk_by_n(n)
            if chunk is not None:
                title = self._store.articles_by_id[chunk.article_id].title
                text = "\n".join((title, *chunk.path, chunk.text))
                yield Item(n, score, chunk.article_id, terms(text, self._store.fold))

    def _result(self, asked: Asked, fused: Hits, run: _Run, limit: int) -> SearchResult:
        began, rest, query = time.perf_counter(), self._items(fused), asked.query
        weights = weigh(tokenise(sure.asked_for(asked.searched.text), self._store.fold), self._lexical.idf)
        first = rerank(islice(rest, RERANK), weights)
        chosen = diversify(chain(first, rest), limit)
        level = self._confidence(asked, weights, first, run=run) if chosen.items else 0.0
        run.timed("select", began)
        ids = self._catalog.chunk_ids
        diagnostics = Diagnostics(
            routes=tuple(self._report(item) for item in run.lists),
            fused=tuple(ids[n] for n, _ in fused),
            articles=tuple(dict.fromkeys(item.article for item in chosen.items)),
            dropped=tuple((ids[n], reason) for n, reason in chosen.dropped),
            timings_ms=dict(run.timings),
            degraded=tuple(run.degraded),
            queries=tuple(dict.fromkeys(item.query for item in run.lists)) or (query.text,),
        )
        candidates = tuple(self._candidates(chosen.items, run))
        return SearchResult(query.text, candidates, level, level >= query.calibration.threshold, diagnostics)

    def _confidence(self, asked: Asked, weights: Weights, first: Sequence[Item], *, run: _Run) -> float:
        """Return the confidence of the question, or of its translation when that is higher."""
        if asked.across is None:
            return sure.confidence(self._signals(asked.query, sure.coverage(weights, first), run), failed=run.failed)
        own = weigh(tokenise(sure.asked_for(asked.query.text), self._store.fold), self._lexical.idf)
        translation = asked.across.translation
        terms = sure.wanted(translation, self._lexical.idf, self._store.fold)
        pairs = (
            (asked.query, sure.coverage(own, first)),
            (asked.across.query, sure.coverage_across(terms, translation.share, first)),
        )
        return max(sure.confidence(self._signals(*pair, run), failed=run.failed) for pair in pairs)

    def _signals(self, query: Query, coverage: float, run: _Run) -> sure.Signals:
        """Return z-score and language of the best vector hit of a query, and the coverage of the best candidates."""
        of = [item for item in run.lists if item.route == "chunk_vector" and item.hits]
        hits = [item.hits[0] for item in of if item.query == query.text] or [item.hits[0] for item in of]
        if query.vector is None:
            return sure.Signals(None, coverage, foreign=False)
        calibration = query.calibration
        row, cosine = max(hits, key=lambda hit: hit[1], default=(-1, calibration.floor))
        foreign = row >= 0 and self._catalog.chunk_langs[row] != script_lang(query.text)
        return sure.Signals((cosine - calibration.cosine_mean) / calibration.cosine_std, coverage, foreign)

    # --- results ----------------------------------------------------------------------------------------------------

    def _report(self, item: RouteHits) -> RouteReport:
        hits = tuple((self._catalog.chunk_ids[n], round(score, 6)) for n, score in item.hits)
        return RouteReport(item.route, item.query, hits, round(item.ms, 3))

    def _candidates(self, items: tuple[Item, ...], run: _Run) -> Iterator[Candidate]:
        for item in items:
            chunk = self._store.chunk_by_n(item.n)
            article = self._store.articles_by_id[item.article]
            if chunk is not None:
                routes = dict.fromkeys(hits.route for hits in run.lists if any(n == item.n for n, _ in hits.hits))
                yield self._candidate(chunk, article, item.score, tuple(routes))

    def _candidate(self, chunk: ChunkRow, article: ArticleRow, score: float, routes: tuple[str, ...]) -> Candidate:
        node = self._store.node(f"{chunk.article_id}#{chunk.anchor}")
        summary = node.summary if node and node.summary else article.summary
        url = f"{article.url}#{chunk.anchor}" if chunk.anchor else article.url
        where = (chunk.id, article.id, article.title, chunk.path, url)
        return Candidate(*where, summary, chunk.lang, round(score, 6), routes)


def _narrowed(scope: Scope, article: str | None) -> Scope:
    """Return the scope held to one article; an article outside the scope leaves nothing."""
    if article is None:
        return scope
    allowed = scope.articles is None or article in scope.articles
    return replace(scope, articles=(article,) if allowed else ())


def _whole(queries: Sequence[Query], across: Across | None) -> set[str]:
    """Return the texts that stand for the whole question: itself and its translation."""
    return {queries[0].text, *([across.query.text] if across else [])}


def _once(names: list[str], name: str) -> None:
    if name not in names:
        names.append(name)
