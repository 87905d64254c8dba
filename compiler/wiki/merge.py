"""Entries become rows: one page row each, one contribution per article, one row per relation, one per set of names.

A page row mixes the words of its articles, so it names them all as its sources and goes when one of them goes. A
contribution has one article as its source: the function can drop it alone the second that article expires.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiler.enrich.folding import key_of
from compiler.enrich.prose import lang_of
from compiler.enrich.protocol import Digest, Statement
from compiler.wiki.compile import Wiki
from compiler.wiki.entries import Entry
from query_fn.contract import ArticleRow, ContributionRow, PageRow, RelationRow, SynonymRow


@dataclass(frozen=True, slots=True)
class WikiRows:
    """The rows of the wiki, each table numbered from 0."""

    pages: tuple[PageRow, ...]
    contributions: tuple[ContributionRow, ...]
    relations: tuple[RelationRow, ...]
    synonyms: tuple[SynonymRow, ...]


def wiki_rows(wiki: Wiki, articles: Sequence[ArticleRow]) -> WikiRows:
    """Return all rows: pages that people wrote, then source pages, then subjects."""
    titles = {entry.key: entry.title for entry in wiki.entries}
    owner = {entry.human: entry.key for entry in wiki.entries if entry.human is not None}
    pages = [
        _human(article, owner.get(n, article.id)) for n, article in enumerate(articles) if article.kind != "article"
    ]
    contributed: list[tuple[str, ArticleRow, tuple[Statement, ...]]] = []
    for article, digest in zip(articles, wiki.digests, strict=True):
        if digest.points:
            pages.append(_source(article, digest))
            contributed.append((source_key(article.id), article, digest.points))
    for entry in wiki.entries:
        if entry.human is None:
            pages.append(_subject(entry, articles, titles))
        contributed += [(entry.key, articles[c.page], c.statements) for c in entry.contributions]
    return WikiRows(
        tuple(_numbered_page(n, page) for n, page in enumerate(pages)),
        tuple(_contribution(n, *item) for n, item in enumerate(contributed)),
        tuple(_relations(wiki.entries, articles)),
        tuple(_synonyms(wiki, articles)),
    )


def source_key(article_id: str) -> str:
    """Return the key of an article's source page; no subject's key holds a colon at this place."""
    return f"source:{article_id}"


def joined(statements: Sequence[Statement]) -> str:
    """Return statements as one text."""
    return "".join(s.text if n == 0 or lang_of(s.text) == "zh" else " " + s.text for n, s in enumerate(statements))


def _markdown(text: str) -> str:
    """Return plain text for a Markdown body: what only looks like a link to another page is none."""
    return text.replace("[[", r"\[\[")


def _human(article: ArticleRow, key: str) -> PageRow:
    return PageRow(
        n=0,
        key=key,
        kind=article.kind,
        title=article.title,
        url=article.url,
        lang=article.lang,
        summary=article.summary,
        body=article.text,
        generated=False,
        article_id=article.id,
        not_after=article.not_after,
        sources=article.sources,
    )


def _source(article: ArticleRow, digest: Digest) -> PageRow:
    return PageRow(
        n=0,
        key=source_key(article.id),
        kind="source",
        title=article.title,
        url=article.url,
        lang=article.lang,
        summary=digest.summary,
        body="\n".join(f"- {_markdown(point.text)}" for point in digest.points),
        generated=True,
        article_id=None,
        not_after=article.not_after,
        sources=article.sources,
    )


def _subject(entry: Entry, articles: Sequence[ArticleRow], titles: Mapping[str, str]) -> PageRow:
    rows = [articles[page] for page in entry.pages]
    names = [f"- {' · '.join(entry.aliases)}"] if entry.aliases else []
    said = [f"## {articles[c.page].title}\n\n{_markdown(joined(c.statements))}" for c in entry.contributions]
    related = [f"- {r.kind}: [[{r.key}|{titles[r.key]}]]" for r in entry.relations]
    return PageRow(
        n=0,
        key=entry.key,
        kind=entry.kind,
        title=entry.title,
        url=entry.url,
        lang=entry.lang,
        summary=entry.definition.text,
        body="\n\n".join(part for part in ("\n".join(names), *said, "\n".join(related)) if part),
        generated=True,
        article_id=None,
        not_after=_earliest(rows),
        sources=tuple(row.id for row in rows),
    )


def _numbered_page(n: int, page: PageRow) -> PageRow:
    return PageRow(n, *(getattr(page, name) for name in PageRow.__struct_fields__[1:]))


def _contribution(n: int, key: str, article: ArticleRow, statements: Sequence[Statement]) -> ContributionRow:
    chunks = tuple(dict.fromkeys(statement.chunk_id for statement in statements))
    return ContributionRow(n, key, article.id, joined(statements), chunks, article.not_after, article.sources)


def _relations(entries: Sequence[Entry], articles: Sequence[ArticleRow]) -> Iterator[RelationRow]:
    stated = ((entry, relation) for entry in entries for relation in entry.relations)
    for n, (entry, relation) in enumerate(stated):
        article, statement = articles[relation.page], relation.statement
        yield RelationRow(
            n=n,
            subject_key=entry.key,
            kind=relation.kind,
            object_key=relation.key,
            chunk_id=statement.chunk_id,
            sentence=statement.text,
            not_after=article.not_after,
            sources=article.sources,
        )


def _synonyms(wiki: Wiki, articles: Sequence[ArticleRow]) -> Iterator[SynonymRow]:
    """Yield the names of each subject that has more than one, then those of glossary terms that only occur."""
    n = 0
    for entry in wiki.entries:
        if entry.aliases:
            rows = [articles[page] for page in entry.named_by]
            sources = tuple(row.id for row in rows)
            yield SynonymRow(n, entry.title, entry.aliases, entry.key, _earliest(rows), sources)
            n += 1
    for spoken in wiki.spoken:
        row = articles[spoken.page]
        aliases = tuple(a for a in spoken.term.aliases if key_of(a) != key_of(spoken.term.name))
        yield SynonymRow(n, spoken.term.name, aliases, None, row.not_after, row.sources)
        n += 1


def _earliest(rows: Sequence[ArticleRow]) -> int | None:
    return min((row.not_after for row in rows if row.not_after is not None), default=None)
