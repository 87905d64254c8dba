"""The net below the published text: no address leaves the build in it that was not put there or leads outside.

A text is read again by the parser, unless a look at its characters alone shows that there is nothing to be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from markdown_it.token import Token

from compiler.parse.markdown import plain_inline, skimming_source_parser, source_parser
from compiler.parse.raw_html import drops
from compiler.parse.tags import ADDRESSES, addresses

ROUNDS = 4
_OUTSIDE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")
_CONTAINER = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]|\[\^[^\]\s]+\]:|[:~][ \t]|\[[ xX]\][ \t]|#{1,6}[ \t])*")
# Every way to write an address: as a wikilink, in a definition, in a tag, in an inline link. Of the last, the ones that
# surely lead outside, or that end at what ends them and hold nothing that means something else than itself.
_NAMED = re.compile(r"\[\[|\]:")
_TAG = re.compile(r"<[A-Za-z]")
_ATTRIBUTE = re.compile("|".join(ADDRESSES), re.IGNORECASE)
_INLINE = re.compile(r"\]\((?:(?P<outside><?(?:https?://|mailto:|#))|(?P<own>[!-%'*-;=?-\[\]-~]*)(?=[) \n])|)")


def surely_own(text: str, made: AbstractSet[str]) -> bool:
    """Tell whether a text surely holds no address but those `made` and outside ones. False says nothing.

    Each address that the parser finds begins with characters that are looked for here, in code and escapes, too.
    """
    if _NAMED.search(text) or (_TAG.search(text) and (_ATTRIBUTE.search(text) or drops(text))):
        return False
    return all(found["outside"] or found["own"] in made for found in _INLINE.finditer(text))


def netted(text: str, made: AbstractSet[str]) -> str:
    """Return the text without any address that is not of `made`: such a block keeps its words, then nothing."""
    if surely_own(text, made):
        return text
    for attempt in range(ROUNDS):
        env: dict[str, Any] = {}
        bad = dict(foreign(skimming_source_parser().parse(text, env), env, made))
        if not bad:
            return text
        lines = text.split("\n")
        words = _words(source_parser().parse(text, {})) if not attempt else {}
        for first, last in bad.items():
            for number in range(first, min(last, len(lines))):
                lines[number] = lines[number][: container(lines[number])] if attempt < ROUNDS - 2 else ""
            lines[first] += " · ".join(words.get(first, ()))
        text = "\n".join(lines)
    return "\n" * text.count("\n")


def foreign(tokens: Sequence[Token], env: dict[str, Any], made: AbstractSet[str]) -> Iterator[tuple[int, int]]:
    """Yield the first line and the end of each block that holds an address of unknown make."""
    for block in tokens:
        if block.map and not all(url in made or _OUTSIDE.match(url) for url in _urls(block)):
            first, last = block.map
            yield first, max(last, first + 1)
    for definition in definitions(env):
        if definition["href"] not in made and not _OUTSIDE.match(definition["href"]):
            yield definition["map"][0], definition["map"][1]


def _words(tokens: Sequence[Token]) -> dict[int, list[str]]:
    """Return the words of the blocks that begin on each line."""
    rows: dict[int, list[str]] = {}
    for block in tokens:
        if block.type == "inline" and block.map:
            rows.setdefault(block.map[0], []).append(plain_inline(block.children or ()))
    return rows


def _urls(block: Token) -> Iterator[str]:
    if block.type == "html_block":
        yield from addresses(block.content)
    for token in block.children or ():
        if token.type == "wikilink":
            yield ""
        elif token.type == "html_inline":
            yield from addresses(token.content)
        elif token.type in ("link_open", "image"):
            yield str(token.attrs.get("href", token.attrs.get("src", "")))
            yield from _urls(token)


def definitions(env: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the reference definitions that the parser found, overridden ones included."""
    return [*env.get("references", {}).values(), *env.get("duplicate_refs", ())]


def container(line: str) -> int:
    """Return how much of a line is quote or list markers."""
    match = _CONTAINER.match(line)
    return match.end() if match else 0
