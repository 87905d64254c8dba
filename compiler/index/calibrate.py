"""What "related" means in this knowledge base: centring means, the unrelated level, floor and refusal threshold.

Centring ("a Chinese question finds its English answer"): e5 vectors of one language share a large common part. In a
base of two languages it is subtracted, per language and per side, and vectors become unit length again; in a base of
one language that would only cost quality, so it is left out.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compiler.index.embed_cache import Embedded
from compiler.index.rows import Floats
from query_fn.contract import LanguageCalibration

SECOND_LANGUAGE = 0.10  # share of the chunks from which a base counts as bilingual
FLOOR_STD = 2.0  # standard deviations under the unrelated level at which a dense hit is none
THRESHOLD = 0.5  # confidence is scaled so that its own middle is the refusal threshold
_FALLBACK = (0.80, 0.03)  # of e5-small without centring, when nothing could be measured
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Probes:
    """Sentences embedded as queries: vectors (n, dimension), language, and the chunk rows of their own article."""

    vectors: Floats
    langs: Sequence[str]
    own: Sequence[NDArray[np.int64]]


def calibrate(chunks: Embedded, langs: Sequence[str], probes: Probes) -> tuple[LanguageCalibration, ...]:
    """Return the calibration of each language of the base, sorted by language."""
    counts = Counter(langs)
    common = [lang for lang, count in counts.items() if count >= SECOND_LANGUAGE * len(langs)]
    centre = len(common) >= 2
    ready = np.flatnonzero(chunks.ready)
    of, probe_of = np.array(langs, dtype=np.str_), np.array(probes.langs, dtype=np.str_)
    means = {
        lang: (_mean(chunks.vectors[ready[of[ready] == lang]]), _mean(probes.vectors[probe_of == lang]))
        for lang in (sorted(counts) if centre else ())
    }
    table = chunks.vectors.copy()
    for lang, (chunk_mean, _) in means.items():
        rows = ready[of[ready] == lang]
        table[rows] = centred(table[rows], chunk_mean)
    out = []
    for lang in sorted(counts):
        chunk_mean, query_mean = means.get(lang, ("", ""))
        asked = np.flatnonzero(probe_of == lang).tolist()
        level, spread = _unrelated(centred(probes.vectors[asked], query_mean), table, [probes.own[i] for i in asked])
        floor = round(level - FLOOR_STD * spread, _DIGITS)
        out.append(LanguageCalibration(lang, chunk_mean, query_mean, level, spread, floor, THRESHOLD))
    return tuple(out)


def centred(vectors: Floats, mean: str) -> Floats:
    """Return unit vectors without the common part `mean` (base64 f32; "" = unchanged)."""
    if not mean or not len(vectors):
        return vectors
    moved = vectors - np.frombuffer(base64.b64decode(mean), "<f4")
    out: Floats = moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9)
    return out


def _mean(vectors: Floats) -> str:
    if not len(vectors):
        return ""
    return base64.b64encode(vectors.mean(axis=0).astype("<f4").tobytes()).decode("ascii")


def _unrelated(queries: Floats, table: Floats, own: Sequence[NDArray[np.int64]]) -> tuple[float, float]:
    """Return mean and standard deviation of the best cosine outside the own article."""
    if not len(queries) or len(table) < 2:
        return _FALLBACK
    cosines = queries @ table.T
    for row, skip in enumerate(own):
        cosines[row, skip] = -1.0
    best = cosines.max(axis=1)
    best = best[best > -1.0]
    if len(best) < 2:
        return _FALLBACK
    return round(float(best.mean()), _DIGITS), round(max(float(best.std()), 0.01), _DIGITS)
