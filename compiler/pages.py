"""From articles to documents, through the cache: pass one over every page, links resolved, pass two over every page."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from compiler.cache import Cache, Kind, Recipe
from compiler.model import (
    Article,
    Document,
    Heading,
    Link,
    Problem,
    Section,
    Severity,
    SourcePath,
)
from compiler.parse.document import publish
from compiler.parse.links import RawLink, Resolution, Resolver, Target, attachment_urls
from compiler.parse.markdown import PARSER_VERSION
from compiler.parse.structure import Structure, read_structure


@dataclasses.dataclass(frozen=True, slots=True)
class Parsed:
    """Every public article as a document, and what its author should know about its links."""

    documents: tuple[Document, ...]
    problems: tuple[Problem, ...]
    attachment_urls: Mapping[SourcePath, str]


@dataclasses.dataclass(frozen=True, slots=True)
class Unlinked:
    """A page on its way to the second pass: its links are resolved, and nothing is rendered yet."""

    article: Article
    structure: Structure
    found: tuple[Resolution, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Published:
    """What the second pass makes: a document without its article."""

    text: str
    html: str
    headings: tuple[Heading, ...]
    sections: tuple[Section, ...]
    links: tuple[Link, ...]
    attachments: tuple[SourcePath, ...]


def parse(
    articles: Sequence[Article], others: Mapping[SourcePath, Path], cache: Cache, progress: Callable[[int, int], None]
) -> Parsed:
    """Return the documents of all articles. A page whose text and link targets are as before is not rendered again."""
    structures = cache.all(STRUCTURE, [((PARSER_VERSION, a.body), a.body) for a in articles])
    urls = attachment_urls(others)
    resolver = Resolver(
        {a.source: Target(a, s.headings, s.ids) for a, s in zip(articles, structures, strict=True)}, urls
    )
    pages = [
        Unlinked(article, structure, tuple(resolver.resolve(article.source, link) for link in structure.links))
        for article, structure in zip(articles, structures, strict=True)
    ]
    published = cache.all(DOCUMENT, [(_parts(page), page) for page in pages], progress)
    documents = tuple(_document(page.article, made) for page, made in zip(pages, published, strict=True))
    problems = [problem for page in pages for problem in _link_problems(page.article, page.structure.links, page.found)]
    return Parsed(documents, tuple(problems), urls)


def _parts(page: Unlinked) -> tuple[str, ...]:
    article = page.article
    resolved = repr([(r.status, r.article, r.anchor, r.url, r.attachment) for r in page.found])
    names = (PARSER_VERSION, article.id, article.url, article.title, str(article.body_line))
    return (*names, article.body, resolved)


def _publish(page: Unlinked) -> Published:
    made = publish(page.article, page.structure, page.found)
    return Published(*(getattr(made, name) for name in Published.__slots__))


def _document(article: Article, made: Published) -> Document:
    return Document(article, *(getattr(made, name) for name in Published.__slots__))


STRUCTURE = Recipe(Kind("structure", Structure), read_structure)
DOCUMENT = Recipe(Kind("document", Published), _publish)


def _link_problems(article: Article, links: Sequence[RawLink], found: Sequence[Resolution]) -> list[Problem]:
    """Return a warning for each link that leads nowhere, is ambiguous, or names a heading that is not there."""
    out = []
    for link, resolution in zip(links, found, strict=True):
        line = article.body_line + link.line
        if resolution.status == "missing":
            message = f"link to nowhere: {link.raw or link.target}"
            out.append(Problem(Severity.WARNING, "link-missing", article.source, line, message, resolution.note, True))
        elif resolution.note:
            message = f"{link.raw or link.target}: {resolution.note}"
            out.append(Problem(Severity.WARNING, "link-unsure", article.source, line, message, "", True))
    return out
