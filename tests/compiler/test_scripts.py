"""No text of an author becomes a script, a handler, a frame or a request: every vector in every kind of syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from tests.compiler.test_parse_golden import parsed

VECTORS = [
    "<img src=x onerror=run()>", '"><script>run()</script>', '" onmouseover="run()" x="', "' onfocus=run() autofocus '",
    "javascript:run()", "JaVaScRiPt:run()", "java\tscript:run()", "java&#x0a;script:run()", "&#106;avascript:run()", "%6aavascript:run()",
    "data:text/html,<script>run()</script>", "data:image/svg+xml;base64,PHN2Zy8+", "vbscript:run", "</span></div></main><script>run()</script>",
    "\ufdd00\ufdd1<b onclick=run()>", "</code></pre><svg onload=run()>", '<svg><a xlink:href="javascript:run()">x</a></svg>',
    "<math><mtext><style><img onerror=run() src></style>", "<a href=javascript&colon;run()>x</a>", '<iframe srcdoc="<script>run()</script>">',
    "<form action=javascript:run()><button formaction=javascript:run()>", "<base href=//evil.example>", "<link rel=stylesheet href=//evil.example>",
    '<meta http-equiv=refresh content="0;url=javascript:run()">', '<td style="background:url(//evil.example)">', "<details open ontoggle=run()>",
    "<input type=image src=//evil.example/a onfocus=run() autofocus>", "<video src=//evil.example/v poster=//evil.example/p>",
    '<img srcset="//evil.example/x 1x">', '<noscript><p title="</noscript><img src=x onerror=run()>">', "<!--><img src=x onerror=run()>-->",
]  # fmt: skip
PLACES = [
    "{v}", "# a {v}", "## T {{#{v}}}", "[a]({v})", "[a](<{v}>)", '[a](x "{v}")', "[{v}](https://example.org)", "![{v}]({v})", "[a]\n\n[a]: <{v}> '{v}'",
    "<{v}>", "[[{v}]]", "[[x|{v}]]", "![[{v}|{v}]]", "![[x.png|{v}|300x200]]", "```{v}\ncode\n```", '```py title="{v}" hl_lines="{v}" linenums="{v}"\na\n```',
    "```js [{v}]\na\n```", '!!! note "{v}"\n    x', '??? {v} "t"\n    x', '=== "{v}"\n    x', "::: tip {v}\nx\n:::", "::: {v}\nx\n:::", "/// note | {v}\nx\n///",
    "> [!note] {v}\n> x", "> [!{v}] x\n> y", "${v}$", "$$\n{v}\n$$", "$\\text{{{v}}}$", "$\\href{{{v}}}{{x}}$", "```mermaid\n{v}\n```", "a[^{v}]\n\n[^{v}]: {v}",
    "a ^{v}", "| a |\n|-|\n| {v} |", "=={v}==", "- [ ] {v}", "term {v}\n: {v}", '<div title="{v}">x</div>', '<a href="{v}">x</a>', "<a href={v}>x</a>",
    '<p class="{v}" id="{v}">x</p>', "<span {v}>x</span>", "<svg>{v}</svg>", "<pre>{v}</pre>", "<xmp>{v}</xmp>", "#{v}", "%%{v}%%", "<!-- {v} -->",
]  # fmt: skip
FORBIDDEN = set(
    "script style iframe frame object embed base meta link form button select textarea svg template noscript".split()
)
ADDRESSES = ("href", "src", "poster", "action", "formaction", "srcset", "ping", "srcdoc", "background", "style")


class Reader(HTMLParser):
    """What in a page's HTML could run or ask for something."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element, a handler or an address that no page may have."""
        self.faults += [tag] * (tag in FORBIDDEN)
        self.faults += [f"{name}={value}" for name, value in attrs if _is_fault(name, value or "")]


def _is_fault(name: str, value: str) -> bool:
    address = re.sub(r"[\x00-\x20]", "", value).lower()
    if name == "href":
        return not re.match(r"(https?:|mailto:|tel:|[^:]*$|[^:]*[/#?])", address)
    return name.startswith("on") or (name in ADDRESSES and (":" in address or address.startswith("//")))


def faults(source: str) -> Iterator[str]:
    """Yield what could run or ask for something in the HTML of a page."""
    reader = Reader()
    reader.feed(parsed(source + "\n")[0].html)
    yield from reader.faults


@pytest.mark.parametrize("place", PLACES)
def test_nothing_of_a_page_runs(place: str) -> None:
    """Whatever stands in this place, the page holds no script, handler, frame, style or request."""
    assert {v: found for v in VECTORS if (found := list(faults(place.format(v=v))))} == {}


def test_a_script_would_be_seen() -> None:
    """The reader knows a fault when it sees one."""
    reader = Reader()
    reader.feed('<a href="java\nscript:x"><img src="//h" onerror="x"><script></script>')
    assert reader.faults == ["href=java\nscript:x", "src=//h", "onerror=x", "script"]
