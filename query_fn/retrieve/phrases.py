"""Exact words: where a phrase stands, letter by letter, also across the borders of words and chunks.

The build writes every article as a line of squeezed text, and as a second one where a reader sees it otherwise. A
phrase holds no line break, so it never reaches from one article into the next.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from query_fn.contract import EXACT, PIECES, PUBLISHED, SHOWN, unpacked
from query_fn.errors import RouteFailed
from query_fn.retrieve.catalog import Catalog, Mask
from query_fn.store import Store
from query_fn.text import squeezed

ANYTHING = "*"  # stands for any characters of a passage


class Phrases:
    """Finds exact words in the visible text of one store; reads that text at the first question."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog

    def wanted(self, phrase: str) -> str:
        """Return a phrase as it is compared: without difference of case, width, script or spacing."""
        return squeezed(phrase, self._store.fold).strip()

    def find(self, phrase: str, seen: Mask, *, articles: int) -> tuple[int, ...]:
        """Return the chunk rows that hold a phrase, until so many articles do: the first of each, then the others.

        A phrase with a `*` that stands nowhere as it is, is a pattern. Raises RouteFailed.
        """
        parts = phrase.split(ANYTHING)
        for wanted in [[phrase], parts] if len(parts) > 1 else [[phrase]]:
            found = [self._find(wanted, lines, seen, articles) for lines in (self._published, self._shown)]
            if any(found):
                return tuple(dict.fromkeys(n for rows in found for n in rows))
        return ()

    def published(self, phrase: str, seen: Mask, *, articles: int) -> tuple[int, ...]:
        """Return the same from the published text alone."""
        return self._find([phrase], self._published, seen, articles)

    def shown(self, phrase: str, seen: Mask, *, articles: int) -> tuple[int, ...]:
        """Return the same from what a reader sees of articles in which markup stands between the words."""
        return self._find([phrase], self._shown, seen, articles)

    def _find(self, parts: Sequence[str], lines: Lines, seen: Mask, articles: int) -> tuple[int, ...]:
        squeezed_parts, places = filter(None, map(self.wanted, parts)), Counter[str]()
        wanted = [part.encode(errors="surrogatepass") for part in squeezed_parts]
        hits: dict[int, int] = {}  # chunk row → how many of its article came before
        for n in lines.holding(wanted) if wanted else ():
            if seen[n] and n not in hits:
                article = self._catalog.chunk_articles[n]
                hits[n] = places[article]
                places[article] += 1
            if len(places) == articles:
                break
        return tuple(sorted(hits, key=lambda n: hits[n]))

    @cached_property
    def _published(self) -> Lines:
        return _read(self._store, PUBLISHED)

    @cached_property
    def _shown(self) -> Lines:
        return _read(self._store, SHOWN)


class Lines(Struct, frozen=True):
    """Squeezed text as UTF-8; piece i begins at byte `starts[i]` and belongs to the chunk row `chunks[i]`."""

    text: bytes
    starts: array[int]
    chunks: array[int]

    def holding(self, wanted: Sequence[bytes]) -> Iterator[int]:
        """Yield the chunk row of each piece in which the parts of `wanted` follow each other: 0.4 ms a megabyte.

        `bytes.find` is linear for any phrase: it searches two-way. The first place of each part decides, so several
        parts take one pass too. All but the first must stand in the piece where it begins.
        """
        first, *rest = wanted
        at = self.text.find(first)
        while at >= 0:
            after = bisect_right(self.starts, at)
            end = int(self.starts[after]) if after < len(self.starts) else len(self.text)
            if self._follow(rest, at + len(first), end):
                yield int(self.chunks[after - 1])
            at = self.text.find(first, end) if after < len(self.starts) else -1

    def _follow(self, parts: Sequence[bytes], at: int, end: int) -> bool:
        for part in parts:
            found = self.text.find(part, at, end)
            if found < 0:
                return False
            at = found + len(part)
        return True


def _read(store: Store, name: str) -> Lines:
    folder = store.folder / EXACT
    try:
        pieces = unpacked((folder / f"{name}{PIECES}").read_bytes())
        half = len(pieces) // 2
        return Lines((folder / f"{name}.txt").read_bytes(), pieces[:half], pieces[half:])
    except OSError as error:
        raise RouteFailed(f"{EXACT}/{name}: {error}") from error
