"""Reading: only what may be seen becomes evidence, and only a real quote becomes a citation."""

from __future__ import annotations

from pathlib import Path

import pytest

from query_fn.agent.evidence import MAX_TEXT, Book, cut
from query_fn.model import Citation, Scope
from query_fn.store import Store, open_store
from query_fn.visibility import Visibility
from tests.artifacts import NOW, SOON, make_artifacts


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The tiny bilingual base, without vectors."""
    folder: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder)
    return open_store(folder)


def _book(store: Store, *, now: int = NOW, scope: Scope | None = None) -> Book:
    return Book(store, Visibility(now, scope or Scope()))


@pytest.mark.parametrize(
    ("locator", "kind", "url", "begins"),
    [
        ("backup.1", "chunk", "guide/backup/#restore", "## Restore"),
        ("backup#restore", "section", "guide/backup/#restore", "## Restore"),
        ("backup", "page", "guide/backup/", "# Backups"),
        ("guide/backup/", "page", "guide/backup/", "# Backups"),
        ("/guide/backup/", "page", "guide/backup/", "# Backups"),
        ("guide/backup.md", "page", "guide/backup/", "# Backups"),
        ("安装#离线安装", "section", "指南/安装/#离线安装", "## 离线安装"),
        ("backup#", "page", "guide/backup/", "# Backups"),
    ],
)
def test_locators(store: Store, locator: str, kind: str, url: str, begins: str) -> None:
    """Chunks, sections and pages are read by id, URL or path, and link to the right heading."""
    (found,) = _book(store).read([locator]).evidence
    assert (found.kind, found.url, found.text[: len(begins)]) == (kind, url, begins)


@pytest.mark.parametrize(
    "locator", ["nope", "nope.0", "backup#nope", "", "#", "../backup", "wiki:nope", "a'; DROP TABLE x"]
)
def test_missing(store: Store, locator: str) -> None:
    """A locator that leads nowhere is missing, whatever it looks like."""
    found = _book(store).read([locator])
    assert (found.evidence, found.missing) == ((), (locator,))


def test_numbered_in_order(store: Store) -> None:
    """Evidence is numbered in the order it was read, and reading again gives the same piece."""
    book = _book(store)
    first = book.read(["backup.1", "茶"]).evidence
    again = book.read(["茶", "backup.0"]).evidence
    assert [e.id for e in (*first, *again)] == ["e1", "e2", "e2", "e3"]


@pytest.mark.parametrize("locator", ["temporary-notice", "temporary-notice.0", "temporary-notice#"])
def test_expires(store: Store, locator: str) -> None:
    """What expires is read until the second before and is missing from that second on."""
    assert _book(store, now=SOON - 1).read([locator]).missing == ()
    assert _book(store, now=SOON).read([locator]).missing == (locator,)


@pytest.mark.parametrize("scope", [Scope(folders=("finance",)), Scope(articles=()), Scope(langs=("zh",))])
def test_scope(store: Store, scope: Scope) -> None:
    """What is out of scope cannot be read, and an empty list means nothing."""
    assert _book(store, scope=scope).read(["backup.1"]).missing == ("backup.1",)


def test_generated_page_stands_for_its_chunks(store: Store) -> None:
    """A generated wiki page is never evidence: reading it reads the passages it came from."""
    assert [e.locator for e in _book(store).read(["wiki:docker"]).evidence] == ["install.1"]


def test_exact_quote(store: Store) -> None:
    """A quote is cited with its exact code-point offsets."""
    book = _book(store)
    (found,) = book.read(["茶.1"]).evidence
    quote = "不要用沸水"
    at = found.text.index(quote)
    assert book.cite("e1", quote) == Citation("e1", quote, at, at + len(quote))


def test_folded_quote(store: Store) -> None:
    """White space is folded: the citation carries the text as it stands in the source."""
    book = _book(store)
    (found,) = book.read(["backup.1"]).evidence
    cited = book.cite("e1", "1. Stop the service. 2. Unpack")
    assert cited is not None
    assert cited.quote == found.text[cited.start : cited.end] == "1. Stop the service.\n2. Unpack"


@pytest.mark.parametrize(
    ("evidence", "quote"),
    [("e1", "kept for 30 days"), ("e2", "kept for 14 days"), ("e1", ""), ("e1", " \n"), ("e1", "a"), ("", "kept")],
)
def test_no_citation(store: Store, evidence: str, quote: str) -> None:
    """A quote that is not there, is empty, or names evidence that was not read is no citation."""
    book = _book(store)
    book.read(["backup.0"])
    assert book.cite(evidence, quote) is None


def test_long_page_is_cut_at_a_heading() -> None:
    """A long text ends before a heading of its second half."""
    text = "x\n" * 4_000 + "## B\n" + "y\n" * 4_000
    assert cut(text) == "x\n" * 4_000


def test_long_line_is_cut() -> None:
    """A text without headings or lines is cut at the limit."""
    assert len(cut("字" * 20_000)) == MAX_TEXT
