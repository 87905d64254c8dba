"""Vector routes over the usearch indexes, and the query side of centring."""

from __future__ import annotations

import base64

import numpy as np
from numpy.typing import NDArray

from query_fn.contract import EXACT_LIMIT, LanguageCalibration, Manifest
from query_fn.errors import ArtifactError, RouteFailed
from query_fn.retrieve.catalog import Mask
from query_fn.retrieve.lexical import Hits
from query_fn.store import Store
from query_fn.text import script_lang

Floats = NDArray[np.float32]
_GROWTH = 8
_UNMEASURED = LanguageCalibration("", "", "", 0.80, 0.03, 0.0, 0.5)  # no floor where nothing was measured


def calibration_for(manifest: Manifest, question: str) -> LanguageCalibration:
    """Return the calibration of the question's language; a language the base does not have gets its largest one."""
    known = {item.lang: item for item in manifest.calibration}
    if not known:
        return _UNMEASURED
    first = manifest.languages[0] if manifest.languages else ""
    return known.get(script_lang(question)) or known.get(first) or next(iter(known.values()))


def centre_query(vector: Floats, calibration: LanguageCalibration) -> Floats:
    """Return the query vector without what all questions of its language share, as unit length again."""
    if not calibration.query_mean:
        return vector
    moved = vector - np.frombuffer(base64.b64decode(calibration.query_mean), "<f4")
    out: Floats = moved / max(float(np.linalg.norm(moved)), 1e-9)
    return out


def usable(vector: Floats, dimension: int) -> Floats:
    """Return a model's vector as it is. Raises RouteFailed for one that no cosine can be computed of."""
    if vector.shape != (dimension,) or not np.isfinite(vector).all() or not vector.any():
        raise RouteFailed(f"the embedder gave no direction in {dimension} dimensions")
    return vector


def search_dense(store: Store, name: str, vector: Floats, *, limit: int, seen: Mask) -> Hits:
    """Return up to `limit` visible rows by cosine, best first. Raises RouteFailed; no index gives no hits."""
    try:
        index = store.vectors(name)
    except (ArtifactError, RuntimeError, ValueError) as error:
        raise RouteFailed(f"vectors/{name}: {error}") from error
    if index is None or not len(index) or not seen.any():
        return []
    exact, wanted = len(index) < EXACT_LIMIT, limit if seen.all() else 2 * limit
    while True:
        try:
            found = index.search(vector, min(wanted, len(index)), exact=exact, threads=1)
        except (RuntimeError, ValueError) as error:
            raise RouteFailed(f"vectors/{name}: {error}") from error
        pairs = zip(found.keys.tolist(), found.distances.tolist(), strict=True)
        kept = [(key, 1.0 - distance) for key, distance in pairs if seen[key]]
        if len(kept) >= limit or wanted >= len(index):
            return kept[:limit]
        wanted *= _GROWTH
