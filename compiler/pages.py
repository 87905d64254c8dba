"""From articles to documents, through the cache: pass one over every page, links resolved, pass two over every page."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence

from compiler.cache import Cache, Kind, Recipe, digest_of
from compiler.model import (
    Article,
    ArticleId,
    Document,
    Heading,
    Link,
    Problem,
    Section,
    Severity,
    SourcePath,
)
from compiler.parse.document import publish
from compiler.parse.embeds import Library
from compiler.parse.html import CUT
from compiler.parse.links import Resolution, Resolver, Target
from compiler.parse.markdown import PARSER_VERSION
from compiler.parse.structure import Structure, read_structure
from compiler.parse.warnings import link_problems
from compiler.sources.keys import fold_key


@dataclasses.dataclass(frozen=True, slots=True)
class Parsed:
    """Every public article as a document, and what its author should know about its links."""

    documents: tuple[Document, ...]
    problems: tuple[Problem, ...]


Embeddable = tuple[Article, tuple[Resolution, ...]]  # a page and what its links lead to
Found = tuple[tuple[Resolution, ...], ...]  # what the links of each page lead to


@dataclasses.dataclass(frozen=True, slots=True)
class Unlinked:
    """A page on its way to the second pass: its links are resolved, and nothing is rendered yet."""

    article: Article
    structure: Structure
    found: tuple[Resolution, ...]
    embedded: tuple[Embeddable, ...] = ()


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
    articles: Sequence[Article], urls: Mapping[SourcePath, str], cache: Cache, progress: Callable[[int, int], None]
) -> Parsed:
    """Return the documents of all articles, which may show the files of `urls`.

    A page whose text and link targets are as before is not rendered again.
    """
    structures = cache.all(STRUCTURE, [((PARSER_VERSION, a.body), a.body) for a in articles])
    resolved = _resolved(articles, structures, urls, cache)
    library = Library(resolved)
    pages = [
        Unlinked(a, structure, found, tuple(resolved[i] for i in library.reach(found)))
        for (a, found), structure in zip(resolved.values(), structures, strict=True)
    ]
    published = cache.all(DOCUMENT, [(_parts(page), page) for page in pages], progress)
    documents = tuple(_document(page.article, made) for page, made in zip(pages, published, strict=True))
    problems = list(_lookalikes(articles))
    for page, document in zip(pages, documents, strict=True):
        problems += link_problems(page.article, page.structure.links, page.found)
        problems += _shown_as_written(document, page.structure)
    return Parsed(documents, tuple(problems))


def _resolved(
    articles: Sequence[Article], structures: Sequence[Structure], urls: Mapping[SourcePath, str], cache: Cache
) -> dict[ArticleId, Embeddable]:
    """Return every page with what its links lead to."""
    names = digest_of([(a.source, a.title, a.aliases) for a in articles])
    places = digest_of([(a.id, a.url, s.headings, s.ids) for a, s in zip(articles, structures, strict=True)])
    asked = digest_of([[(link.kind, link.target, link.fragment) for link in s.links] for s in structures])
    parts, near = (PARSER_VERSION, names, places, asked, digest_of(urls)), (PARSER_VERSION, names)
    known, found = cache.find(NEAR, near) or {}, cache.find(LINKS, parts)
    if found is None:
        targets = {a.source: Target(a, s.headings, s.ids) for a, s in zip(articles, structures, strict=True)}
        resolver = Resolver(targets, urls, dict(known))
        pairs = zip(articles, structures, strict=True)
        found = tuple(tuple(resolver.resolve(a.source, link) for link in s.links) for a, s in pairs)
        cache.keep(LINKS, parts, found)
        if resolver.near != known:
            cache.keep(NEAR, near, resolver.near)
    return {article.id: (article, links) for article, links in zip(articles, found, strict=True)}


def _parts(page: Unlinked) -> tuple[str, ...]:
    article = page.article
    parts = [PARSER_VERSION, article.id, str(article.body_line)]
    for one, found in ((article, page.found), *page.embedded):
        parts += [one.url, one.title, one.body, digest_of(found)]
    return tuple(parts)


def _publish(page: Unlinked) -> Published:
    library = Library({article.id: (article, found) for article, found in page.embedded})
    made = publish(page.article, page.structure, page.found, library)
    return Published(*(getattr(made, name) for name in Published.__slots__))


def _document(article: Article, made: Published) -> Document:
    return Document(article, *(getattr(made, name) for name in Published.__slots__))


NEAR = Kind("near", dict[str, str])  # a near match is looked for among all names: the dearest part of a link
LINKS = Kind("links", Found)  # all at once: a new heading may be what any link of any page names
STRUCTURE = Recipe(Kind("structure", Structure), read_structure)
DOCUMENT = Recipe(Kind("document", Published), _publish)


def _shown_as_written(document: Document, structure: Structure) -> Iterator[Problem]:
    """Yield a warning for each formula and diagram that is shown as it was written, and for embeds that are links."""
    article = document.article
    for note in structure.notes:
        line = article.body_line + note.line
        yield Problem(Severity.WARNING, note.code, article.source, line, note.message, "", True)
    if cut := document.html.count(f"wikilink {CUT}"):
        message = f"{cut} embeds are links: in a circle, too deep, too many, or without the part they name"
        yield Problem(Severity.WARNING, "embed-cut", article.source, None, message, "", True)


def _lookalikes(articles: Sequence[Article]) -> Iterator[Problem]:
    """Yield a warning for each page whose name only looks like that of another, such as one with a Cyrillic letter."""
    seen: dict[str, Article] = {}
    for article in articles:
        name = article.source.rsplit("/", 1)[-1].casefold()
        other = seen.setdefault(fold_key(name), article)
        if other.source.rsplit("/", 1)[-1].casefold() != name:
            message = f"the name of this page only looks like that of {other.source}: its letters are others"
            yield Problem(Severity.WARNING, "name-lookalike", article.source, None, message, "rename one", True)
