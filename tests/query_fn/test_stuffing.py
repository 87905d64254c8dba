"""Pages stuffed with keywords, crafted to be found first for everything: the right page stays in the top three. F68."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.stuffing import hollow
from query_fn.retrieve.search import Searcher
from query_fn.retrieve.select import PER_ARTICLE
from query_fn.store import open_store
from tests.artifacts import NOW, TEXTS, make_artifacts

RIGHT = {
    "How long are backups kept?": "backup",
    "How do I restore a backup?": "backup",
    "Which port does the Docker image listen on?": "install",
    "Who approves claims above 500 euros?": "billing",
    "泡龙井茶用多少度的水？": "茶",
    "向量的维度是多少？": "检索",
    "没有网络时怎么安装？": "安装",
}
STUFFED = 6


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    """The tiny bilingual base with pages that repeat every question, in text and headings."""
    kept, words = dict(TEXTS), " ".join(RIGHT)
    sections = [f"## {question}\n\n{(question + ' ') * 30} 点击这里 {{n}}。\n\n" for question in RIGHT]
    page = f"# {words}\n\n{(words + ' ') * 40}\n\n" + "".join(sections)
    folder: Path = tmp_path_factory.mktemp("stuffed") / "artifacts"
    try:
        for n in range(STUFFED):
            TEXTS[f"stuffed-{n}"] = ("zh" if n % 2 else "en", "spam", (), page.format(n=n))
        make_artifacts(folder)
    finally:
        TEXTS.clear()
        TEXTS.update(kept)
    return Searcher(open_store(folder), None)


@pytest.mark.parametrize(("question", "page"), RIGHT.items())
def test_the_right_page_is_in_the_top_three(searcher: Searcher, question: str, page: str) -> None:
    """Repeating the question on several pages does not push the page that answers it out of sight."""
    assert page in [c.article_id for c in searcher.search(question, now=NOW).candidates[:3]]


@pytest.mark.parametrize("question", RIGHT)
def test_no_page_takes_all_places(searcher: Searcher, question: str) -> None:
    """One page has at most so many candidates while others wait."""
    first = [c.article_id for c in searcher.search(question, now=NOW, limit=8).candidates]
    assert max(map(first.count, first)) <= PER_ARTICLE


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ("How long are backups kept? " * 30, True),
        ("备份保留多久？" * 40, True),
        ("\n".join(f"| option{n} | {n * 37} | what number {n} is for |" for n in range(40)), False),
        ("+----------+----------+\n" * 60 + "| id | name |\n", False),
        ("Backups run every night. " * 3, False),
    ],
)
def test_what_is_hollow(text: str, empty: bool) -> None:
    """A text that repeats itself is; tables, drawn lines and a sentence said three times are not."""
    assert hollow(text) is empty
