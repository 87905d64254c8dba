"""Where pages name the subjects of the base: every name at once, the longest at each place, at the borders of words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ahocorasick_rs import AhoCorasick, MatchKind

from compiler.cache import Cache, Kind, Recipe, digest_of
from compiler.enrich.folding import level
from compiler.enrich.protocol import Mention

_CODE = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|\]\([^)\n]*\)|"
    r"https?://\S+|<[^>\n]{1,300}>",
    re.M | re.S,
)
_MENTIONS = Kind("mentions", tuple[Mention, ...])


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds every form of every name in a text."""

    forms: tuple[str, ...]
    keys: Mapping[str, str]
    automaton: AhoCorasick | None

    @classmethod
    def of(cls, keys: Mapping[str, str]) -> Finder:
        """Return what finds the levelled forms of `keys` and knows their keys."""
        forms = tuple(sorted(keys))
        return cls(forms, keys, AhoCorasick(forms, matchkind=MatchKind.LeftmostLongest) if forms else None)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Return where a text names what, in order and apart. Fenced code, addresses and tags name nothing."""
        if self.automaton is None:
            return ()
        folded = level(_CODE.sub(_blank, text))
        found = self.automaton.find_matches_as_indexes(folded)
        listed = ((self.keys[self.forms[n]], start, end) for n, start, end in found)
        whole = ((key, a, b) for key, a, b in listed if _apart(text, a) and _apart(text, b))
        return tuple(Mention(key, a, b) for key, a, b in whole if b - a > 2 or not text[a:b].islower())  # IT is not it


def mentions(texts: Sequence[str], keys: Mapping[str, str], cache: Cache) -> list[tuple[Mention, ...]]:
    """Return for each text where it names what; `keys` maps every form of a name, levelled, to its key."""
    recipe, names = Recipe(_MENTIONS, Finder.of(keys).mentions), digest_of(sorted(keys.items()))
    return cache.all(recipe, [((names, digest_of(text)), text) for text in texts])


def _blank(code: re.Match[str]) -> str:
    return "\0" * len(code[0])


def _apart(text: str, at: int) -> bool:
    """Tell whether a word begins or ends here: no Latin letter, digit or underscore on both sides."""
    if not 0 < at < len(text):
        return True
    return not (_latin(text[at - 1]) and _latin(text[at]))


def _latin(char: str) -> bool:
    return (char.isalnum() or char == "_") and char < "\u2e80"
