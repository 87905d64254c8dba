"""Rules of markdown-it-py whose time grows with the square of the text, in linear time: joins of text, references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

BlockRule = Callable[[StateBlock, int, int, bool], bool]
REFERENCE_LINES = 20  # a definition with a longer title is text


def linear(md: MarkdownIt) -> None:
    """Put the linear rules in the place of the parser's own (a markdown-it plugin)."""
    md.inline.ruler2.at("fragments_join", _fragments)
    md.core.ruler.at("text_join", _texts)
    rule = next(rule for rule in md.block.ruler.__rules__ if rule.name == "reference").fn
    md.block.ruler.at("reference", _short(rule))


def _short(rule: BlockRule) -> BlockRule:
    """Return the rule for reference definitions without its search through the whole paragraph below each of them."""

    def run(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        kept = state.lineMax
        state.lineMax = min(kept, start + REFERENCE_LINES)
        try:
            return bool(rule(state, start, end, silent))
        finally:
            state.lineMax = kept

    return run


def _fragments(state: StateInline) -> None:
    """Join the marks that opened nothing with the text around them, and set the level of every token."""
    level = 0
    for token in state.tokens:
        level += min(token.nesting, 0)
        token.level = level
        level += max(token.nesting, 0)
    state.tokens[:] = _joined(state.tokens)


def _texts(state: StateCore) -> None:
    """Join escaped characters with the text around them."""
    for block in state.tokens:
        for token in block.children or ():
            if token.type == "text_special":
                token.type = "text"
        if block.type == "inline":
            block.children = _joined(block.children or [])


def _joined(tokens: Sequence[Token]) -> list[Token]:
    out: list[Token] = []
    for is_text, group in groupby(tokens, lambda token: token.type == "text"):
        run = list(group)
        if is_text and len(run) > 1:
            run[-1].content = "".join(token.content for token in run)
            run = run[-1:]
        out += run
    return out
