"""What questions are asked of: documents, pages or the owner's build, each made by the product's own stages.

Vectors are kept by content hash in the user's cache folder, so that a second run embeds nothing.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from compiler.cache import Cache
from compiler.derive import derive
from compiler.embed import Choice, choose_embedder, embed_rows, model_folder
from compiler.enriching import choose_enricher
from compiler.errors import SettingsError
from compiler.evaluate.sets import Doc
from compiler.index.embed_cache import Clock as EmbedClock
from compiler.index.embed_cache import EmbedCache, Floats, look_up
from compiler.index.embed_cache import embed_rows as embed
from compiler.index.rows import BuildMeta
from compiler.index.write import write_artifacts
from compiler.model import Article, ArticleId, Document, Share, SourcePath, Url
from compiler.pages import parse
from compiler.parse.comments import strip_comments
from compiler.parse.language import language
from compiler.progress import Clock
from compiler.read import read_sources
from compiler.settings import Settings
from compiler.spending import Asks
from query_fn.contract import POINTER, Embedding
from query_fn.live import chat_model
from query_fn.retrieve.embed import Embedder
from query_fn.retrieve.search import Searcher
from query_fn.service import Deps
from query_fn.settings import Settings as FunctionSettings
from query_fn.store import Store, open_store

Value = TypeVar("Value")

READ = 300  # passages whose token states are kept, about 0.5 MB each
UNHURRIED = 3_600.0  # seconds an answer may take here: a busy machine must not change a figure


class Remembering:
    """An embedder that keeps its vectors. `seconds` is the time spent in it, `fresh` how many texts it embedded."""

    def __init__(self, embedder: Embedder, cache: EmbedCache) -> None:
        self._embedder, self._cache = embedder, cache
        self._read: OrderedDict[tuple[str, ...], tuple[Floats, list[Floats]]] = OrderedDict()
        self.seconds, self.fresh = 0.0, 0

    @property
    def profile(self) -> Embedding:
        """What makes two vectors comparable."""
        return self._embedder.profile

    def query(self, text: str) -> Floats:
        """Return the unit vector (dimension,) of a question."""
        vector: Floats = self._kept([text], "query")[0]
        return vector

    @property
    def reads(self) -> bool:
        """Tell whether the model gives token states at all."""
        return self._embedder.reads

    def asked(self, question: str) -> Floats:
        """Return the states of a question's tokens."""
        return self._timed(lambda: self._embedder.asked(question))

    def read(self, heading: str, pieces: Sequence[str]) -> tuple[Floats, list[Floats]]:
        """Return the states of a heading and of the pieces below it; the last READ of them are kept."""
        key = (heading, *pieces)
        if key not in self._read:
            self._read[key] = self._timed(lambda: self._embedder.read(heading, pieces))
        self._read.move_to_end(key)
        while len(self._read) > READ:
            self._read.popitem(last=False)
        return self._read[key]

    def token_mean(self, lang: str, side: str) -> Floats | None:
        """Return what tokens share."""
        return self._embedder.token_mean(lang, side)

    def prepare(self, questions: Sequence[str], clock: EmbedClock) -> None:
        """Embed questions before they are asked, on all cores."""
        wanted = look_up(list(dict.fromkeys(questions)), "query", self._embedder, self._cache)
        self.fresh += embed(wanted, embedder=self._embedder, cache=self._cache, clock=clock).fresh

    def timed(self, question: str) -> float:
        """Return the milliseconds that one question takes without the cache."""
        began = time.perf_counter()
        self._embedder.query(question)
        return (time.perf_counter() - began) * 1000

    def _timed(self, do: Callable[[], Value]) -> Value:
        began = time.perf_counter()
        value = do()
        self.seconds += time.perf_counter() - began
        return value

    def _kept(self, texts: Sequence[str], kind: str) -> Floats:
        began = time.perf_counter()
        found = embed(look_up(texts, kind, self._embedder, self._cache), embedder=self._embedder, cache=self._cache)
        self.seconds, self.fresh = self.seconds + time.perf_counter() - began, self.fresh + found.fresh
        return found.vectors


@dataclass(frozen=True, slots=True)
class Enriching:
    """Where a model's answers are kept (None: in the base's own state folder), and whether it may be asked for more."""

    state: Path | None = None
    asks: Asks = Asks.NEVER


