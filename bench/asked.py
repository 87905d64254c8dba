"""The queries of a synthetic base, as every engine is asked them. A leaf: a measured process loads no compiler."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from compiler.index.rows import Floats
from query_fn.contract import Embedding

DIMENSION = 384
PROFILE = Embedding("synthetic", "f32", "all", DIMENSION, "mean+l2", "cosine", "", "", 510, "0" * 64)


@dataclass(frozen=True, slots=True)
class Asked:
    """The queries in the size of questions, and a vector (queries, DIMENSION) near that of each one's chunk."""

    texts: tuple[str, ...]
    vectors: Floats


def asked_of(folder: Path) -> Asked:
    """Return the queries of a base."""
    return Asked(tuple(json.loads((folder / "asked.json").read_text("utf-8"))), np.load(folder / "asked.npy"))
