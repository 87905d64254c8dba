"""Comments reach no reader, wherever they stand; code and formulas stay whole."""

import time

import pytest

from compiler.errors import FileError
from compiler.parse.comments import strip_comments
from compiler.parse.structure import read_structure

HIDDEN = [
    "A \\`%%S%% end`",
    "A \\`<!-- S --> end`",
    "- a ` x\n- %%S%% b `",
    "# a ` x\n%%S%% b `",
    "a ` x\n***\n%%S%% b `",
    "|a ` |b|\n|-|-|\n|%%S%%|`|",
    "a `\n> %%S%% `",
    "x[^1]\n\n[^1]: t\n\n    %%S%%",
    "甲[^1]\n\n[^1]: 乙\n\n    %%S%%",
    "Term\n:   def\n\n    %%S%%",
    "<div>\n```\n<!-- S -->\n```\n</div>",
    "<div>x <!-- S\n\nS</div>",
    "x <!-- S --!> y",
    "a\n\n%%\n```\n%%\n\n%%S%%\n\n```",
    "%<!-- x -->%S%%",
    "$$ a %%S%% b $$",
    "$$\n%%\nS\n%%\n$$",
]


@pytest.mark.parametrize("body", HIDDEN)
def test_a_comment_is_gone_and_its_lines_remain(body: str) -> None:
    """No word of a comment stays, and the number of lines is kept."""
    stripped = strip_comments(body)
    assert ("S" in stripped, stripped.count("\n")) == (False, body.count("\n"))


@pytest.mark.parametrize(
    "body",
    [
        "$$ a %% b\n c %% d $$",
        "`` ` %%x%% ``",
        "- a\n\n      %%x%%\n",
        "> ```\n> <!-- x -->\n> ```",
        "| a |\n|-|\n| `%%x\\|y%%` |",
        "见 `甲\n%%乙%%` 丙",
    ],
)
def test_code_and_formulas_are_no_comments(body: str) -> None:
    """What the parser calls code stays, and so do the percent signs of a formula."""
    assert strip_comments(body) == body


@pytest.mark.parametrize("unit", ["```\n<!--\n```\n", "<!-- ", "x %% ", "a %%\n\n", "$$ a\n", "%<!---->"])
def test_the_time_grows_with_the_length(unit: str) -> None:
    """A page of 80,000 characters full of marks takes about a second at most."""
    body = "x" + unit * (80_000 // len(unit))
    start = time.perf_counter()
    strip_comments(body)
    assert time.perf_counter() - start < 3


@pytest.mark.parametrize("body", [f"{'> ' * 120}text", "\n".join("  " * i + "- a" for i in range(60))])
def test_what_is_nested_too_deep_is_refused(body: str) -> None:
    """The parser would drop the innermost text without a word, so the file is refused instead."""
    for read in (strip_comments, read_structure):
        with pytest.raises(FileError) as caught:
            read(body)
        assert caught.value.code == "nested-too-deep"
