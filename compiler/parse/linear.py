"""Rules of markdown-it-py in linear time where its own take the square of the text; lines and text in one step."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate, groupby

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

BlockRule = Callable[[StateBlock, int, int, bool], bool]
_TEXT = re.compile(r"[^\n!#$%&*+\-:<=>@\[\\\]^_`{}~]+")  # the parser's own rule takes it one by one
REFERENCE_LINES = 20  # a definition with a longer title is text


def linear(md: MarkdownIt) -> None:
    """Put the linear rules in the place of the parser's own (a markdown-it plugin)."""
    md.block = _Blocks(md.block)
    md.inline.ruler.at("text", _plain_text)
    md.inline.ruler2.at("fragments_join", _fragments)
    md.core.ruler.at("text_join", _texts)
    rule = next(rule for rule in md.block.ruler.__rules__ if rule.name == "reference").fn
    md.block.ruler.at("reference", _short(rule))


class _Blocks(ParserBlock):
    """The same rules, over lines that are found without a look at every character."""

    def __init__(self, blocks: ParserBlock) -> None:
        self.ruler = blocks.ruler

    def parse(self, src: str, md: MarkdownIt, env: EnvType, out_tokens: list[Token]) -> list[Token] | None:
        state = StateBlock("", md, env, out_tokens)
        set_lines(state, src)
        self.tokenize(state, 0, state.lineMax)
        return state.tokens


def set_lines(state: StateBlock, src: str) -> None:
    """Set what StateBlock knows of the lines of its text: where each begins and ends, and its indent."""
    lines = src.split("\n")
    if not lines[-1].strip(" \t"):
        lines.pop()  # without an end it is no line
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    blanks = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines]
    state.src, state.lineMax = src, len(lines)
    state.bMarks = [*starts[:-1], len(src)]
    state.eMarks = [*(start + len(line) for start, line in zip(starts, lines, strict=False)), len(src)]
    state.tShift = [*map(len, blanks), 0]
    state.sCount = [*(len(blank.expandtabs(4)) for blank in blanks), 0]
    state.bsCount = [0] * (len(lines) + 1)


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


def _plain_text(state: StateInline, silent: bool) -> bool:
    """Take the text up to the next character that may begin something, at once."""
    match = _TEXT.match(state.src, state.pos, state.posMax)
    if match and not silent:
        state.pending += match[0]
    state.pos = match.end() if match else state.pos
    return match is not None


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
