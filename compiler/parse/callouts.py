"""Callouts: the kinds that the theme styles, and the quotes of Obsidian and GitHub that become one."""

from __future__ import annotations

import re
from dataclasses import dataclass

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


UNTITLED = "g-untitled"  # the class of a title that no author wrote: the site says it in the language of the page


@dataclass(frozen=True, slots=True)
class Title:
    """The title of a callout, and whether its author wrote it."""

    text: str
    written: bool = True


def default_title(name: str) -> Title:
    """Return the title of a callout that has none: its name, as it was written."""
    return Title(name.capitalize(), written=False)


def opening(kind: str, *, folds: bool, is_open: bool = False) -> tuple[str, dict[str, str | int | float]]:
    """Return the tag and attributes of a callout: an admonition, or ``<details>`` when it folds."""
    if not folds:
        return "div", {"class": f"admonition {kind}"}
    return "details", {"class": kind, **({"open": ""} if is_open else {})}


def title_tokens(title: Title, lines: list[int] | None, level: int, *, folds: bool) -> list[Token]:
    """Return the tokens of a callout's title, with inline content that is still to be parsed."""
    tag = "summary" if folds else "p"
    classes = [*([] if folds else ["admonition-title"]), *([] if title.written else [UNTITLED])]
    attrs: dict[str, str | int | float] = {"class": " ".join(classes)} if classes else {}
    return [
        Token("callout_title_open", tag, 1, attrs=attrs, block=True, level=level),
        Token("inline", "", 0, content=title.text, map=lines, level=level + 1, children=[]),
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
    title = Title(match[3]) if match[3] else default_title(match[1])
    shown = title_tokens(title, inline.map, token.level + 1, folds=folds)
    if not rest.strip() or not inline.map:
        return shown, 3
    inline.content, inline.map = rest, [inline.map[0] + 1, inline.map[1]]
    return [*shown, tokens[index + 1]], 1
