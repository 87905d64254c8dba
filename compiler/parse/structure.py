"""Pass one over a page: its headings, its title, and every link as written. Needs no other page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from compiler.model import Anchor, Heading
from compiler.parse.links import RawLink
from compiler.parse.markdown import headings, parser, plain_inline, refuse_deep_nesting, walk
from compiler.parse.raw_html import addresses, html_ids

_SENTENCE_END = re.compile(r"(?<=[。！？；])|(?<=[.!?])\s+")
SENTENCE_LIMIT = 240


@dataclass(frozen=True, slots=True)
class Structure:
    """What a page declares: its headings, its links in walk order, and the ids that its raw HTML sets."""

    headings: tuple[Heading, ...]
    links: tuple[RawLink, ...]
    ids: tuple[str, ...] = ()


def read_structure(body: str) -> Structure:
    """Return the structure of a page body. Raises FileError when it is nested deeper than the parser reads."""
    tokens = parser().parse(body, {})
    refuse_deep_nesting(tokens)
    found = headings(tokens)
    raw = [t for _, t in walk(tokens) if t.type in ("html_block", "html_inline")]
    ids = tuple(dict.fromkeys(name for token in raw for name in html_ids(token.content)))
    return Structure(found, tuple(raw_links(tokens, found)), ids)


def raw_links(tokens: Sequence[Token], found: Sequence[Heading]) -> list[RawLink]:
    """Return the links of a token stream in walk order; raw HTML contributes one per address."""
    out: list[RawLink] = []
    for block, token in walk(tokens):
        line = block.map[0] if block.map else 0
        section = next((h.anchor for h in reversed(found) if h.line <= line), Anchor(""))
        if token.type in ("html_block", "html_inline"):
            out += [RawLink("html", *_split(url), "", url, line, section, "") for url in addresses(token.content)]
        else:
            out.append(_raw(token, block, line, section))
    return out


def _raw(token: Token, block: Token, line: int, section: Anchor) -> RawLink:
    if token.type == "wikilink":
        target, hash_mark, fragment = token.meta["target"].partition("#")
        kind = "embed" if token.meta["embed"] else "wikilink"
        label, raw = token.content, token.meta["raw"]
        if not hash_mark:
            fragment = ""
        return RawLink(kind, target.strip(), fragment, label, raw, line, section, _sentence(block, label))
    kind = "image" if token.type == "image" else "markdown"
    address = str(token.attrs.get("src" if kind == "image" else "href", ""))
    label = plain_inline(token.children or ()) if kind == "image" else _label(token, block)
    return RawLink(kind, *_split(address), label, address, line, section, _sentence(block, label))


def _split(address: str) -> tuple[str, str]:
    target, _, fragment = address.partition("#")
    return target, fragment


def _label(opening: Token, block: Token) -> str:
    children = block.children or []
    start = next(i for i, t in enumerate(children) if t is opening)
    end = next((i for i in range(start, len(children)) if children[i].type == "link_close"), len(children))
    return plain_inline(children[start + 1 : end])


def _sentence(block: Token, label: str) -> str:
    """Return the sentence of the block in which the label stands, for backlinks."""
    text = plain_inline(block.children or ())
    parts = [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]
    found = next((part for part in parts if label and label in part), text)
    return found if len(found) <= SENTENCE_LIMIT else found[: SENTENCE_LIMIT - 1].rstrip() + "…"
