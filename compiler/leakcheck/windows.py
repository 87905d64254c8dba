"""Many strings looked for in a long text at once: windows of each length as rolling hashes, in linear time.

A window's hash is a polynomial over its code points modulo 2**64 (Karp & Rabin, 1987). With a million strings and a
hundred million windows the chance of one false hit is about one in a hundred thousand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint64]
Indexes = NDArray[np.int64]

_BASE = 0x9E3779B97F4A7C15  # odd, so it has an inverse modulo 2**64
_INVERSE = pow(_BASE, -1, 2**64)
_TOP = np.uint64(44)  # a table of the top 20 bits rejects almost every window that is not looked for


@dataclass(slots=True)
class Rolling:
    """A text ready to be cut into windows of any length."""

    size: int
    _sums: Codes
    _back: Codes

    @classmethod
    def of(cls, text: str) -> Rolling:
        """Return the prefix sums of a text's code points."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
        forth, back = _powers(len(codes))
        sums = np.zeros(len(codes) + 1, dtype=np.uint64)
        np.cumsum(codes * forth, out=sums[1:])
        return cls(len(codes), sums, back)

    def windows(self, length: int) -> Codes:
        """Return the hash of each window of `length` code points, by where it begins."""
        count = self.size - length + 1
        if count <= 0:
            return np.zeros(0, dtype=np.uint64)
        found: Codes = (self._sums[length : length + count] - self._sums[:count]) * self._back[:count]
        return found


@dataclass(frozen=True, slots=True)
class Wanted:
    """The strings of one length that are looked for, by their hashes."""

    length: int
    hashes: Codes  # sorted, distinct
    owners: Indexes  # what each belongs to
    _maybe: NDArray[np.bool_] = field(repr=False)

    @classmethod
    def of(cls, length: int, hashes: Codes, owners: Indexes) -> Wanted:
        """Return the table of some hashes; the first owner of a hash stands for all."""
        distinct, first = np.unique(hashes, return_index=True)
        maybe = np.zeros(1 << 20, dtype=np.bool_)
        maybe[(distinct >> _TOP).astype(np.int64)] = True
        return cls(length, distinct, owners[first], maybe)

    def search(self, text: Rolling) -> tuple[Indexes, Indexes]:
        """Return where windows of the text are among ours, and which of ours each one is."""
        windows = text.windows(self.length)
        likely = np.flatnonzero(self._maybe[(windows >> _TOP).astype(np.int64)])
        places = np.searchsorted(self.hashes, windows[likely])
        places[places == len(self.hashes)] = 0
        same = self.hashes[places] == windows[likely] if len(likely) else np.zeros(0, dtype=np.bool_)
        return likely[same], places[same]

    def without(self, texts: Iterable[Rolling]) -> Wanted:
        """Return the table without what occurs in any of `texts`."""
        kept = np.ones(len(self.hashes), dtype=np.bool_)
        for text in texts:
            kept[self.search(text)[1]] = False
        return Wanted.of(self.length, self.hashes[kept], self.owners[kept])


_kept: tuple[Codes, Codes] = (np.ones(1, dtype=np.uint64), np.ones(1, dtype=np.uint64))


def _powers(size: int) -> tuple[Codes, Codes]:
    """Return the powers of the base and of its inverse, grown when a longer text comes."""
    global _kept  # noqa: PLW0603 - a table of constants, extended on demand
    if len(_kept[0]) < size:
        grown = []
        for base in (_BASE, _INVERSE):
            row = np.full(max(size, 1 << 16), base, dtype=np.uint64)
            row[0] = 1
            grown.append(np.cumprod(row, dtype=np.uint64))
        _kept = (grown[0], grown[1])
    return _kept[0][:size], _kept[1][:size]
