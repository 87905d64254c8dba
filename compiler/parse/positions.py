"""Where the parser's tokens stand in the source, to the character, so that text can be edited by what it means."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from compiler.parse.inline import PIPE

_SPANNED = {  # rule -> the kind of token it makes, and the characters it begins with
    "backticks": ("code_inline", "`"),
    "wikilink": ("wikilink", "[!"),
    "link": ("link_open", "["),
    "image": ("image", "!"),
    "html_inline": ("html_inline", "<"),
}


def keep_spans(md: MarkdownIt) -> None:
    """Make each inline token that matters tell in ``meta["span"]`` where it stands in its block's content.

    Links and pictures also tell in ``meta["label_end"]`` where the ``]`` of their label is.
    """
    rules = {rule.name: rule.fn for rule in md.inline.ruler.__rules__}
    for name, (kind, firsts) in _SPANNED.items():
        md.inline.ruler.at(name, _spanned(rules[name], kind, firsts))


@lru_cache(maxsize=4)
def _last_bracket(text: str) -> int:
    return text.rfind("]")


def _spanned(rule: Callable[[StateInline, bool], bool], kind: str, firsts: str) -> Callable[[StateInline, bool], bool]:
    brackets = firsts not in "`<"

    def run(state: StateInline, silent: bool) -> bool:
        if state.src[state.pos] not in firsts or (brackets and state.pos > _last_bracket(state.src)):
            return False
        start, before = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        token = next((t for t in state.tokens[before : before + 2] if t.type == kind), None) if not silent else None
        if token is not None:
            token.meta["span"] = (start, state.pos)
            if kind in ("link_open", "image"):
                opening = start + (kind == "image")
                token.meta["label_end"] = state.md.helpers.parseLinkLabel(state, opening, kind == "link_open")
        return True

    return run


@dataclass(frozen=True, slots=True)
class Placed:
    """The lines of one block's content and where each begins and ends in the body."""

    lines: tuple[str, ...]
    content: tuple[int, ...]  # start of each line in the content
    inner: tuple[int, ...]  # where its first visible character is in the body: what stands before is list or quote
    ends: tuple[int, ...]  # where the body's line ends
    cell: bool  # a table cell: the content has | where the body has \|

    def offset(self, position: int) -> int:
        """Return the place in the body of a position in the content."""
        row = bisect_right(self.content, position) - 1
        line = self.lines[row]
        column, lead = position - self.content[row], len(line) - len(line.lstrip())
        return self.inner[row] + column - lead + (line[:column].count("|") if self.cell else 0)


class Source:
    """A body and the places of its blocks."""

    def __init__(self, body: str, tokens: Sequence[Token]) -> None:
        self.body = body
        self.lines = body.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.cell_ends: dict[int, int] = {}  # line number -> column behind the last cell placed
        self._placed = {id(token): self._place(token, cell=cell) for token, cell in _texts(tokens)}

    def placed(self, block: Token) -> Placed | None:
        """Return where an inline or raw HTML block stands; None when its text is not in the body as it is."""
        return self._placed.get(id(block))

    def _place(self, block: Token, *, cell: bool) -> Placed | None:
        first = block.map[0] if block.map else 0
        content = str(block.meta.get("source", block.content)).removesuffix("\n")
        lines = content.split("\n")
        if not block.map or first + len(lines) > len(self.lines):
            return None
        columns = [self._column(first + i, line.strip(), cell=cell) for i, line in enumerate(lines)]
        if min(columns) < 0:
            return None
        begins = [0]
        for line in lines:
            begins.append(begins[-1] + len(line) + 1)
        inner = tuple(self.starts[first + i] + column for i, column in enumerate(columns))
        ends = tuple(self.starts[first + i] + len(self.lines[first + i]) for i in range(len(lines)))
        return Placed(tuple(lines), tuple(begins[:-1]), inner, ends, cell)

    def _column(self, number: int, text: str, *, cell: bool) -> int:
        line = self.lines[number]
        if cell:
            text = text.replace("|", "\\|").replace(PIPE, "|")
            at = line.find(text, self.cell_ends.get(number, 0))
            if text and at >= 0:
                self.cell_ends[number] = at + len(text)
            return at
        return len(line.rstrip()) - len(text) if line.rstrip().endswith(text) else line.find(text)


def _texts(tokens: Sequence[Token]) -> Iterator[tuple[Token, bool]]:
    """Yield each block that has text of its own, and whether it is a table cell."""
    for index, token in enumerate(tokens):
        if token.type in ("inline", "html_block"):
            yield token, index > 0 and tokens[index - 1].type in ("td_open", "th_open")


def code_regions(source: Source, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return the places in the body that are code: fences, indented blocks and code spans, in order."""
    out: list[tuple[int, int]] = []
    for token in tokens:
        if token.type in ("fence", "code_block") and token.map:
            first, last = token.map
            out.append((source.starts[first], source.starts[min(last, len(source.lines))]))
        placed = source.placed(token) if token.type == "inline" else None
        for child in (token.children or ()) if placed else ():
            if child.type == "code_inline" and placed:
                start, end = child.meta["span"]
                out.append((placed.offset(start), placed.offset(end - 1) + 1))
    return sorted(out)
