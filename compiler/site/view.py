"""What the templates see of a page: plain values, computed once per site where possible."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from html import unescape
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from compiler.cache import digest_of
from compiler.model import Backlink, NavNode, Site, SitePage
from compiler.site import nav
from compiler.site.body import spoken
from compiler.site.languages import direction, name_of
from compiler.site.listing import encode, root_of
from compiler.site.syndication import entries, structured
from compiler.site.words import count, words
from compiler.version import template_version

# No inline script, no inline style: neither needs an exception. `data:` is for the icons in the styles, and
# `wasm-unsafe-eval` lets the static search run its own WebAssembly; it allows no eval of JavaScript.
_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; media-src 'self'; base-uri 'none'; form-action 'self'"
)
_TITLE = re.compile(r"\s*(<h1\b[^>]*>.*?</h1>)", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
PLACES = ("index", "tags", "wiki", "graph", "outline", "search", "unlock")  # kinds of page of which there is one
BACKLINKS = 24  # with their sentence; of the rest, titles
BACKLINK_TITLES = 200
SAME_LETTERS = 24  # letters and digits in common from the start: a summary taken from the first sentence
SUMMARY_WINDOW = 2_000  # characters of HTML that are looked at
_H1 = re.compile(r"<(/?)h1\b")
DIAGRAM = '<pre class="mermaid"'


@dataclass(frozen=True, slots=True)
class Face:
    """What every page says of its site. Nothing here changes with another page or from build to build."""

    title: str
    description: str
    lang: str
    base_path: str
    site_url: str
    ask_endpoint: str
    repository_url: str


@dataclass(frozen=True, slots=True)
class Views:
    """The values every page of one site shares."""

    site: Face
    tree: tuple[NavNode, ...]
    trails: Mapping[str, tuple[int, ...]]
    places: Mapping[str, str]  # kind of list -> its URL
    assets: str
    feeds: bool = False  # whether any page is in them
    draws: bool = False  # whether the owner brought what draws diagrams

    @classmethod
    def of(cls, site: Site, folder: str) -> Views:
        """Return the views of a site whose assets lie in `folder`."""
        places = {page.kind: page.url for page in reversed(site.pages) if page.kind in PLACES}
        face = Face(**{name: getattr(site, name) for name in Face.__slots__})
        drawn = bool(site.theme.diagrams)
        return cls(face, site.nav, nav.trails(site.nav), places, folder, bool(entries(site)), drawn)

    def parts(self, page: SitePage | None) -> tuple[str, ...]:
        """Return all that a finished page is made of, for the cache; None is the page for lost readers."""
        shared = digest_of((self.site, sorted(self.places.items()), self.assets, self.feeds))
        return template_version(), shared, digest_of((page, self._rows(page.url if page else "404")))

    def _rows(self, url: str) -> tuple[nav.Row, ...]:
        return nav.branch(self.tree, self.trails.get(url, ()))

    @property
    def policy(self) -> str:
        """The policy of a page that draws nothing."""
        return policy(self.site.ask_endpoint)

    def page_policy(self, page: SitePage) -> str:
        """Return the policy of a page; one with a diagram may frame the site's own page that draws."""
        return policy(self.site.ask_endpoint, frames=self._draws(page))

    def _draws(self, page: SitePage) -> bool:
        return self.draws and DIAGRAM in page.html

    def page(self, page: SitePage) -> dict[str, Any]:
        """Return the template's values for one page."""
        title, body = split_title(page)
        shared = self._shared(page.lang or self.site.lang, root_of(page.url))
        backlinks = [(item, highlight(item)) for item in page.backlinks[:BACKLINKS]]
        values = {"p": page, "heading": title, "body": body, "backlinks": backlinks, "tree": self._rows(page.url)}
        values["structured"] = structured(page, title=self.site.title, site_url=self.site.site_url)
        values |= {"policy": self.page_policy(page), "draws": self._draws(page)}
        values |= {"compiled": _compiled(page), "more_backlinks": page.backlinks[BACKLINKS:][:BACKLINK_TITLES]}
        return shared | values | {"summary": "" if repeats(body, page.summary) else page.summary}

    def lost(self) -> dict[str, Any]:
        """Return the template's values for the 404 page: its links are absolute, below the base path."""
        base = "/" + self.site.base_path.strip("/") + "/"
        shared = self._shared(self.site.lang, base.replace("//", "/"))
        other = "en" if self.site.lang.startswith("zh") else "zh"
        return shared | {"p": None, "other": words(other), "other_lang": other, "tree": nav.branch(self.tree, ())}

    def _shared(self, lang: str, root: str) -> dict[str, Any]:
        """Return the values that depend on language and depth only."""
        return {
            "site": self.site,
            "lang": lang,
            "t": words(lang),
            "root": root,
            "href": partial(_href, root),
            "count": partial(count, lang),
            "direction": direction,
            "language": name_of,
            "absolute": partial(_absolute, self.site.site_url, root),
            "assets": root + self.assets,
            "policy": self.policy,
            "places": self.places,
            "feeds": self.feeds,
            "endpoint": self.site.ask_endpoint or root,
        }


def _compiled(page: SitePage) -> str:
    """Return from how many articles a generated page was made, when the newest was changed, and by whom."""
    if not page.generated:
        return ""
    key = ("compiled" if page.updated else "compiled_undated") + ("_one" if page.compiled_from == 1 else "")
    t = words(page.lang)
    made = t[key].format(n=page.compiled_from, date=page.updated)
    return f"{made} {t['written']}" if page.written else made


def _href(root: str, url: str) -> str:
    """Return the link to a site-relative URL from a page whose root is `root`."""
    return root + encode(url)


def _absolute(site_url: str, root: str, url: str) -> str:
    """Return the full address of a site-relative URL where the site's own is known, else the link to it."""
    return (site_url.rstrip("/") + "/" if site_url else root) + encode(url)


def policy(endpoint: str, *, frames: bool = False) -> str:
    """Return the Content-Security-Policy of a page: everything is the site's own, except the endpoint that is asked."""
    url = urlsplit(endpoint)
    connect = f"'self' {url.scheme}://{url.netloc}" if url.scheme in ("http", "https") and url.netloc else "'self'"
    return f"{_POLICY}; connect-src {connect}" + ("; frame-src 'self'" if frames else "")


def split_title(page: SitePage) -> tuple[Markup, Markup]:
    """Return the page's h1 and the body without it, so that the head can stand between them."""
    html = spoken(page.html, page.lang)
    if page.kind == "home":  # the site's own title is the h1
        return Markup(), Markup(_H1.sub(r"<\1h2", html))  # noqa: S704 - bodies arrive sanitised
    if match := _TITLE.match(html):
        return Markup(match[1]), Markup(html[match.end() :])  # noqa: S704 - bodies arrive sanitised
    return Markup("<h1>{}</h1>").format(page.title), Markup(html)  # noqa: S704 - bodies arrive sanitised


def repeats(body: str, summary: str) -> bool:
    """Return whether the body begins with the words of the summary, which then need not stand above it again."""
    start, wanted = _letters(_TAG.sub("", body[:SUMMARY_WINDOW])), _letters(summary)[:SAME_LETTERS]
    return bool(wanted) and start.startswith(wanted)


def _letters(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(char for char in unescape(text) if char.isalnum())


def highlight(link: Backlink) -> Markup:
    """Return the sentence of a backlink with the words of the link marked."""
    before, label, after = link.sentence.partition(link.label) if link.label else (link.sentence, "", "")
    return escape(before) + (Markup("<mark>{}</mark>").format(label) if label else "") + escape(after)
