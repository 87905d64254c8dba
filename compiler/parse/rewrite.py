"""The published text of a page: its Markdown with every internal link resolved, line for line the same as the source.

Chunks, outline, search and the read tool see this text. A link to a page that is not public leaves only its label.
The result goes through `net.py`: whatever address in it was not put there is cut down to its label.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from markdown_it.token import Token

from compiler.parse.links import Resolution
from compiler.parse.markdown import parser, plain_inline
from compiler.parse.net import container, definitions, netted
from compiler.parse.positions import Placed, Source
from compiler.parse.raw_html import host_of, text_html

Resolve = Callable[[str], Resolution]
_NEEDS_EDIT = re.compile(r"[\[<^]")
_LINKS = ("wikilink", "link_open", "image", "html_inline")


def markdown_url(found: Resolution) -> str:
    """Return the address of a resolution for use in published Markdown: rooted at the site, percent-encoded."""
    if found.status == "external":
        return found.url
    return "/" + quote(found.url) + (f"#{quote(found.anchor)}" if found.anchor else "")


def published_text(body: str, tokens: Sequence[Token], env: Mapping[str, Any], resolve: Resolve) -> str:
    """Return the body with its links resolved. `resolve` takes an address or a wikilink as written.

    `tokens` and `env` are what the source parser reads in the body.
    """
    if not _NEEDS_EDIT.search(body):
        return body
    edits = _Edits(body, tokens, resolve)
    for block in tokens:
        edits.block(block)
    edits.surplus_cells()
    for definition in definitions(env):
        edits.definition(definition)
    return netted(edits.text(), edits.made)


class _Edits:
    """The changes to one body, as replaced stretches of it."""

    def __init__(self, body: str, tokens: Sequence[Token], resolve: Resolve) -> None:
        self.source = Source(body, tokens)
        self.resolve = resolve
        self.made: set[str] = set()
        self.changes: list[tuple[int, int, str]] = []

    def block(self, block: Token) -> None:
        """Edit one block of the page. One that is not in the body as it is stays for the net."""
        placed = self.source.placed(block)
        if placed and block.type == "html_block":
            self._html_block(block, placed)
        elif placed and block.type == "inline":
            if "id_span" in block.meta:
                start, end = block.meta["id_span"]
                self._replace(placed, start, end, "")
            for token in block.children or ():
                if "span" in token.meta and token.type in _LINKS:
                    self._inline(token, placed, block.content)

    def _inline(self, token: Token, placed: Placed, content: str) -> None:
        start, end = token.meta["span"]
        if token.type == "html_inline":
            new = text_html(token.content, self._address).replace("\n", " ")
            self._replace(placed, start, end, new if new != token.content else None)
        elif token.type == "wikilink":
            self._replace(placed, start, end, self._wikilink(token))
        elif token.type == "image":
            self._replace(placed, start, end, self._image(token))
        else:
            self._link(token, placed, content)

    def _wikilink(self, token: Token) -> str:
        found = self.resolve(token.meta["raw"])
        if found.status == "missing":
            return token.content
        image = token.meta["embed"] and found.status == "attachment"
        label = token.meta["alt"] if image else token.content
        return f"{'!' if image else ''}[{label}]({self._made(found)})"

    def _image(self, token: Token) -> str | None:
        found = self.resolve(str(token.attrs.get("src", "")))
        children = token.children or []
        label = plain_inline(children)
        if found.status == "external":
            return f"[{_escaped(label) or host_of(found.url)}](<{found.url}>{_title(token)})"
        return label if found.status == "missing" else f"![{_escaped(label)}]({self._made(found)}{_title(token)})"

    def _link(self, token: Token, placed: Placed, content: str) -> None:
        found = self.resolve(str(token.attrs.get("href", "")))
        (start, end), close = token.meta["span"], token.meta["label_end"]
        if found.status == "missing":
            self._replace(placed, start, start + 1, "")
            self._replace(placed, close, end, "")
        elif found.status != "external" and content[close + 1 : close + 2] == "(":
            self._replace(placed, close, end, f"]({self._made(found)}{_title(token)})")

    def _html_block(self, block: Token, placed: Placed) -> None:
        new = text_html(block.content, self._address).split("\n")
        for row, line in enumerate(placed.lines):
            if new[row] != line:
                self.changes.append((placed.inner[row], placed.ends[row], new[row].lstrip()))

    def definition(self, definition: dict[str, Any]) -> None:
        """Resolve the address that a reference definition gives; one that leads nowhere public goes."""
        found = self.resolve(definition["href"])
        if found.status == "external":
            return
        for number in range(*definition["map"]):
            line, start = self.source.lines[number], self.source.starts[number]
            prefix = container(line)
            new = ""
            if number == definition["map"][0] and found.status != "missing" and (label := _label(line[prefix:])):
                title = definition.get("title", "")
                new = f"{label} {self._made(found)}" + (f' "{_one_line(title)}"' if title else "")
            self.changes.append((start + prefix, start + len(line), new))

    def surplus_cells(self) -> None:
        """Cut what a table row has behind its last column: no page shows it."""
        for number, column in self.source.cell_ends.items():
            line, start = self.source.lines[number], self.source.starts[number]
            if line[column:].strip(" \t|"):
                self.changes.append((start + column, start + len(line), " |"))

    def _address(self, url: str) -> str | None:
        found = self.resolve(url)
        return None if found.status == "missing" else url if found.status == "external" else self._made(found)

    def _made(self, found: Resolution) -> str:
        url = markdown_url(found)
        self.made |= {url, parser().normalizeLink(url)}
        return url

    def _replace(self, placed: Placed, start: int, end: int, new: str | None) -> None:
        """Replace a stretch of a block's content; of each later line what it has in common with its list stays."""
        if new is None:
            return
        at, stop = placed.offset(start), placed.offset(end - 1) + 1
        text = new.replace("|", "\\|") if placed.cell else new
        for row in range(max(0, bisect_right(placed.inner, at) - 1), bisect_left(placed.inner, stop)):
            first, last = max(at, placed.inner[row]), min(stop, placed.ends[row])
            if first < last or (first == last == at):
                self.changes.append((first, last, text))
                text = ""

    def text(self) -> str:
        """Return the edited body."""
        out: list[str] = []
        at = 0
        for start, end, new in sorted(self.changes, key=lambda change: change[:2]):
            if start >= at:
                out += [self.source.body[at:start], new]
                at = end
        return "".join(out) + self.source.body[at:]


def _label(line: str) -> str:
    match = re.match(r"\[(?:\\.|[^\]\\])+\]:", line)
    return match[0] if match else ""


def _title(token: Token) -> str:
    title = str(token.attrs.get("title", ""))
    return f' "{_one_line(title)}"' if title else ""


def _one_line(title: str) -> str:
    return " ".join(title.split()).replace("\\", "\\\\").replace('"', '\\"')


def _escaped(label: str) -> str:
    return re.sub(r"([\[\]\\])", r"\\\1", label)
