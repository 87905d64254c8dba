"""Answer text: nothing in it loads, leads away or is markup; code stays as it was."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from query_fn.agent.render import safe

PIECES = st.sampled_from(
    "![ [ ] ( ) ](https://x.example/?q=1) [a]:https://x.example <img/src=x> <script> </a> https://x.example www.x.example "
    "javascript:alert(1) ` ``` a 文 [[ ]] | <https://x.example> <!-- --> ~~~ ! \\ <a/href='//x'> data:text/html,x [x][a]"
    " &lt; SPACE LINE".split()
).map(lambda piece: {"SPACE": " ", "LINE": "\n"}.get(piece, piece))


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("Plain text stays.", "Plain text stays."),
        ("See ![a chart](https://x.example/c.png) here.", "See a chart here."),
        ("See [the page](https://x.example/?q=secret) here.", "See the page here."),
        ("[![alt](https://x.example/i)](https://x.example)", "alt"),
        ("[a][1]\n\n[1]: https://x.example", "a\n\n"),
        ("Go to https://x.example/a. Then stop.", "Go to x.example/a. Then stop."),
        ("<https://x.example>", "x.example>"),
        ("A <script>alert(1)</script> tag", "A ‹script>alert(1)‹/script> tag"),
        ("`[x](y)` and `<b>`", "`[x](y)` and `<b>`"),
        ("```html\n<b>[x](y)</b>\n```", "```html\n<b>[x](y)</b>\n```"),
        ("[[page|标签]] 与 ![[图.png]]", "标签 与 图.png"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("javascript:alert(1)", "alert(1)"),
        ("点这里：https://x.example/路径。完", "点这里：x.example/路径。完"),
    ],
)
def test_what_is_shown(given_text: str, shown: str) -> None:
    """Images become descriptions, links their text, tags and addresses lose what makes them ones."""
    assert safe(given_text) == shown


@given(st.lists(PIECES, max_size=14).map("".join))
def test_nothing_leads_away(text: str) -> None:
    """Whatever is put together: a Markdown renderer makes no link, no image and no tag of it."""
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(safe(text))
    assert not re.search(r"<(?:img|a|script|iframe|form|style|link|meta|object|embed|svg|video|base)\b", html, re.I), (
        html
    )
