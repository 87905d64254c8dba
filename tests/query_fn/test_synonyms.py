"""A question is also asked with the other names of what it names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from query_fn.contract import SynonymRow
from query_fn.model import Scope
from query_fn.retrieve.search import Searcher
from query_fn.retrieve.synonyms import Synonyms
from query_fn.store import Store, open_store
from query_fn.visibility import Visibility
from tests.artifacts import NOW, SOON, make_artifacts, make_rows

NAMES = (
    SynonymRow(0, "Docker Compose", ("stack file", "编排"), None, None, ("install",)),
    SynonymRow(1, "龙井茶", ("Dragon Well",), None, None, ("茶",)),
    SynonymRow(2, "closure", ("shutdown",), None, SOON, ("temporary-notice",)),
    SynonymRow(3, "pip", ("installer",), None, None, ("a page that is not public",)),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The tiny bilingual base with names that its pages do not hold."""
    folder: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder, rows=replace(make_rows(), synonyms=NAMES))
    return open_store(folder)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which port has the STACK FILE?", "which port has the Docker Compose?"),
        ("编排用哪个端口？", "Docker Compose用哪个端口?"),
        ("Where does Dragon Well grow?", "where does 龙井茶 grow?"),
        ("What is a stackfile?", ""),  # no name of anything
        ("Is the pipeline green?", ""),  # a part of another word
        ("Which installer?", ""),  # only a page that may not be seen says so
        ("Docker Compose is a stack file, an 编排?", ""),  # all its names stand there
    ],
)
def test_names_are_replaced(store: Store, question: str, said: str) -> None:
    """The first other name stands in place of the one that was used, whole words only."""
    assert Synonyms(store).said(question, Visibility(NOW)) == said


def test_a_name_ends_with_its_page(store: Store) -> None:
    """What an expired page or one outside the scope says is no name any more."""
    names = Synonyms(store)
    assert names.said("Why the shutdown?", Visibility(NOW)) == "why the closure?"
    assert names.said("Why the shutdown?", Visibility(SOON)) == ""
    assert names.said("Why the shutdown?", Visibility(NOW, Scope(articles=("install",)))) == ""


def test_another_name_finds_the_page(store: Store) -> None:
    """A page is found by a name that stands nowhere on it."""
    found = Searcher(store).search("Dragon Well", now=NOW)
    assert found.candidates[0].article_id == "茶"
    assert "龙井茶" in found.diagnostics.queries
