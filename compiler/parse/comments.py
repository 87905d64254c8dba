"""Removes what an author meant for no reader: ``<!-- HTML comments -->`` and ``%% Obsidian comments %%``."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

_BLOCKS = MarkdownIt("commonmark", {"maxNesting": 100}).disable(["reference", "lheading", "html_block"])
_MARK = re.compile(r"<!--|%%|`+|\n[ \t]*\n")


def strip_comments(body: str) -> str:
    """Return the body without comments, with the same number of lines.

    Comments inside code stay, because there they are code. A block comment that is never closed hides the rest of the
    page, as it does in Obsidian and in HTML.
    """
    if "<!--" not in body and "%%" not in body:
        return body
    code = _code_spans(body)
    out: list[str] = []
    at = 0
    while match := _MARK.search(body, at):
        inside = next((end for start, end in code if start <= match.start() < end), None)
        if inside is not None:
            out.append(body[at:inside])
            at = inside
            continue
        end, keep = _skip(body, match)
        out.append(body[at : match.start()])
        out.append(body[match.start() : end] if keep else "\n" * body.count("\n", match.start(), end))
        at = end
    out.append(body[at:])
    return "".join(out)


def _skip(body: str, match: re.Match[str]) -> tuple[int, bool]:
    """Return where the marked piece ends, and whether its text is kept."""
    mark, start = match[0], match.start()
    if mark.startswith("`"):
        block = re.compile(r"\n[ \t]*\n").search(body, match.end())
        close = re.compile(rf"(?<!`){mark}(?!`)").search(body, match.end(), block.start() if block else len(body))
        return (close.end() if close else match.end()), True
    if mark.startswith("\n"):
        return match.end() - 1, True
    close_mark = "-->" if mark == "<!--" else "%%"
    end = body.find(close_mark, match.end())
    if end >= 0:
        return end + len(close_mark), False
    opens_block = not body[body.rfind("\n", 0, start) + 1 : start].strip()
    return (len(body), False) if opens_block else (match.end(), True)


def _code_spans(body: str) -> list[tuple[int, int]]:
    """Return the character spans of fenced and indented code blocks."""
    starts = [0]
    for line in body.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    tokens = _BLOCKS.parse(body) if ("```" in body or "~~~" in body or "    " in body or "\t" in body) else []
    maps = [token.map for token in tokens if token.type in ("fence", "code_block") and token.map]
    return [(starts[first], starts[min(last, len(starts) - 1)]) for first, last in maps]
