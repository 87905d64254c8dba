"""The chunker: laws as properties, and the cases that broke other tools."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.chunk import chunk, tiles, topic_level
from compiler.enrich.questions import questions
from compiler.model import Article, ArticleId, Document, SourcePath, Url
from compiler.outline import outline
from compiler.parse.document import publish
from compiler.parse.structure import read_structure
from compiler.settings import ChunkSettings
from query_fn.contract import ArticleRow, ChunkRow

SIZES = ChunkSettings()
SMALL = ChunkSettings(target=120, tail=40, cap=320, overlap=32)
LINES = st.sampled_from(
    ["# 甲", "## 乙", "### 丙", "## 丁", "", "一句话。又一句话！", "word word word. More words here.", "```", "~~~", "| a | b |",
     "|---|---|", "| 1 | 2 |", "- item", "    code", "长" * 90, "x" * 200, "> quote", "<div>"]
)  # fmt: skip


def document(body: str, title: str = "页") -> Document:
    """Return a parsed page."""
    path = SourcePath("a.md")
    article = Article(
        ArticleId("a"), path, path, Url("a/"), title, "zh", "", "article", (), (), (), None, None, None, body, 1,
    )  # fmt: skip
    structure = read_structure(body)
    return publish(article, structure, [_nowhere() for _ in structure.links])


def _nowhere():
    from compiler.parse.links import Resolution

    return Resolution("missing")


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, max_size=60).map("\n".join))
def test_chunks_add_up_to_the_text(body: str) -> None:
    """The own parts of the chunks, in order, are the text; nothing is lost and nothing doubled."""
    page = document(body)
    rows = chunk(page, SMALL, 0)
    assert tiles(rows, len(page.text))
    assert "".join(r.text[r.prefix : len(r.text) - r.suffix] for r in rows) == page.text


@settings(max_examples=100, deadline=None)
@given(st.lists(LINES, max_size=60).map("\n".join))
def test_every_outline_node_is_an_anchor_of_the_page(body: str) -> None:
    """Every node but the root names an id that the HTML has, and parents contain their children."""
    page = document(body)
    nodes = outline(page, 0)
    by_id = {n.id: n for n in nodes}
    assert len(by_id) == len(nodes)
    assert all(f'id="{n.anchor}"' in page.html for n in nodes[1:])
    assert all(by_id[n.parent_id].start <= n.start <= n.end <= by_id[n.parent_id].end for n in nodes if n.parent_id)


def test_short_sections_merge_within_a_topic_only() -> None:
    """Neighbouring short sections share a chunk, but never across a top-level topic."""
    rows = chunk(document("## 甲\n文\n### 一\n文\n### 二\n文\n## 乙\n文\n"), SIZES, 0)
    assert [(r.title, r.start) for r in rows] == [("甲", 0), ("乙", 23)]


def test_a_deep_heading_does_not_leak_into_a_higher_one() -> None:
    """The path of a text under C is A, C and not A, B, C."""
    rows = chunk(document("# A\n### B\n文\n## C\n" + "文" * 1300), SIZES, 0)
    assert rows[-1].path == ("A", "C")


def test_a_preamble_is_located_by_the_title() -> None:
    """Text before the first heading has the article's title and an empty path."""
    row = chunk(document("开头的话" * 120 + "\n\n## 节\n" + "文" * 1300), SIZES, 0)[0]
    assert (row.title, row.path, row.anchor) == ("页", (), "")


def test_a_code_block_stays_whole_up_to_twice_the_cap() -> None:
    """A fence of 5,000 characters is one chunk's own text."""
    code = "```py\n" + "x = 1\n" * 800 + "```\n"
    rows = chunk(document("## 节\n" + "文" * 300 + "\n\n" + code + "后\n" * 500), SIZES, 0)
    assert any(code.strip() in r.text for r in rows)


def test_a_longer_code_block_is_closed_and_reopened() -> None:
    """Both halves of a split fence are valid Markdown."""
    rows = chunk(document("## 节\n```py\n" + "x = 1\n" * 3000 + "```\n"), SIZES, 0)
    assert len(rows) > 2
    assert all(r.text.count("```") % 2 == 0 for r in rows)


def test_a_split_table_repeats_its_head_and_cuts_no_row() -> None:
    """Every piece of a long table begins with the header row."""
    table = "| 名 | 值 |\n|---|---|\n" + "".join(f"| 行{i} | {'值' * 20} |\n" for i in range(400))
    rows = chunk(document("## 表\n\n" + table), SIZES, 0)
    assert len(rows) > 5
    assert all("| 名 | 值 |" in r.text for r in rows)
    assert all(line.count("|") == 3 for r in rows for line in r.text.splitlines() if line.startswith("| 行"))


def test_one_long_line_is_cut_at_sentences() -> None:
    """A 100,000-character line ends its chunks at sentence ends, and none passes the window."""
    rows = chunk(document("这是一句话。" * 17_000), SIZES, 0)
    assert all(r.text.endswith("。") for r in rows[:-1])
    assert max(len(r.text) for r in rows) <= SIZES.target + SIZES.tail


def test_topic_level_is_the_highest_repeated_one() -> None:
    """One h1 and many h2: the topics are the h2."""
    assert topic_level(document("# A\n## B\n## C\n").sections) == 2
    assert topic_level(document("# A\n# B\n").sections) == 1
    assert topic_level(document("文").sections) == 1


def test_a_page_with_one_first_h1_has_it_as_root() -> None:
    """One root per document, whatever the headings are."""
    assert [(n.level, n.title) for n in outline(document("# 题\n## 节\n文\n", "题"), 0)] == [(0, "题"), (2, "节")]
    assert [(n.level, n.title) for n in outline(document("## 节\n# 题\n"), 0)] == [(0, "页"), (2, "节"), (1, "题")]


def _row(text: str, title: str, lang: str) -> tuple[ArticleRow, ChunkRow]:
    article = ArticleRow(
        0,
        "a",
        "a.md",
        "a/",
        "手册" if lang == "zh" else "Handbook",
        lang,
        "",
        "article",
        "",
        (),
        (),
        None,
        None,
        text,
        None,
        ("a",),
    )
    return article, ChunkRow(0, "a.0", "a", 0, title, (title,), "x", lang, text, 0, 0, 0, len(text), 1, None, ("a",))


def test_local_questions_are_distinct_ones_in_the_chunks_language() -> None:
    """Chinese chunks get Chinese questions, English ones English questions, none echoes the title; none is made up."""
    zh = questions(*_row("## 安装\n1. 下载 **安装包**\n2. 解压\n3. 运行 `setup`\n", "安装", "zh"), 3)
    en = questions(*_row("## Installing\nRun `setup`. **Docker** is a container runtime.\n", "Installing", "en"), 3)
    assert zh[:2] == ("如何安装？", "安装有哪些步骤？")
    assert en == ("How do I install?", "What is Docker?")
    assert len(zh) == len(set(zh))
