"""What must be found nowhere in a build: every passage, name and rare word of the sources that no public page holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from compiler.leakcheck.windows import Codes, Indexes, Rolling, Wanted
from query_fn.text import normalise, tokenise

HAN_PASSAGE = 12  # code points that two texts share by accident only when one was copied from the other
PASSAGE = 32  # the same for text that is mostly Latin: six or seven words
HAN_ENOUGH = 8  # of the 12
HAN_NAME = 3
LONGEST_NAME = 24  # longer words are looked for by their beginning
WORD = 6  # letters; shorter words are in every language's everyday stock
HEX_WORD = 12  # digests are full of short words made of a-f and digits

SEPARATOR = "\0"  # no passage reaches over it: what follows a line of the source is often something else on a page

_JOINT = re.compile(r"(?<=\w)[-_./'’](?=\w)|\s+")
_BREAK = re.compile(r" ?[^\w ][^\w]*")
_RUN = re.compile(r"[^\W_]+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af]")
_HAN_RUN = re.compile(rf"{_HAN.pattern}+")
_HEX = re.compile(r"[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class Marks:
    """The strings to look for, by length, and the words to ask an index for; `owners` names the file of each string."""

    passages: tuple[Wanted, ...]
    names: tuple[Wanted, ...]
    words: tuple[str, ...]
    owners: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many strings are looked for."""
        return sum(len(table.hashes) for table in (*self.passages, *self.names)) + len(self.words)


def folded(text: str) -> str:
    """Return a text as it is compared: its words in the tokeniser's normal form, one space between them.

    A heading and its anchor are then the same, and so are a file name and its address. Other punctuation separates:
    what stands on both sides of it in a source may not belong together on a page.
    """
    return _BREAK.sub(SEPARATOR, _JOINT.sub(" ", normalise(text)))


def marks(secrets: Mapping[str, str], public: Iterable[str]) -> Marks:
    """Return what of `secrets` (file -> its text and its name) occurs in none of the `public` texts."""
    lines, known = [text.replace("\n", SEPARATOR) for text in secrets.values()], [folded(text) for text in public]
    texts = [folded(text) for text in lines]
    rolled = [Rolling.of(text) for text in known]
    passages = (_passages(texts, HAN_PASSAGE, han=HAN_ENOUGH), _passages(texts, PASSAGE, han=0))
    names = _names(texts)
    return Marks(
        tuple(table.without(rolled) for table in passages),
        tuple(table.without(rolled) for table in names),
        tuple(sorted(_words(texts) - _words(known))),
        tuple(secrets),
    )


def _passages(texts: Sequence[str], length: int, *, han: int) -> Wanted:
    """Return each window that begins and ends in a word and holds `han` Han characters (0: is two thirds letters)."""
    found = []
    for text in texts:
        solid = np.array([bool(_HAN.match(c)) if han else c.isalpha() for c in text], dtype=np.int64)
        edge = np.array([c.isalnum() for c in text], dtype=np.bool_)
        sums, breaks = (_sums(solid), _sums(np.array([c == SEPARATOR for c in text], dtype=np.int64)))
        windows = Rolling.of(text).windows(length)
        count = len(windows)
        enough = sums[length : length + count] - sums[:count] >= (han or length * 2 // 3)
        enough &= breaks[length : length + count] == breaks[:count]
        found.append(windows[enough & edge[:count] & edge[length - 1 : length - 1 + count]])
    return _owned(length, found)


def _sums(flags: Indexes) -> Indexes:
    """Return how many flags lie before each position."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(flags)))


def _names(texts: Sequence[str]) -> tuple[Wanted, ...]:
    """Return the short strings that tell something on their own, by length: Han runs and long words (cut)."""
    found: dict[int, list[Codes]] = {length: [] for length in range(HAN_NAME, LONGEST_NAME + 1)}
    for text in texts:
        places: dict[int, list[int]] = {}
        for start, size in _short(text):
            places.setdefault(size, []).append(start)
        rolling = Rolling.of(text)
        for length, hashes in found.items():
            hashes.append(rolling.windows(length)[places.get(length, [])])
    return tuple(_owned(length, hashes) for length, hashes in found.items())


def _short(text: str) -> Iterator[tuple[int, int]]:
    for match in _RUN.finditer(text):
        word = match[0]
        if _HAN.search(word):
            runs = ((match.start() + run.start(), len(run[0])) for run in _HAN_RUN.finditer(word))
            yield from ((start, size) for start, size in runs if HAN_NAME <= size < HAN_PASSAGE)
        elif _is_telling(word):
            yield match.start(), min(len(word), LONGEST_NAME)


def _is_telling(word: str) -> bool:
    return len(word) >= WORD and not (_HEX.fullmatch(word) and len(word) < HEX_WORD)


def _words(texts: Iterable[str]) -> set[str]:
    """Return the tokens that an index would keep of long words: it knows stems, not the words as written."""
    tokens = {token for text in texts for token in tokenise(text)}
    return {token for token in tokens if _is_telling(token) and not _HAN.search(token)}


def _owned(length: int, found: Sequence[Codes]) -> Wanted:
    owners = [np.full(len(hashes), owner, dtype=np.int64) for owner, hashes in enumerate(found)]
    empty = (np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64))
    return Wanted.of(length, np.concatenate((empty[0], *found)), np.concatenate((empty[1], *owners)))
