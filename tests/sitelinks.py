"""Follows every link of a built site on disk: a page, a file or an anchor that is not there is named."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

HOST = "https://site.invalid"
ADDRESSES = ("href", "src", "poster", "data")


class _Page(HTMLParser):
    """The addresses and the ids of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: dict[str, None] = {}  # each once, in order
        self.ids: set[str] = {"", "top"}  # HTML's own names for the start of a page
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what the tag points to and what it can be pointed to by."""
        for name, value in attrs:
            if name in ADDRESSES and value is not None:
                self.links[value] = None
            elif name == "id" or (name == "name" and tag == "a"):
                self.ids.add(value or "")


@dataclass(frozen=True, slots=True)
class Walk:
    """What following every link found. A broken link is "page -> link: what is missing"."""

    pages: int
    links: int
    broken: tuple[str, ...]


def walk(site: Path, *, base_path: str = "/") -> Walk:
    """Return how many pages and internal links the site has, and which links lead nowhere.

    Links to other hosts and other schemes are ignored. Links are resolved as a browser does on a host that serves
    `site` under `base_path` and "a/index.html" for "a/".
    """
    pages = {path.relative_to(site).as_posix(): _Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    found = [(page, link, *_target(base_path + page, link)) for page in pages for link in pages[page].links]
    inside = [item for item in found if item[2] is not None]
    missing = _Missing(site, base_path, pages)
    broken = [f"{page} -> {link}: {why}" for page, link, path, mark in inside if (why := missing(path or "", mark))]
    return Walk(len(pages), len(inside), tuple(broken))


def _target(here: str, link: str) -> tuple[str | None, str]:
    """Return the path on this host and the anchor that a link on the page `here` means; None for another host."""
    try:
        parts = urlsplit(urljoin(HOST + here, link))
    except ValueError:
        return link, ""  # no URL at all: reported as missing
    same = f"{parts.scheme}://{parts.netloc}" == HOST
    return (unquote(parts.path) if same else None), unquote(parts.fragment)


class _Missing:
    """Says what is missing at a path, "" when all is there."""

    def __init__(self, site: Path, base_path: str, pages: dict[str, _Page]) -> None:
        self._site, self._base, self._pages = site, base_path, pages
        self._file = cache(self._find)  # the same navigation stands on every page

    def __call__(self, path: str, anchor: str) -> str:
        name = self._file(path)
        if name is None:
            return "no such file"
        page = self._pages.get(name)
        if page is None or anchor in page.ids or anchor.startswith(":~:"):
            return ""
        return f"no id {anchor!r} there"

    def _find(self, path: str) -> str | None:
        if not path.startswith(self._base):
            return None
        name = path.removeprefix(self._base)
        name += "index.html" if not name or name.endswith("/") else ""
        return name if (self._site / name).is_file() else None
