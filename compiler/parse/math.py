"""Formulas in LaTeX, rendered to MathML when the page is built. Money is no formula."""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from math_core import LatexError, LatexToMathML

MAX_LENGTH = 1000  # characters of a formula inside a line; a dollar that has none this near is a dollar
MAX_LINES = 200  # lines of a formula that stands alone
# Pandoc's rule for dollars: no blank inside the marks, no letter or digit outside them; and all on one line.
_DOLLAR = re.compile(rf"(?<![0-9A-Za-z$])\$(?![\s$])((?:\\.|[^\\$`\n]){{1,{MAX_LENGTH}}}?)(?<!\s)\$(?![0-9A-Za-z${{])")
_DOUBLE = re.compile(rf"(?<!\$)\$\$(?!\$)((?:\\.|[^\\$]){{1,{MAX_LENGTH}}}?)\$\$(?!\$)")
_ROUND = re.compile(rf"\\\(((?:[^\\]|\\(?!\))){{1,{MAX_LENGTH}}}?)\\\)")
_MONEY = re.compile(r"[\d.,]+(?:\s*(?:[A-Za-z]{2,}|[^\x00-\x7f])|\s+[A-Za-z])")
_FORMULA = re.compile(r"[\\^_=<>{}+]|\A\s*[A-Za-z]'?\s*\Z")
_MARKS = {"$$": "$$", "\\[": "\\]"}


def math(md: MarkdownIt) -> None:
    """Teach a parser ``$…$``, ``$$…$$``, ``\\(…\\)`` and ``\\[…\\]`` (a markdown-it plugin)."""
    md.inline.ruler.before("escape", "math_inline", _inline)
    md.block.ruler.before("fence", "math_block", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]})


@lru_cache(maxsize=4096)
def to_mathml(tex: str, *, display: bool) -> str | None:
    """Return the MathML of a formula, None when it is not valid LaTeX."""
    try:
        return str(_converter().convert_with_local_state(tex, displaystyle=display))
    except LatexError:
        return None


@lru_cache(maxsize=1)
def _converter() -> LatexToMathML:
    return LatexToMathML(fancy_error=False)


@lru_cache(maxsize=4)
def _last_mark(text: str, mark: str) -> int:
    return text.rfind(mark)


def _inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    match = _DOLLAR.match(state.src, state.pos)
    if match and _MONEY.match(match[1]):
        return False
    match = match or _DOUBLE.match(state.src, state.pos)
    if not match:
        match = _ROUND.match(state.src, state.pos)
        if not match or not _FORMULA.search(match[1]):
            return False
    if match.end() > state.posMax:
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content, token.markup = match[1].strip(), match[0]
        token.meta["display"] = match[0].startswith("$$")
    state.pos = match.end()
    return True


def _block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    place = state.bMarks[start] + state.tShift[start]
    mark = state.src[place : place + 2]
    if mark not in _MARKS or state.is_code_block(start) or place >= _last_mark(state.src, _MARKS[mark]):
        return False
    last = _last_line(state, start, end, _MARKS[mark])
    if last is None:
        return False
    content = state.getLines(start, last + 1, state.sCount[start], False).strip()
    tex = content[2:-2].strip()
    if not tex or "$$" in tex or (mark == "\\[" and not _FORMULA.search(tex)):
        return False
    if not silent:
        token = state.push("math_block", "math", 0)
        token.content, token.markup, token.map, token.block = tex, content, [start, last + 1], True
        token.meta["display"] = True
        state.line = last + 1
    return True


def _last_line(state: StateBlock, start: int, end: int, close: str) -> int | None:
    """Return the line on which a formula closes; one that holds an empty line is none."""
    for number in range(start, min(end, start + MAX_LINES)):
        if state.isEmpty(number) or (number > start and state.sCount[number] < state.blkIndent):
            return None
        line = state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()
        if close in (line[2:] if number == start else line):
            return number if line.endswith(close) else None
    return None
