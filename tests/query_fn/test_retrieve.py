"""Search proposes the right places, says how sure it is, and names what it did without."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs, to_builtins

from compiler.index.rows import Rows
from query_fn.errors import RouteFailed
from query_fn.model import Scope
from query_fn.retrieve.catalog import file_name
from query_fn.retrieve.rewrite import asks_structure, rewrite
from query_fn.retrieve.search import Searcher
from query_fn.retrieve.select import Cut, Item, rerank
from query_fn.store import Store, open_store
from tests.artifacts import NOW, SOON, make_artifacts, make_build, make_rows


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return open_store(make_build(tmp_path_factory.mktemp("retrieve") / "out"))


@pytest.fixture
def searcher(store: Store) -> Searcher:
    return Searcher(store)


ANSWERS = [
    ("Which port does the Docker image use?", "install.1"),
    ("how long are backups kept", "backup.0"),
    ("who approves claims above 500 euros", "billing.1"),
    ("没有网络怎么离线安装？", "安装.1"),
    ("沒有網絡怎麼離線安裝？", "安装.1"),
    ("龙井茶用多少度的水冲泡", "茶.1"),
    ("维度是多少", "检索.2"),
]


@pytest.mark.parametrize(("question", "chunk"), ANSWERS)
def test_words_alone_find_the_answer(searcher: Searcher, question: str, chunk: str) -> None:
    """Without an embedder the first candidate is the chunk that answers, in both languages and both scripts."""
    assert searcher.search(question, now=NOW).candidates[0].chunk_id == chunk


def test_a_candidate_carries_no_text(searcher: Searcher) -> None:
    """Search proposes: a candidate names a place and no sentence of it beyond the summary."""
    found = searcher.search("Docker port", now=NOW).candidates[0]
    assert found.url == "guide/install/#docker-compose"
    assert "8080" not in str(to_builtins(found))


@pytest.mark.parametrize("question", ["", "   ", "zzzz", "？！", "\u200b"])
def test_an_unknown_or_empty_query_finds_nothing(searcher: Searcher, question: str) -> None:
    """No hits, no exception, no confidence."""
    result = searcher.search(question, now=NOW)
    assert (result.candidates, result.confidence, result.answerable) == ((), 0.0, False)


def test_the_missing_embedder_is_named(searcher: Searcher) -> None:
    """A search without vectors says so."""
    assert searcher.search("backup", now=NOW).diagnostics.degraded == ("no_embedder",)


def test_meaning_needs_an_embedder(searcher: Searcher) -> None:
    """Without vectors a search by meaning finds nothing and says why."""
    found = searcher.alike("backup", now=NOW)
    assert (found.candidates, found.diagnostics.degraded) == ((), ("no_embedder",))


def test_what_expired_is_not_found(searcher: Searcher) -> None:
    """From the second of expiry no route returns the article."""
    question = "机房什么时候停电"
    assert searcher.search(question, now=SOON - 1).candidates[0].article_id == "临时通知"
    late = searcher.search(question, now=SOON)
    assert "临时通知" not in str(late)


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [
        (Scope(articles=()), set()),
        (Scope(langs=("en",)), {"install", "backup", "billing", "temporary-notice"}),
        (Scope(folders=("指南",)), {"安装", "检索"}),
        (Scope(articles=("茶",)), {"茶"}),
    ],
)
def test_scope_holds_for_every_route(searcher: Searcher, scope: Scope, allowed: set[str]) -> None:
    """Nothing outside the scope appears, not even in the diagnostics; inside it hits are still found."""
    result = searcher.search("安装 install 端口 port 茶 80", now=NOW, scope=scope)
    articles = {hit.rsplit(".", 1)[0] for route in result.diagnostics.routes for hit, _ in route.hits}
    assert articles | {c.article_id for c in result.candidates} <= allowed
    assert bool(result.candidates) == bool(allowed)


def test_one_article_leaves_the_wiki_out_and_stays_inside_the_scope(searcher: Searcher) -> None:
    """`article` narrows the scope and can never widen it."""
    result = searcher.search("Docker", now=NOW, article="install")
    assert {c.article_id for c in result.candidates} == {"install"}
    assert "wiki_words" not in {route.route for route in result.diagnostics.routes}
    assert searcher.search("Docker", now=NOW, article="install", scope=Scope(articles=("茶",))).candidates == ()


def test_an_unanswerable_question_has_less_confidence(searcher: Searcher) -> None:
    """The confidence tells an answered question from one the pages do not cover."""
    good = searcher.search("how long are backups kept", now=NOW)
    bad = searcher.search("who won the football world cup in Paris", now=NOW)
    assert good.answerable
    assert not bad.answerable
    assert good.confidence > 0.5 > bad.confidence


def test_a_failed_route_is_named_and_lowers_the_confidence(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """One broken index does not end the search and is not passed over in silence."""
    whole = Searcher(store).search("how long are backups kept", now=NOW)
    opened = Store.lexical

    def broken(self: Store, name: str) -> object:
        if name == "questions":
            raise RouteFailed("questions: broken")
        return opened(self, name)

    monkeypatch.setattr(Store, "lexical", broken)
    part = Searcher(store).search("how long are backups kept", now=NOW)
    assert part.candidates[0].chunk_id == "backup.0"
    assert part.diagnostics.degraded == ("no_embedder", "route_failed:question_words")
    assert 0 < part.confidence < whole.confidence


def test_a_question_about_structure_asks_the_tree(searcher: Searcher) -> None:
    """PageIndex routes run when the outline is what is asked for."""
    routes = {route.route for route in searcher.search("安装指南有哪些章节", now=NOW).diagnostics.routes}
    assert "node_words" in routes


def test_twenty_parallel_searches_agree(searcher: Searcher) -> None:
    """One searcher serves many threads with the same results."""
    questions = [question for question, _ in ANSWERS] * 5
    alone = [searcher.search(q, now=NOW).candidates for q in questions]
    with ThreadPoolExecutor(20) as pool:
        together = list(pool.map(lambda q: searcher.search(q, now=NOW).candidates, questions))
    assert together == alone


@pytest.mark.parametrize("limit", [-1, 0, 1, 20, 1000])
def test_the_limit_is_kept_between_one_and_twenty(searcher: Searcher, limit: int) -> None:
    """Any limit is brought into range."""
    found = searcher.search("安装 端口 install port 80 days", now=NOW, limit=limit).candidates
    assert len(found) <= max(1, min(limit, 20))
    assert found


REWRITES = [
    ("备份保留多久？", ["备份保留多久？"]),
    ("备份和恢复有什么区别", ["备份和恢复有什么区别"]),
    ("离线安装和在线安装有什么区别？", ["离线安装和在线安装有什么区别？", "离线安装", "在线安装"]),
    (
        "difference between Docker Compose and plain pip?",
        ["difference between Docker Compose and plain pip?", "Docker Compose", "plain pip"],
    ),
    ("", [""]),
]


@pytest.mark.parametrize(("question", "expected"), REWRITES)
def test_rewrite(question: str, expected: list[str]) -> None:
    """A comparison gives its sides; a short question stays one query."""
    assert list(rewrite(question)) == expected


def test_there_are_at_most_four_queries() -> None:
    """The caller's own queries come before the clauses, and four is the end."""
    queries = rewrite("how do a and b work? what is c d? " * 5, ("mine one", "mine two"))
    assert queries[1:3] == ("mine one", "mine two")
    assert len(queries) == 4


