"""Pass two: an article and the resolutions of its links become a Document — published text, sections, HTML, links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from markdown_it.token import Token

from compiler.model import Anchor, Article, Document, Heading, Link, Section, SourcePath
from compiler.parse.html import render_body
from compiler.parse.links import RawLink, Resolution
from compiler.parse.markdown import headings, parser, walk
from compiler.parse.rewrite import published_text
from compiler.parse.structure import Structure
from compiler.parse.tags import addresses

_OUTSIDE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")


def publish(article: Article, structure: Structure, found: Sequence[Resolution]) -> Document:
    """Return the finished document. `found` holds one resolution per link of the structure, in order."""
    env: dict[str, object] = {}
    tokens = parser().parse(article.body, env)
    _attach(tokens, found)
    text = published_text(article.body, _lookup(structure.links, found))
    sections = _sections(text, headings(tokens), article)
    return Document(
        article=article,
        text=text,
        html=render_body(tokens, article.url, env),
        headings=structure.headings,
        sections=sections,
        links=tuple(_links(article, structure.links, found)),
        attachments=tuple(sorted({r.attachment for r in found if r.attachment})),
    )


def _attach(tokens: Sequence[Token], found: Sequence[Resolution]) -> None:
    """Hand each token its resolution. Raw HTML takes as many as it has addresses."""
    left = iter(found)
    for _, token in walk(tokens):
        if token.type in ("html_block", "html_inline"):
            token.meta["resolutions"] = list(islice(left, len(addresses(token.content))))
        else:
            token.meta["resolution"] = next(left)


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
