"""What makes the parser faster changes nothing: lines found at once, text taken at once, blocks that are only skimmed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from compiler.enrich.terms import key_terms
from compiler.parse.linear import linear, set_lines
from compiler.parse.markdown import headings, parser, skimming_parser
from compiler.parse.structure import raw_links

LINES = ("src", "bMarks", "eMarks", "tShift", "sCount", "bsCount", "lineMax", "line")
PIECES = [
    *"ab中 \t\n-#>`$\\|^=:!",
    "[[p]]",
    "[x](y.md)",
    "<a href='z.md'>",
    "\n\n",
    "\n- ",
    "[^1]",
    "[^1]: ",
    "[r]: u.md\n",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(st.text("a \t\n-é\r\x0b", max_size=30))
def test_lines_are_those_of_the_parsers_own_scan(text: str) -> None:
    """Begins, ends and indents of the lines are what StateBlock finds character by character."""
    own, ours = StateBlock(text, MarkdownIt(), {}, []), StateBlock("", MarkdownIt(), {}, [])
    set_lines(ours, text)
    assert [getattr(ours, name) for name in LINES] == [getattr(own, name) for name in LINES]


@given(TEXTS)
def test_the_linear_rules_read_what_the_parsers_own_read(text: str) -> None:
    """CommonMark comes out as the same HTML with and without them."""
    assert MarkdownIt().use(linear).render(text) == MarkdownIt().render(text)


@settings(max_examples=300)
@given(TEXTS)
def test_skimming_finds_every_heading_and_link(text: str) -> None:
    """A page that is only skimmed has the headings and links of a page that is read."""
    read, skimmed = parser().parse(text, {}), skimming_parser().parse(text, {})
    assert headings(skimmed) == headings(read)
    assert raw_links(skimmed, headings(skimmed)) == raw_links(read, headings(read))


def test_identifiers_are_counted_in_parts_and_names_of_languages_whole() -> None:
    """An identifier in Chinese text gives its words, and C++ stays C++."""
    text = "使用 C++ 编写的 tidb-server 读取数据。C++ 程序调用 tidb-server 的接口。"
    assert key_terms(text, text, "zh", 3) == ["C++", "tidb", "server"]
