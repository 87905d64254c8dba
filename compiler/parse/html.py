"""The HTML of a page body: final anchors and links, class names that the theme styles, raw HTML sanitised."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape, unescape
from html.parser import HTMLParser
from typing import Any, cast
from urllib.parse import quote

import nh3
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from compiler.parse.links import Resolution
from compiler.parse.markdown import parser

_FORMATTER = HtmlFormatter(nowrap=True)
_CODE_LIMIT = 100_000  # characters: longer blocks are shown without colours
_SIZE = re.compile(r"(\d{1,4})(?:x(\d{1,4}))?")
_HTML_LINK = re.compile(
    r"""(?P<head>\s(?:href|src|poster)\s*=\s*)(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"'<>]+))""",
    re.IGNORECASE,
)
_HTML_ID = re.compile(r"""\s(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""", re.IGNORECASE)
_OUTSIDE_MEDIA = re.compile(
    r"""<(?:img|video|audio|source|embed)\b[^>]*?\ssrc\s*=\s*"(?P<url>(?:https?:)?//(?P<host>[^"/]+)[^"]*)"[^>]*>""",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
# Elements whose text is no prose for a reader: taken out whole. Where one is not closed, its tag is shown as text,
# because a browser would swallow the rest of the page.
_DROPPED = "script|style|template|noscript|iframe|object|svg|math|select|textarea|title|xmp|noembed|noframes|plaintext"
_DROPPED_PAIR = re.compile(rf"<({_DROPPED})\b[^>]*>.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_DROPPED_TAG = re.compile(rf"<(?=/?(?:{_DROPPED})\b)", re.IGNORECASE)
_BLOCK_TAGS = {
    "div",
    "section",
    "article",
    "aside",
    "details",
    "summary",
    "figure",
    "figcaption",
    "center",
    "hr",
    "br",
    "p",
    "pre",
    "blockquote",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "caption",
    "thead",
    "tbody",
    "tfoot",
    "tr",
    "th",
    "td",
    "colgroup",
    "col",
    "video",
    "audio",
    "source",
}
_INLINE_TAGS = {
    "a",
    "abbr",
    "b",
    "bdi",
    "bdo",
    "cite",
    "code",
    "del",
    "dfn",
    "em",
    "i",
    "img",
    "ins",
    "kbd",
    "mark",
    "q",
    "ruby",
    "rb",
    "rt",
    "rp",
    "s",
    "samp",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "time",
    "u",
    "var",
    "wbr",
    "input",
    "label",
}
_ATTRIBUTES = {
    "*": {"id", "class", "lang", "dir", "title", "aria-label", "aria-hidden", "role"},
    "a": {"href", "rel", "target"},
    "img": {"src", "alt", "width", "height", "loading", "referrerpolicy"},
    "video": {"src", "width", "height", "controls", "poster"},
    "audio": {"src", "controls"},
    "source": {"src", "type"},
    "td": {"colspan", "rowspan", "align", "style"},
    "th": {"colspan", "rowspan", "align", "scope", "style"},
    "ol": {"start", "type"},
    "li": {"value"},
    "input": {"type", "checked", "disabled"},
    "details": {"open"},
    "time": {"datetime"},
    "col": {"span"},
    "colgroup": {"span"},
}
_CLEANER = nh3.Cleaner(
    tags=_BLOCK_TAGS | _INLINE_TAGS,
    attributes=_ATTRIBUTES,
    link_rel=None,
    strip_comments=True,
    clean_content_tags={"script", "style", "template", "noscript", "iframe", "object"},
    url_schemes={"http", "https", "mailto", "tel"},
    filter_style_properties={"text-align"},
)


def render_body(tokens: Sequence[Token], here: str, env: Mapping[str, Any]) -> str:
    """Return the sanitised HTML of tokens whose links carry a Resolution in ``meta["resolution"]``.

    `here` is the site-relative URL of the page; internal links come out relative to it, so any base path works.
    """
    renderer = cast(RendererHTML, parser().renderer)
    taken = {str(token.attrs["id"]) for token in tokens if token.type == "heading_open"}
    html = _Body(here, taken).render(tokens, renderer, dict(env))
    return _CLEANER.clean(html)


def relative_url(here: str, there: str, anchor: str = "") -> str:
    """Return the link from the page at `here` to the URL `there` (both site-relative), percent-encoded once."""
    up = "../" * here.count("/")
    path = up + quote(there) if there or up else "./"
    if there == here and anchor:
        path = ""
    return path + (f"#{quote(anchor)}" if anchor else "")


def rewrite_attributes(fragment: str, change: Callable[[str], str | None]) -> str:
    """Return raw HTML with each href, src and poster passed through `change`; None removes the attribute."""

    def swap(match: re.Match[str]) -> str:
        url = change(_url(match))
        return "" if url is None else f'{match["head"]}"{escape(url, quote=True)}"'

    return _HTML_LINK.sub(swap, fragment)


def addresses(fragment: str) -> list[str]:
    """Return each href, src and poster of raw HTML, in order."""
    return [_url(match) for match in _HTML_LINK.finditer(fragment)]


def html_ids(fragment: str) -> list[str]:
    """Return each id (or name) that raw HTML gives to an element."""
    return [next(g for g in match.groups() if g is not None) for match in _HTML_ID.finditer(fragment)]


def contained(fragment: str) -> str:
    """Return a raw HTML block that can't swallow what follows it: no unclosed tag, quote or raw-text element."""
    fragment = _DROPPED_TAG.sub("&lt;", _DROPPED_PAIR.sub("", fragment))
    reader = _Tags(convert_charrefs=False)
    reader.feed(fragment)
    rest = reader.rawdata
    return fragment[: len(fragment) - len(rest)] + escape(rest) if "<" in rest else fragment


class _Tags(HTMLParser):
    """A tokeniser whose `rawdata` is what was left unfinished at the end."""


def _linked(match: re.Match[str]) -> str:
    """Return a link in place of a picture or film on another host: a page makes no request outside the site."""
    name = re.search(r'\salt\s*=\s*"([^"]+)"', match[0])
    return (
        f'<a href="{match["url"]}" class="external" rel="noopener noreferrer">{name[1] if name else match["host"]}</a>'
    )


def _url(match: re.Match[str]) -> str:
    return unescape(next(match[name] for name in ("double", "single", "bare") if match[name] is not None))


class _Body:
    """Renders the tokens of one page."""

    def __init__(self, here: str, taken: set[str]) -> None:
        self.here = here
        self.taken = taken  # ids that headings have; raw HTML may not repeat them
        self.open_links: list[str] = []

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
            return f'<img src="{relative_url(self.here, found.url)}" alt="{escape(alt)}"{wide} loading="lazy">'
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
        src = relative_url(self.here, found.url)
        return f'<img src="{escape(src)}" alt="{alt}" loading="lazy">'

    def html_block(self, token: Token) -> str:
        return contained(self._raw(token)) + "\n"

    def html_inline(self, token: Token) -> str:
        """Pass an allowed tag; show any other as the text it is, such as a placeholder in angle brackets."""
        name = _TAG.match(token.content)
        known = name is not None and name[1].lower() in _BLOCK_TAGS | _INLINE_TAGS
        return self._raw(token) if known else escape(token.content)

    def _raw(self, token: Token) -> str:
        found = iter(token.meta.get("resolutions", ()))
        html = rewrite_attributes(token.content, lambda _url: self._href(next(found)))
        return _HTML_ID.sub(self._own_id, _OUTSIDE_MEDIA.sub(_linked, html))

    def _own_id(self, match: re.Match[str]) -> str:
        """Keep an id of raw HTML unless the page already has it; `name` becomes an id."""
        name = html_ids(match[0])[0]
        if name in self.taken:
            return ""
        self.taken.add(name)
        return f' id="{escape(name, quote=True)}"'

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
        return found.url if found.status == "external" else relative_url(self.here, found.url, found.anchor)


def _coloured(code: str, language: str) -> str:
    if not language or len(code) > _CODE_LIMIT:
        return escape(code)
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code)
    return str(highlight(code, lexer, _FORMATTER))
