"""Search proposes: from a question to places worth reading, with the reasons. No body text leaves this module."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from query_fn.contract import ArticleRow, ChunkRow
from query_fn.errors import ArtifactError, RouteFailed
from query_fn.model import Candidate, Diagnostics, RouteReport, Scope, SearchResult
from query_fn.retrieve import confidence as sure
from query_fn.retrieve.asked import Asked, ask
from query_fn.retrieve.catalog import Catalog, Mask, compared
from query_fn.retrieve.dense import calibration_for, centre_query, usable
from query_fn.retrieve.embed import QueryEmbedder
from query_fn.retrieve.fuse import SUB_QUERY, TRANSLATED, WORDS, RouteHits, discounted, fuse, mixed
from query_fn.retrieve.lexical import Hits, Lexical
from query_fn.retrieve.rewrite import LONGEST, MAX_QUERIES, asks_structure, rewrite
from query_fn.retrieve.routes import Query, Routes, prepare
from query_fn.retrieve.select import RERANK, Cut, Item, diversify, rerank
from query_fn.retrieve.synonyms import Synonyms
from query_fn.store import Store, check_embedder
from query_fn.text import Terms, script_lang, terms
from query_fn.visibility import Visibility

if TYPE_CHECKING:
    from query_fn.retrieve.dense import Floats

MAX_LIMIT = 20
_lang = lru_cache(maxsize=256)(script_lang)  # of a question: asked again for every hit
_ROUTE_ERRORS = (RouteFailed, ArtifactError, sqlite3.Error)


class _Run(Struct):
    """What one search gathers on its way: reports, fallbacks and times."""

    seen: Mapping[str, Mask]
    lists: list[RouteHits] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    failed: int = 0
    chunks: dict[int, ChunkRow] = field(default_factory=dict)  # those that were looked at

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
        self._synonyms = Synonyms(store)
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
        visible = Visibility(now, narrowed(scope or Scope(), article))
        seen = self._catalog.masks(visible)
        run, began = _Run(seen), time.perf_counter()
        if max(map(len, (question, *queries))) > LONGEST:
            run.degraded.append("query_cut")
        renamed = self._synonyms.said(question[:LONGEST], visible)
        own, *more = rewrite(question, queries)
        texts = [own, *filter(None, [renamed]), *more][:MAX_QUERIES]
        prepared = [self._prepare(text, run) for text in texts]
        asked = self._ask(prepared[0], run)
        run.timed("prepare", began)
        across = [asked.across.query] if asked.across else []
        self._run_routes([*prepared, *across], seen, run, wiki=article is None)
        run.lists = [discounted(item, self._part(item.query, asked) * self._ready(item.route)) for item in run.lists]
        first = time.perf_counter()
        tuning = self._store.manifest.tuning
        weights = mixed(tuning.words if tuning else WORDS)
        fused = fuse(run.lists, lambda n: self._foreign(n, asked), weights)
        run.timed("fuse", first)
        return self._result(asked, fused, run, max(1, min(limit, MAX_LIMIT)))

    def find(self, phrase: str, *, now: int, scope: Scope | None = None, limit: int = 10) -> SearchResult:
        """Return at most `limit` (≤ 20) places that hold the exact words of a phrase, in the order of the base.

        Case, width, script and spacing make no difference. Each article comes once before any comes twice. Finding
        words does not answer a question, so the confidence is 0.
        """
        run, most = _Run(self._catalog.masks(Visibility(now, scope or Scope()))), max(1, min(limit, MAX_LIMIT))
        run.attempt([("phrase", lambda: self._routes.find(phrase, run.seen, articles=most))])
        rows = [n for item in run.lists for n, _ in item.hits][:most]
        run.chunks.update(self._store.chunks_by_n(rows))
        places = (Item(n, 1.0, self._catalog.chunk_articles[n], Cut("", self._store.fold)) for n in rows)
        diagnostics = Diagnostics(
            routes=tuple(map(self._report, run.lists)), degraded=tuple(run.degraded), queries=(phrase,)
        )
        return SearchResult(phrase, tuple(self._candidates(tuple(places), run)), 0.0, False, diagnostics)

    def alike(self, text: str, *, now: int, scope: Scope | None = None, limit: int = 10) -> SearchResult:
        """Return at most `limit` (≤ 20) places that mean the same in any words, nearest first, by vectors alone.

        Without an embedder there are none, and ``diagnostics.degraded`` says so. The confidence is 0: what is near is
        not yet an answer.
        """
        run = _Run(self._catalog.masks(Visibility(now, scope or Scope())))
        query = self._prepare(text[:LONGEST], run)
        run.attempt(self._routes.meaning(query, run.seen))
        self._name_incomplete(run)
        fused = fuse(run.lists, lambda _: False)
        chosen = diversify(self._items(fused, run), max(1, min(limit, MAX_LIMIT)))
        diagnostics = Diagnostics(
            routes=tuple(map(self._report, run.lists)), degraded=tuple(run.degraded), queries=(query.text,)
        )
        return SearchResult(query.text, tuple(self._candidates(chosen.items, run)), 0.0, False, diagnostics)

    # --- stages -----------------------------------------------------------------------------------------------------

    def _prepare(self, text: str, run: _Run) -> Query:
        """Tokenise and embed a query; without a vector the reason is named once."""
        calibration = calibration_for(self._store.manifest, text)
        vector: Floats | None = None
        if self._embedder is None:
            _once(run.degraded, "no_embedder")
        elif text.strip():
            try:
                vector = usable(self._embedder.query(text), self._embedder.profile.dimension)
                vector = centre_query(vector, calibration)
            except RouteFailed:
                run.failed += 1
                _once(run.degraded, "route_failed:embedder")
        return prepare(text, self._store, vector, calibration)

    def _ask(self, query: Query, run: _Run) -> Asked:
        """Return what is searched for, in the other language of the base too."""
        fold = self._store.fold
        return ask(query, self._catalog, self._lexical, prepare=lambda text: self._prepare(text, run), fold=fold)

    def _foreign(self, n: int, asked: Asked) -> bool:
        return self._catalog.foreign(n, _lang(asked.query.text))

    def _part(self, query: str, asked: Asked) -> float:
        """Return what a query's scores count: the question in full, its translation and its clauses less."""
        if query == asked.query.text:
            return 1.0
        if asked.across and query == asked.across.query.text:
            return 1.0 if asked.across.alone else TRANSLATED
        return SUB_QUERY

    def _ready(self, route: str) -> float:
        """Return what a route's scores count: a vector index that holds half of the base may speak half as loud."""
        name = {"chunk_vector": "chunks", "question_vector": "questions", "node_vector": "nodes"}.get(route, "")
        ready = self._store.manifest.vectors.get(name)
        return ready.ready / ready.total if ready and ready.total else 1.0

    def _run_routes(self, queries: list[Query], seen: Mapping[str, Mask], run: _Run, *, wiki: bool) -> None:
        """Run the five routes of every query, then those that stand in for empty ones."""
        began = time.perf_counter()
        for query in queries:
            run.attempt(self._routes.main(query, seen, wiki=wiki))
        found = Counter(item.route for item in run.lists if item.hits)
        nothing = not found["chunk_words"] and not found["question_words"]
        if nothing:
            run.attempt([("title", lambda: self._routes.title(queries[0], seen))])
        if (nothing and queries[0].tokens) or self._routes.is_name(queries[0]):
            run.attempt([("phrase", lambda: self._routes.phrase(queries[0], seen))])
        if not found or asks_structure(queries[0].text):
            run.attempt(self._routes.tree(queries[0], seen))
        self._name_incomplete(run)
        run.timed("routes", began)

    def _name_incomplete(self, run: _Run) -> None:
        for name, ready in self._store.manifest.vectors.items():
            if ready.ready < ready.total and self._embedder is not None:
                _once(run.degraded, f"vectors_incomplete:{name}")

    def _items(self, fused: Hits, run: _Run) -> Iterator[Item]:
        """Yield the fused chunks with their terms, read a few at a time as they are asked for.

        Hollow ones come last and without their score.
        """
        last: list[Item] = []
        for at in range(0, len(fused), RERANK):
            part = fused[at : at + RERANK]
            run.chunks.update(self._store.chunks_by_n([n for n, _ in part]))
            for n, score in part:
                chunk = run.chunks[n]
                article = self._store.articles_by_id[chunk.article_id]
                item = Item(n, score, chunk.article_id, Cut(compared(article, chunk), self._store.fold))
                if chunk.hollow:
                    last.append(replace(item, score=0.0))
                else:
                    yield item
        yield from last

    def _result(self, asked: Asked, fused: Hits, run: _Run, limit: int) -> SearchResult:
        began, rest, query = time.perf_counter(), self._items(fused, run), asked.query
        first = rerank(
            islice(rest, RERANK),
            lambda item: asked.covered(item, foreign=self._foreign(item.n, asked)),
            lambda item: self._foreign(item.n, asked),
        )
        named = {n for item in run.lists if item.route == "phrase" for n, _ in item.hits}
        chosen = diversify(chain(first, rest), limit, named)
        level = self._confidence(asked, first, run) if chosen.items else 0.0
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

    def _confidence(self, asked: Asked, first: Sequence[Item], run: _Run) -> float:
        """Return the confidence of the question, or of its translation when that is higher."""
        named = sure.coverage_of_names(asked.weights, [self._aliases(item, run) for item in first[: sure.LOOKED_AT]])
        found = [(query, max(share, named if query is asked.query else 0.0)) for query, share in asked.coverages(first)]
        signals = [self._signals(query, coverage, run) for query, coverage in found]
        return max(sure.confidence(signal, failed=run.failed) for signal in signals)

    def _aliases(self, item: Item, run: _Run) -> list[Terms]:
        """Return the generated questions of a candidate: other ways to ask for what it says."""
        questions = self._store.aliases_of(self._catalog.chunk_ids[item.n])
        return [terms(text, self._store.fold) for n, text in questions if run.seen["questions"][n]]

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
        routes: dict[int, dict[str, None]] = {item.n: {} for item in items}
        for hits in run.lists:
            for n, _ in hits.hits:
                if n in routes:
                    routes[n][hits.route] = None
        for item in items:
            article = self._store.articles_by_id[item.article]
            yield self._candidate(run.chunks[item.n], article, item.score, tuple(routes[item.n]))

    def _candidate(self, chunk: ChunkRow, article: ArticleRow, score: float, routes: tuple[str, ...]) -> Candidate:
        node = self._store.node(f"{chunk.article_id}#{chunk.anchor}")
        summary = node.summary if node and node.summary else article.summary
        url = f"{article.url}#{chunk.anchor}" if chunk.anchor else article.url
        where = (chunk.id, article.id, article.title, chunk.path, url)
        return Candidate(*where, summary, chunk.lang, round(score, 6), routes)


def narrowed(scope: Scope, article: str | None) -> Scope:
    """Return the scope held to one article; an article outside the scope leaves nothing."""
    if article is None:
        return scope
    allowed = scope.articles is None or article in scope.articles
    return replace(scope, articles=(article,) if allowed else ())


def _once(names: list[str], name: str) -> None:
    if name not in names:
        names.append(name)
