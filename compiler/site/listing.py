"""One line of a list of pages, and the paths between pages. A leaf of the site's room."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote

from compiler.errors import BuildError

_SAFE = "/-._~!$&'()*+,;=:@"
_FORBIDDEN = ("..", ".", "")


@dataclass(frozen=True, slots=True)
class Listing:
    """What a list needs to know of a page. `url` is site-relative; `folder` is "" at the top."""

    url: str
    title: str
    lang: str
    folder: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    updated: str | None = None


def encode(url: str) -> str:
    """Return a site-relative URL percent-encoded once, whether or not it already was; the fragment is kept."""
    path, mark, anchor = url.partition("#")
    return quote(unquote(path), safe=_SAFE) + mark + quote(unquote(anchor), safe=_SAFE + "?")


def root_of(url: str) -> str:
    """Return the relative path from the page at `url` to the site's root: "./" for the home page."""
    depth = unquote(url).count("/")
    return "../" * depth or "./"


def relative(url: str, to: str) -> str:
    """Return the link from the page at `url` to the site-relative `to`."""
    return root_of(url) + encode(to)


def file_path(url: str) -> str:
    """Return the path under the site folder of a page or file URL: "a/" is "a/index.html".

    Raises BuildError when the URL is absolute, climbs out of the site or has an empty segment.
    """
    path = unquote(url)
    full = path + "index.html" if not path or path.endswith("/") else path
    if any(part in _FORBIDDEN for part in full.split("/")) or any(c in full for c in "\\\0"):
        raise BuildError(f"{url!r} is not a path inside the site")
    return full
