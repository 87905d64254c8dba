"""Documents become the rows of the artifacts: articles, chunks, tree nodes, questions, links, wiki pages."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compiler.cache import Cache
from compiler.chunk import chunk, tiles
from compiler.enrich.protocol import Enricher
from compiler.errors import BuildError
from compiler.index.rows import Rows
from compiler.model import Document
from compiler.outline import outline, summarise
from compiler.settings import Settings
from compiler.wiki.graph import link_rows
from query_fn.contract import ArticleRow, ChunkRow, NodeRow, PageRow, QuestionRow


def derive(
    documents: Sequence[Document],
    settings: Settings,
    *,
    enricher: Enricher,
    cache: Cache,
    progress: Callable[[int, int], None],
) -> Rows:
    """Return every row of the artifacts. Raises BuildError when the chunks of a page do not add up to its text."""
    asker = Asker(enricher, settings.questions.per_chunk, cache)
    articles: list[ArticleRow] = []
    chunks: list[ChunkRow] = []
    nodes: list[NodeRow] = []
    questions: list[QuestionRow] = []
    for number, document in enumerate(documents):
        row = _article_row(document, number)
        articles.append(row)
        own = chunk(document, settings.chunk, len(chunks))
        if not tiles(own, len(document.text)):
            raise BuildError(f"the chunks of {row.path} do not add up to its text; please report this page")
        chunks += own
        nodes += outline(document, len(nodes))
        questions += _questions(row, own, len(questions), asker)
        progress(number + 1, len(documents))
    return Rows(
        articles=tuple(articles),
        chunks=tuple(chunks),
        questions=tuple(questions),
        nodes=tuple(nodes),
        pages=_human_pages(articles),
        links=link_rows(documents),
    )


def _article_row(document: Document, n: int) -> ArticleRow:
    a = document.article
    return ArticleRow(
        n=n,
        id=a.id,
        path=a.path,
        url=a.url,
        title=a.title,
        lang=a.lang,
        summary=a.summary or summarise(document.text, (), a.lang),
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


@dataclass(frozen=True, slots=True)
class Asker:
    """An enricher behind the cache: an unchanged chunk is never asked about twice."""

    enricher: Enricher
    count: int
    cache: Cache

    def ask(self, article: ArticleRow, row: ChunkRow) -> Sequence[str]:
        """Return the questions of one chunk."""
        name, version = self.enricher.name, self.enricher.version
        key = (name, version, str(self.count), article.title, row.title, row.lang, row.text)
        found: list[str] = self.cache.get_or_make(
            "questions", key, lambda: list(self.enricher.questions(article, row, self.count))
        )
        return found


def _questions(article: ArticleRow, chunks: Sequence[ChunkRow], first_n: int, asker: Asker) -> list[QuestionRow]:
    out: list[QuestionRow] = []
    for row in chunks:
        asked = asker.ask(article, row)
        first = first_n + len(out)
        out += [
            QuestionRow(
                n=first + i,
                id=f"{row.id}.q{i}",
                chunk_id=row.id,
                text=text,
                lang=row.lang,
                origin=asker.enricher.name,
                not_after=row.not_after,
                sources=row.sources,
            )
            for i, text in enumerate(asked)
        ]
    return out


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
