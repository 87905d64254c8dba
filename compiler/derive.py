"""Documents become the rows of the artifacts: articles, chunks, tree nodes, questions, links, wiki pages."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import TypeVar

from compiler.cache import Cache, Kind, Recipe, digest_of
from compiler.chunk import chunk, tiles
from compiler.enrich.protocol import Enricher
from compiler.errors import BuildError
from compiler.index.rows import Rows
from compiler.index.texts import Texts, joined, texts_of
from compiler.model import Document
from compiler.outline import outline, reading_minutes, summarise
from compiler.settings import ChunkSettings, Settings
from compiler.wiki.graph import link_rows
from query_fn.contract import CHUNKER, ArticleRow, ChunkRow, NodeRow, PageRow, QuestionRow
from query_fn.text import TOKENISERS, Analyser

Numbered = TypeVar("Numbered", ChunkRow, NodeRow, QuestionRow)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One document, and how rows are made of it."""

    document: Document
    sizes: ChunkSettings
    enricher: Enricher
    count: int  # questions per chunk
    analyser: Analyser

    @property
    def parts(self) -> tuple[str, ...]:
        """Everything the rows depend on, for the cache."""
        d, enricher = self.document, f"{self.enricher.name} {self.enricher.version} {self.count}"
        return (
            f"{CHUNKER} {TOKENISERS[self.analyser]} {enricher}",
            digest_of(self.sizes),
            digest_of((d.article, d.text, d.headings, d.sections)),
        )


@dataclass(frozen=True, slots=True)
class PageRows:
    """The rows of one page, each table numbered from 0, and what is searched of them."""

    summary: str
    chunks: tuple[ChunkRow, ...]
    nodes: tuple[NodeRow, ...]
    questions: tuple[QuestionRow, ...]
    texts: Texts
    minutes: int


@dataclass(frozen=True, slots=True)
class Derivation:
    """All rows of a build, what is searched of them, and how many minutes each article takes to read."""

    rows: Rows
    texts: Texts
    minutes: Mapping[str, int]


def derive(
    documents: Sequence[Document],
    settings: Settings,
    *,
    enricher: Enricher,
    cache: Cache,
    progress: Callable[[int, int], None],
) -> Derivation:
    """Return every row of the artifacts. Raises BuildError when the chunks of a page do not add up to its text."""
    count, analyser = settings.questions.per_chunk, settings.search.analyser
    leaves = [Leaf(document, settings.chunk, enricher, count, analyser) for document in documents]
    made = cache.all(ROWS, [(leaf.parts, leaf) for leaf in leaves], progress)
    cache.workers.close()  # what follows needs their memory
    articles = [article_row(d, page.summary, n) for n, (d, page) in enumerate(zip(documents, made, strict=True))]
    rows = Rows(
        articles=tuple(articles),
        chunks=_numbered(page.chunks for page in made),
        questions=_numbered(page.questions for page in made),
        nodes=_numbered(page.nodes for page in made),
        pages=_human_pages(articles),
        links=link_rows(documents),
    )
    minutes = {row.id: page.minutes for row, page in zip(articles, made, strict=True)}
    return Derivation(rows, joined([page.texts for page in made], analyser), minutes)


def _page_rows(leaf: Leaf) -> PageRows:
    """Return the rows of one page; the work of a worker."""
    document = leaf.document
    article = document.article
    row = article_row(document, article.summary or summarise(document.text, (), article.lang), 0)
    chunks = tuple(chunk(document, leaf.sizes, 0))
    if not tiles(chunks, len(document.text)):
        raise BuildError(f"the chunks of {row.path} do not add up to its text; please report this page")
    questions = tuple(_questions(row, chunks, leaf.enricher, leaf.count))
    nodes = tuple(outline(document, 0))
    own = Rows((row,), chunks, questions, nodes, _human_pages([row]))
    return PageRows(row.summary, chunks, nodes, questions, texts_of(own, leaf.analyser), reading_minutes(document.text))


ROWS = Recipe(Kind("rows", PageRows), _page_rows, slow=True)


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
    first, *others = (field.name for field in fields(kind))
    assert first == "n"
    rest = attrgetter(*others)
    return tuple(kind(n, *rest(row)) for n, row in enumerate(rows))  # `replace` takes four times as long


def _questions(
    article: ArticleRow, chunks: Sequence[ChunkRow], enricher: Enricher, count: int
) -> Iterator[QuestionRow]:
    asked = ((row, i, text) for row in chunks for i, text in enumerate(enricher.questions(article, row, count)))
    for n, (row, i, text) in enumerate(asked):
        yield QuestionRow(
            n=n,
            id=f"{row.id}.q{i}",
            chunk_id=row.id,
            text=text,
            lang=row.lang,
            origin=enricher.name,
            not_after=row.not_after,
            sources=row.sources,
        )


def _human_pages(articles: Sequence[ArticleRow]) -> tuple[PageRow, ...]:
    """Return the wiki pages that people wrote: articles whose front matter has a wiki `kind`."""
    human = [a for a in articles if a.kind != "article"]
    return tuple(
        PageRow(
            n=n,
            key=a.id,
            kind=a.kind,
            title=a.title,
            url=a.url,
            lang=a.lang,
            summary=a.summary,
            body=a.text,
            generated=False,
            article_id=a.id,
            not_after=a.not_after,
            sources=a.sources,
        )
        for n, a in enumerate(human)
    )