@pytest.mark.parametrize(
    ("question", "expected"), [("目录里有什么", True), ("Which sections are there?", True), ("端口", False)]
)
def test_asks_structure(question: str, expected: bool) -> None:
    """Only questions about the document's build ask for its tree."""
    assert asks_structure(question) is expected


@pytest.mark.parametrize("version", ["3.6.3", "3.6", "v2.0-beta"])
def test_a_version_number_finds_its_own_page_first(tmp_path: Path, version: str) -> None:
    """Pages that only share parts of the number come after the exact one."""
    texts = [
        f"Release {name} fixes the installer. Notes for {name}.\n" for name in ("3.6.3", "3.6", "3", "v2.0-beta", "2.0")
    ]
    articles = tuple(
        structs.replace(
            make_rows().articles[0], n=n, id=f"r{n}", path=f"r{n}.md", url=f"r{n}/", text=text, sources=(f"r{n}",)
        )
        for n, text in enumerate(texts)
    )
    chunk = make_rows().chunks[0]
    chunks = tuple(
        structs.replace(
            chunk, n=a.n, id=f"{a.id}.0", article_id=a.id, text=a.text, start=0, end=len(a.text), sources=a.sources
        )
        for a in articles
    )
    make_artifacts(tmp_path / "a", rows=Rows(articles, chunks))
    found = Searcher(open_store(tmp_path / "a")).search(version, now=NOW).candidates
    assert version in texts[int(found[0].article_id[1:])].split()


