"""The one renderer of answer text: Markdown in, Markdown out from which nothing loads and nothing leads away.

Images become their description and links their text; tags and addresses lose what makes them ones. An answer's links
are its citations, whose addresses come from the store. Code stays as it is, and what only looks like code is prose:
after this no backtick stands outside a pair, so every reader of Markdown sees the same code.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from query_fn.regex import regex

_FENCE = regex(r"^ {0,3}(`{3,}|~{3,})[ \t]*[\w+#.-]*[ \t]*\n(?:.*\n)*? {0,3}\1[ \t]*$", re.MULTILINE)
_INLINE = regex(r"(?<!`)`[^`\n]+`(?!`)")
_STRAY = regex(r"`+|^[ \t]*~{3,}", re.MULTILINE)
_DEFINITION = regex(r"^[ \t]{0,3}\[[^\]\n]+\]:[ \t]*\S[^\n]*$\n?", re.MULTILINE)
_LABEL = r"\[([^\[\]\n]*)\]"
_TARGET = r"(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])"
_EMBED = regex(r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]*)\]\]")
_LINK = regex(f"!?{_LABEL}{_TARGET}|!{_LABEL}")
_OPENS = regex(r"(?<=\])(?=[(\[:])|(?<=!)(?=\[)")  # what is left of links and images
_TAG = regex(r"<(?=[a-z/!?])", re.IGNORECASE)
_SCHEME = regex(r"<?\b(?:https?|ftp|wss?|file)://|<?\b(?:mailto|javascript|vbscript|data):|\bwww\.", re.IGNORECASE)


@lru_cache(maxsize=128)  # an answer is written twice: piece by piece, and whole
def safe(markdown: str) -> str:
    """Return an answer's text without images, links, reference definitions and raw HTML."""
    return _apart(markdown, _FENCE, lambda text: _apart(text, _INLINE, _prose))


def _apart(text: str, code: re.Pattern[str], change: Callable[[str], str]) -> str:
    """Return a text with everything changed that is not this kind of code."""
    parts, last = list[str](), 0
    for match in code.finditer(text):
        parts += [change(text[last : match.start()]).rstrip("\\"), match[0]]
        last = match.end()
    return "".join((*parts, change(text[last:])))


def _prose(text: str) -> str:
    text, before = _DEFINITION.sub("", _STRAY.sub("", text)), ""
    while before != text:  # a link may hold an image, and what is left may make another address
        before = text
        text = _LINK.sub(lambda match: match[1] or match[2] or "", _EMBED.sub(r"\1", text))
        text = _SCHEME.sub("", text)
    return _TAG.sub("‹", _OPENS.sub(" ", text))
