"""Inline marks beyond CommonMark: wikilinks, ``==marked words==``, sizes of pictures, pipes in the links of tables."""

from __future__ import annotations

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

BlockRule = Callable[[StateBlock, int, int, bool], bool]
PIPE = "\ufdd2"  # stands for a | between the brackets of a wikilink in a table: no text holds a noncharacter
_PIPE_LINK = re.compile(r"\[\[[^\[\]\n|]+\|[^\[\]\n]*\]\]")
_WIKILINK = re.compile(rf"(!?)\[\[([^\[\]\n|{PIPE}]*?)(?:\\?[|{PIPE}]([^\[\]\n]*?))?\]\]")
_SIZE = re.compile(r"(?:(.*)\|)?\s*(\d{1,4})(?:x(\d{1,4}))?\s*", re.DOTALL)


def inline_marks(md: MarkdownIt) -> None:
    """Teach a parser these marks (a markdown-it plugin)."""
    md.inline.ruler.before("link", "wikilink", _wikilink)
    md.inline.ruler.before("emphasis", "mark", _mark)
    md.inline.ruler2.before("emphasis", "mark", _pair_marks)
    md.core.ruler.before("block", "pipes", _pipes)
    md.core.ruler.after("inline", "plain_pipes", _plain_pipes)
    md.core.ruler.after("plain_pipes", "pictures", _picture_sizes)
    table = next(rule for rule in md.block.ruler.__rules__ if rule.name == "table").fn
    md.block.ruler.at("table", _table(table), {"alt": ["paragraph", "reference"]})


def _wikilink(state: StateInline, silent: bool) -> bool:
    match = _WIKILINK.match(state.src, state.pos)
    if not match or not match[2].strip() or match.end() > state.posMax:
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        target, label = match[2].strip(), (match[3] or "").replace("\\" + PIPE, "|").replace(PIPE, "|").strip()
        size = None
        if match[1]:
            label, size = split_size(label)
        token.meta = {
            "embed": bool(match[1]),
            "target": target,
            "label": label,
            "size": size,
            "raw": match[0].replace(PIPE, "|"),
        }
        token.meta["alt"] = label or re.sub(r".*/|\.\w+$", "", target)
        token.content = label or re.sub(r"#\^[^#]*$", "", target).replace("#", " › ").strip(" ›") or target
    state.pos = match.end()
    return True


def split_size(label: str) -> tuple[str, tuple[str, str] | None]:
    """Return a picture's label without its size, and width and height ("" = not given)."""
    match = _SIZE.fullmatch(label)
    if not match:
        return label, None
    return (match[1] or "").strip(), (match[2], match[3] or "")


def _picture_sizes(state: StateCore) -> None:
    """Take ``|300`` and ``|300x200`` off the label of each picture."""
    for block in state.tokens:
        for token in block.children or ():
            last = token.children[-1] if token.type == "image" and token.children else None
            if last is not None and "|" in last.content:
                label, size = split_size(last.content)
                if size:
                    last.content, token.meta["size"] = label, size


def _plain_pipes(state: StateCore) -> None:
    """Put the pipes back that no wikilink took."""
    if "piped" in state.env:
        for block in state.tokens:
            for token in block.children or ():
                token.content = token.content.replace(PIPE, "|")


def _mark(state: StateInline, silent: bool) -> bool:
    """Note each ``==`` as a possible end of a marked stretch, as strikethrough does with ``~~``."""
    if silent or state.src[state.pos] != "=":
        return False
    scanned = state.scanDelims(state.pos, True)
    if scanned.length != 2:
        state.pending += "=" * scanned.length
    else:
        state.push("text", "", 0).content = "=="
        place = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord("="), 0, place, -1, scanned.can_open, scanned.can_close))
    state.pos += scanned.length
    return True


def _pair_marks(state: StateInline) -> None:
    inner = (meta["delimiters"] for meta in state.tokens_meta if meta and "delimiters" in meta)
    for delimiters in (state.delimiters, *inner):
        for start in delimiters:
            if start.marker == ord("=") and start.end >= 0:
                _turn(state.tokens[start.token], 1)
                _turn(state.tokens[delimiters[start.end].token], -1)


def _turn(token: Token, nesting: int) -> None:
    token.type, token.tag, token.content = ("mark_open" if nesting > 0 else "mark_close"), "mark", ""
    token.nesting = nesting  # type: ignore[assignment]
    token.markup = "=="


def _table(rule: BlockRule) -> BlockRule:
    """Return the rule for tables with one change: a pipe inside a wikilink divides no cells, as in Obsidian."""

    def run(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if "piped" not in state.env:
            return bool(rule(state, start, end, silent))
        source = state.src
        state.src = state.env["piped"]
        try:
            return bool(rule(state, start, end, silent))
        finally:
            state.src = source

    return run


def _pipes(state: StateCore) -> None:
    """Keep a copy of the text in which the pipes of wikilinks divide no cells."""
    if "[[" in state.src:
        state.env["piped"] = _PIPE_LINK.sub(lambda m: re.sub(r"(?<!\\)\|", PIPE, m[0]), state.src)
