"""Obsidian's block ids: ``^id`` at the end of a block becomes an anchor and is not shown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_BLOCK_ID = re.compile(r"(?:^|(?<=\s))\^([A-Za-z0-9-]+)[ \t]*$")
_WHOLE = {"fence", "code_block", "math_block", "html_block"}


def block_ids(state: StateCore) -> None:
    """Take the block ids off the text of blocks and put anchors before them; one alone names the block above it."""
    if "^" not in state.src:
        return
    out: list[Token] = []
    taken: set[str] = set()
    for index, token in enumerate(state.tokens):
        match = _BLOCK_ID.search(token.content) if token.type == "inline" else None
        if match and state.tokens[index - 1].type not in ("td_open", "th_open"):
            token.meta["source"], token.meta["id_span"] = token.content, match.span()
            token.content = token.content[: match.start()].rstrip()
            place = len(out) - 1
            if not token.content:
                out[-1].hidden = state.tokens[index + 1].hidden = True
                place = _above(out)
            if match[1] not in taken:
                taken.add(match[1])
                anchor = Token("block_anchor", "span", 0, attrs={"id": f"^{match[1]}"}, level=out[place].level)
                out.insert(place, anchor)
        out.append(token)
    state.tokens = out


def named_block(tokens: Sequence[Token], name: str) -> Sequence[Token]:
    """Return the tokens of the block with an id such as ``^id``; of a list item what it holds, without one nothing."""
    for index, token in enumerate(tokens):
        if token.type == "block_anchor" and token.attrs["id"] == name:
            item = index > 0 and tokens[index - 1].type == "list_item_open"
            return tokens[index : _end(tokens, index - 1) if item else _end(tokens, index + 1) + 1]
    return ()


def _above(out: list[Token]) -> int:
    """Return where the block above the paragraph that opens last begins, else where that paragraph does."""
    paragraph = len(out) - 1
    last = paragraph - 1
    if last < 0 or (out[last].nesting >= 0 and out[last].type not in _WHOLE):
        return paragraph
    while out[last].nesting <= 0 and out[last].type not in _WHOLE:
        last -= 1
        while out[last].level > out[paragraph].level:
            last -= 1
    return last


def _end(tokens: Sequence[Token], opening: int) -> int:
    """Return the index of the token that closes the block at `opening`."""
    if opening >= len(tokens):
        return len(tokens) - 1
    if tokens[opening].nesting == 0:
        return opening
    level = tokens[opening].level
    return next(i for i in range(opening + 1, len(tokens)) if tokens[i].level == level and tokens[i].nesting < 0)
