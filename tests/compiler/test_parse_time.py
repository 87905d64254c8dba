"""Hostile Markdown: the time grows with the length, and no input crashes the parser."""

import time

import pytest

from compiler.errors import FileError
from compiler.parse.comments import strip_comments
from compiler.parse.structure import read_structure
from tests.compiler.test_parse_golden import parsed

UNITS = [
    "[", "*", "_", "~~a ", "==a ", "`", "| ", "|a|\n|-|\n", "$", "$a ", "$$ a\n", "\\(", "\\[\n", "<", "<a ", ":", "!", "=", "{", "](", "![", "[[", "[[a|",
    "[[乙]]\n", "![[乙]]\n\n", "::: tip\n", ":::\n", "/// note\n", "!!! note\n    ", '=== "a"\n    x\n', "a ^b\n\n", "# a\n", "## a {#b}\n", "[a](b/乙.md) ",
    "{{< x >}}", "[a]: b/乙.md\n", "&amp;", "~~~\n", "[^1] ", "- a\n", "> a\n\n",
]  # fmt: skip
SIZE = 5_000  # characters: long enough to see a square, short enough for a table


def seconds(source: str) -> float:
    """Return the best of three times that a page takes."""
    best = 1e9
    for _ in range(3):
        start = time.process_time()
        parsed(source)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("unit", UNITS)
def test_twice_the_text_takes_about_twice_the_time(unit: str) -> None:
    """A run of one mark costs what its length says."""
    short, long = unit * (SIZE // len(unit)), unit * (2 * SIZE // len(unit))
    assert seconds(long) < 3 * seconds(short) + 0.05


def test_a_hundred_thousand_headings_are_read() -> None:
    """A page of 100,000 headings has 100,000 anchors, each once."""
    found = read_structure("".join(f"# {n}\n" for n in range(100_000))).headings
    assert len({heading.anchor for heading in found}) == 100_000


def test_ten_thousand_links_are_resolved() -> None:
    """A page of 10,000 links has them all."""
    document, _, links = parsed("[[乙]] 和 [b](b/乙.md)\n\n" * 5_000)
    assert (len(links), document.html.count("<a ")) == (10_000, 10_000)


def test_one_long_line_is_read() -> None:
    """A line of a megabyte takes a few seconds."""
    start = time.process_time()
    read_structure("这是一行文字，with words and `code` **bold**。" * 26_000)
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    "unit", ["<div>", "<div>\n\n", "x <section>\n\n", "<ul><li>", "- <details>\n", "</p><DIV class=a>"]
)
def test_deeply_nested_html_is_refused(unit: str) -> None:
    """HTML that is never closed costs the sanitiser a square of its length, and is an error of the file."""
    for read in (strip_comments, read_structure):
        with pytest.raises(FileError):
            read(unit * 600)


def test_html_that_is_closed_is_not_deep() -> None:
    """As many elements beside one another are read."""
    assert len(parsed("<div>a</div>\n\n<ul><li>b<li>c</ul>\n\n" * 600)[0].html) > 600


def test_a_thousand_nested_lists_are_refused() -> None:
    """Lists deeper than the parser reads are an error of the file and no crash."""
    deep = "\n".join("  " * n + "- a" for n in range(1000))
    for read in (strip_comments, read_structure):
        with pytest.raises(FileError):
            read(deep)
