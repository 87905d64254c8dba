"""The HTML of a page body: final anchors and links, class names that the theme styles, raw HTML sanitised."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, cast
from urllib.parse import quote

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from compiler.parse.links import Resolution
from compiler.parse.markdown import parser
from compiler.parse.raw_html import contained, known_tag, page_html, sanitised

_FORMATTER = HtmlFormatter(nowrap=True)
_CODE_LIMIT = 100_000  # characters: longer blocks are shown without colours
_SIZE = re.compile(r"(\d{1,4})(?:x(\d{1,4}))?")


def render_body(tokens: Sequence[Token], here: str, env: Mapping[str, Any]) -> str:
    """Return the sanitised HTML of tokens whose links carry a Resolution in ``meta["resolution"]``.

    `here` is the site-relative URL of the page; internal links come out relative to it, so any base path works.
    """
    renderer = cast(RendererHTML, parser().renderer)
    taken = {str(token.attrs["id"]) for token in tokens if token.type == "heading_open"}
    body = _Body(here, taken)
    html = body.render(tokens, renderer, dict(env))
    return sanitised(html, body.made)


def relative_url(here: str, there: str, anchor: str = "") -> str:
    """Return the link from the page at `here` to the URL `there` (both site-relative), percent-encoded once."""
    up = "../" * here.count("/")
    path = up + quote(there) if there or up else "./"
    if there == here and anchor:
        path = ""
    return path + (f"#{quote(anchor)}" if anchor else "")


class _Body:
    """Renders the tokens of one page."""

    def __init__(self, here: str, taken: set[str]) -> None:
        self.here = here
        self.taken = taken  # ids that headings have; raw HTML may not repeat them
        self.open_links: list[str] = []
        self.made: set[str] = set()  # the addresses of this page that lead inside

    def render(self, tokens: Sequence[Token], renderer: RendererHTML, env: dict[str, Any]) -> str:
        options = parser().options
        out: list[str] = []
        for index, token in enumerate(tokens):
            if token.type == "inline":
                out.append(self.render(token.children or (), renderer, env))
            elif rule := getattr(self, token.type, None):
                out.append(rule(token))
            elif token.type in renderer.rules:
                out.append(renderer.rules[token.type](tokens, index, options, env))
            else:
                out.append(renderer.renderToken(tokens, index, options, env))
        return "".join(out)

    def fence(self, token: Token) -> str:
        language = (token.info.strip().split() or [""])[0].strip("{}.").lower()
        code = _coloured(token.content, language)
        css = f"language-{escape(language or 'text')}"
        return f'<div class="highlight"><pre><code class="{css}">{code}</code></pre></div>\n'

    def code_block(self, token: Token) -> str:
        return f'<div class="highlight"><pre><code>{escape(token.content)}</code></pre></div>\n'

    def table_open(self, _token: Token) -> str:
        return '<div class="table-wrap"><table>\n'

    def table_close(self, _token: Token) -> str:
        return "</table></div>\n"

    def heading_close(self, token: Token) -> str:
        return f"</{token.tag}>\n"

    def wikilink(self, token: Token) -> str:
        found: Resolution = token.meta["resolution"]
        if token.meta["embed"] and found.status == "attachment":
            size = _SIZE.fullmatch(token.meta["label"])
            wide = f' width="{size[1]}"' + (f' height="{size[2]}"' if size[2] else "") if size else ""
            alt = "" if size else token.content
            return f'<img src="{self._inside(found)}" alt="{escape(alt)}"{wide} loading="lazy">'
        return self._opening(found, "wikilink") + escape(token.content) + self._closing()

    def link_open(self, token: Token) -> str:
        return self._opening(token.meta["resolution"], str(token.attrs.get("title", "")) and "titled")

    def link_close(self, _token: Token) -> str:
        return self._closing()

    def image(self, token: Token) -> str:
        found: Resolution = token.meta["resolution"]
        alt = escape("".join(t.content for t in token.children or ()), quote=True)
        if found.status in ("missing", "page"):
            return f'<span class="missing">{alt}</span>'
        if found.status == "external":  # a page makes no request to another host: the picture is a link
            name = alt or escape(found.url.split("/")[2] if "//" in found.url else found.url)
            return f'<a href="{escape(found.url, quote=True)}" class="external" rel="noopener noreferrer">{name}</a>'
        src = self._inside(found)
        return f'<img src="{escape(src)}" alt="{alt}" loading="lazy">'

    def html_block(self, token: Token) -> str:
        return contained(self._raw(token)) + "\n"

    def html_inline(self, token: Token) -> str:
        """Pass an allowed tag; show any other as the text it is, such as a placeholder in angle brackets."""
        html = self._raw(token)
        return html if known_tag(token.content) else escape(html)

    def _raw(self, token: Token) -> str:
        found = iter(token.meta.get("resolutions", ()))
        return page_html(token.content, lambda _url: self._href(next(found)), self.taken)

    def _opening(self, found: Resolution, css: str) -> str:
        if found.status == "missing":
            self.open_links.append("span")
            return '<span class="missing">'
        self.open_links.append("a")
        outside = ' class="external" rel="noopener noreferrer"' if found.status == "external" else ""
        inside = ' class="wikilink"' if css == "wikilink" and not outside else ""
        return f'<a href="{escape(self._href(found) or "", quote=True)}"{outside}{inside}>'

    def _closing(self) -> str:
        return f"</{self.open_links.pop()}>"

    def _href(self, found: Resolution) -> str | None:
        if found.status == "missing":
            return None
        return found.url if found.status == "external" else self._inside(found)

    def _inside(self, found: Resolution) -> str:
        url = relative_url(self.here, found.url, found.anchor)
        self.made.add(url)
        return url


def _coloured(code: str, language: str) -> str:
    if not language or len(code) > _CODE_LIMIT:
        return escape(code)
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code)
    return str(highlight(code, lexer, _FORMATTER))
