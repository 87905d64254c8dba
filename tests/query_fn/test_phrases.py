"""Exact words are found letter by letter, where they may be seen, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compiler.index.rows import Rows
from query_fn.agent.chat.base import Call, ToolError
from query_fn.agent.evidence import Book
from query_fn.agent.tools import Tools
from query_fn.contract import EXACT, PUBLISHED
from query_fn.model import Scope, SearchResult
from query_fn.retrieve.search import Searcher
from query_fn.store import Store, open_store
from query_fn.text import normalise
from query_fn.visibility import Visibility
from tests.artifacts import NOW, SOON, make_artifacts, make_rows

ROWS = make_rows()
ALL = [article.text for article in ROWS.articles]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder: Path = tmp_path_factory.mktemp("phrases") / "artifacts"
    make_artifacts(folder)
    return open_store(folder)


@pytest.fixture(scope="module")
def searcher(store: Store) -> Searcher:
    return Searcher(store)


def _found(result: SearchResult) -> list[str]:
    return [candidate.chunk_id for candidate in result.candidates]


PHRASES = [
    ("listens on port", ["install.1"]),
    ("istens on por", ["install.1"]),
    ("LISTENS  on\nPort", ["install.1"]),
    ("ｌｉｓｔｅｎｓ ｏｎ", ["install.1"]),
    ("何子串都能", ["检索.1"]),
    ("沒有網絡", []),
    ("有網絡的機器", ["安装.1"]),
    ("at `/content`", ["install.1"]),
    ("folder at /content", ["install.1"]),
    ("2. Unpack", ["backup.1"]),
    ("pip. ## Docker", ["install.0"]),
    ("# Backups", ["backup.0"]),
    ("port on listens", []),
    ("content`. ## https put a reverse proxy such as caddy in front. it renews the certificate every 60 days. # backups", []),
    ("", []),
    (" \n\u200b", []),
    ("8080", ["install.1", "安装.2"]),
]  # fmt: skip


@pytest.mark.parametrize(("phrase", "chunks"), PHRASES)
def test_a_phrase_is_found_letter_by_letter(searcher: Searcher, phrase: str, chunks: list[str]) -> None:
    """Inside words, over chunk borders, as written and as shown; never in another order or from page to page."""
    found = searcher.find(phrase, now=NOW)
    assert _found(found) == chunks
    assert (found.confidence, found.answerable) == (0.0, False)


@given(st.data())
def test_every_substring_of_a_page_finds_it(searcher: Searcher, data: st.DataObject) -> None:
    """Any run of characters of the published text finds its page, whatever signs are in it."""
    article = data.draw(st.sampled_from(ROWS.articles))
    start = data.draw(st.integers(0, len(article.text) - 2))
    phrase = article.text[start : start + data.draw(st.integers(1, 40))]
    found = searcher.find(phrase, now=NOW, limit=20)
    assert article.id in {candidate.article_id for candidate in found.candidates} or not normalise(phrase).strip()


def test_each_article_comes_once_before_any_comes_twice(searcher: Searcher) -> None:
    """With room for five places, words of five pages show all of them."""
    articles = [candidate.article_id for candidate in searcher.find("e", now=NOW, limit=5).candidates]
    assert len(set(articles)) == 5
    whole = [candidate.article_id for candidate in searcher.find("e", now=NOW, limit=20).candidates]
    assert len(whole) > len(set(whole)) == len(set(whole[: len(set(whole))]))


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [
        (Scope(articles=()), set()),
        (Scope(articles=("install",)), {"install"}),
        (Scope(folders=("指南",)), {"安装"}),
        (Scope(tags=("setup",)), {"install", "安装"}),
        (Scope(langs=("en",)), {"install"}),
        (Scope(updated_since="2026-04-01"), {"安装"}),
    ],
)
def test_a_scope_holds_for_exact_words(searcher: Searcher, scope: Scope, allowed: set[str]) -> None:
    """What is out of scope is not found, not even in the diagnostics."""
    found = searcher.find("8080", now=NOW, scope=scope)
    assert {hit.rsplit(".", 1)[0] for route in found.diagnostics.routes for hit, _ in route.hits} == allowed
    assert {candidate.article_id for candidate in found.candidates} == allowed


def test_what_expired_is_not_found(searcher: Searcher) -> None:
    """From the second of expiry the words are found nowhere."""
    assert _found(searcher.find("机房停电", now=SOON - 1)) == ["临时通知.0"]
    assert _found(searcher.find("机房停电", now=SOON)) == []


SHORT = [
    ("ntaine", []),
    ("ertific", ["install.2"]),
    ("何子串", ["检索.1"]),
    ("`/cont", ["install.1"]),
    ("安装指南", ["安装.0"]),
]


@pytest.mark.parametrize(("query", "first"), SHORT)
def test_a_short_query_is_looked_up_letter_by_letter(searcher: Searcher, query: str, first: list[str]) -> None:
    """A part of a word, a piece of code or a title finds its page first in the ordinary search."""
    assert _found(searcher.search(query, now=NOW))[:1] == first


def test_a_title_finds_its_page_first(tmp_path: Path) -> None:
    """However many pages use the words of a title more often, and however short the page is."""
    base, chunk = ROWS.articles[0], ROWS.chunks[0]
    texts = {f"p{n}": f"Mysql schema and schema of mysql, mysql schema {n} {'word ' * n}" for n in range(30)}
    pages = {**texts, "wanted": "See the list."}
    articles = tuple(
        replace(base, n=n, id=key, path=f"{key}.md", url=f"{key}/", text=text, sources=(key,),
                title="The Mysql Schema" if key == "wanted" else f"Notes {n}")
        for n, (key, text) in enumerate(pages.items())
    )  # fmt: skip
    chunks = tuple(
        replace(chunk, n=a.n, id=f"{a.id}.0", article_id=a.id, text=a.text, start=0, end=len(a.text), sources=a.sources)
        for a in articles
    )
    make_artifacts(tmp_path / "a", rows=Rows(articles, chunks))
    assert Searcher(open_store(tmp_path / "a")).search("the mysql schema", now=NOW).candidates[0].article_id == "wanted"


def test_pages_that_are_alike_are_all_found_by_their_words(tmp_path: Path) -> None:
    """A near duplicate is left out of other results, but not when its words were named letter by letter."""
    twin = replace(ROWS.articles[0], n=8, id="copy", path="copy.md", url="copy/", sources=("copy",))
    own = [chunk for chunk in ROWS.chunks if chunk.article_id == "install"]
    copies = tuple(
        replace(chunk, n=len(ROWS.chunks) + i, id=f"copy.{i}", article_id="copy", sources=("copy",))
        for i, chunk in enumerate(own)
    )
    make_artifacts(tmp_path / "a", rows=Rows((*ROWS.articles, twin), (*ROWS.chunks, *copies)))
    found = Searcher(open_store(tmp_path / "a")).search("mage lis", now=NOW)
    assert _found(found)[:2] == ["install.1", "copy.1"]


def test_a_missing_text_is_a_named_fallback(tmp_path: Path) -> None:
    """Without the file the search goes on and says which route failed."""
    make_artifacts(tmp_path / "a")
    searcher = Searcher(open_store(tmp_path / "a"))
    (tmp_path / "a" / EXACT / f"{PUBLISHED}.txt").unlink()
    assert "route_failed:phrase" in searcher.search("port", now=NOW).diagnostics.degraded
    assert searcher.find("port", now=NOW).diagnostics.degraded == ("route_failed:phrase",)


TOOL = [
    ({"phrase": "port 8080"}, None, ["install.1"]),
    ({"phrase": "8080", "article": "安装"}, None, ["安装.2"]),
    ({"phrase": "8080", "article": "安装"}, Scope(articles=("install",)), []),
    ({"phrase": "8080"}, Scope(langs=()), []),
]


@pytest.mark.parametrize(("args", "scope", "chunks"), TOOL)
def test_the_tool_find(store: Store, args: Mapping[str, object], scope: Scope | None, chunks: list[str]) -> None:
    """A model finds exact words inside the scope of the question and can never widen it."""
    held = scope or Scope()
    tools = Tools(store, Searcher(store), Book(store, Visibility(NOW, held)), held, NOW)
    result = tools.call(Call("find", args))
    assert isinstance(result, SearchResult)
    assert _found(result) == chunks


@pytest.mark.parametrize("args", [{}, {"phrase": 3}, {"phrase": "x" * 201}, {"phrase": "x", "regex": True}])
def test_the_tool_find_refuses_what_it_does_not_know(store: Store, args: Mapping[str, object]) -> None:
    """Bad arguments come back as an error that names them."""
    tools = Tools(store, Searcher(store), Book(store, Visibility(NOW)), Scope(), NOW)
    result = tools.call(Call("find", args))
    assert isinstance(result, ToolError)
    assert result.code == "bad_arguments"
