"""Code blocks in the markup that the theme styles: colours, a title, marked lines, line numbers."""

from __future__ import annotations

from functools import lru_cache
from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from compiler.parse.fence_info import FenceInfo
from compiler.parse.mermaid import fault

_FORMATTER = HtmlFormatter(nowrap=True)
_CODE_LIMIT = 100_000  # characters: longer blocks are shown without colours


def code_html(code: str, info: FenceInfo, *, titled: bool = True) -> str:
    """Return the HTML of a code block. A Mermaid diagram is its source; one that looks broken is marked."""
    if info.language == "mermaid":
        css = "mermaid g-broken" if fault(code) else "mermaid"
        return f'<pre class="{css}"><code>{escape(code)}</code></pre>\n'
    coloured = _coloured(code, info.language)
    if info.marked or info.first is not None:
        coloured = _by_lines(coloured, info)
    title = f'<span class="filename">{escape(info.title)}</span>' if info.title and titled else ""
    css = f"language-{escape(info.language or 'text')}"
    return f'<div class="highlight">{title}<pre><code class="{css}">{coloured}</code></pre></div>\n'


def _by_lines(coloured: str, info: FenceInfo) -> str:
    """Number and mark the lines. Pygments closes its elements at the end of each line."""
    lines = coloured.removesuffix("\n").split("\n")
    first = info.first if info.first is not None else 1
    width = len(str(first + len(lines) - 1))
    out = []
    for index, line in enumerate(lines):
        number = f'<span class="linenos" data-linenos="{first + index:>{width}} "></span>'
        whole = (number if info.first is not None else "") + line + "\n"
        out.append(f'<span class="hll">{whole}</span>' if index + 1 in info.marked else whole)
    return "".join(out)


def _coloured(code: str, language: str) -> str:
    lexer = _lexer(language) if language and len(code) <= _CODE_LIMIT else None
    return escape(code) if lexer is None else str(highlight(code, lexer, _FORMATTER))


@lru_cache(maxsize=256)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
