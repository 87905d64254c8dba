"""Summaries of the nodes of a page's tree: what the section says, in its own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.outline import SUMMARY, summarise

CASES = [
    ("the first sentence", "Chunks", "Passages are cut here. They are long.", "Passages are cut here. They are long."),
    ("the one that defines the heading", "Chunk", "We need parts. A chunk is a part of one page.", "A chunk is a part of one page."),
    ("the definition in Chinese", "分块", "先看一个例子。分块是指从页面里切出来的一个片段。", "分块是指从页面里切出来的一个片段。"),
    ("no echo of the heading", "Set the port", "**Set the port:**\n\nThe port is 80 by default.", "The port is 80 by default."),
    ("no pointer where there is more", "Steps", "Do as follows:\n\n- Open the box carefully.\n", "Open the box carefully."),
    ("a pointer where there is nothing else", "Steps", "Do as follows:\n\n```\nrun\n```\n", "Do as follows:"),
    ("no pointer at the end", "Port", "The port is open. Change it like this:\n", "The port is open."),
    ("the head of a table", "Ports", "## Ports\n\n| name | port |\n|---|---|\n| a | 1 |\n", "name · port"),
    ("items that end without a mark", "Steps", "- Open the box\n- Take it out\n", "Open the box; Take it out"),
    ("items that end without a mark in Chinese", "步骤", "先看说明。\n\n- 打开盒子\n- 拿出来\n", "先看说明。打开盒子；拿出来"),
    ("no formula", "Rate", "It falls with time:\n\n$$\nc = c_0 e^{-kt}\n$$\n\nThe rate is small.\n", "The rate is small."),
    ("the first line of code", "Run", "## Run\n\n```sh\nmake all\nmake test\n```\n", "make all"),
]  # fmt: skip


@pytest.mark.parametrize(("title", "text", "told"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_a_section_is_told_by_its_best_sentence(title: str, text: str, told: str) -> None:
    """The table above."""
    assert summarise(text, (), "zh" if "。" in told else "en", title=title) == told


def test_a_section_without_words_is_told_by_its_parts() -> None:
    """The titles below it stand for it."""
    assert summarise("## A\n", ("B", "", "C"), "en", title="A") == "B · C"


@given(st.text(max_size=400), st.text(max_size=20), st.sampled_from(["zh", "en"]))
def test_a_summary_is_short_and_one_line(text: str, title: str, lang: str) -> None:
    """Whatever a section holds, its summary fits a line of a list."""
    told = summarise(text, (), lang, title=title)
    assert len(told) <= SUMMARY
    assert "\n" not in told
