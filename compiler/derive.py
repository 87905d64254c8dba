"""Documents become the rows of the artifacts: articles, chunks, tree nodes, questions, links, wiki pages."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TypeVar

from msgspec import structs

from compiler.cache import Cache, Kind, Recipe, digest_of
from compiler.chunk import chunk, tiles
from compiler.enrich.protocol import Enricher, Reading
from compiler.errors import BuildError
from compiler.index.rows import Rows
from compiler.index.texts import Texts, joined, texts_of
from compiler.model import Document
from compiler.outline import outline, reading_minutes, summarise
from compiler.settings import ChunkSettings, Settings
from compiler.wiki.compile import Wiki, compile_wiki
from compiler.wiki.graph import link_rows
from compiler.wiki.merge import wiki_rows
from query_fn.contract import CHUNKER, ArticleRow, ChunkRow, NodeRow, PageRow, QuestionRow
from query_fn.text import TOKENISERS, Analyser

Numbered = TypeVar("Numbered", ArticleRow, ChunkRow, NodeRow, QuestionRow)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One document, and how it is cut."""

    document: Document
    sizes: ChunkSettings

    @property
    def parts(self) -> tuple[str, ...]:
        """Everything the cut depends on, for the cache."""
        d = self.document
        return str(CHUNKER), digest_of(self.sizes), digest_of((d.article, d.text, d.headings, d.sections))


@dataclass(frozen=True, slots=True)
class Shape:
    """The passages and the tree of one page, each table numbered from 0."""

    summary: str
    chunks: tuple[ChunkRow, ...]
    nodes: tuple[NodeRow, ...]
    minutes: int


@dataclass(frozen=True, slots=True)
class Derivation:
    """All rows of a build, what is searched of them, the wiki, and how many minutes each article takes to read."""

    rows: Rows
    texts: Texts
    minutes: Mapping[str, int]
    wiki: Wiki = Wiki()  # noqa: RUF009 - frozen
    degraded: tuple[str, ...] = ()  # what was derived in a simpler way than asked for


def derive(
    documents: Sequence[Document],
    settings: Settings,
    *,
    enricher: Enricher,
    cache: Cache,
    progress: Callable[[int, int], None],
) -> Derivation:
    """Return every row of the artifacts. Raises BuildError when the chunks of a page do not add up to its text."""
    analyser = settings.search.analyser
    leaves = [Leaf(document, settings.chunk) for document in documents]
    shapes = cache.all(SHAPE, [(leaf.parts, leaf) for leaf in leaves], progress)
    readings = [_reading(document, shape) for document, shape in zip(documents, shapes, strict=True)]
    asked = enricher.questions(readings, settings.questions.per_chunk, cache)
    readings = [_summarised(*pair) for pair in zip(readings, enricher.summaries(readings, cache), strict=True)]
    wiki = compile_wiki(readings, settings.guide, enricher=enricher, cache=cache)
    parts = [_own_rows(*pair, enricher.name) for pair in zip(readings, asked, strict=True)]
    articles = _numbered([reading.article] for reading in readings)
    made = wiki_rows(wiki, articles)
    texts = _texts(parts, made.pages, analyser, cache)
    rows = Rows(
        articles=articles,
        chunks=_numbered(page.chunks for page in parts),
        questions=_numbered(page.questions for page in parts),
        nodes=_numbered(page.nodes for page in parts),
        pages=made.pages,
        contributions=made.contributions,
        links=link_rows(documents),
        relations=made.relations,
        synonyms=made.synonyms,
    )
    cache.workers.close()  # nothing forks after this stage, so that threads may begin
    minutes = {row.id: shape.minutes for row, shape in zip(articles, shapes, strict=True)}
    return Derivation(rows, texts, minutes, wiki)


def _shape(leaf: Leaf) -> Shape:
    """Return how one page is cut; the work of a worker."""
    document = leaf.document
    article = document.article
    chunks = tuple(chunk(document, leaf.sizes, 0))
    if not tiles(chunks, len(document.text)):
        raise BuildError(f"the chunks of {article.path} do not add up to its text; please report this page")
    summary = article.summary or summarise(document.text, (), article.lang, title=article.title)
    return Shape(summary, chunks, tuple(outline(document, 0)), reading_minutes(document.text))


def _reading(document: Document, shape: Shape) -> Reading:
    """Return a page for the enricher, without its place in the base: a new page changes no other one."""
    return Reading(article_row(document, shape.summary, 0), shape.chunks, shape.nodes, document.article.summary)


def _summarised(reading: Reading, summaries: Mapping[str, str]) -> Reading:
    """Return a page with the summaries that an enricher gave its nodes."""
    if not summaries:
        return reading
    nodes = tuple(structs.replace(node, summary=summaries.get(node.id, node.summary)) for node in reading.nodes)
    return replace(reading, nodes=nodes)


def _own_rows(reading: Reading, asked: Sequence[Sequence[str]], origin: str) -> Rows:
    """Return the rows of one page alone, each table numbered from 0."""
    questions = tuple(_questions(reading.chunks, asked, origin))
    return Rows((reading.article,), reading.chunks, questions, reading.nodes)


def _texts(parts: Sequence[Rows], pages: Sequence[PageRow], analyser: Analyser, cache: Cache) -> Texts:
    """Return what is searched of all rows: of each article's own, then of the wiki's pages."""
    version = TOKENISERS[analyser]
    own = cache.all(TEXTS, [((version, digest_of(rows)), (rows, analyser)) for rows in parts])
    alone = [Rows((), pages=(structs.replace(page, n=0),)) for page in pages]
    return joined(
        [*own, *cache.all(PAGE_TEXTS, [((version, digest_of(rows)), (rows, analyser)) for rows in alone])], analyser
    )


def _texts_of(item: tuple[Rows, Analyser]) -> Texts:
    return texts_of(*item)


SHAPE = Recipe(Kind("rows", Shape), _shape)
TEXTS = Recipe(Kind("texts", Texts), _texts_of)
PAGE_TEXTS = Recipe(Kind("pages", Texts), _texts_of)


def article_row(document: Document, summary: str, n: int) -> ArticleRow:
    """Return the row of an article."""
    a = document.article
    return ArticleRow(
        n=n,
        id=a.id,
        path=a.path,
        url=a.url,
        title=a.title,
        lang=a.lang,
        summary=summary,
        kind=a.kind,
        folder=posixpath.dirname(a.path),
        tags=a.tags,
        aliases=a.aliases,
        created=a.created,
        updated=a.updated,
        text=document.text,
        not_after=a.not_after,
        sources=(a.id,),
    )


def _numbered(pages: Iterable[Sequence[Numbered]]) -> tuple[Numbered, ...]:
    """Return the rows of all pages with their place in the table."""
    rows = [row for page in pages for row in page]
    if not rows:
        return ()
    kind = type(rows[0])
    first, *others = kind.__struct_fields__
    assert first == "n"
    rest = attrgetter(*others)
    return tuple(kind(n, *rest(row)) for n, row in enumerate(rows))  # `replace` takes four times as long


def _questions(chunks: Sequence[ChunkRow], asked: Sequence[Sequence[str]], origin: str) -> Iterator[QuestionRow]:
    listed = ((row, i, text) for row, texts in zip(chunks, asked, strict=True) for i, text in enumerate(texts))
    for n, (row, i, text) in enumerate(listed):
        yield QuestionRow(
            n=n,
            id=f"{row.id}.q{i}",
            chunk_id=row.id,
            text=text,
            lang=row.lang,
            origin=origin,
            not_after=row.not_after,
            sources=row.sources,
        )
