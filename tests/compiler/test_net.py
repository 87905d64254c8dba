"""The net below the published text: what a look at the characters takes for safe, the parser finds safe, too."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.parse.markdown import source_parser
from compiler.parse.net import foreign, netted, surely_own

MADE = frozenset({"/own/", "/a/%E4%B8%80/#h"})
PIECES = (
    *(
        "[x](/own/)",
        "![y](/own/)",
        "[z](/a/%E4%B8%80/#h)",
        "[e](https://e.example/a_(b)?c&d)",
        "<https://e.example>",
        "字",
    ),
    *(
        "](",
        "](<",
        ")",
        "[",
        "]",
        "]:",
        "[[",
        "/own/",
        "/own",
        "/private/",
        "\u3000",
        " ",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "    ",
    ),
    *(
        "`",
        "\\",
        "|",
        "\n|-|-|\n",
        '"t"',
        "&sol;",
        "%2F",
        "#h",
        "{#i}",
        " ^i",
        "$",
        "!!! note ",
        "::: note\n",
        "[!tip] ",
    ),
    *(
        "<",
        ">",
        "<a ",
        "<p>",
        "href=",
        "src",
        "=",
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "\ufdd0",
        "\0",
        "\r",
        "\t",
        "*",
    ),
)


@settings(max_examples=1_500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_what_looks_safe_is_safe(text: str) -> None:
    """In a text that is not read again, the parser finds no address that was not put there."""
    if surely_own(text, MADE):
        env: dict[str, Any] = {}
        assert dict(foreign(source_parser().parse(text, env), env, MADE)) == {}


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("字 `code` a < b", True),
        ('[x](/own/), ![y](/own/ "t"), [z](/a/%E4%B8%80/#h) and [e](https://e.example/(a)&b)', True),
        ("[x](#h) <b>fett</b> [m](mailto:a@e.example)", True),
        ("[x](/private/)", False),
        ("[x](/own/private)", False),
        ("[x](/own/\\)private)", False),
        ("[x](&sol;private/)", False),
        ("[x](\n/private/)", False),
        ("[x](</private/>)", False),
        ("[x]\n\n[x]: /private/", False),
        ("[[private]]", False),
        ('<a title=">" HREF="/private/">', False),
        ('<p>\n<a hr<script></script>ef="/private/">\n</p>', False),
    ],
)
def test_what_has_to_be_read_again(text: str, sure: bool) -> None:
    """Whatever could be an address of another make is left to the parser."""
    assert surely_own(text, MADE) is sure


def test_an_address_of_unknown_make_leaves_its_words() -> None:
    """The net takes the address and keeps line and words."""
    assert netted("一\n\n[二](/private/)\n", MADE) == "一\n\n二\n"
