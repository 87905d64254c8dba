"""Whatever is asked, of whatever base: a defined result, no hit that nothing speaks for, and no exception."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.index.rows import BuildMeta, Floats, Rows, Vectors, VectorSet
from compiler.index.write import write_artifacts
from query_fn.contract import Embedding, LanguageCalibration
from query_fn.model import Scope, SearchResult
from query_fn.retrieve.rewrite import LONGEST, rewrite
from query_fn.retrieve.search import Searcher
from query_fn.store import Store, open_store
from tests.artifacts import NOW, make_rows

SIZE = 8
PROFILE = Embedding("test", "f32", "all", SIZE, "mean+l2", "cosine", "", "", 510, "0" * 64)
CALIBRATION = tuple(LanguageCalibration(lang, "", "", 0.2, 0.05, 0.3, 0.5) for lang in ("en", "zh"))
EMPTY = Scope(articles=())


@dataclass(frozen=True, slots=True)
class Model:
    """An embedder that gives every text the same vector."""

    vector: Floats
    profile: Embedding = PROFILE

    def query(self, text: str) -> Floats:
        """Return the vector, whatever the text is; an empty one is never asked."""
        assert len(text) <= LONGEST + 1
        return self.vector


def _store(rows: Rows, folder: Path) -> Store:
    dice = np.random.default_rng(1)
    sets = {}
    for name in ("chunks", "questions", "nodes"):
        count = len(getattr(rows, name))
        vectors = dice.standard_normal((count, SIZE)).astype(np.float32)
        sets[name] = VectorSet(np.arange(count), vectors / np.linalg.norm(vectors, axis=1, keepdims=True), count)
    write_artifacts(
        rows, folder, meta=BuildMeta("b", 0, "t", ("en", "zh")), vectors=Vectors(PROFILE, sets, CALIBRATION)
    )
    return open_store(folder)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return _store(make_rows(), tmp_path_factory.mktemp("odd") / "a")


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return _store(Rows(()), tmp_path_factory.mktemp("nothing") / "a")


def _scores(result: SearchResult) -> list[float]:
    return [score for route in result.diagnostics.routes for _, score in route.hits]


FOUND_NOTHING = [
    "", " ", "\n\t", "?", "。", "！？…——", "😀", "😀👩‍👩‍👧🇨🇳", "\u200b\u202e", "zzzzqq", "鱻麤龘", "*", "^$", "%", "\\", "'", '"', "(", "[", "\x00",
    "\ud83d", "qzxwv:* +qzxwv -qzxwv~2^9", "'; DROP TABLE chunks; --", "((((((((", "/.*/", "\u0301\u0301", "\U000e0041",
]  # fmt: skip
ODD = [
    "a", "8", "安", "port 8080 安装 أين порт 🍵", "body:port", "title:install AND port", "NOT port", "port^9999", '"port 8080', "port~", "[8080 TO *]",
    "SELECT * FROM chunks WHERE text LIKE '%port%'", "p?rt*", "port\x00port", "ＰＯＲＴ", "p\u200bort", "\ufeffport",
    "port " * 200_000, "端口" * 500_000, "。" * 1_000_000, "😀" * 1_000_000, "(a+)+$" * 100_000, "x" * 1_000_000, " " * 1_000_000,
]  # fmt: skip


@pytest.mark.parametrize("query", FOUND_NOTHING)
def test_what_names_nothing_finds_nothing(store: Store, query: str) -> None:
    """Blanks, signs, emoji and unknown words: no candidate, no confidence, in the search and letter by letter."""
    searcher = Searcher(store)
    for scope in (None, EMPTY):
        result = searcher.search(query, now=NOW, scope=scope)
        assert (result.candidates, result.confidence, result.answerable) == ((), 0.0, False)
    assert not result.diagnostics.degraded or result.diagnostics.degraded == ("no_embedder",)


@pytest.mark.parametrize("query", [*FOUND_NOTHING, *ODD], ids=lambda query: repr(query[:12]))
def test_any_query_has_a_result(store: Store, query: str) -> None:
    """With vectors too: hits have scores above zero, and no route fails."""
    searcher = Searcher(store, Model(np.eye(SIZE, dtype=np.float32)[0]))
    for result in (searcher.search(query, now=NOW), searcher.find(query, now=NOW)):
        assert all(score > 0 for score in _scores(result))
        assert all(candidate.score > 0 for candidate in result.candidates)
        assert not [name for name in result.diagnostics.degraded if name.startswith("route_failed")]


@given(st.text(max_size=80))
def test_any_text_has_a_result(store: Store, text: str) -> None:
    """No text makes the search fail."""
    searcher = Searcher(store)
    assert 0 <= searcher.search(text, now=NOW).confidence <= 1
    assert searcher.find(text, now=NOW).confidence == 0


BROKEN = [
    np.full(SIZE, np.nan), np.full(SIZE, np.inf), np.r_[np.nan, np.ones(SIZE - 1)], np.zeros(SIZE), np.ones(SIZE + 1), np.ones((1, SIZE)),
]  # fmt: skip


@pytest.mark.parametrize("vector", BROKEN, ids=["nan", "inf", "one nan", "zero", "longer", "matrix"])
def test_a_broken_model_is_a_failed_route(store: Store, vector: Floats) -> None:
    """A vector without a direction is named, the words go on, and nothing is found by it."""
    result = Searcher(store, Model(vector.astype(np.float32))).search("which port does the image use", now=NOW)
    assert result.diagnostics.degraded == ("route_failed:embedder",)
    assert result.candidates[0].chunk_id == "install.1"
    assert not [route for route in result.diagnostics.routes if route.route.endswith("_vector")]


@pytest.mark.parametrize("limit", [-(10**9), -1, 0, 1, 20, 21, 10**9])
def test_more_than_there_is(store: Store, limit: int) -> None:
    """Any number of results is brought between one and twenty, and no place comes twice."""
    searcher = Searcher(store, Model(np.ones(SIZE, np.float32)))
    for result in (
        searcher.search("port 端口 days 80", now=NOW, limit=limit),
        searcher.find("e", now=NOW, limit=limit),
    ):
        places = [candidate.chunk_id for candidate in result.candidates]
        assert 1 <= len(places) == len(set(places)) <= max(1, min(limit, 20))


@pytest.mark.parametrize("query", ["port", "哪个端口？", "", "e"])
def test_an_empty_base_and_an_empty_scope(store: Store, nothing: Store, query: str) -> None:
    """There is nothing to find, with and without vectors; that is a result and no fault."""
    model = Model(np.ones(SIZE, np.float32))
    for searcher, scope in (
        (Searcher(nothing), None),
        (Searcher(nothing, model), None),
        (Searcher(store, model), EMPTY),
    ):
        for result in (searcher.search(query, now=NOW, scope=scope), searcher.find(query, now=NOW, scope=scope)):
            assert (result.candidates, result.confidence, _scores(result)) == ((), 0.0, [])
            assert not [name for name in result.diagnostics.degraded if name.startswith("route_failed")]


@pytest.mark.parametrize("text", ["文" * 10_000, "word " * 2_000, "a.b" * 3_333, "。" * 9_999 + "？"])
def test_no_query_is_longer_than_the_longest(store: Store, text: str) -> None:
    """Of 10,000 characters, and of what the caller adds, the beginning and the end are searched, and that is named."""
    assert max(map(len, rewrite(text, (text, text)))) <= LONGEST + 1
    result = Searcher(store, Model(np.ones(SIZE, np.float32))).search(text, now=NOW, queries=(text,))
    assert max(map(len, result.diagnostics.queries)) <= LONGEST + 1
    assert "query_cut" in result.diagnostics.degraded


def test_the_end_of_a_long_question_is_searched(store: Store) -> None:
    """Below a long pasted text stands what is asked."""
    result = Searcher(store).search("lorem ipsum dolor " * 500 + "which port does the Docker image use?", now=NOW)
    assert result.candidates[0].chunk_id == "install.1"
