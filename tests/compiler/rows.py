"""Articles as the site meets them: a row, and the document with its links."""

from __future__ import annotations

from compiler.model import Anchor, Article, ArticleId, Document, Link, SourcePath, Url
from query_fn.contract import ArticleRow


def article_row(path: str, *, lang: str = "en", tags: tuple[str, ...] = (), updated: str | None = None) -> ArticleRow:
    """Return the row of an article whose id and title are its path."""
    return ArticleRow(
        n=0,
        id=path,
        path=path,
        url=path.removesuffix(".md") + "/",
        title=path,
        lang=lang,
        summary="",
        kind="article",
        folder=path.rpartition("/")[0],
        tags=tags,
        aliases=(),
        created=None,
        updated=updated,
        text=f"# {path}\n",
        not_after=None,
        sources=(path,),
    )


def linked(row: ArticleRow, *targets: str) -> Document:
    """Return the document of a row, with a link to each of the `targets` (article ids)."""
    article = Article(
        id=ArticleId(row.id),
        source=SourcePath(row.path),
        path=SourcePath(row.path),
        url=Url(row.url),
        title=row.title,
        lang=row.lang,
        summary="",
        kind=row.kind,
        tags=row.tags,
        aliases=(),
        redirects=(),
        created=None,
        updated=row.updated,
        not_after=None,
        body="",
        body_line=1,
    )
    links = tuple(
        Link("wikilink", t, t, 1, article.id, Anchor(""), ArticleId(t), Anchor(""), f"See {t}.") for t in targets
    )
    return Document(article, row.text, "", (), (), links, ())