def test_near_duplicates_are_dropped_and_named(tmp_path: Path) -> None:
    """Two pages with the same words give one candidate, and the diagnostics say which was left out."""
    rows = make_rows()
    twin = structs.replace(rows.articles[0], n=8, id="copy", path="copy.md", url="copy/", sources=("copy",))
    own = [chunk for chunk in rows.chunks if chunk.article_id == "install"]
    copies = tuple(
        structs.replace(chunk, n=len(rows.chunks) + i, id=f"copy.{i}", article_id="copy", sources=("copy",))
        for i, chunk in enumerate(own)
    )
    make_artifacts(tmp_path / "a", rows=Rows((*rows.articles, twin), (*rows.chunks, *copies)))
    result = Searcher(open_store(tmp_path / "a")).search("Docker image port", now=NOW)
    assert result.candidates[0].chunk_id == "install.1"
    assert ("copy.1", "duplicate") in result.diagnostics.dropped


HEADED = [
    ("How do I do the approval?", "billing.1"),
    ("What is the restore of backups?", "backup.1"),
    ("什么是离线安装？", "安装.1"),
]


@pytest.mark.parametrize(("question", "chunk"), HEADED)
def test_a_heading_that_is_the_question_is_a_route(searcher: Searcher, question: str, chunk: str) -> None:
    """The section is found by its heading, with or without the name of its page, when no other word helps."""
    hits = next(r.hits for r in searcher.search(question, now=NOW).diagnostics.routes if r.route == "headings")
    assert hits[0] == (chunk, 1.0)


def test_a_generated_question_is_answerable(searcher: Searcher, store: Store) -> None:
    """Asked in its own words, without an embedder, each generated question reaches the confidence to answer."""
    questions = [q.text for a in ("install", "backup", "安装") for q in store.questions_of(a)]
    assert questions
    assert [q for q in questions if not searcher.search(q, now=NOW).answerable] == []


def test_the_other_language_of_the_base_is_searched(searcher: Searcher) -> None:
    """A Chinese question finds the English page that has no Chinese twin, by the words of its translation."""
    found = searcher.search("报销审批", now=NOW)
    assert found.diagnostics.queries == ("报销审批", "expense reimbursement approval approve")
    assert found.candidates[0].chunk_id == "billing.1"
    assert found.answerable


def test_a_file_name_names_a_page(tmp_path: Path) -> None:
    """The name of the file counts like a title; one made of numbers does not."""
    rows = make_rows()
    renamed = tuple(structs.replace(a, path="guide/Zymurgy.md") if a.id == "install" else a for a in rows.articles)
    make_artifacts(tmp_path / "a", rows=replace(rows, articles=renamed))
    searcher = Searcher(open_store(tmp_path / "a"))
    assert searcher.search("Zymurgy HTTPS", now=NOW).confidence > searcher.search("Zyxwvut HTTPS", now=NOW).confidence
    assert [file_name(path) for path in ("a/Tag.md", "茶.md", "2024-01-02.md", "x-12.md")] == ["Tag", "茶", "", ""]


@pytest.mark.parametrize("question", ["和" * 2000, "的和" * 1000, " vs " * 500, "compare a with " * 200])
def test_a_hostile_question_is_rewritten_at_once(question: str) -> None:
    """No pattern of the rewriting takes long on a question made to be slow."""
    began = time.perf_counter()
    assert rewrite(question)
    assert time.perf_counter() - began < 0.2


def test_a_foreign_passage_is_not_judged_by_words_it_cannot_hold() -> None:
    """A passage in another language counts as covered like the average of the others, unless it covers more itself."""
    items = [Item(n, 0.5, "a", Cut("", None)) for n in range(4)]
    shares = {0: 0.8, 1: 0.4, 2: 0.0, 3: 1.0}
    ranked = rerank(items, lambda item: shares[item.n], lambda item: item.n >= 2)
    assert [item.n for item in ranked] == [3, 0, 2, 1]
    assert [item.n for item in rerank(items[2:], lambda item: shares[item.n], lambda _: True)] == [3, 2]
