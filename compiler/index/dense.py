"""Vector indexes: usearch, f16, cosine, written by one thread so that the bytes repeat.

Search computes all cosines, or those that a pass over the signs has left, so the graph only has to exist.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from usearch.index import Index

from compiler.index.rows import VectorSet
from query_fn.contract import SIGNS, SIGNS_FROM
from query_fn.retrieve.signs import signs_of


def write_dense(vectors: VectorSet, path: Path, dimension: int) -> None:
    """Write the vectors under their row numbers; an empty set gives an empty index."""
    index = Index(ndim=dimension, metric="cos", dtype="f16", connectivity=2, expansion_add=1)
    if len(vectors.keys):
        index.add(vectors.keys, vectors.vectors, threads=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    index.save(str(path))
    if len(vectors.keys) >= SIGNS_FROM:
        mean = vectors.vectors.mean(axis=0, dtype=np.float32)
        signs = signs_of(vectors.vectors, mean)
        np.savez(path.with_suffix(SIGNS), keys=vectors.keys, signs=signs, mean=mean)  # dated 1980: bytes repeat
