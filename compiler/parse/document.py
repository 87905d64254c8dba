"""Pass two: an article and the resolutions of its links become a Document — published text, sections, HTML, links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from compiler.model import Anchor, Article, Document, Heading, Link, Section, SourcePath
from compiler.parse.embeds import Library, attach
from compiler.parse.html import render_body
from compiler.parse.links import RawLink, Resolution
from compiler.parse.markdown import finished, headings, parser, source_parser
from compiler.parse.rewrite import published_text
from compiler.parse.structure import Structure

_OUTSIDE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")


def publish(
    article: Article, structure: Structure, found: Sequence[Resolution], library: Library | None = None
) -> Document:
    """Return the finished document. `found` holds one resolution per link of the structure, in order.

    `library` holds the pages that this one may embed; without it an embed is a link.
    """
    env: dict[str, Any] = {}
    tokens = source_parser().parse(article.body, env)
    text = published_text(article.body, tokens, env, _lookup(structure.links, found))
    tokens = finished(article.body, tokens, env)
    attach(tokens, found)
    return Document(
        article=article,
        text=text,
        html=render_body(tokens, article.url, env, library=library, own=article.id),
        headings=structure.headings,
        sections=_sections(text, headings(tokens), article),
        links=tuple(_links(article, structure.links, found)),
        attachments=tuple(sorted({r.attachment for r in found if r.attachment})),
    )


def _lookup(links: Sequence[RawLink], found: Sequence[Resolution]) -> Callable[[str], Resolution]:
    """Return what each address or wikilink leads to; one that no link of the page has is missing unless outside."""
    known = {link.raw: r for link, r in zip(links, found, strict=True)}
    normal = parser().normalizeLink

    def resolve(url: str) -> Resolution:
        outside = Resolution("external", url=url) if _OUTSIDE.match(url) else Resolution("missing")
        return known.get(url) or known.get(normal(url)) or outside

    return resolve


def _sections(text: str, found: Sequence[Heading], article: Article) -> tuple[Section, ...]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    out: list[Section] = []
    first = starts[found[0].line] if found else len(text)
    if text[:first].strip() or not found:
        out.append(Section(0, article.title, (), Anchor(""), 0, first, article.body_line))
    chain: list[Heading] = []
    for index, heading in enumerate(found):
        chain = [*(above for above in chain if above.level < heading.level), heading]
        start = starts[heading.line] if index or out else 0
        end = starts[found[index + 1].line] if index + 1 < len(found) else len(text)
        path = tuple(above.title for above in chain)
        number = article.body_line + heading.line
        out.append(Section(heading.level, heading.title, path, heading.anchor, start, end, number))
    return tuple(out)


def _links(article: Article, raw: Sequence[RawLink], found: Sequence[Resolution]) -> Iterator[Link]:
    for link, r in zip(raw, found, strict=True):
        if r.status == "page" and r.article == article.id and not link.target:
            continue
        if r.status in ("page", "missing") and link.kind != "html":
            yield Link(
                link.kind,
                link.raw,
                link.label,
                article.body_line + link.line,
                article.id,
                link.section,
                r.article,
                r.anchor,
                link.sentence,
            )


def attachments_of(documents: Sequence[Document]) -> tuple[SourcePath, ...]:
    """Return every file that a public page references, sorted."""
    return tuple(sorted({path for document in documents for path in document.attachments}))
