"""The HTML of a page body: final anchors and links, class names that the theme styles, raw HTML sanitised."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, cast
from urllib.parse import quote

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from compiler.model import ArticleId
from compiler.parse.code import code_html
from compiler.parse.embeds import MAX_DEPTH, MAX_EMBEDS, MAX_EXPANSION, Library, embeds_of
from compiler.parse.fence_info import read_info
from compiler.parse.links import Resolution
from compiler.parse.markdown import parser, plain_inline
from compiler.parse.math import to_mathml
from compiler.parse.raw_html import contained, host_of, known_tag, page_html, sanitised

CUT = "embed-cut"  # the class of an embed that is a link because it is too deep, in a circle, too long or not there
_PIECE = re.compile("\ufdd0(\\d+)\ufdd1")


def render_body(
    tokens: Sequence[Token], here: str, env: Mapping[str, Any], *, library: Library | None = None, own: str = ""
) -> str:
    """Return the sanitised HTML of tokens whose links carry a Resolution in ``meta["resolution"]``.

    `here` is the site-relative URL of the page; internal links come out relative to it, so any base path works.
    `library` holds what may be embedded, and `own` is the article's id: a page never embeds itself.
    """
    taken = {str(token.attrs["id"]) for token in tokens if token.type in ("heading_open", "block_anchor")}
    page = _Page(here, library or Library())
    html = _Body(page, taken, (ArticleId(own),)).render(tokens, dict(env))
    return page.with_pieces(sanitised(html, page.made))


def relative_url(here: str, there: str, anchor: str = "") -> str:
    """Return the link from the page at `here` to the URL `there` (both site-relative), percent-encoded once."""
    up = "../" * here.count("/")
    path = up + quote(there) if there or up else "./"
    if there == here and anchor:
        path = ""
    return path + (f"#{quote(anchor)}" if anchor else "")


@dataclass(slots=True)
class _Page:
    """What a page and everything embedded in it share while they are rendered."""

    here: str
    library: Library
    made: set[str] = field(default_factory=set)  # the addresses of this page that lead inside
    pieces: list[str] = field(default_factory=list)  # markup that only the renderer may make: it passes no sanitiser
    tab_sets: int = 0
    embeds: int = 0
    expansion: int = 0

    def piece(self, html: str) -> str:
        """Return a stand-in for markup of our own that the sanitiser would take out."""
        self.pieces.append(html)
        return f"\ufdd0{len(self.pieces) - 1}\ufdd1"

    def with_pieces(self, html: str) -> str:
        """Return the HTML with each piece in its place, once."""
        pieces = dict(enumerate(self.pieces))
        return _PIECE.sub(lambda match: pieces.pop(int(match[1]), ""), html) if pieces else html


class _Body:
    """Renders the tokens of one page, or of a part that is embedded in it."""

    def __init__(self, page: _Page, taken: set[str] | None, trail: tuple[ArticleId, ...]) -> None:
        self.page = page
        self.taken = taken  # ids that raw HTML may not repeat; None inside an embed, where nothing has an id
        self.trail = trail  # the articles around this place
        self.open_links: list[str] = []
        self.renderer = cast(RendererHTML, parser().renderer)

    def render(self, tokens: Sequence[Token], env: dict[str, Any]) -> str:
        """Return the HTML of tokens, not yet sanitised."""
        options = parser().options
        out: list[str] = []
        skip = 0
        for index, token in enumerate(tokens):
            if skip:
                skip -= 1
            elif token.type == "inline":
                out.append(self.render(token.children or (), env))
            elif embeds := embeds_of(tokens, index):
                out += [self._embed(embed) for embed in embeds]
                skip = 2
            elif rule := getattr(self, token.type, None):
                out.append(rule(token))
            elif token.type in self.renderer.rules:
                out.append(self.renderer.rules[token.type](tokens, index, options, env))
            else:
                out.append(self.renderer.renderToken(tokens, index, options, env))
        return "".join(out)

    def fence(self, token: Token) -> str:
        return code_html(token.content, read_info(token.info), titled="in_group" not in token.meta)

    def code_block(self, token: Token) -> str:
        return f'<div class="highlight"><pre><code>{escape(token.content)}</code></pre></div>\n'

    def table_open(self, _token: Token) -> str:
        return '<div class="table-wrap"><table>\n'

    def table_close(self, _token: Token) -> str:
        return "</table></div>\n"

    def th_open(self, token: Token) -> str:
        """Say the column's alignment as an attribute: the pages' policy allows no style of an element's own."""
        side = str(token.attrs.get("style", "")).removeprefix("text-align:")
        return f'<{token.tag} align="{side}">' if side else f"<{token.tag}>"

    td_open = th_open

    def heading_open(self, token: Token) -> str:
        return f"<{token.tag}>" if self.taken is None else f'<{token.tag} id="{escape(str(token.attrs["id"]))}">'

    def heading_close(self, token: Token) -> str:
        return f"</{token.tag}>\n"

    def block_anchor(self, token: Token) -> str:
        return "" if self.taken is None else f'<span id="{escape(str(token.attrs["id"]))}"></span>'

    def math_inline(self, token: Token) -> str:
        html = to_mathml(token.content, display=bool(token.meta["display"]))
        if html is None:
            return f'<code class="g-broken">{escape(token.markup)}</code>'
        return self.page.piece(f'<span class="arithmatex">{html}</span>')

    def math_block(self, token: Token) -> str:
        html = to_mathml(token.content, display=True)
        if html is None:
            return f'<pre class="g-broken"><code>{escape(token.markup)}</code></pre>\n'
        return self.page.piece(f'<div class="arithmatex" tabindex="0">{html}</div>') + "\n"

    def tabs_open(self, token: Token) -> str:
        """Return the radio buttons and labels of a set of tabs, as Material styles them without any script."""
        self.page.tab_sets += 1
        name = f"__tabbed_{self.page.tab_sets}"
        buttons, labels = [], []
        for number, label in enumerate(token.meta["labels"], 1):
            checked = ' checked="checked"' if number == 1 else ""
            buttons.append(f'<input{checked} id="{name}_{number}" name="{name}" type="radio">')
            labels.append(f'<label for="{name}_{number}">{escape(label)}</label>')
        head = "\n".join([*buttons, f'<div class="tabbed-labels">{"".join(labels)}</div>'])
        return f'<div class="tabbed-set tabbed-alternate">{self.page.piece(head)}<div class="tabbed-content">\n'

    def tabs_close(self, _token: Token) -> str:
        return "</div></div>\n"

    def tab_open(self, _token: Token) -> str:
        return '<div class="tabbed-block">\n'

    def tab_close(self, _token: Token) -> str:
        return "</div>\n"

    def wikilink(self, token: Token) -> str:
        found: Resolution = token.meta["resolution"]
        if token.meta["embed"] and found.status == "attachment":
            return self._picture(found, escape(token.meta["alt"]), token.meta["size"])
        return self._opening(found, "wikilink") + escape(token.content) + self._closing()

    def link_open(self, token: Token) -> str:
        return self._opening(token.meta["resolution"], str(token.attrs.get("title", "")) and "titled")

    def link_close(self, _token: Token) -> str:
        return self._closing()

    def image(self, token: Token) -> str:
        found: Resolution = token.meta["resolution"]
        alt = escape(plain_inline(token.children or ()))
        if found.status in ("missing", "page"):
            return f'<span class="missing">{alt}</span>'
        if found.status == "external":  # a page makes no request to another host: the picture is a link
            name = alt or escape(host_of(found.url))
            return f'<a href="{escape(found.url, quote=True)}" class="external" rel="noopener noreferrer">{name}</a>'
        return self._picture(found, alt, token.meta.get("size"))

    def html_block(self, token: Token) -> str:
        return contained(self._raw(token)) + "\n"

    def html_inline(self, token: Token) -> str:
        """Pass an allowed tag; show any other as the text it is, such as a placeholder in angle brackets."""
        html = self._raw(token)
        return html if known_tag(token.content) else escape(html)

    def _embed(self, token: Token) -> str:
        """Return a page or a part of it in a frame that names its source; where that can't be, a link."""
        found: Resolution = token.meta["resolution"]
        page = self.page
        page.embeds += 1
        fits = len(self.trail) <= MAX_DEPTH and page.embeds <= MAX_EMBEDS and page.expansion < MAX_EXPANSION
        part = page.library.part(found) if fits and found.article not in self.trail else None
        link = self._opening(found, "wikilink", "" if part else CUT) + escape(token.content) + self._closing()
        if part is None or found.article is None:
            return f"<p>{link}</p>\n"
        html = _Body(page, None, (*self.trail, found.article)).render(part.tokens, dict(part.env))
        page.expansion += len(html)
        return f'<section class="g-embed"><p class="g-embed-source">{link}</p>\n{html}</section>\n'

    def _raw(self, token: Token) -> str:
        found = iter(token.meta.get("resolutions", ()))
        return page_html(token.content, lambda _url: self._href(next(found)), self.taken)

    def _picture(self, found: Resolution, alt: str, size: tuple[str, str] | None) -> str:
        wide = f' width="{size[0]}"' + (f' height="{size[1]}"' if size[1] else "") if size else ""
        return f'<img src="{escape(self._inside(found))}" alt="{alt}"{wide} loading="lazy">'

    def _opening(self, found: Resolution, css: str, mark: str = "") -> str:
        if found.status == "missing":
            self.open_links.append("span")
            return '<span class="missing">'
        self.open_links.append("a")
        outside = ' class="external" rel="noopener noreferrer"' if found.status == "external" else ""
        inside = f' class="{" ".join(filter(None, ["wikilink", mark]))}"' if css == "wikilink" and not outside else ""
        return f'<a href="{escape(self._href(found) or "", quote=True)}"{outside}{inside}>'

    def _closing(self) -> str:
        return f"</{self.open_links.pop()}>"

    def _href(self, found: Resolution) -> str | None:
        if found.status == "missing":
            return None
        return found.url if found.status == "external" else self._inside(found)

    def _inside(self, found: Resolution) -> str:
        url = relative_url(self.page.here, found.url, found.anchor)
        self.page.made.add(url)
        return url

    def footnote_ref(self, token: Token) -> str:
        number = int(token.meta["id"]) + 1
        if self.taken is None:  # the note itself stays on its own page
            return f'<sup class="footnote-ref">[{number}]</sup>'
        again = f":{token.meta['subId']}" if token.meta.get("subId", 0) > 0 else ""
        return f'<sup class="footnote-ref"><a href="#fn{number}" id="fnref{number}{again}">[{number}]</a></sup>'
