"""THE parser: markdown-it-py with this product's rules. Structure, links, text and HTML all come from its tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_cjk_friendly import cjk_friendly
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from compiler.errors import FileError
from compiler.model import Anchor, Heading
from compiler.parse.block_ids import block_ids
from compiler.parse.callouts import quote_callouts
from compiler.parse.containers import containers
from compiler.parse.inline import inline_marks
from compiler.parse.linear import linear
from compiler.parse.math import math
from compiler.parse.positions import keep_spans
from compiler.parse.raw_html import deepest, without_dropped

PARSER_VERSION = "12"
_NONCHARACTER = re.compile("[\ufdd0-\ufdef]")
MAX_NESTING = 100  # levels of blocks that the parser reads: a list takes two
_SIGN = re.compile(r"[\[<$\\]")  # how links, raw HTML and formulas begin
_COMMENT = re.compile("<|%%")
MAX_HTML_NESTING = 500  # elements; browsers stop at 512
_FINISHING = ("footnote_tail", "github-tasklists")
_HEADING_ID = re.compile(r"(?<!\s)\s*\{\s*#([^\s{}]+)[^{}]*\}\s*$")


@cache
def parser() -> MarkdownIt:
    """Return the one parser. It holds no state between calls."""
    md = MarkdownIt("commonmark", {"html": True, "maxNesting": MAX_NESTING}).enable(["table", "strikethrough"])
    md.use(cjk_friendly).use(footnote_plugin, inline=False).use(tasklists_plugin).use(deflist_plugin)
    md.use(inline_marks).use(containers).use(math).use(linear)
    md.core.ruler.before("block", "noncharacters", _noncharacters)
    for name, rule in (
        ("dropped_html", _dropped_html),
        ("callouts", quote_callouts),
        ("heading_ids", _heading_ids),
        ("block_ids", block_ids),
    ):
        md.core.ruler.before("inline", name, rule)
    md.core.ruler.after("text_join", "anchors", _anchors)
    keep_spans(md)
    md.normalizeLink = lru_cache(maxsize=1 << 12)(md.normalizeLink)  # type: ignore[method-assign]
    return md


@cache
def source_parser() -> MarkdownIt:
    """Return the same parser for work on the source: footnotes and boxes of tasks stay where they stand."""
    md = parser.__wrapped__()
    md.core.ruler.disable(list(_FINISHING))
    return md


@cache
def skimming_parser() -> MarkdownIt:
    """Return `parser` for what a page declares and links: other text than that and headings stays unread."""
    return _skimming(parser.__wrapped__())


@cache
def skimming_source_parser() -> MarkdownIt:
    """Return `source_parser` for the links of a source."""
    return _skimming(source_parser.__wrapped__())


@cache
def comment_parser() -> MarkdownIt:
    """Return `source_parser` for what is a comment and what is code around one, and for how deep HTML is nested."""
    return _skimming(source_parser.__wrapped__(), _COMMENT, headings=False)


def _skimming(md: MarkdownIt, sign: re.Pattern[str] = _SIGN, *, headings: bool = True) -> MarkdownIt:
    """Return a parser that reads the inline content only of blocks with a sign, and of headings."""

    def skimmed(state: StateCore) -> None:
        above = ""
        for token in state.tokens:
            if token.type == "inline" and ((headings and above == "heading_open") or sign.search(token.content)):
                token.children = token.children or []
                state.md.inline.parse(token.content, state.md, state.env, token.children)
            above = token.type

    md.core.ruler.at("inline", skimmed)
    return md


def finished(body: str, tokens: list[Token], env: dict[str, Any]) -> list[Token]:
    """Return the tokens that `parser` reads in a body, made of those of `source_parser` without reading it again."""
    state = StateCore(body, parser(), env, tokens)
    for rule in parser().core.ruler.__rules__:
        if rule.name in _FINISHING:
            rule.fn(state)
    return state.tokens


def block_tokens(text: str) -> list[Token]:
    """Return the blocks of a text, their inline content unread."""
    md = source_parser()
    out: list[Token] = []
    md.block.parse(text, md, {}, out)
    return out


def refuse_deep_nesting(tokens: Sequence[Token]) -> None:
    """Raise FileError when lists or quotes are so deep that the parser may have left out what they hold.

    HTML may be as deep as browsers take it.
    """
    deep = next((token for token in tokens if token.level >= MAX_NESTING - 2), None)
    if deep is not None:
        line = next((t.map[0] + 1 for t in reversed(tokens) if t.map and t.level >= MAX_NESTING - 3), None)
        raise FileError(
            "nested-too-deep",
            f"lists or quotes are nested more than {MAX_NESTING // 2 - 2} deep near line {line} of the text",
            fix="nest less",
        )
    if deepest(t.content for _, t in walk(tokens) if t.type in ("html_block", "html_inline")) > MAX_HTML_NESTING:
        message = f"HTML elements are nested more than {MAX_HTML_NESTING} deep"
        raise FileError("nested-too-deep", message, fix="close each element that is opened")


@lru_cache(maxsize=1 << 14)  # a heading is compared with each link to its page
def slugify(title: str) -> Anchor:
    """Return the anchor of a heading text: Unicode letters and digits kept, spaces as hyphens, as GitHub does it."""
    text = unicodedata.normalize("NFC", title).strip().lower()
    kept = "".join(c for c in text if c in "-_ " or unicodedata.category(c)[0] in "LNM")
    return Anchor(re.sub(r"\s", "-", kept.strip()))


def headings(tokens: Sequence[Token]) -> tuple[Heading, ...]:
    """Return the headings that divide the page, in order. Headings inside quotes and lists belong to their block."""
    out = []
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            title = plain_inline(tokens[index + 1].children or ())
            out.append(Heading(int(token.tag[1]), title, Anchor(str(token.attrs["id"])), token.map[0]))
    return tuple(out)


def plain_inline(children: Sequence[Token]) -> str:
    """Return the text a reader sees of inline tokens, without markup."""
    out: list[str] = []
    for token in children:
        if token.type in ("text", "code_inline", "wikilink", "math_inline"):
            out.append(token.content)
        elif token.type == "image":
            out.append(plain_inline(token.children or ()))
        elif token.type in ("softbreak", "hardbreak"):
            out.append(" ")
    return re.sub(r"\s+", " ", "".join(out)).strip()


def walk(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """Yield ``(block, token)`` for every token that can carry a link: wikilinks, links, images, raw HTML, in order.

    Pass one collects links in this order and pass two hands the resolutions back in the same order.
    """
    for block in tokens:
        if block.type == "html_block":
            yield block, block
        for token in block.children or ():
            if token.type in ("wikilink", "link_open", "image", "html_inline"):
                yield block, token


def _noncharacters(state: StateCore) -> None:
    """Take out the characters that Unicode gives to no text: the renderer keeps places with them."""
    if _NONCHARACTER.search(state.src):
        state.src = _NONCHARACTER.sub("\ufffd", state.src)


def _dropped_html(state: StateCore) -> None:
    """Take the elements that no page shows out of raw HTML blocks; the source keeps for its place what was written."""
    for token in state.tokens:
        if token.type == "html_block":
            token.meta["source"] = token.content
            token.content = without_dropped(token.content)


def _heading_ids(state: StateCore) -> None:
    """Take ``{#id}`` off a heading and keep it; drop a heading without text, which no reader could see."""
    kept: list[Token] = []
    skip = 0
    for index, token in enumerate(state.tokens):
        if skip:
            skip -= 1
            continue
        if token.type == "heading_open":
            inline = state.tokens[index + 1]
            if match := _HEADING_ID.search(inline.content):
                token.meta["id"] = match[1]
                inline.meta["source"] = inline.content
                inline.content = inline.content[: match.start()]
            if not inline.content.strip():
                skip = 2
                continue
        kept.append(token)
    state.tokens = kept


def _anchors(state: StateCore) -> None:
    """Give every heading its id: from its text; a repeated one is qualified by its parent's, then numbered."""
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    parents: list[tuple[int, str]] = []
    for index, token in enumerate(state.tokens):
        if token.type != "heading_open":
            continue
        level = int(token.tag[1])
        while parents and parents[-1][0] >= level:
            parents.pop()
        base = str(token.meta.get("id") or slugify(plain_inline(state.tokens[index + 1].children or ())) or "section")
        parent = parents[-1][1] if parents else ""
        token.attrs["id"] = anchor = _free(base, parent, taken, numbers)
        taken.add(anchor)
        parents.append((level, anchor))


def _free(base: str, parent: str, taken: set[str], numbers: dict[str, int]) -> str:
    if base not in taken:
        return base
    qualified = f"{parent}-{base}" if parent else f"{base}-2"
    candidate = qualified
    number = numbers.get(qualified, 2)
    while candidate in taken:
        candidate = f"{qualified}-{number}"
        number += 1
    numbers[qualified] = number
    return candidate
