"""What "related" means in this knowledge base: centring means, the unrelated level, floor and refusal threshold.

Centring: all e5 vectors of one language and side (query, passage) share a large common part, so that a Chinese question
stands nearer to any Chinese passage than to its English answer. In a base of two languages that part is subtracted and
the vectors become unit length again (XQuAD, Chinese question, English answer among Chinese passages: recall@10 3 → 95).
The query side is the mean of fixed everyday questions (`probes`), the passage side the mean of the base's own chunks,
drawn towards a fixed mean while they are few. In a base of one language centring
costs (GitLab handbook, nDCG@10 of the fused list 71.7 → 67.6), so vectors stay as they are; only for a question in
another language both sides lose it, the passages when they are found (XQuAD zh → en, vectors alone 80.8 → 86.9).
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from compiler.index.embed_cache import Embedded
from compiler.index.rows import Floats
from query_fn.contract import LanguageCalibration

SECOND_LANGUAGE = 0.10  # share of the chunks from which a base counts as bilingual
FLOOR_STD = 1.25  # standard deviations above the mean of all cosines under which a dense hit is none
THRESHOLD = 0.5  # confidence is scaled so that 0.5 is the refusal threshold
PRIOR = 50  # chunks that the fixed passage mean counts for: a base of one chunk must not become a zero vector
MIN_SPREAD = 0.05  # share of the way from the level to 1; few chunks give no spread
_UNMEASURED = (0.80, 0.03, 0.0)  # no chunk is embedded yet
_DIGITS = 6
_REFERENCE = "en"  # stands in for languages without fixed questions


@dataclass(frozen=True, slots=True)
class Generic:
    """The fixed questions of one language, embedded as queries and as passages, each (n, dimension)."""

    queries: Floats
    passages: Floats


def calibrate(
    chunks: Embedded, langs: Sequence[str], generic: Mapping[str, Generic]
) -> tuple[LanguageCalibration, ...]:
    """Return the calibration of the base's languages and of those with fixed questions, sorted by language.

    A question's language may be one the base does not have: then only its query side is calibrated.
    """
    of, table = np.array(langs, dtype=np.str_), chunks.vectors.copy()
    own = {lang: np.flatnonzero(chunks.ready & (of == lang)) for lang in sorted(set(langs))}
    centre = sum(langs.count(lang) >= SECOND_LANGUAGE * len(langs) for lang in own) >= 2
    chunk_means = {lang: encode(_chunk_mean(lang, table[rows], generic)) for lang, rows in own.items() if centre}
    for lang, mean in chunk_means.items():
        table[own[lang]] = centred(table[own[lang]], mean)
    main = max(own, key=lambda lang: (langs.count(lang), lang), default=_REFERENCE)
    out = []
    for lang in sorted({*own, *generic}):
        query = _query_mean(lang, chunks.vectors[own[lang]] if lang in own else None, generic)
        foreign = lang not in own and not centre
        passage_mean = encode(_chunk_mean(main, table[own[main]], generic)) if foreign and own else ""
        query_mean = encode(query) if centre or foreign else ""
        measured = _measure(lang, query_mean, centred(table[chunks.ready], passage_mean), generic)
        means = (chunk_means.get(lang, ""), query_mean)
        out.append(LanguageCalibration(lang, *means, *measured, THRESHOLD, passage_mean))
    return tuple(out)


def centred(vectors: Floats, mean: str) -> Floats:
    """Return unit vectors without the common part `mean` (base64 f32; "" = unchanged)."""
    if not mean or not len(vectors):
        return vectors
    moved = vectors - np.frombuffer(base64.b64decode(mean), "<f4")
    out: Floats = moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9)
    return out


def encode(mean: Floats) -> str:
    """Return a mean as the manifest keeps it: base64 of little-endian f32."""
    return base64.b64encode(mean.astype("<f4").tobytes()).decode("ascii")


def _chunk_mean(lang: str, own: Floats, generic: Mapping[str, Generic]) -> Floats:
    prior = generic.get(lang, generic[_REFERENCE]).passages.mean(axis=0)
    mean: Floats = (own.sum(axis=0) + PRIOR * prior) / (len(own) + PRIOR)
    return mean


def _query_mean(lang: str, own: Floats | None, generic: Mapping[str, Generic]) -> Floats:
    """Return the fixed mean; for a language without fixed questions, the reference moved by its passages."""
    fixed = generic.get(lang, generic[_REFERENCE])
    mean: Floats = fixed.queries.mean(axis=0)
    if lang in generic or own is None or not len(own):
        return mean
    moved: Floats = mean + own.mean(axis=0) - fixed.passages.mean(axis=0)
    return moved


def _measure(lang: str, query_mean: str, table: Floats, generic: Mapping[str, Generic]) -> tuple[float, float, float]:
    """Return level and spread of the best cosine an unrelated question reaches here, and the floor."""
    questions = centred(generic.get(lang, generic[_REFERENCE]).queries, query_mean)
    if not len(table):
        return _UNMEASURED
    cosines = questions @ table.T
    best = cosines.max(axis=1)
    level, spread = float(np.median(best)), max(float(best.std()), MIN_SPREAD * (1.0 - float(np.median(best))))
    floor = float(cosines.mean() + FLOOR_STD * cosines.std())
    return round(level, _DIGITS), round(spread, _DIGITS), round(floor, _DIGITS)
