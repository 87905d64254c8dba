"""Vector routes over the usearch indexes, and the query side of centring."""

from __future__ import annotations

import base64
from functools import lru_cache
from typing import TYPE_CHECKING

from query_fn.contract import SIGNS, LanguageCalibration, Manifest
from query_fn.errors import ArtifactError, RouteFailed
from query_fn.retrieve.catalog import Mask
from query_fn.retrieve.lexical import Hits
from query_fn.retrieve.signs import Signs
from query_fn.store import Store
from query_fn.text import script_lang

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from usearch.index import Index

    Floats = NDArray[np.float32]
_GROWTH = 8
_AHEAD = 8  # times as many rows are looked at when they are sorted again
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
    import numpy as np

    if not calibration.query_mean:
        return vector
    moved = vector - np.frombuffer(base64.b64decode(calibration.query_mean), "<f4")
    out: Floats = moved / max(float(np.linalg.norm(moved)), 1e-9)
    return out


def usable(vector: Floats, dimension: int) -> Floats:
    """Return a model's vector as it is. Raises RouteFailed for one that no cosine can be computed of."""
    import numpy as np

    if vector.shape != (dimension,) or not np.isfinite(vector).all() or not vector.any():
        raise RouteFailed(f"the embedder gave no direction in {dimension} dimensions")
    return vector


class Dense:
    """Searches the vector indexes of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._signs = lru_cache(self._read_signs)

    def search(self, name: str, vector: Floats, *, limit: int, seen: Mask, mean: str = "") -> Hits:
        """Return up to `limit` visible rows by cosine, best first. Raises RouteFailed; no index gives no hits.

        `mean` (base64 f32) is taken from the rows that are nearest without it, and they are sorted again.
        """
        try:
            index = self._store.vectors(name)
            if index is None or not len(index) or 1 not in seen:
                return []
            signs, ahead = self._signs(name), limit * _AHEAD if mean else limit
            if signs is None:
                hits = _exact(index, vector, limit=ahead, seen=seen)
            else:
                hits = _among(index, signs.nearest(vector, seen), vector, ahead)
            return _without(mean, index, vector, hits)[:limit] if mean else hits
        except (ArtifactError, OSError, RuntimeError, ValueError) as error:
            raise RouteFailed(f"vectors/{name}: {error}") from error

    def _read_signs(self, name: str) -> Signs | None:
        """Return the signs of a large index; a small one has none."""
        import numpy as np

        file = f"vectors/{name}{SIGNS}"
        if file not in self._store.manifest.files:
            return None
        with np.load(self._store.folder / file, allow_pickle=False) as held:
            return Signs(held["keys"], held["signs"], held["mean"])


def _without(mean: str, index: Index, vector: Floats, hits: Hits) -> Hits:
    """Return the hits by the cosine to their vectors without a mean; equal ones in the order of the rows."""
    import numpy as np

    keys = np.array([key for key, _ in hits], np.uint64)
    if not len(keys):
        return []
    rows = np.asarray(index.get(keys), np.float32) - np.frombuffer(base64.b64decode(mean), "<f4")
    cosines = (rows @ vector) / np.maximum(np.linalg.norm(rows, axis=1), 1e-9)
    order = np.lexsort((keys, -cosines))
    return list(zip(keys[order].tolist(), cosines[order].tolist(), strict=True))


def _exact(index: Index, vector: Floats, *, limit: int, seen: Mask) -> Hits:
    """Compute all cosines; fetch ever more until `limit` hits are visible or the index is exhausted."""
    wanted = limit if 0 not in seen else 2 * limit
    while True:
        found = index.search(vector, min(wanted, len(index)), exact=True, threads=1)
        pairs = zip(found.keys.tolist(), found.distances.tolist(), strict=True)
        kept = [(key, 1.0 - distance) for key, distance in pairs if seen[key]]
        if len(kept) >= limit or wanted >= len(index):
            return kept[:limit]
        wanted *= _GROWTH


def _among(index: Index, keys: NDArray[np.int64], vector: Floats, limit: int) -> Hits:
    """Compute the cosines of some rows; equal ones in the order of the rows."""
    import numpy as np
    from usearch.index import search  # loaded with the index

    if not len(keys):
        return []
    rows = np.asarray(index.get(keys.astype(np.uint64)))
    found = search(rows, vector.astype(rows.dtype), min(limit, len(keys)), exact=True, threads=1)  # cosine
    cosines = 1.0 - found.distances
    order = np.lexsort((found.keys, -cosines))
    return list(zip(keys[found.keys[order]].tolist(), cosines[order].tolist(), strict=True))
