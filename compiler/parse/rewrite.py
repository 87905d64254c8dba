"""The published text of a page: its Markdown with every internal link resolved, line for line the same as the source.

Chunks, outline, search and the read tool see this text. A link to a page that is not public leaves only its label.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import quote

from markdown_it.token import Token

from compiler.parse.links import Resolution
from compiler.parse.raw_html import rewrite_attributes

_LINK_TAIL = re.compile(
    r"\]\(\s*(?:<(?P<angle>[^<>\n]*)>|(?P<plain>(?:[^\s()]|\((?:[^\s()])*\))*))(?P<rest>\s*(?:\"[^\"]*\"|'[^']*')?\s*\))"
)
_DEFINITION = re.compile(r"^(?P<head> {0,3}\[[^\]\n]+\]:\s*)(?P<url><[^>\n]*>|\S+)(?P<rest>.*)$")


class Lines:
    """The lines of a page, edited from left to right within each line."""

    def __init__(self, body: str) -> None:
        self.lines = body.split("\n")
        self._from: dict[int, int] = {}

    def replace(self, first: int, last: int, raw: Sequence[str], new: str) -> bool:
        """Replace the next occurrence of one of `raw` in lines ``first..last-1``; tell whether it was found."""
        for number in range(first, min(last, len(self.lines))):
            for text in raw:
                at = self.lines[number].find(text, self._from.get(number, 0))
                if at >= 0:
                    self.lines[number] = self.lines[number][:at] + new + self.lines[number][at + len(text) :]
                    self._from[number] = at + len(new)
                    return True
        return False

    def edit(self, number: int, change: Callable[[str], str]) -> None:
        """Replace one whole line."""
        self.lines[number] = change(self.lines[number])

    def text(self) -> str:
        """Return the edited page."""
        return "\n".join(self.lines)


def markdown_url(found: Resolution) -> str:
    """Return the address of a resolution for use in published Markdown: rooted at the site, percent-encoded."""
    if found.status == "external":
        return found.url
    return "/" + quote(found.url) + (f"#{quote(found.anchor)}" if found.anchor else "")


def rewrite_wikilink(lines: Lines, block: Token, token: Token) -> None:
    """Replace a wikilink by a Markdown link, or by its label when it leads nowhere public."""
    found: Resolution = token.meta["resolution"]
    label = token.content
    image = "!" if token.meta["embed"] and found.status == "attachment" else ""
    new = label if found.status == "missing" else f"{image}[{label}]({markdown_url(found)})"
    raw = token.meta["raw"]
    first, last = block.map or (0, 0)
    lines.replace(first, last, (raw, raw.replace("|", "\\|")), new)


def rewrite_line_links(line: str, resolve: Callable[[str], Resolution]) -> str:
    """Return a line of prose in which each inline link's address is resolved and missing ones keep only their label."""
    line = _DEFINITION.sub(lambda m: _definition(m, resolve), line)
    out: list[str] = []
    at = 0
    while match := _LINK_TAIL.search(line, at):
        opening = _opening_bracket(line, match.start())
        found = resolve(match["angle"] if match["angle"] is not None else match["plain"])
        if found.status == "external":
            out.append(line[at : match.end()])
        elif opening < at:
            out.append(line[at : match.start()] + f"]({'' if found.status == 'missing' else markdown_url(found)})")
        elif found.status == "missing":
            bang = opening - 1 if opening > at and line[opening - 1] == "!" else opening
            out.append(line[at:bang] + line[opening + 1 : match.start()])
        else:
            out.append(line[at : match.start()] + f"]({markdown_url(found)}" + match["rest"])
        at = match.end()
    return "".join(out) + line[at:]


def rewrite_html_line(line: str, resolve: Callable[[str], Resolution]) -> str:
    """Return a line of raw HTML with each address resolved; an attribute that leads nowhere public is dropped."""

    def change(url: str) -> str | None:
        found = resolve(url)
        return None if found.status == "missing" else url if found.status == "external" else markdown_url(found)

    return rewrite_attributes(line, change)


def _definition(match: re.Match[str], resolve: Callable[[str], Resolution]) -> str:
    if match["head"].lstrip().startswith("[^"):
        return match[0]
    found = resolve(match["url"].strip("<>"))
    if found.status == "external":
        return match[0]
    return "" if found.status == "missing" else match["head"] + markdown_url(found) + match["rest"]


def _opening_bracket(line: str, close: int) -> int:
    depth = 0
    for at in range(close, -1, -1):
        if line[at] == "]" and (at == 0 or line[at - 1] != "\\"):
            depth += 1
        elif line[at] == "[" and (at == 0 or line[at - 1] != "\\"):
            depth -= 1
            if depth == 0:
                return at
    return close
