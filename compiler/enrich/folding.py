"""How names are compared: width, case, plural, hyphens, Traditional and Simplified. No letter stands for a lookalike.

`level` keeps every offset, so that names can be found in a text and cut out of it as they stand there.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from compiler.index.fold import fold_table

_BLANK = re.compile(r"\s+")
_EDGE = " .:：,，。;；!！?？、*_`~#\"'“”‘’「」『』《》()（）[]【】<>|/\\-–—=+"
_SIBILANT = re.compile(r"(?:[^s]s|x|ch|sh|z)es$")
_VOWEL = re.compile("[aeiouy]")
_PLURAL = re.compile(r"[a-z]{2}[^sui]s$")  # not class, status, analysis


def level(text: str) -> str:
    """Return a text in the letters that are compared, of the same length."""
    folded = text.translate(_table()).lower()
    return (
        folded
        if len(folded) == len(text)
        else "".join(c.lower() if len(c.lower()) == 1 else c for c in text.translate(_table()))
    )


@lru_cache(maxsize=1 << 16)
def key_of(name: str) -> str:
    """Return the key of a name; names with one key are one subject.

    >>> key_of("Ｐath-Operations") == key_of("path operation")
    True
    """
    words = _BLANK.sub(" ", level(name)).strip(_EDGE)
    head, space, last = words.rpartition(" ")
    return head + space + singular(last)


def singular(word: str) -> str:
    """Return an English word without its plural ending, any other word unchanged."""
    if not word.isascii() or not word.isalpha() or len(word) < 4 or not _VOWEL.search(word[:-2]):
        return word  # https, dns and css are no plurals
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if _SIBILANT.search(word):
        return word[:-2]
    return word[:-1] if _PLURAL.search(word) else word


def forms_of(name: str) -> tuple[str, ...]:
    """Return how a name stands in levelled text: as it is, singular, and plural."""
    base = _BLANK.sub(" ", level(name)).strip(_EDGE)
    head, space, last = base.rpartition(" ")
    one = singular(last)
    if not (one.isascii() and one.isalpha()) or len(one) < 2:
        return (base,)
    many = (
        one[:-1] + "ies"
        if one.endswith("y") and one[-2:-1] not in ("a", "e", "o", "u")
        else one + ("es" if re.search(r"(?:s|x|ch|sh|z)$", one) else "s")
    )
    return tuple(dict.fromkeys((base, head + space + one, head + space + many)))


@cache
def _table() -> dict[int, int]:
    wide = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    blank = {ord(c): ord(" ") for c in "-_\u2010\u2011\u00a0\u3000\n\t\r"}
    quote = {0x2019: ord("'")}
    return {**str.maketrans(dict(fold_table())), **wide, **blank, 0xFF0D: ord(" "), 0xFF3F: ord(" "), **quote}
