"""Blocks meant as front matter that are none: refused, so that a marker in one is never ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compiler.errors import FileError
from compiler.sources.keys import INVISIBLE, is_sharing_key

NEAR_TOP = 50  # lines of the body in which a block may have been meant as front matter
LONGEST = 30  # lines of such a block; more is text between two thematic breaks
UNCLOSED = 200  # lines after a block that opens the file, closed or not
_RULE = re.compile(r"\s*(?:[-﹣－﹘]{3,}|—{2,}|\+{3,})\s*(?:#.*)?")
_CLOSE = re.compile(r"\s*\.{3}\s*")
_OPEN_FIRST = re.compile(r"\s*~{3,}\s*(?:ya?ml|toml|json)?\s*", re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DATA = re.compile(r"\s*(?:#.*|[-*] .*|[-*]|[\"']?[^\s:：=].{0,60}?[:：=].*)?")
_KEY = re.compile(r"\s*(?:[-*] )?[\"']?([^\s:：=\"'#]+)[\"']?\s*[:：=]")
_MARKER = re.compile(r"\s*[\"']?([^\s:：=\"'#]+)[\"']?\s*[:：=]\s*[\"']?([^\s\"']+)[\"']?\s*(?:#.*)?")
_JSON_KEY = re.compile(r"[{,]\s*[\"']?([^\s:\"'{,]{1,40})[\"']?\s*:")


def refuse_late_block(lines: Sequence[str], *, before: int = 0) -> None:
    """Raise FileError when a block with a sharing key stands near the top of a body.

    `lines` is the body, `before` the number of lines of a genuine front matter above it. Blocks in code fences are
    text. A block is short and holds only data lines; where no line closes it, or opens it at the top of a file, a
    sharing key counts only with a value of one word, so that prose with a colon stays prose.
    """
    clean = [INVISIBLE.sub("", line) for line in lines[: NEAR_TOP + UNCLOSED]]
    first = next((i for i, line in enumerate(clean) if line.strip()), None)
    if first is None:
        return
    if _begins_bare(clean[first:]) or (not before and _opens_with_a_marker(clean, first)):
        raise _late(before + first + 1)
    for start, block in _blocks(clean):
        if _holds_sharing_key(block):
            raise _late(before + start + 1)


def _late(line: int) -> FileError:
    return FileError(
        "frontmatter-not-first",
        "this block with a sharing key is not read: front matter begins at the first byte, with ---",
        line=line,
        fix="move it to the very top of the file, between --- lines",
    )


def _opens_with_a_marker(lines: Sequence[str], first: int) -> bool:
    head = lines[first].strip()
    if head.startswith("{"):
        return any(is_sharing_key(m[1]) for m in _JSON_KEY.finditer("\n".join(lines[first : first + NEAR_TOP])))
    if not (_RULE.fullmatch(head) or _OPEN_FIRST.fullmatch(head)):
        return False
    end = next(
        (i for i in range(first + 1, len(lines)) if _ends(lines[i]) or _OPEN_FIRST.fullmatch(lines[i])), len(lines)
    )
    return _holds_sharing_key(lines[first + 1 : end])


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the first line and the inner lines of each short block of data lines outside code fences."""
    fence = ""
    for at, line in enumerate(lines[:NEAR_TOP]):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) and not line.strip(" `~") else fence
        elif mark:
            fence = mark[1]
        elif _RULE.fullmatch(line) and (block := _block_after(lines, at)):
            yield at, block


def _block_after(lines: Sequence[str], at: int) -> Sequence[str]:
    last = min(len(lines), at + LONGEST + 2)
    for end in range(at + 1, last):
        if _ends(lines[end]):
            return lines[at + 1 : end]
        if not _DATA.fullmatch(lines[end]):
            return _markers(lines[at + 1 : end])
    return _markers(lines[at + 1 : last])


def _markers(lines: Sequence[str]) -> list[str]:
    """Return the lines that can only be meant as a marker: a sharing key and a value of one word."""
    return [line for line in lines if (match := _MARKER.fullmatch(line)) and is_sharing_key(match[1])]


def _begins_bare(lines: Sequence[str]) -> bool:
    """Tell whether a file begins with ``key: value`` lines and no ``---``, one of them a marker."""
    end = next((i for i, line in enumerate(lines) if not _KEY.match(line) or not line.strip()), len(lines))
    return bool(_markers(lines[:end]))


def _ends(line: str) -> bool:
    return bool(_RULE.fullmatch(line) or _CLOSE.fullmatch(line))


def _holds_sharing_key(block: Sequence[str]) -> bool:
    return any((match := _KEY.match(line)) and is_sharing_key(match[1]) for line in block)
