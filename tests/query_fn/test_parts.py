"""Questions of several parts, steps that are headings, prices: what the extractive model makes of them."""

from __future__ import annotations

import pytest

from query_fn.agent.chat.base import OutlineResult
from query_fn.agent.chat.parts import parts
from query_fn.agent.chat.procedure import headings_of, step_nodes, wants_steps
from query_fn.agent.chat.score import asks_price, has_shape
from query_fn.agent.chat.spans import cut
from query_fn.agent.router import Intent, classify
from query_fn.contract import ArticleRow, NodeRow
from query_fn.model import Evidence


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "Which key opens the journal, and which one closes the window?",
            ("Which key opens the journal?", "which key closes the window?"),
        ),
        (
            "How long are backups kept and where are the archives stored?",
            ("How long are backups kept?", "where are the archives stored?"),
        ),
        ("备份保留多久？存放在哪个文件夹？", ("备份保留多久？", "存放在哪个文件夹？")),
        (
            "想渲染模板，用哪个引擎？想生成客户端，用什么工具？",
            ("想渲染模板，用哪个引擎？", "想生成客户端，用什么工具？"),
        ),
        ("How do I know what to do and when?", ("How do I know what to do and when?",)),
        ("两台设备同时改了同一个文件，会怎么处理？", ("两台设备同时改了同一个文件，会怎么处理？",)),
        ("How do I install and configure it?", ("How do I install and configure it?",)),
    ],
)
def test_a_question_is_cut_where_it_asks_again(question: str, expected: tuple[str, ...]) -> None:
    """Each part asks something of its own; scene-setting clauses stay with their question."""
    assert parts(question) == expected


def _outline(*titles: str) -> OutlineResult:
    article = ArticleRow(0, "a", "a.md", "a/", "恢复", "zh", "", "article", "", (), (), None, None, "", None, ("a",))
    nodes = tuple(
        NodeRow(i, f"a#{i}", "a", "a", i, 2, title, (title,), str(i), "", 0, 0, 0, None, ("a",))
        for i, title in enumerate(titles)
    )
    return OutlineResult(article, nodes)


@pytest.mark.parametrize(
    ("titles", "count"),
    [
        (("概述", "第 1 步：停止服务", "第 2 步：解压"), 2),
        (("1. Create a page", "2. Add tasks", "3. Build a dashboard", "Next"), 3),
        (("Step 1: stop", "Step 2: start"), 2),
        (("步骤一", "步骤二"), 2),
        (("2024 in review", "About"), 0),
        (("1. Only one", "Else"), 0),
    ],
)
def test_headings_that_count_steps_are_a_procedure(titles: tuple[str, ...], count: int) -> None:
    """Two or more numbered sibling headings are the steps."""
    assert len(step_nodes(_outline(*titles))) == count


def test_the_steps_are_quoted_from_the_page() -> None:
    """Each line of the answer is a heading as it stands in what was read."""
    text = "# 恢复\n\n## 第 1 步：停止服务\n\n文\n\n## 第 2 步：解压\n\n文\n"
    page = Evidence("e1", "page", "a", "a", "恢复", (), "a/", text, "zh", 1.0, None)
    draft = headings_of(step_nodes(_outline("第 1 步：停止服务", "第 2 步：解压")), [page])
    assert [line.text for line in draft.sentences] == ["第 1 步：停止服务", "第 2 步：解压"]
    assert all(raw in text for line in draft.sentences for _, raw in line.quotes)


@pytest.mark.parametrize(
    ("question", "expected"),
    [("List the steps to restore.", True), ("恢复分哪几步？", True), ("How do I restore?", False)],
)
def test_only_a_question_for_steps_is_answered_by_headings(question: str, expected: bool) -> None:
    """A plain how-to is answered by its section."""
    assert wants_steps(question) is expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("How much does a licence cost?", "A licence costs $40 a year.", True),
        ("How much does a licence cost?", "Version 2 has licences.", False),
        ("一年的订阅费是多少？", "每年 200 元。", True),
        ("一年的订阅费是多少？", "见 Issue 2632。", False),
        ("How much does it cost?", "It is free for everybody.", True),
        ("How many pages are there?", "There are 40.", True),
    ],
)
def test_a_price_is_an_amount(question: str, text: str, expected: bool) -> None:
    """A question for a price is not answered by any other number."""
    assert has_shape(Intent.COUNT, text, question=question) is expected
    assert asks_price(question) is ("pages" not in question)


def test_a_line_with_two_pipes_is_not_a_table() -> None:
    """A sentence that shows a `|^|` mark stays a sentence; a row below a rule is a row."""
    prose = Evidence(
        "e1", "chunk", "c", "a", "t", (), "a/", "Use `|^|` where the cursor should be.\n\nMore text.\n", "en", 1.0, None
    )
    table = Evidence("e2", "chunk", "c", "a", "t", (), "a/", "| a | b |\n|---|---|\n| 1 | 2 |\n", "en", 1.0, None)
    assert [s.kind for s in cut(prose)] == ["sentence", "sentence"]
    assert [s.kind for s in cut(table)] == ["header", "row"]


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("Which concepts should I know before I deploy?", Intent.STEPS),
        ("What do the letters of SRE stand for?", Intent.STEPS),
        ("Which decision records are about the server?", Intent.PAGES),
        ("Which version does this need?", Intent.FACT),
    ],
)
def test_lists_and_pages_are_recognised(question: str, intent: Intent) -> None:
    """What is asked for in the plural is a list; what is about something is a page."""
    assert classify(question) is intent
