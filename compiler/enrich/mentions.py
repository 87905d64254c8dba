"""Where pages name the subjects of the base: every name at once, the longest at each place, at the borders of words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ahocorasick_rs import AhoCorasick, MatchKind

from compiler.enrich.folding import level
from compiler.enrich.protocol import Mention

_CODE = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|\]\([^)\n]*\)|"
    r"https?://\S+|<[^>\n]{1,300}>",
    re.M | re.S,
)


def mentions(texts: Sequence[str], keys: Mapping[str, str]) -> list[tuple[Mention, ...]]:
    """Return for each text where it names what; `keys` maps every form of a name, levelled, to its key.

    Fenced code, addresses and tags name nothing.
    """
    forms = sorted(keys)
    finder = AhoCorasick(forms, matchkind=MatchKind.LeftmostLongest) if forms else None
    return [_mentions(text, forms, keys, finder) if finder else () for text in texts]


def _mentions(text: str, forms: Sequence[str], keys: Mapping[str, str], finder: AhoCorasick) -> tuple[Mention, ...]:
    folded = level(_CODE.sub(_blank, text))
    found = finder.find_matches_as_indexes(folded)
    return tuple(
        Mention(keys[forms[n]], start, end) for n, start, end in found if _apart(folded, start) and _apart(folded, end)
    )


def _blank(code: re.Match[str]) -> str:
    return "\0" * len(code[0])


def _apart(text: str, at: int) -> bool:
    """Tell whether a word begins or ends here: no Latin letter or digit on both sides."""
    if not 0 < at < len(text):
        return True
    return not (_latin(text[at - 1]) and _latin(text[at]))


def _latin(char: str) -> bool:
    return char.isalnum() and char < "\u2e80"
