"""THE parser: markdown-it-py with this product's rules. Structure, links, text and HTML all come from its tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_cjk_friendly import cjk_friendly
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from compiler.errors import FileError
from compiler.model import Anchor, Heading
from compiler.parse.positions import keep_spans
from compiler.parse.raw_html import without_dropped

PARSER_VERSION = "9"
MAX_NESTING = 100  # levels of blocks that the parser reads: a list takes two
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]\n|]*?)(?:\\?\|([^\[\]\n]*?))?\]\]")
_HEADING_ID = re.compile(r"(?<!\s)\s*\{\s*#([^\s{}]+)[^{}]*\}\s*$")
_CALLOUT = re.compile(r"\[!([A-Za-z-]+)\]([+-]?)[ \t]*(.*)")
# Obsidian's callout names and GitHub's, as the kinds that the theme styles.
_CALLOUT_KINDS = {
    "note": "note",
    "abstract": "abstract",
    "summary": "abstract",
    "tldr": "abstract",
    "info": "info",
    "todo": "info",
    "tip": "tip",
    "hint": "tip",
    "important": "tip",
    "success": "success",
    "check": "success",
    "done": "success",
    "question": "question",
    "help": "question",
    "faq": "question",
    "warning": "warning",
    "caution": "warning",
    "attention": "warning",
    "failure": "failure",
    "fail": "failure",
    "missing": "failure",
    "danger": "danger",
    "error": "danger",
    "bug": "bug",
    "example": "example",
    "quote": "quote",
    "cite": "quote",
}


@cache
def parser() -> MarkdownIt:
    """Return the one parser. It holds no state between calls."""
    md = MarkdownIt("commonmark", {"html": True, "maxNesting": MAX_NESTING}).enable(["table", "strikethrough"])
    md.use(cjk_friendly).use(footnote_plugin, inline=False).use(tasklists_plugin).use(deflist_plugin)
    md.inline.ruler.before("link", "wikilink", _wikilink)
    md.core.ruler.before("inline", "dropped_html", _dropped_html)
    md.core.ruler.before("inline", "callouts", _callouts)
    md.core.ruler.before("inline", "heading_ids", _heading_ids)
    md.core.ruler.after("inline", "anchors", _anchors)
    keep_spans(md)
    return md


@cache
def source_parser() -> MarkdownIt:
    """Return the same parser for work on the source: footnotes and boxes of tasks stay where they stand."""
    md = parser.__wrapped__()
    md.core.ruler.disable(["footnote_tail", "github-tasklists"])
    return md


def refuse_deep_nesting(tokens: Sequence[Token]) -> None:
    """Raise FileError when lists or quotes are so deep that the parser may have left out what they hold."""
    deep = next((token for token in tokens if token.level >= MAX_NESTING - 2), None)
    if deep is not None:
        line = next((t.map[0] + 1 for t in reversed(tokens) if t.map and t.level >= MAX_NESTING - 3), None)
        raise FileError(
            "nested-too-deep",
            f"lists or quotes are nested more than {MAX_NESTING // 2 - 2} deep near line {line} of the text",
            fix="nest less",
        )


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
        if token.type in ("text", "code_inline", "wikilink"):
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


def _wikilink(state: StateInline, silent: bool) -> bool:
    match = _WIKILINK.match(state.src, state.pos)
    if not match or not match[2].strip():
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        target, label = match[2].strip(), (match[3] or "").strip()
        token.meta = {"embed": bool(match[1]), "target": target, "label": label, "raw": match[0]}
        token.content = label or target.replace("#", " › ").strip(" ›")
    state.pos = match.end()
    return True


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


def _callouts(state: StateCore) -> None:
    """Turn ``> [!note] Title`` quotes into the blocks that the theme styles; ``+`` and ``-`` make them fold."""
    opened: list[str | None] = []
    index = 0
    while index < len(state.tokens):
        token = state.tokens[index]
        if token.type == "blockquote_open":
            opened.append(_open_callout(state, index))
        elif token.type == "blockquote_close" and (tag := opened.pop()):
            token.tag = tag
        index += 1


def _open_callout(state: StateCore, index: int) -> str | None:
    tokens = state.tokens
    if index + 2 >= len(tokens) or tokens[index + 2].type != "inline":
        return None
    inline = tokens[index + 2]
    first, _, rest = inline.content.partition("\n")
    match = _CALLOUT.fullmatch(first.strip())
    if not match:
        return None
    kind = _CALLOUT_KINDS.get(match[1].lower(), "note")
    tag = "details" if match[2] else "div"
    opening = tokens[index]
    opening.tag = tag
    opening.attrs = {"class": kind if match[2] else f"admonition {kind}", **({"open": ""} if match[2] == "+" else {})}
    title = Token(
        "inline", "", 0, content=match[3] or match[1].capitalize(), map=inline.map, level=inline.level, children=[]
    )
    title_tag = "summary" if match[2] else "p"
    title_class = {} if match[2] else {"class": "admonition-title"}
    head = [
        Token("callout_title_open", title_tag, 1, attrs=dict(title_class), block=True, level=opening.level + 1),
        title,
        Token("callout_title_close", title_tag, -1, block=True, level=opening.level + 1),
    ]
    if rest.strip() and inline.map:
        inline.content, inline.map = rest, [inline.map[0] + 1, inline.map[1]]
        tokens[index + 1 : index + 1] = head
    else:
        tokens[index + 1 : index + 4] = head
    return tag
