"""The mix and the threshold are tuned on the base's own questions, behind a guard; otherwise the defaults stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from compiler.doctor import examine
from compiler.index.calibrate import THRESHOLD
from compiler.index.rows import BuildMeta, Floats, Rows, Vectors, VectorSet
from compiler.index.switch import switch
from compiler.index.tune import GRID, SAMPLE, Gains, choose, threshold
from compiler.index.write import write_artifacts
from compiler.settings import Settings
from query_fn.contract import (
    VECTORS,
    ArticleRow,
    ChunkRow,
    Embedding,
    LanguageCalibration,
    Manifest,
    QuestionRow,
)
from query_fn.retrieve.fuse import WORDS, RouteHits, fuse, mixed
from query_fn.retrieve.search import Searcher
from query_fn.store import Store, open_store

META = BuildMeta("b", 0, "t", ("en",))
EMBEDDING = Embedding("known", "none", "all", 256, "mean+l2", "cosine", "", "", 510, "")
CALIBRATION = (LanguageCalibration("en", "", "", 0.1, 0.1, 0.05, THRESHOLD),)
LOWEST = 1 / (1 + np.e)
COSINE = 0.6  # of a question and the passage it is nearest to
Near = Callable[[int], int]  # the passage that the n-th question is nearest to


def _rows(count: int, words: Callable[[int], str], origin: str = "claude") -> Rows:
    """Return one page of one passage each: passage n is about three things that no other names."""
    articles, chunks, questions = [], [], []
    for n in range(count):
        name, text = f"a{n}", f"The alder{n} holds a beech{n} and a cedar{n}."
        articles.append(
            ArticleRow(
                *(n, name, f"{name}.md", f"{name}/", f"Page {n}", "en", "", "article", "", (), (), None, None),
                *(text, None, (name,)),
            )
        )
        place = (n, f"{name}.0", name, 0, f"Page {n}", (f"Page {n}",), "", "en", text, 0, 0, 0, len(text), 1)
        chunks.append(ChunkRow(*place, None, (name,)))
        questions.append(QuestionRow(n, f"{name}.0.q0", f"{name}.0", words(n), "en", origin, None, (name,)))
    return Rows(tuple(articles), tuple(chunks), tuple(questions))


def _vectors(count: int, near: Near, *, missing: int = 0) -> Vectors:
    """Return passages in directions of their own, and questions in the direction of one passage."""
    passages = np.eye(count, EMBEDDING.dimension, dtype=np.float32)
    asked = COSINE * passages[[near(n) for n in range(count)]]
    asked[:, -1] = (1 - COSINE**2) ** 0.5  # a direction that no passage has
    none: Floats = np.zeros((0, EMBEDDING.dimension), np.float32)
    rows = {"chunks": passages[: count - missing], "questions": asked, "nodes": none}
    totals = {"chunks": count, "questions": count, "nodes": 0}
    sets = {name: VectorSet(np.arange(len(rows[name])), rows[name], totals[name]) for name in VECTORS}
    return Vectors(EMBEDDING, sets, CALIBRATION)


def _own(n: int) -> str:
    return f"alder{n} ginkgo{n}?"


def _others(n: int) -> str:
    return f"Does alder{(n + 1) % SAMPLE} hold a beech{(n + 1) % SAMPLE}?"


def _written(folder: Path, rows: Rows, vectors: Vectors) -> Manifest:
    return write_artifacts(rows, folder, meta=META, vectors=vectors)


def test_vectors_that_mislead_raise_the_words(tmp_path: Path) -> None:
    """Where the nearest passage is always a wrong one, words get more weight than built in."""
    rows, vectors = _rows(SAMPLE, _own), _vectors(SAMPLE, lambda n: (n + 1) % SAMPLE)
    tuning = _written(tmp_path / "a", rows, vectors).tuning
    assert tuning is not None
    assert tuning.words > WORDS
    assert tuning.tried_mrr > tuning.default_mrr


def test_words_that_mislead_raise_the_vectors(tmp_path: Path) -> None:
    """Where words lead to a wrong passage and vectors to the right one, vectors get more weight than built in."""
    tuning = _written(tmp_path / "a", _rows(SAMPLE, _others), _vectors(SAMPLE, lambda n: n)).tuning
    assert tuning is not None
    assert tuning.words < WORDS


@pytest.mark.parametrize(
    ("count", "missing"), [(SAMPLE - 1, 0), (SAMPLE, 1)], ids=["too few questions", "a vector is missing"]
)
def test_too_little_data_keeps_the_defaults(tmp_path: Path, count: int, missing: int) -> None:
    """Too few questions, or vectors that are still to come, tune nothing, however clear the gain would be."""
    manifest = _written(tmp_path / "a", _rows(count, _others), _vectors(count, lambda n: n, missing=missing))
    assert (manifest.tuning, manifest.calibration) == (None, CALIBRATION)


def test_the_same_rows_are_tuned_alike(tmp_path: Path) -> None:
    """Two builds of the same rows have the same manifest."""
    rows, vectors = _rows(SAMPLE, _own), _vectors(SAMPLE, lambda n: n)
    assert _written(tmp_path / "a", rows, vectors) == _written(tmp_path / "b", rows, vectors)


def test_local_questions_are_not_asked(tmp_path: Path) -> None:
    """Questions that are cut from their passage tune nothing, however many there are and however clear the gain is."""
    count = SAMPLE + 10
    rows = _rows(count, _others)
    mixed = tuple(structs.replace(q, origin="local" if q.n <= 10 else "claude") for q in rows.questions)
    manifest = _written(tmp_path / "a", replace(rows, questions=mixed), _vectors(count, lambda n: n))
    assert (manifest.tuning, manifest.calibration) == (None, CALIBRATION)


def test_questions_that_are_refused_lower_the_threshold(tmp_path: Path) -> None:
    """Where neither words nor vectors of own questions come near their passage, the threshold falls, but not far."""
    rows = _rows(SAMPLE, lambda n: f"ginkgo{n} hazel{n} ilex{n} juniper{n} alder{n}?")
    vectors = _vectors(SAMPLE, lambda n: n)
    unsure = replace(vectors, calibration=(structs.replace(CALIBRATION[0], cosine_mean=0.82),))
    assert LOWEST - 1e-6 <= _written(tmp_path / "a", rows, unsure).calibration[0].threshold < THRESHOLD


# --- the search uses what was chosen ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Known:
    """An embedder whose questions all lie in the direction of one passage."""

    profile: Embedding
    n: int

    def query(self, text: str) -> Floats:
        return _vectors(self.n + 1, lambda n: n).sets["questions"].vectors[self.n].astype(np.float32)


def _first(store: Store, words: float | None) -> str:
    tuning = store.manifest.tuning
    assert tuning is not None
    used = structs.replace(tuning, words=words) if words else None
    tuned = Store(store.folder, structs.replace(store.manifest, tuning=used), None)
    found = Searcher(tuned, _Known(EMBEDDING, 7)).search("alder3 beech3 cedar3", now=0)
    return found.diagnostics.fused[0]


def test_a_search_mixes_as_the_build_was_tuned(tmp_path: Path) -> None:
    """The mix of the manifest decides; without one the search ranks as with the built-in mix."""
    _written(tmp_path / "a", _rows(SAMPLE, _others), _vectors(SAMPLE, lambda n: n))
    store = open_store(tmp_path / "a")
    assert [_first(store, words) for words in (None, WORDS, 0.9, 0.5)] == ["a3.0", "a3.0", "a3.0", "a7.0"]


def test_the_mix_shares_one_weight() -> None:
    """A full hit of words and a full hit of vectors are worth 1 together, whatever the mix; other routes stay."""
    full = [RouteHits(route, "q", [(0, 1.0)], (1.0,)) for route in ("chunk_words", "chunk_vector", "headings")]
    for words in GRID:
        assert fuse(full, lambda _: False, mixed(words))[0][1] == pytest.approx(1.4)


# --- the choice -------------------------------------------------------------------------------------------------------


def _gains(first: float, held: float, count: int = 100, noise: float = 0.0) -> Gains:
    """Return gains where the second weight of GRID is ahead by `first` on one half and by `held` on the other."""
    gains = np.full((count, len(GRID)), 0.5)
    gains[::2, 1] += first
    gains[1::2, 1] += held + noise * np.resize([1.0, -1.0], count // 2)
    return gains


@pytest.mark.parametrize(
    ("gains", "words"),
    [
        (_gains(0.0, 0.0), WORDS),
        (_gains(0.03, 0.03), GRID[1]),
        (_gains(0.06, -0.01), WORDS),
        (_gains(-0.01, 0.2), WORDS),
        (_gains(0.03, 0.03, noise=0.4), WORDS),
    ],
    ids=["equal", "ahead", "not on both", "not chosen", "noise"],
)
def test_a_mix_must_win_on_questions_that_did_not_choose_it(gains: Gains, words: float) -> None:
    """The other half must agree by more than the standard error."""
    assert choose(gains, "claude").words == words


def test_a_base_that_answers_its_own_questions_keeps_the_threshold() -> None:
    """Own questions are easy: that few of them are refused does not raise the threshold."""
    assert threshold([0.9] * 100) == THRESHOLD


def test_few_refused_questions_keep_the_threshold() -> None:
    """One half of the questions alone does not lower it."""
    assert threshold([0.3, 0.9] * 50) == THRESHOLD


@given(st.lists(st.floats(0, 1), max_size=300))
def test_the_threshold_falls_by_one_log_odds_at_most(confidences: list[float]) -> None:
    """Whatever the confidences are, the threshold stays between the default and one log-odds under it."""
    assert LOWEST - 1e-6 <= threshold(confidences) <= THRESHOLD


# --- the owner sees it ------------------------------------------------------------------------------------------------


def test_the_doctor_shows_what_was_chosen_and_from_what(tmp_path: Path) -> None:
    """Mix, figures, number and origin of the questions, and the thresholds in use."""
    out, name = tmp_path / "out", "0" * 16
    _written(out / "builds" / name / "artifacts", _rows(SAMPLE, _others), _vectors(SAMPLE, lambda n: n))
    switch(out, name)
    found = {item.name: item.detail for item in examine(Settings(tmp_path / "none", out, tmp_path))}
    assert "words 0.6, vectors 0.4, tuned; built-in mix on half of 200 generated questions (claude)" in found["fusion"]
    assert "en 0.50" in found["refusal"]
