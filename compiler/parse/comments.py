"""Removes what an author meant for no reader: ``<!-- HTML comments -->`` and ``%% Obsidian comments %%``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from markdown_it.token import Token

from compiler.parse.markdown import MAX_HTML_NESTING, comment_parser, refuse_deep_nesting
from compiler.parse.positions import Source, code_regions

_MARK = re.compile(r"<!--|%%")
_CLOSE = {"<!--": re.compile(r"--!?>"), "%%": re.compile("%%")}
_MATH = re.compile(r"(?<![\\$])\$\$(?:(?!\n[ \t]*\n)[^$])*\$\$")
# A mark of a list makes two levels of the parser's hundred, a tab the room for two lists: 98 levels take 24 of these.
_MAYBE_DEEP = re.compile(r"^(?:[ \t>]|[-*+:~][ \t]|[0-9]{1,9}[.)][ \t]){20}", re.MULTILINE)
ROUNDS = 4  # a removed comment can change what is code: read again until nothing is left to remove

Region = tuple[int, int]


def is_plain(body: str) -> bool:
    """Tell whether a body surely holds no comment and nothing too deep, so that it need not be read for that."""
    marked = "<!--" in body or "%%" in body
    return not marked and not _MAYBE_DEEP.search(body) and body.count("<") <= MAX_HTML_NESTING


def strip_comments(body: str) -> str:
    """Return the body without comments, with the same number of lines.

    Comments inside code stay, because there they are code; what is code, the parser says. A block comment that is
    never closed hides the rest of the page, as it does in Obsidian and in HTML. Where removing comments does not come
    to rest, code is no longer spared. Raises FileError for what is nested deeper than the parser or a browser reads.
    """
    if is_plain(body):
        return body
    for _ in range(ROUNDS):
        tokens = comment_parser().parse(body, {})
        refuse_deep_nesting(tokens)
        source = Source(body, tokens)
        stripped = _Pass(body, code_regions(source, tokens), _html(source, tokens)).run()
        if stripped == body:
            return body
        body = stripped
    for _ in range(ROUNDS):
        stripped = _Pass(body, [], []).run()
        if stripped == body:
            return body
        body = stripped
    first = _MARK.search(body)
    return body if first is None else body[: first.start()] + "\n" * body.count("\n", first.start())


def _html(source: Source, tokens: Sequence[Token]) -> list[Region]:
    maps = [token.map for token in tokens if token.type == "html_block" and token.map]
    return [(source.starts[first], source.starts[min(last, len(source.lines))]) for first, last in maps]


class _Pass:
    """One removal of every comment that stands outside code."""

    def __init__(self, body: str, code: list[Region], html: list[Region]) -> None:
        self.body = body
        self.code = code
        self.html = html
        self.math = [match.span() for match in _MATH.finditer(body)] if "$$" in body else []
        self.unclosed: set[str] = set()  # marks that no later place closes

    def run(self) -> str:
        out: list[str] = []
        at = 0
        while match := _MARK.search(self.body, at):
            end, keep = self._skip(match[0], match.start())
            out.append(self.body[at : match.start()])
            out.append(self.body[match.start() : end] if keep else "\n" * self.body.count("\n", match.start(), end))
            at = end
        out.append(self.body[at:])
        return "".join(out)

    def _skip(self, mark: str, start: int) -> tuple[int, bool]:
        """Return where the piece that begins with a mark ends, and whether its text is kept."""
        if inside := _around(self.code, start):
            return inside[1], True
        after = start + len(mark)
        opens_block = not self.body[self.body.rfind("\n", 0, start) + 1 : start].strip()
        end = self._end(mark, after)
        if mark == "%%" and not opens_block and _around(self.math, start) and (end < 0 or "\n" in self.body[after:end]):
            return after, True  # in a formula a comment of more than one line is none
        if end >= 0:
            return end, False
        hides_rest = opens_block or (mark == "<!--" and _around(self.html, start) is not None)
        return (len(self.body), False) if hides_rest else (after, True)

    def _end(self, mark: str, after: int) -> int:
        if mark in self.unclosed:
            return -1
        close = _CLOSE[mark].search(self.body, after)
        if close is None:
            self.unclosed.add(mark)
            return -1
        return close.end()


def _around(regions: Sequence[Region], place: int) -> Region | None:
    """Return the region that holds a place. Regions are sorted and apart."""
    index = bisect_right(regions, (place, len(regions) and regions[-1][1] + 1)) - 1
    return regions[index] if index >= 0 and regions[index][0] <= place < regions[index][1] else None
