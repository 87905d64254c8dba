"""Raw HTML that authors write in Markdown: its addresses and ids, what it may hold, and how it is kept in its place."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape
from html.parser import HTMLParser

import nh3

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


def sanitised(html: str) -> str:
    """Return HTML with only the allowed elements and attributes; scripts, styles and handlers are gone."""
    return _CLEANER.clean(html)


def known_tag(fragment: str) -> bool:
    """Tell whether a raw inline tag is one of the allowed elements."""
    name = _TAG.match(fragment)
    return name is not None and name[1].lower() in _BLOCK_TAGS | _INLINE_TAGS


def without_outside_media(fragment: str) -> str:
    """Return raw HTML in which pictures and films on other hosts are links: a page asks no other host for anything."""
    return _OUTSIDE_MEDIA.sub(_linked, fragment)


def own_ids(fragment: str, taken: set[str]) -> str:
    """Return raw HTML whose ids are new on the page, and add them to `taken`; `name` becomes an id."""

    def once(match: re.Match[str]) -> str:
        name = html_ids(match[0])[0]
        if name in taken:
            return ""
        taken.add(name)
        return f' id="{escape(name, quote=True)}"'

    return _HTML_ID.sub(once, fragment)


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
    name = re.search(r'\salt\s*=\s*"([^"]+)"', match[0])
    return (
        f'<a href="{match["url"]}" class="external" rel="noopener noreferrer">{name[1] if name else match["host"]}</a>'
    )


def _url(match: re.Match[str]) -> str:
    return unescape(next(match[name] for name in ("double", "single", "bare") if match[name] is not None))
