"""Vector search of a large index: the signs first, then the cosines, and the same rows as all cosines give."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from compiler.index.dense import write_dense
from compiler.index.rows import Floats, VectorSet
from query_fn.contract import SIGNS, SIGNS_FROM, FileEntry
from query_fn.retrieve.catalog import Mask
from query_fn.retrieve.dense import Dense
from query_fn.retrieve.signs import PASSED
from query_fn.store import Store, open_store
from tests.artifacts import make_artifacts

SIZE, COUNT, DEPTH = 384, SIGNS_FROM + 1_000, 20


def _unit(vectors: Floats) -> Floats:
    out: Floats = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return out


@pytest.fixture(scope="module")
def vectors() -> Floats:
    """Topics of few dimensions around a common direction, as the vectors of texts are."""
    dice = np.random.default_rng(5)
    topics = dice.standard_normal((1_000, 48))
    near = topics[dice.integers(0, 1_000, COUNT)] + 0.7 * dice.standard_normal((COUNT, 48))
    spread = dice.standard_normal((48, SIZE)).astype(np.float32)
    return _unit(near.astype(np.float32) @ spread + 10 * dice.standard_normal(SIZE))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, vectors: Floats) -> Store:
    """A store whose chunk vectors are every second row of a larger table: the others wait for the next build."""
    folder: Path = tmp_path_factory.mktemp("dense") / "a"
    make_artifacts(folder)
    store = open_store(folder)
    write_dense(VectorSet(2 * np.arange(COUNT), vectors, 2 * COUNT), folder / "vectors/chunks.usearch", SIZE)
    files = {**store.manifest.files, f"vectors/chunks{SIGNS}": FileEntry(0, "")}
    ready = VectorSet(np.arange(COUNT), vectors, 2 * COUNT).readiness
    store.manifest = replace(store.manifest, files=files, vectors={**store.manifest.vectors, "chunks": ready})
    return store


def _rows(store: Store, vector: Floats, seen: Mask, limit: int = DEPTH) -> list[int]:
    hits = Dense(store).search("chunks", vector, limit=limit, seen=seen)
    assert [score for _, score in hits] == sorted((score for _, score in hits), reverse=True)
    return [n for n, _ in hits]


def _all_cosines(vectors: Floats, vector: Floats, seen: Mask) -> list[int]:
    own = np.flatnonzero(seen[::2])
    return (2 * own[np.argsort(-(vectors[own] @ vector))[:DEPTH]]).tolist()


@pytest.mark.parametrize("share", [1.0, 0.5, 0.02])
def test_the_signs_lose_almost_nothing(store: Store, vectors: Floats, share: float) -> None:
    """At the depth that is used at least 98 % of the nearest visible rows are found, in any scope."""
    dice = np.random.default_rng(6)
    seen = dice.random(2 * COUNT) < share
    asked = _unit(vectors[dice.choice(COUNT, 60)] + 0.01 * dice.standard_normal((60, SIZE)))
    found = [len({*_rows(store, q, seen)} & {*_all_cosines(vectors, q, seen)}) / DEPTH for q in asked]
    assert np.mean(found) >= 0.98


def test_nothing_out_of_scope_passes(store: Store, vectors: Floats) -> None:
    """Only visible rows are compared, however few they are; rows without a vector are no hits."""
    seen = np.zeros(2 * COUNT, np.bool_)
    assert _rows(store, vectors[0], seen) == []
    seen[[1, 4, 7, 10]] = True
    assert sorted(_rows(store, vectors[0], seen)) == [4, 10]
    assert len(_rows(store, vectors[0], np.ones_like(seen), limit=PASSED)) == PASSED


def test_only_a_large_index_has_signs_and_they_repeat(tmp_path: Path, vectors: Floats) -> None:
    """The same vectors give the same bytes; a small index is compared whole."""
    for name, count in (("small", SIGNS_FROM - 1), ("large", COUNT), ("again", COUNT)):
        write_dense(VectorSet(np.arange(count), vectors[:count], count), tmp_path / f"{name}.usearch", SIZE)
    assert not (tmp_path / f"small{SIGNS}").exists()
    for ending in (".usearch", SIGNS):
        assert (tmp_path / f"large{ending}").read_bytes() == (tmp_path / f"again{ending}").read_bytes()
