"""The store reads back what the compiler wrote."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from query_fn.store import Store, open_store
from tests.artifacts import make_build, make_rows

ROWS = make_rows()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return open_store(make_build(tmp_path_factory.mktemp("store") / "out"))


def test_rows_come_back_as_written(store: Store) -> None:
    """Every getter returns the contract's rows, equal to those given to the build."""
    assert [store.article(row.id) for row in ROWS.articles] == list(ROWS.articles)
    assert [store.chunk_by_n(row.n) for row in ROWS.chunks] == list(ROWS.chunks)
    assert [store.node(row.id) for row in ROWS.nodes] == list(ROWS.nodes)
    assert store.pages() == ROWS.pages
    assert store.chunks_of("安装") == tuple(row for row in ROWS.chunks if row.article_id == "安装")
    assert store.questions_of("检索") == tuple(row for row in ROWS.questions if row.chunk_id.startswith("检索."))
    assert store.links_from("backup") == ROWS.links[:1] == store.links_to("install")
    assert store.contributions_of("docker") == ROWS.contributions[:1]


def test_articles_are_found_by_path_and_url(store: Store) -> None:
    """A leading slash of a URL does not matter."""
    article = ROWS.articles[3]
    assert store.article_by_path(article.path) == store.article_by_url("/" + article.url) == article


def test_the_list_of_articles_leaves_the_text_out(store: Store) -> None:
    """Lists stay small: the text is read article by article."""
    assert [(row.id, row.text) for row in store.articles()] == [(row.id, "") for row in ROWS.articles]


@pytest.mark.parametrize("name", ["", "nope", "' OR 1=1 --", "安装.99"])
def test_what_is_not_there_is_none(store: Store, name: str) -> None:
    """Unknown ids give None, also those that look like SQL."""
    assert store.chunk(name) is None
    assert store.article(name) is None
    assert store.chunks_of(name) == ()


def test_parallel_reads_agree(store: Store) -> None:
    """Twenty threads read the same rows."""
    with ThreadPoolExecutor(20) as pool:
        found = list(pool.map(lambda i: store.chunk_by_n(i % len(ROWS.chunks)), range(400)))
    assert found == [ROWS.chunks[i % len(ROWS.chunks)] for i in range(400)]


def test_an_open_store_survives_the_switch_to_another_build(tmp_path: Path) -> None:
    """The pointer is resolved once: a later switch cannot mix two builds."""
    opened = open_store(make_build(tmp_path / "out"))
    (tmp_path / "out" / "current").unlink()
    assert opened.article("茶") == ROWS.articles[5]


HEAVY = (
    "onnxruntime",
    "sentencepiece",
    "jieba",
    "rjieba",
    "anthropic",
    "mkdocs",
    "usearch",
    "opencc",
    "onnx",
    "compiler",
)


@pytest.mark.parametrize(
    "module", ["query_fn.store", "query_fn.text", "query_fn.visibility", "query_fn.retrieve.embed"]
)
def test_imports_stay_light(module: str) -> None:
    """A cold start loads no model, no index library and no compiler before they are needed."""
    code = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_index_library_and_model_runtime_live_in_one_process() -> None:
    """usearch may be imported before onnxruntime (2.26 ended the process; hence the pin)."""
    code = "import usearch.index, onnxruntime"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
