"""Callouts: the kinds that the theme styles, and the quotes of Obsidian and GitHub that become one."""

from __future__ import annotations

import re

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_CALLOUT = re.compile(r"\[!([A-Za-z-]+)\]([+-]?)[ \t]*(.*)")
# The names of Obsidian, GitHub, Material, VuePress and Docusaurus, as the kinds that the theme styles.
KINDS = {
    name: kind
    for kind, names in {
        "note": "note seealso",
        "abstract": "abstract summary tldr",
        "info": "info todo",
        "tip": "tip hint important",
        "success": "success check done",
        "question": "question help faq",
        "warning": "warning caution attention",
        "failure": "failure fail missing",
        "danger": "danger error",
        "bug": "bug",
        "example": "example",
        "quote": "quote cite",
    }.items()
    for name in names.split()
}


def opening(kind: str, *, folds: bool, is_open: bool = False) -> tuple[str, dict[str, str | int | float]]:
    """Return the tag and attributes of a callout: an admonition, or ``<details>`` when it folds."""
    if not folds:
        return "div", {"class": f"admonition {kind}"}
    return "details", {"class": kind, **({"open": ""} if is_open else {})}


def title_tokens(content: str, lines: list[int] | None, level: int, *, folds: bool) -> list[Token]:
    """Return the tokens of a callout's title, with inline content that is still to be parsed."""
    tag = "summary" if folds else "p"
    attrs: dict[str, str | int | float] = {} if folds else {"class": "admonition-title"}
    return [
        Token("callout_title_open", tag, 1, attrs=attrs, block=True, level=level),
        Token("inline", "", 0, content=content, map=lines, level=level + 1, children=[]),
        Token("callout_title_close", tag, -1, block=True, level=level),
    ]


def quote_callouts(state: StateCore) -> None:
    """Turn ``> [!note] Title`` quotes into callouts; ``+`` and ``-`` make them fold."""
    opened: list[str | None] = []
    out: list[Token] = []
    tokens = state.tokens
    skip = 0
    for index, token in enumerate(tokens):
        if skip:
            skip -= 1
            continue
        out.append(token)
        if token.type == "blockquote_open":
            head, skip = _head(tokens, index)
            out += head
            opened.append(token.tag if head else None)
        elif token.type == "blockquote_close" and (tag := opened.pop()):
            token.tag = tag
    state.tokens = out


def _head(tokens: list[Token], index: int) -> tuple[list[Token], int]:
    """Return the tokens that follow the opening of a callout, and how many of the quote's own they replace."""
    if index + 2 >= len(tokens) or tokens[index + 2].type != "inline":
        return [], 0
    inline = tokens[index + 2]
    first, _, rest = inline.content.partition("\n")
    match = _CALLOUT.fullmatch(first.strip())
    if not match:
        return [], 0
    folds = bool(match[2])
    token = tokens[index]
    token.tag, token.attrs = opening(KINDS.get(match[1].lower(), "note"), folds=folds, is_open=match[2] == "+")
    title = title_tokens(match[3] or match[1].capitalize(), inline.map, token.level + 1, folds=folds)
    if not rest.strip() or not inline.map:
        return title, 3
    inline.content, inline.map = rest, [inline.map[0] + 1, inline.map[1]]
    return [*title, tokens[index + 1]], 1
