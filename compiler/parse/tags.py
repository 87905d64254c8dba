"""The start tags of raw HTML, read as a browser reads them and in one pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape, unescape

ADDRESSES = ("href", "src", "poster")
# The parts of a start tag (HTML standard, 13.2.5.32 to 13.2.5.39): a quote counts only behind an equals sign, and a
# slash parts two attributes.
_OPEN = re.compile(r"<(?:(?P<name>[A-Za-z][^\s/>]*)|(?P<comment>!--)|(?P<other>/[A-Za-z][^\s/>]*|[!?/]))")
_ATTRIBUTE = re.compile(
    r"[\s/]*(?P<name>=?[^\s/>=]+|=)"
    r"(?:\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s>\"'][^\s>]*)|(?=>)))?"
)
_UNCLOSED = re.compile(r"\s*=\s*[\"']")
_END = re.compile(r"[\s/]*>")

Attribute = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Tag:
    """One start tag: its lower-case name, its attributes unescaped in order, and where it stands in the fragment."""

    name: str
    attributes: tuple[Attribute, ...]
    start: int
    end: int

    def get(self, name: str) -> str:
        """Return the value of an attribute, "" when it has none. Of a repeated one the first counts."""
        return next((value or "" for key, value in self.attributes if key == name), "")


def read_tags(fragment: str) -> tuple[list[Tag], int]:
    """Return the start tags of a fragment, and where a tag or comment begins that never ends (else its length)."""
    out: list[Tag] = []
    at = 0
    while match := _OPEN.search(fragment, at):
        if match["name"]:
            attributes, at = _attributes(fragment, match.end())
            out.append(Tag(match["name"].lower(), tuple(attributes), match.start(), at))
        else:
            close = "-->" if match["comment"] else ">"
            at = fragment.find(close, match.end()) + len(close)
            at = -1 if at < len(close) else at
        if at < 0:
            return out[:-1] if match["name"] else out, match.start()
    return out, len(fragment)


def _attributes(fragment: str, at: int) -> tuple[list[Attribute], int]:
    """Return a tag's attributes and where the tag ends, -1 when it does not."""
    out: list[Attribute] = []
    while not (end := _END.match(fragment, at)):
        match = _ATTRIBUTE.match(fragment, at)
        if match is None:
            return out, -1
        value = next((match[name] for name in ("double", "single", "bare") if match[name] is not None), None)
        if value is None and _UNCLOSED.match(fragment, match.end()):
            return out, -1
        out.append((match["name"].lower(), None if value is None else unescape(value)))
        at = match.end()
    return out, end.end()


def rewrite_tags(fragment: str, change: Callable[[Tag], str | None]) -> str:
    """Return the fragment with each start tag passed through `change`; None leaves it as written. Keeps every line."""
    out: list[str] = []
    at = 0
    for tag in read_tags(fragment)[0]:
        new = change(tag)
        if new is not None:
            lost = fragment.count("\n", tag.start, tag.end) - new.count("\n")
            out += [fragment[at : tag.start], new, "\n" * lost]
            at = tag.end
    return "".join(out) + fragment[at:]


def written(name: str, attributes: Sequence[Attribute]) -> str:
    """Return a start tag as HTML on one line."""
    parts = [
        key if value is None else f'{key}="{escape(" ".join(value.split()), quote=True)}"' for key, value in attributes
    ]
    return f"<{' '.join([name, *parts])}>"


def addresses(fragment: str) -> list[str]:
    """Return each href, src and poster of raw HTML, in order."""
    tags = read_tags(fragment)[0]
    return [(value or "").strip() for tag in tags for key, value in tag.attributes if key in ADDRESSES]


def html_ids(fragment: str) -> list[str]:
    """Return each id (or name) that raw HTML gives to an element."""
    tags = read_tags(fragment)[0]
    return [value for tag in tags for key, value in tag.attributes if key in ("id", "name") and value]
