"""Vector indexes: usearch, f16, cosine, written by one thread so that the bytes repeat."""

from __future__ import annotations

from pathlib import Path

from usearch.index import Index

from compiler.index.rows import VectorSet
from query_fn.contract import EXACT_LIMIT


def write_dense(vectors: VectorSet, path: Path, dimension: int) -> None:
    """Write the vectors under their row numbers; an empty set gives an empty index."""
    connectivity, expansion = (2, 1) if len(vectors.keys) < EXACT_LIMIT else (16, 128)
    index = Index(ndim=dimension, metric="cos", dtype="f16", connectivity=connectivity, expansion_add=expansion)
    if len(vectors.keys):
        index.add(vectors.keys, vectors.vectors, threads=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    index.save(str(path))
