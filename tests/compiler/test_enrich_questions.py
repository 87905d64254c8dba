"""The questions that rules make of a passage: a reader would ask each, and each is answered there."""

from __future__ import annotations

import pytest

from compiler.enrich.questions import questions
from compiler.enrich.soundness import sound
from query_fn.contract import ArticleRow, ChunkRow
from tests.artifacts import make_rows


def _asked(title: str, heading: str, body: str, lang: str) -> tuple[str, ...]:
    article, chunk = make_rows().articles[0], make_rows().chunks[0]
    fields = {name: getattr(article, name) for name in ArticleRow.__struct_fields__}
    own = ArticleRow(**{**fields, "title": title, "lang": lang})
    fields = {name: getattr(chunk, name) for name in ChunkRow.__struct_fields__}
    return questions(
        own, ChunkRow(**{**fields, "title": heading, "lang": lang, "text": f"## {heading}\n\n{body}\n"}), 3
    )


@pytest.mark.parametrize(
    ("title", "heading", "body", "lang", "asked"),
    [
        ("Kiln", "How to Fire the clay", "Heat the kiln slowly.", "en", ("How do I fire the clay?",)),
        ("Kiln", "Adding your glaze", "Brush on a thin coat.", "en", ("How do I add my glaze?",)),
        ("Kiln", "Damp clay", "A kiln is an oven for clay.", "en", ("What is a kiln?",)),
        (
            "Kiln",
            "Heat",
            "The heat_limit, `heat_limit`, defaults to 900.",
            "en",
            ("What is the default of heat_limit?",),
        ),
        ("Kiln", "Heat", "By default Harry fires at 900.", "en", ("What does “Kiln” say about “Heat”?",)),
        (
            "Kiln",
            "Ovens",
            "Read about the difference between gas kilns and wood kilns.",
            "en",
            ("What is the difference between gas kilns and wood kilns?",),
        ),
        ("Kiln", "Example", "Nothing to see.", "en", ()),
        ("Kiln", "2024-05-01", "Nothing to see.", "en", ()),
        ("窑炉", "升温", "窑炉每小时升温一百度。", "zh", ("《窑炉》里“升温”讲了什么？",)),
        ("窑炉", "干燥", "干燥箱是一种去除水分的设备。", "zh", ("干燥箱是什么？",)),
        ("窑炉", "示例", "见图。", "zh", ()),
    ],
)
def test_a_passage_is_asked_for_what_it_says(
    title: str, heading: str, body: str, lang: str, asked: tuple[str, ...]
) -> None:
    """By its heading, its definitions, its identifiers and its comparisons; else for its heading; else not at all."""
    assert _asked(title, heading, body, lang) == asked


@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("How do I run it?", "en"),
        ("How it works?", "en"),
        ("What the oven gives you?", "en"),
        ("What's next?", "en"),
        ("Do not open the door?", "en"),
        ("How can I decide to stop?", "en"),
        ("How can I say “Can I come in?", "en"),
        ("What is usually the report?", "en"),
        ("How do I manage noise and creating focus?", "en"),
        ("它有哪些限制？", "zh"),
        ("如何以下面的方式升温？", "zh"),
        ("为什么也会开裂？", "zh"),
        ("如何使用概览？", "zh"),
        ("如何升温时开门？", "zh"),
    ],
)
def test_what_nobody_would_ask_is_left_out(question: str, lang: str) -> None:
    """A pronoun without its noun, a statement with a question mark, a noun taken for a verb, a quotation cut off."""
    assert not sound(question, lang)


@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("How do I run a build?", "en"),
        ("What does “Kiln” say about “Heat”?", "en"),
        ("Which pages are public?", "en"),
        ("怎样公开一个页面？", "zh"),
        ("为什么主键必须是唯一的？", "zh"),
        ("升温时间有哪些限制？", "zh"),
        ("还有哪些其他工具？", "zh"),
    ],
)
def test_what_a_reader_would_ask_stays(question: str, lang: str) -> None:
    """Plain questions pass, quoted names too."""
    assert sound(question, lang)
