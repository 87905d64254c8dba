"""A first pass over many vectors: compare signs, then compute the cosines of the nearest.

A vector's signs around the mean of its index are one bit a dimension. The bits in which two vectors differ estimate the
angle between them (Charikar: Similarity Estimation Techniques from Rounding Algorithms, 2002).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Words = NDArray[np.uint64]

PASSED = 1_200  # vectors whose cosine is computed: recall@20 0.992 on 48,000 vectors of real texts; 800 reach 0.985


class Signs(Struct, frozen=True):
    """The signs of an index: `words[:, i]` are those of the vector with key `keys[i]`."""

    keys: NDArray[np.int64]
    words: Words  # (words, n): one word of all vectors lies together
    mean: Floats

    def nearest(self, vector: Floats, seen: bytes) -> NDArray[np.int64]:
        """Return the visible keys that differ least from a vector in their signs: PASSED of them and all ties."""
        import numpy as np

        differing = np.zeros(len(self.keys), np.uint16)
        for word, wanted in zip(self.words, signs_of(vector[None], self.mean)[:, 0], strict=True):
            differing += np.bitwise_count(word ^ wanted)
        keys = self.keys
        if 0 in seen:
            own = np.flatnonzero(np.frombuffer(seen, np.bool_)[keys])
            differing, keys = differing[own], keys[own]
        most = int(np.searchsorted(np.cumsum(np.bincount(differing)), PASSED))
        near: NDArray[np.int64] = keys[differing <= most]
        return near


def signs_of(vectors: Floats | NDArray[np.float16], mean: Floats) -> Words:
    """Return the signs (words, n) of vectors (n, dimension) around a mean, in words of 64; the last is filled up."""
    import numpy as np

    bits = np.packbits(vectors > mean, axis=1)
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
    return np.ascontiguousarray(padded.view("<u8").T)
