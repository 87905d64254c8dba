"""From articles to documents, through the cache: pass one over every page, links resolved, pass two over every page."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from compiler.cache import Cache
from compiler.model import (
    Anchor,
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


def parse(
    articles: Sequence[Article], others: Mapping[SourcePath, Path], cache: Cache, progress: Callable[[int, int], None]
) -> Parsed:
    """Return the documents of all articles. A page whose text and link targets are as before is not rendered again."""
    structures = [_structure(article, cache) for article in articles]
    urls = attachment_urls(others)
    resolver = Resolver(
        {a.source: Target(a, s.headings, s.ids) for a, s in zip(articles, structures, strict=True)}, urls
    )
    documents: list[Document] = []
    problems: list[Problem] = []
    for index, (article, structure) in enumerate(zip(articles, structures, strict=True), 1):
        found = [resolver.resolve(article.source, link) for link in structure.links]
        documents.append(_document(article, structure, found, cache))
        problems += _link_problems(article, structure.links, found)
        progress(index, len(articles))
    return Parsed(tuple(documents), tuple(problems), urls)


def _structure(article: Article, cache: Cache) -> Structure:
    data = cache.get_or_make(
        "structure", (PARSER_VERSION, article.body), lambda: dataclasses.asdict(read_structure(article.body))
    )
    return Structure(
        tuple(Heading(**h) for h in data["headings"]),
        tuple(RawLink(**link) for link in data["links"]),
        tuple(data["ids"]),
    )


def _document(article: Article, structure: Structure, found: Sequence[Resolution], cache: Cache) -> Document:
    parts = (
        PARSER_VERSION,
        article.id,
        article.url,
        article.title,
        str(article.body_line),
        article.body,
        repr([(r.status, r.article, r.anchor, r.url, r.attachment) for r in found]),
    )
    data = cache.get_or_make("document", parts, lambda: _to_json(publish(article, structure, found)))
    return Document(
        article=article,
        text=data["text"],
        html=data["html"],
        headings=tuple(Heading(h["level"], h["title"], Anchor(h["anchor"]), h["line"]) for h in data["headings"]),
        sections=tuple(Section(**{**s, "path": tuple(s["path"])}) for s in data["sections"]),
        links=tuple(Link(**link) for link in data["links"]),
        attachments=tuple(SourcePath(a) for a in data["attachments"]),
    )


def _to_json(document: Document) -> dict[str, Any]:
    return {name: value for name, value in dataclasses.asdict(document).items() if name != "article"}


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
