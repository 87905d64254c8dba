"""The two levels of the wiki's directory: folders of the defining articles, then initials."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from compiler.wiki.entries import Entry
from query_fn.contract import ArticleRow

LONG = 40  # entries of a shelf from which it is divided by initials: two screens
OTHERS = "#"
# Where the syllables that begin with each letter begin among the common characters of GB 2312, which are in the order
# of their pinyin; the rarer ones are in the order of their radicals and have no letter here.
_STARTS = (
    (0xB0A1, "A"), (0xB0C5, "B"), (0xB2C1, "C"), (0xB4EE, "D"), (0xB6EA, "E"), (0xB7A2, "F"), (0xB8C1, "G"),
    (0xB9FE, "H"), (0xBBF7, "J"), (0xBFA6, "K"), (0xC0AC, "L"), (0xC2E8, "M"), (0xC4C3, "N"), (0xC5B6, "O"),
    (0xC5BE, "P"), (0xC6DA, "Q"), (0xC8BB, "R"), (0xC8F6, "S"), (0xCBFA, "T"), (0xCDDA, "W"), (0xCEF4, "X"),
    (0xD1B9, "Y"), (0xD4D1, "Z"),
)  # fmt: skip
_LAST = 0xD7F9


@dataclass(frozen=True, slots=True)
class Group:
    """Entries with one initial; the title is "" when the shelf is not divided."""

    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Shelf:
    """The entries that articles of one folder define."""

    folder: str
    groups: tuple[Group, ...]


def directory(entries: Sequence[Entry], articles: Sequence[ArticleRow]) -> tuple[Shelf, ...]:
    """Return the shelves in the order of their folders."""
    placed = sorted(entries, key=lambda entry: (_shelf(entry, articles), _order(entry)))
    shelves = [(name, tuple(found)) for name, found in groupby(placed, key=lambda entry: _shelf(entry, articles))]
    return tuple(Shelf(name, _groups(found)) for name, found in shelves)


def initial(title: str) -> str:
    """Return the letter under which a title is found: of its pinyin for common Chinese characters, else "#".

    >>> initial("TiKV"), initial("事务"), initial("_id")
    ('T', 'S', '#')
    """
    plain = unicodedata.normalize("NFKD", title[:1]).upper()[:1]
    if "A" <= plain <= "Z":
        return plain
    code = int.from_bytes(title[:1].encode("gb2312", errors="ignore"), "big")
    at = bisect_right(_STARTS, code, key=lambda start: start[0])
    return _STARTS[at - 1][1] if at and code <= _LAST else OTHERS


def _shelf(entry: Entry, articles: Sequence[ArticleRow]) -> str:
    return articles[entry.contributions[0].page].folder.partition("/")[0]


def _order(entry: Entry) -> tuple[bool, str, bytes, str]:
    """Return what titles are sorted by: their letter, then case folded, Chinese by pinyin where it is common."""
    letter = initial(entry.title)
    folded = entry.title.casefold()
    return letter == OTHERS, letter, folded.encode("gb18030", errors="replace"), entry.key


def _groups(entries: Sequence[Entry]) -> tuple[Group, ...]:
    if len(entries) < LONG:
        return (Group("", tuple(entries)),)
    return tuple(Group(letter, tuple(found)) for letter, found in groupby(entries, key=lambda e: initial(e.title)))


def titled(shelves: Sequence[Shelf], titles: Mapping[str, str], top: str) -> tuple[tuple[str, Shelf], ...]:
    """Return each shelf with its name: the folder's title, else the folder itself; `top` for articles in none."""
    return tuple((titles.get(shelf.folder, shelf.folder) or top, shelf) for shelf in shelves)