@dataclass(frozen=True, slots=True)
class Base:
    """An open base: `names` gives the name that a question set has for each article."""

    deps: Deps
    names: Mapping[str, str]
    langs: Mapping[str, str]  # the language of each article, by name
    words: Searcher  # without vectors: what words alone find
    embedder: Remembering | None
    fresh: int = 0  # texts embedded for the base itself


def of_docs(
    docs: Sequence[Doc],
    settings: Settings,
    *,
    vectors: EmbedCache,
    clock: Clock,
    enriching: Enriching = Enriching(),
) -> Base:
    """Return a base in which each document is an article, written below ``settings.out``."""
    with clock.stage("parse"), closing(Cache(None)) as cache:
        documents = parse([_article(n, doc) for n, doc in enumerate(docs)], {}, cache, clock.progress.update)
    names = {f"d{n}": doc.id for n, doc in enumerate(docs)}
    return _made(documents.documents, names, settings, vectors=vectors, clock=clock, enriching=enriching)


def of_pages(
    settings: Settings,
    *,
    vectors: EmbedCache,
    clock: Clock,
    enriching: Enriching = Enriching(),
) -> Base:
    """Return the base of a content folder, every stage included but the site; names are the pages' source paths."""
    settings = replace(settings, sharing=replace(settings.sharing, default=Share.PUBLIC))
    with closing(Cache(None)) as cache:
        sources = read_sources(settings, datetime.now(UTC), cache=cache, clock=clock)
    names = {str(article.id): str(article.source) for article in sources.articles}
    return _made(sources.documents, names, settings, vectors=vectors, clock=clock, enriching=enriching)


def of_build(settings: Settings, *, vectors: EmbedCache) -> Base:
    """Return the owner's current build; names are article ids. Raises ArtifactError when there is none."""
    store = open_store(settings.out / POINTER / "artifacts", model=model_folder(settings.embed))
    choice = choose_embedder(settings.embed) if store.manifest.profile.embedder else Choice(None)
    return _opened(store, {a.id: a.id for a in store.articles()}, choice, vectors=vectors)


def _article(n: int, doc: Doc) -> Article:
    """Return a document as an article whose address says nothing: a file's name is searched like a title."""
    name, body = f"d{n}", strip_comments(doc.text)
    return Article(
        id=ArticleId(name),
        source=SourcePath(f"{name}.md"),
        path=SourcePath(f"{name}.md"),
        url=Url(f"{name}/"),
        title=doc.title or doc.id,
        lang=language(body, "en"),
        summary="",
        kind="article",
        tags=(),
        aliases=(),
        redirects=(),
        created=None,
        updated=None,
        not_after=None,
        body=body,
        body_line=1,
    )


def _made(
    documents: Sequence[Document],
    names: Mapping[str, str],
    settings: Settings,
    *,
    vectors: EmbedCache,
    clock: Clock,
    enriching: Enriching,
) -> Base:
    """Return the base of documents: chunks, outline, questions, vectors, indexes, opened as the function opens them."""
    if not documents:
        raise SettingsError(f"{settings.content}: no page to ask about")
    choice, progress = choose_embedder(settings.embed), clock.progress
    with clock.stage("derive"), closing(Cache(None)) as cache:
        chosen = replace(settings, state=enriching.state or settings.state)
        enrichment = choose_enricher(chosen, progress.update, enriching.asks)
        made = derive(documents, settings, enricher=enrichment.enricher, cache=cache, progress=progress.update)
    with clock.stage("embed"):
        found = embed_rows(made, choice, settings, progress=progress)
    folder: Path = settings.out / "artifacts"
    with clock.stage("index"):
        languages = tuple(sorted({article.lang for article in made.rows.articles}))
        meta = BuildMeta("evaluation", 0, "", languages, degraded=(*choice.degraded, *enrichment.degraded))
        write_artifacts(made.rows, folder, meta=meta, vectors=found, texts=made.texts)
        store = open_store(folder, model=model_folder(settings.embed))
    return replace(_opened(store, names, choice, vectors=vectors), fresh=found.fresh if found else 0)


def _opened(store: Store, names: Mapping[str, str], choice: Choice, *, vectors: EmbedCache) -> Base:
    embedder = Remembering(choice.embedder, vectors) if choice.embedder else None
    settings = FunctionSettings(deadline_seconds=UNHURRIED)
    deps = Deps(store, Searcher(store, embedder), chat_model(store, embedder), settings)
    langs = {names[article.id]: article.lang for article in store.articles()}
    return Base(deps, names, langs, Searcher(store), embedder)
