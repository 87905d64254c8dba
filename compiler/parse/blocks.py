"""Where code blocks and tables stand in a text: what a chunk may not cut through."""

from __future__ import annotations

import re
from dataclasses import dataclass

from compiler.parse.markdown import block_tokens

_NEEDS_PARSE = re.compile(r"```|~~~|^(?: {4}|\t)|\|", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A code block or table as character offsets; `head` reopens it in a later chunk, `tail` closes an earlier one."""

    kind: str  # "fence" | "code" | "table"
    start: int
    end: int
    head: str = ""
    tail: str = ""


def blocks(text: str) -> tuple[Block, ...]:
    """Return the code blocks and tables of a text, in order."""
    if not _NEEDS_PARSE.search(text):
        return ()
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    out = []
    for token in block_tokens(text):
        if token.type in ("fence", "code_block", "table_open") and token.map:
            first, last = token.map
            start, end = starts[first], min(starts[last], len(text))
            head = tail = ""
            if token.type == "fence":
                head, tail = lines[first] + "\n", _indent(lines[first]) + token.markup + "\n"
            elif token.type == "table_open":
                head = "\n".join(lines[first : first + 2]) + "\n"
            out.append(
                Block({"table_open": "table", "code_block": "code"}.get(token.type, "fence"), start, end, head, tail)
            )
    return tuple(out)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
