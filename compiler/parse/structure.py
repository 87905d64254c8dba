"""Pass one over a page: its headings, its title, and every link as written. Needs no other page."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from compiler.model import Anchor, Heading
from compiler.parse.fence_info import read_info
from compiler.parse.links import RawLink
from compiler.parse.markdown import headings, plain_inline, refuse_deep_nesting, skimming_parser, walk
from compiler.parse.math import to_mathml
from compiler.parse.mermaid import fault
from compiler.parse.raw_html import RESERVED
from compiler.parse.tags import addresses, html_ids

_SENTENCE_END = re.compile(r"(?<=[。！？；])|(?<=[.!?])\s+")
SENTENCE_LIMIT = 240


@dataclass(frozen=True, slots=True)
class Note:
    """Something on a page that is shown as it was written. `line` is 0-based in the body."""

    code: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Structure:
    """What a page declares: its headings, its links in walk order, and the ids of its blocks and raw HTML."""

    headings: tuple[Heading, ...]
    links: tuple[RawLink, ...]
    ids: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


def read_structure(body: str) -> Structure:
    """Return the structure of a page body. Raises FileError when it is nested deeper than the parser reads."""
    tokens = skimming_parser().parse(body, {})
    refuse_deep_nesting(tokens)
    found = headings(tokens)
    raw = [t for _, t in walk(tokens) if t.type in ("html_block", "html_inline")]
    ids = [str(t.attrs["id"]) for t in tokens if t.type == "block_anchor"]
    ids += (name for token in raw for name in html_ids(token.content) if not name.startswith(RESERVED))
    return Structure(found, tuple(raw_links(tokens, found)), tuple(dict.fromkeys(ids)), tuple(_notes(tokens)))


def _notes(tokens: Sequence[Token]) -> Iterator[Note]:
    """Yield a note for each formula and diagram that will be shown as its source."""
    for block in tokens:
        line = block.map[0] if block.map else 0
        if block.type == "fence" and read_info(block.info).language == "mermaid" and (message := fault(block.content)):
            yield Note("mermaid-invalid", line + 1, f"this diagram may not be drawn: {message}")
        formulas = (t for t in (block, *(block.children or ())) if t.type in ("math_block", "math_inline"))
        for token in formulas:
            if to_mathml(token.content, display=bool(token.meta["display"])) is None:
                short = " ".join(token.markup.split())
                yield Note("math-invalid", line, f"not valid LaTeX, shown as written: {short[:60]}")


def raw_links(tokens: Sequence[Token], found: Sequence[Heading]) -> list[RawLink]:
    """Return the links of a token stream in walk order; raw HTML contributes one per address."""
    out: list[RawLink] = []
    starts = [heading.line for heading in found]
    words = _Words()
    for block, token in walk(tokens):
        line = block.map[0] if block.map else 0
        above = bisect_right(starts, line)
        section = found[above - 1].anchor if above else Anchor("")
        if token.type in ("html_block", "html_inline"):
            out += [RawLink("html", *_split(url), "", url, line, section, "") for url in addresses(token.content)]
        else:
            if words.block is not block:
                words = _Words(block)
            out.append(_raw(token, words, line, section))
    return out


def _raw(token: Token, words: _Words, line: int, section: Anchor) -> RawLink:
    if token.type == "wikilink":
        target, hash_mark, fragment = token.meta["target"].partition("#")
        kind = "embed" if token.meta["embed"] else "wikilink"
        label, raw = token.content, token.meta["raw"]
        if not hash_mark:
            fragment = ""
        return RawLink(kind, target.strip(), fragment, label, raw, line, section, words.sentence(label))
    kind = "image" if token.type == "image" else "markdown"
    address = str(token.attrs.get("src" if kind == "image" else "href", ""))
    label = plain_inline(token.children or ()) if kind == "image" else words.labels.get(id(token), "")
    return RawLink(kind, *_split(address), label, address, line, section, words.sentence(label))


def _split(address: str) -> tuple[str, str]:
    target, _, fragment = address.partition("#")
    return target, fragment


class _Words:
    """The sentences of one block and the labels of its links, read once."""

    def __init__(self, block: Token | None = None) -> None:
        self.block = block
        children = (block.children if block else None) or []
        self.text = plain_inline(children)
        self.parts = [part.strip() for part in _SENTENCE_END.split(self.text) if part and part.strip()]
        self.labels = dict(_labels(children))
        self._sentences: dict[str, str] = {}

    def sentence(self, label: str) -> str:
        """Return the sentence in which the label stands, for backlinks."""
        if label not in self._sentences:
            found = next((part for part in self.parts if label and label in part), self.text)
            short = found if len(found) <= SENTENCE_LIMIT else found[: SENTENCE_LIMIT - 1].rstrip() + "…"
            self._sentences[label] = short
        return self._sentences[label]


def _labels(children: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """Yield the identity of each opening of a link and the words up to its close; links hold no links."""
    start = -1
    for index, token in enumerate(children):
        if token.type == "link_open":
            start = index
        elif token.type == "link_close" and start >= 0:
            yield id(children[start]), plain_inline(children[start + 1 : index])
            start = -1
