"""Each tool has one job: what it returns, what it refuses, and that scope holds at every call."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from query_fn.agent import evidence
from query_fn.agent.chat.base import Call, CollectionResult, LinksResult, ListResult, ReadResult, ToolError
from query_fn.agent.evidence import Book
from query_fn.agent.manual import MANUALS, NAMES
from query_fn.agent.tools import Tools
from query_fn.model import Scope, SearchResult
from query_fn.retrieve.search import Searcher
from query_fn.store import Store, open_store
from query_fn.visibility import Visibility
from tests.artifacts import NOW, SOON, make_artifacts

GOOD: dict[str, dict[str, object]] = {
    "delegate": {"goals": ["How long are backups kept?"]},
    "search": {"query": "backups"},
    "find": {"phrase": "14 days"},
    "outline": {"article": "backup"},
    "read": {"locators": ["backup.0"]},
    "links": {"article": "backup"},
    "list": {"pattern": "back"},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The tiny bilingual base, without vectors."""
    folder: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder)
    return open_store(folder)


def tools(store: Store, scope: Scope | None = None, *, now: int = NOW) -> Tools:
    """Return the tools of one question."""
    scope = scope or Scope()
    return Tools(store, Searcher(store, None), Book(store, Visibility(now, scope)), scope, now)


def listed(store: Store, **args: object) -> list[str]:
    """Return the ids of the pages that a call lists."""
    found = tools(store).call(Call("list", args))
    assert isinstance(found, ListResult)
    return [article.id for article in found.articles]


def test_links_go_out_and_back(store: Store) -> None:
    """A page shows the pages it links to and those that link to it, each with the sentence of the link."""
    ends = []
    for page in ("backup", "install"):
        found = tools(store).call(Call("links", {"article": page}))
        assert isinstance(found, LinksResult)
        ends += [(link.article.id, link.inward, link.row.sentence) for link in found.links]
    assert ends == [("install", False, "See Installation."), ("backup", True, "See Installation.")]


@pytest.mark.parametrize(
    ("args", "pages"),
    [
        ({"pattern": "BACK"}, ["backup"]),
        ({"pattern": "龙*茶"}, ["茶"]),
        ({"pattern": "guide/*.md"}, ["backup", "install"]),
        ({"folder": "指南"}, ["安装", "检索"]),
        ({"tag": "tea"}, ["茶"]),
        ({"folder": "guide", "updated_since": "2026-02-01"}, ["backup"]),
        ({"folder": "nowhere"}, []),
    ],
)
def test_list(store: Store, args: dict[str, object], pages: list[str]) -> None:
    """Pages are listed by a pattern of title or path, by folder, tag and date."""
    assert listed(store, **args) == pages


def test_list_of_folders(store: Store) -> None:
    """Without arguments the folders are counted; what has expired is not."""
    found = tools(store, now=SOON).call(Call("list", {}))
    assert isinstance(found, ListResult)
    assert dict(found.folders) == {"guide": 2, "finance": 1, "指南": 2, "生活": 1}


def test_find_with_a_gap(store: Store) -> None:
    """`*` stands for any characters of a passage, in order."""
    hits = []
    for phrase in ("Docker * 8080", "8080 * Docker", "检索*融合", "*", "14*"):
        found = tools(store).call(Call("find", {"phrase": phrase}))
        assert isinstance(found, SearchResult)
        hits.append([c.chunk_id for c in found.candidates])
    assert hits == [["install.1"], [], ["检索.0"], [], ["backup.0"]]


@pytest.mark.parametrize("tool", NAMES)
def test_an_empty_scope_finds_nothing(store: Store, tool: str) -> None:
    """Whatever is called, a scope of nothing gives nothing."""
    found = tools(store, Scope(articles=())).call(Call(tool, GOOD[tool]))
    assert isinstance(found, ToolError) or not any(
        (getattr(found, "candidates", ()), getattr(found, "evidence", ()), getattr(found, "articles", ()))
    )


@pytest.mark.parametrize("tool", NAMES)
def test_switched_off(store: Store, tool: str) -> None:
    """The owner can switch off every tool."""
    found = replace(tools(store), off=(tool,)).call(Call(tool, GOOD[tool]))
    assert isinstance(found, ToolError)
    assert found.code == "tool_off"


@pytest.mark.parametrize("manual", MANUALS, ids=NAMES)
def test_schemas_are_strict(manual: object) -> None:
    """Each tool's schema allows no other key and every argument it takes can be read back."""
    json = getattr(manual, "json")  # noqa: B009 - of any manual
    assert json["strict"] is True
    assert json["input_schema"]["additionalProperties"] is False
    assert set(GOOD[json["name"]]) <= set(json["input_schema"]["properties"])


def test_a_long_page_goes_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that is cut names where it goes on; reading on and on gives the whole page, once."""
    monkeypatch.setattr(evidence, "MAX_TEXT", 60)
    use, locator, texts = tools(store), "backup", []
    while locator:
        found = use.call(Call("read", {"locators": [locator]}))
        assert isinstance(found, ReadResult)
        texts.append(found.evidence[0].text)
        locator = dict(found.onward).get(found.evidence[0].id, "")
    article = store.article("backup")
    assert article is not None
    assert ("".join(texts), len(texts) > 2) == (article.text, True)


@pytest.mark.parametrize("locator", ["backup@999999", "backup@-1", "backup@x", "@5", "nope@5", "backup.0@5"])
def test_a_place_that_nobody_named(store: Store, locator: str) -> None:
    """An offset behind the end, or of nothing, leads nowhere."""
    found = tools(store).call(Call("read", {"locators": [locator]}))
    assert isinstance(found, ReadResult)
    assert (found.evidence, found.missing) == ((), (locator,))


def test_the_tree_of_the_base_is_folders_pages_and_chapters(store: Store) -> None:
    """Without a name the outline shows the top; a folder shows its own pages with their chapters."""
    top = tools(store).call(Call("outline", {}))
    assert isinstance(top, CollectionResult)
    counted = sum(n for _, n in top.folders) + top.total
    assert counted == len([a for a in store.articles() if a.not_after is None or a.not_after > NOW])
    for name, _ in top.folders:
        below = tools(store).call(Call("outline", {"article": name}))
        assert isinstance(below, CollectionResult)
        assert all(article.folder == name for article, _ in below.pages)
    shown = [n.article_id for _, nodes in top.pages for n in nodes]
    assert set(shown) <= {article.id for article, _ in top.pages}


def test_a_folder_out_of_scope_is_a_missing_folder(store: Store) -> None:
    """What may not be seen is in no tree, and a folder of it does not exist."""
    folders = {a.folder for a in store.articles() if a.folder}
    nothing = Scope(articles=())
    for name in (*folders, "no such folder", ""):
        found = tools(store, nothing).call(Call("outline", {"article": name} if name else {}))
        assert isinstance(found, ToolError)
        assert found.code == "not_found"
