"""Which pages stand beside a page: the same in another language, and those about the same things."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiler.site.languages import direction, name_of, translations
from compiler.site.related import related
from compiler.wiki.compile import Wiki
from query_fn.contract import ArticleRow
from tests.compiler.rows import article_row, linked
from tests.compiler.vault import PUBLIC, QUICK, make


def row(path: str, lang: str, *, tags: tuple[str, ...] = ()) -> ArticleRow:
    """Return an article at `path`."""
    return article_row(path, lang=lang, tags=tags)


@pytest.mark.parametrize(
    ("first", "second", "paired"),
    [
        ("zh/start.md", "en/start.md", True),
        ("docs/zh/start.md", "docs/en/start.md", True),
        ("start.zh.md", "start.en.md", True),
        ("zh/start.md", "start.md", True),  # the other language has no folder of its own
        ("zh-CN/Start.md", "en/start.md", True),
        ("zh/start.md", "en/other.md", False),
        ("de/start.md", "en/start.md", False),  # a Chinese page in a folder that is not of its language
    ],
)
def test_pages_pair_by_their_path(first: str, second: str, paired: bool) -> None:
    """A Chinese and an English page are one in two languages when only what names their language differs."""
    found = translations([row(first, "zh"), row(second, "en")])
    assert (second in {other.title for other in found.get(first, ())}) is paired
    assert (first in {other.title for other in found.get(second, ())}) is paired


def test_pages_pair_by_their_front_matter() -> None:
    """Pages that say the same `translationKey` are one page, wherever they lie; what says one pairs by no path."""
    rows = [row("a/erde.md", "de"), row("b/soil.md", "en"), row("en/rain.md", "en"), row("zh/rain.md", "zh")]
    found = translations(rows, {rows[0].id: "soil", rows[1].id: "soil", rows[2].id: "other"})
    assert [(key, [other.lang for other in others]) for key, others in found.items()] == [
        (rows[0].id, ["en"]),
        (rows[1].id, ["de"]),
    ]


def test_two_pages_of_one_language_are_no_translations() -> None:
    """Pages of one language never pair, whatever their paths."""
    assert translations([row("en/a.md", "en"), row("a.md", "en")]) == {}


@pytest.mark.parametrize(
    ("lang", "name", "way"), [("zh", "中文", "ltr"), ("ar-EG", "العربية", "rtl"), ("tlh", "tlh", "ltr")]
)
def test_a_language_says_its_own_name_and_direction(lang: str, name: str, way: str) -> None:
    """The switch shows a language as its readers call it, and an unknown one by its tag."""
    assert (name_of(lang), direction(lang)) == (name, way)


def test_what_few_pages_share_counts_more() -> None:
    """A tag of two pages relates them before a tag of all; the reason is named."""
    rows = [row(f"{n}.md", "en", tags=("all", "rare") if n in (0, 3) else ("all",)) for n in range(5)]
    first, *rest = related(rows, [linked(r) for r in rows], Wiki())["0.md"]
    assert (first.title, first.shared) == ("3.md", ("#rare", "#all"))
    assert [other.title for other in rest] == ["1.md", "2.md", "4.md"]


def test_linked_pages_and_other_languages_are_not_related() -> None:
    """A page that is linked stands in the text or under the backlinks already; another language is another reader's."""
    rows = [row("a.md", "en", tags=("t",)), row("b.md", "en", tags=("t",)), row("c.md", "zh", tags=("t",))]
    documents = [linked(rows[0], "b.md"), linked(rows[1]), linked(rows[2])]
    assert related(rows, documents, Wiki()) == {}


def test_questions_of_an_author_start_a_conversation(tmp_path: Path) -> None:
    """The home page offers the questions that stand as headings before those that were made of a text."""
    pages: dict[str, str | bytes] = {
        "a.md": f"{PUBLIC}# Rain\n\n## Installing\n\nRun `rain`.\n",
        "b.md": f"{PUBLIC}# Gauge\n\n## Setup\n\nPut it up.\n\n## Where should a rain gauge stand?\n\nOn grass.\n",
    }
    _, served = make(tmp_path, pages, how=QUICK)
    home = json.loads((served / "site" / "index.html").read_text("utf-8"))
    assert home["questions"] == ["Where should a rain gauge stand?", "How do I install?"]


def test_the_path_above_a_page_leads_to_its_folders(tmp_path: Path) -> None:
    """A folder leads to its own page, one without to its part of the list of articles, one that holds no page nowhere."""
    files = {"a/index.md": PUBLIC + "# A\n", "a/b c/d/x.md": PUBLIC + "# X\n", "a/b c/d/y.md": PUBLIC + "# Y\n"}
    _, current = make(tmp_path, files, how=QUICK)
    page = json.loads(next((current / "site").glob("**/x/index.html")).read_text("utf-8"))
    assert [(crumb["title"], crumb["url"]) for crumb in page["crumbs"]] == [
        ("A", "a/"),
        ("b c", ""),
        ("d", "articles/#folder-a/b~20~c/d"),
    ]
