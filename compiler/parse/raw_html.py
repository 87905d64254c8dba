"""Raw HTML that authors write in Markdown: its addresses and ids, what it may hold, and how it is kept in its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from html import escape

import nh3

from compiler.parse.tags import ADDRESSES, Tag, read_tags, rewrite_tags, written

OUTSIDE = "https?:|mailto:|tel:|//"  # how an address begins that leads out of the site; a page has no other kind
_EXTERNAL = re.compile(rf"\s*(?:{OUTSIDE}|#)", re.IGNORECASE)
# The elements that a browser opens again in the next block when they are not closed, ids included (HTML, 13.2.4.3).
_FORMATTING = {"a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
RESERVED = "__"  # ids that begin so belong to the renderer
_MEDIA = {"img", "video", "audio", "source", "embed"}

_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
# Elements whose text is no prose for a reader: taken out whole. Where one is not closed, its tag is shown as text,
# because a browser would swallow the rest of the page.
_DROPPED = "script|style|template|noscript|iframe|object|svg|math|select|textarea|title|xmp|noembed|noframes|plaintext"
_DROPPED_OPEN = re.compile(rf"<({_DROPPED})\b", re.IGNORECASE)
_DROPPED_TAG = re.compile(rf"<(?=/?(?:{_DROPPED})\b)", re.IGNORECASE)
# Elements that lie in one another when they are not closed. The sanitiser walks up through all of them at each tag.
_NESTED = re.compile(
    r"<(/?)(?:div|section|article|aside|details|figure|center|pre|blockquote|ul|ol|dl|table)\b", re.IGNORECASE
)
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
    "span": {"data-linenos"},
    "*": {"id", "class", "lang", "dir", "title", "aria-label", "aria-hidden", "role"},
    "a": {"href", "rel", "target"},
    "img": {"src", "alt", "width", "height", "loading", "referrerpolicy"},
    "video": {"src", "width", "height", "controls", "poster"},
    "audio": {"src", "controls"},
    "source": {"src", "type"},
    "td": {"colspan", "rowspan", "align"},
    "th": {"colspan", "rowspan", "align", "scope"},
    "ol": {"start", "type"},
    "li": {"value"},
    "input": {"type", "checked", "disabled"},
    "details": {"open"},
    "time": {"datetime"},
    "col": {"span"},
    "colgroup": {"span"},
}
_KNOWN_ATTRIBUTES = set().union(*_ATTRIBUTES.values())


def sanitised(html: str, made: Collection[str]) -> str:
    """Return HTML with only the allowed elements and attributes; scripts, styles and handlers are gone.

    An address stays when it is one of those `made` by the renderer, or leads outside and is no picture or film.
    """

    def address(tag: str, name: str, value: str) -> str | None:
        if name not in ADDRESSES or value in made or (tag == "a" and _EXTERNAL.match(value)):
            return value
        return None

    return nh3.clean(
        html,
        tags=_BLOCK_TAGS | _INLINE_TAGS,
        attributes=_ATTRIBUTES,
        attribute_filter=address,
        link_rel=None,
        strip_comments=True,
        clean_content_tags={"script", "style", "template", "noscript", "iframe", "object"},
        url_schemes={"http", "https", "mailto", "tel"},
    )


def known_tag(fragment: str) -> bool:
    """Tell whether a raw inline tag is one of the allowed elements."""
    name = _TAG.match(fragment)
    return name is not None and name[1].lower() in _BLOCK_TAGS | _INLINE_TAGS


def page_html(fragment: str, resolve: Callable[[str], str | None], taken: set[str] | None) -> str:
    """Return raw HTML for a page: addresses resolved in order, ids new on the page, media of other hosts as links.

    `resolve` returns None for an address that leads nowhere public. New ids are added to `taken`, and none stays where
    that is None; `name` becomes an id.
    """

    def change(tag: Tag) -> str | None:
        kept: list[tuple[str, str | None]] = []
        anchor = ""
        for key, value in tag.attributes:
            if key in ADDRESSES:
                url = resolve(value or "")
                outside = tag.name in _MEDIA and url is not None and _EXTERNAL.match(url)
                if outside and key == "src":
                    return _linked(tag, url or "")
                kept += [(key, url)] if url is not None and not outside else []
            elif key not in ("id", "name"):
                kept += [(key, value)] if key != "srcset" else []
            elif value and taken is not None and value not in taken and not value.startswith(RESERVED):
                taken.add(value)
                if tag.name in _FORMATTING:
                    anchor = written("span", [("id", value)]) + "</span>"
                else:
                    kept.append(("id", value))
        return anchor + written(tag.name, kept) if tuple(kept) != tag.attributes else None

    return rewrite_tags(fragment, change)


def text_html(fragment: str, resolve: Callable[[str], str | None]) -> str:
    """Return raw HTML for the published text: addresses resolved, attributes that no page keeps dropped."""

    def change(tag: Tag) -> str | None:
        kept: list[tuple[str, str | None]] = []
        for key, value in tag.attributes:
            if key in ADDRESSES:
                url = resolve((value or "").strip())
                outside = tag.name in _MEDIA and url is not None and _EXTERNAL.match(url)
                if outside and key == "src":
                    return _linked(tag, url or "")
                kept += [(key, url)] if url is not None and not outside else []
            elif value is None or key in _KNOWN_ATTRIBUTES or key == "name":
                kept.append((key, value))
        return written(tag.name, kept) if tuple(kept) != tag.attributes else None

    return rewrite_tags(fragment, change)


def drops(text: str) -> bool:
    """Tell whether `without_dropped` may take anything out of a text, so that what is around it meets."""
    return _DROPPED_OPEN.search(text) is not None


def without_dropped(fragment: str) -> str:
    """Return a raw HTML block without the elements that no page shows, such as scripts; keeps every line."""
    out: list[str] = []
    at = 0
    unclosed: set[str] = set()
    while match := _DROPPED_OPEN.search(fragment, at):
        name = match[1].lower()
        close = None
        if name not in unclosed:
            close = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(fragment, match.end())
        if close is None:
            unclosed.add(name)
        out.append(fragment[at : match.start()] if close else fragment[at : match.end()])
        at = close.end() if close else match.end()
        out.append("\n" * fragment.count("\n", match.start(), at) if close else "")
    return "".join(out) + fragment[at:]


def deepest(fragments: Iterable[str]) -> int:
    """Return how many elements of raw HTML lie in one another at most."""
    depth = most = 0
    for fragment in fragments:
        for match in _NESTED.finditer(fragment):
            depth = max(0, depth - 1 if match[1] else depth + 1)
            most = max(most, depth)
    return most


def contained(fragment: str) -> str:
    """Return a raw HTML block that can't swallow what follows it: no unclosed tag, quote or raw-text element."""
    fragment = _DROPPED_TAG.sub("&lt;", fragment)
    end = read_tags(fragment)[1]
    return fragment[:end] + escape(fragment[end:])


def host_of(url: str) -> str:
    """Return the host of an outside address: what a link to a picture without words is called."""
    return re.sub(r"^[A-Za-z]+:|^//|/.*$", "", re.sub(r"^[A-Za-z]+:/*", "", url).lstrip("/"))


def _linked(tag: Tag, url: str) -> str:
    name = escape(tag.get("alt") or host_of(url))
    return f'<a href="{escape(url, quote=True)}" class="external" rel="noopener noreferrer">{name}</a>'
