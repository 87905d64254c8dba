"""Pass two: an article and the resolutions of its links become a Document — published text, sections, HTML, links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from markdown_it.token import Token

from compiler.model import Anchor, Article, Document, Heading, Link, Section, SourcePath
from compiler.parse.html import render_body
from compiler.parse.links import RawLink, Resolution
from compiler.parse.markdown import headings, parser, walk
from compiler.parse.raw_html import addresses
from compiler.parse.rewrite import Lines, rewrite_html_line, rewrite_line_links, rewrite_wikilink
from compiler.parse.structure import Structure

_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)


def publish(article: Article, structure: Structure, found: Sequence[Resolution]) -> Document:
    """Return the finished document. `found` holds one resolution per link of the structure, in order."""
    env: dict[str, object] = {}
    tokens = parser().parse(article.body, env)
    _attach(tokens, found)
    text = _published_text(article.body, tokens, structure.links, found)
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


def _published_text(body: str, tokens: Sequence[Token], links: Sequence[RawLink], found: Sequence[Resolution]) -> str:
    if not links and "[" not in body:
        return body
    known = {link.raw: r for link, r in zip(links, found, strict=True) if link.kind not in ("wikilink", "embed")}
    resolve = _lookup(known)
    lines = Lines(body)
    code = {n for t in tokens if t.type in ("fence", "code_block") and t.map for n in range(*t.map)}
    for block, token in walk(tokens):
        if token.type == "wikilink":
            rewrite_wikilink(lines, block, token)
    html = {n for t in tokens if t.type == "html_block" and t.map for n in range(*t.map)}
    inline = [range(*t.map) for t in tokens if t.type == "inline" and t.map]
    covered = {n for r in inline for n in r} | code | html
    for block_lines in inline:
        _edit_prose(lines, block_lines, resolve)
    for number in sorted(html - code):
        lines.edit(number, lambda line: rewrite_html_line(line, resolve))
    for number in sorted(set(range(len(lines.lines))) - covered):
        lines.edit(number, lambda line: rewrite_line_links(line, resolve))  # reference definitions
    return lines.text()


def _lookup(known: Mapping[str, Resolution]) -> Callable[[str], Resolution]:
    normal = parser().normalizeLink

    def resolve(url: str) -> Resolution:
        return known.get(url) or known.get(normal(url)) or Resolution("external", url=url)

    return resolve


def _edit_prose(lines: Lines, block: range, resolve: Callable[[str], Resolution]) -> None:
    """Rewrite the links in the lines of one block, code spans left alone."""
    text = "\n".join(lines.lines[block.start : block.stop])
    if "](" not in text and "]:" not in text and "<" not in text:
        return
    spans: list[str] = []

    def mask(match: re.Match[str]) -> str:
        pieces = match[0].split("\n")
        spans.extend(pieces)
        return "\n".join(f"\x01{len(spans) - len(pieces) + i}\x02" for i in range(len(pieces)))

    masked = _CODE_SPAN.sub(mask, text)
    edited = (rewrite_html_line(rewrite_line_links(line, resolve), resolve) for line in masked.split("\n"))
    restored = re.sub("\x01(\\d+)\x02", lambda m: spans[int(m[1])], "\n".join(edited))
    lines.lines[block.start : block.stop] = restored.split("\n")


def _sections(text: str, found: Sequence[Heading], article: Article) -> tuple[Section, ...]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    out: list[Section] = []
    first = starts[found[0].line] if found else len(text)
    if text[:first].strip() or not found:
        out.append(Section(0, article.title, (), Anchor(""), 0, first, article.body_line))
    for index, heading in enumerate(found):
        start = starts[heading.line] if index or out else 0
        end = starts[found[index + 1].line] if index + 1 < len(found) else len(text)
        path = tuple(_path(found[: index + 1]))
        out.append(
            Section(heading.level, heading.title, path, heading.anchor, start, end, article.body_line + heading.line)
        )
    return tuple(out)


def _path(before: Sequence[Heading]) -> Iterator[str]:
    chain: list[Heading] = []
    for heading in before:
        while chain and chain[-1].level >= heading.level:
            chain.pop()
        chain.append(heading)
    return (heading.title for heading in chain)


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
