"""Where a public file stands on the site. Computed over public files only, so a private one can't move a page."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

from compiler.model import ArticleId, Problem, Severity, SourcePath, Url

INDEX_NAMES = frozenset({"index", "_index", "readme"})
RESERVED = ("articles/", "tags/", "llms.txt/", "404.html/", "sitemap.xml/", "ask.js/", "index.md/")  # the site's own
HIDDEN = "_"  # stands for the segments of a folder that a rule keeps private
_UNSAFE = re.compile(r'[\x00-\x1f\x7f?#%\\"<>|:*^`{}\[\]\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]')


def public_path(path: SourcePath, hidden: Sequence[str]) -> SourcePath:
    """Return a path in which the segments of the deepest hidden folder it lies in are one opaque segment."""
    inside = max((h for h in hidden if path.startswith(h + "/")), key=len, default=None)
    return path if inside is None else SourcePath(HIDDEN + "/" + path.rsplit("/", 1)[-1])


def slug(text: str) -> str:
    """Return one URL segment: Unicode letters stay, spaces become hyphens, characters unsafe in URLs go."""
    text = unicodedata.normalize("NFC", text).strip()
    return re.sub(r"[\s]+", "-", _UNSAFE.sub("", text)).strip(".") or "page"


def url_of(path: SourcePath, chosen: str = "") -> Url:
    """Return the site-relative URL of a public path; `chosen` is the author's `slug`, for the last segment."""
    parts = path.split("/")
    stem = re.sub(r"\.(md|markdown)$", "", parts.pop(), flags=re.IGNORECASE)
    if chosen:
        parts.append(chosen)
    elif stem.casefold() not in INDEX_NAMES:
        parts.append(stem)
    return Url("".join(slug(part) + "/" for part in parts))


def article_id(path: SourcePath) -> ArticleId:
    """Return a short id that follows from the public path: 10 base-32 characters of its SHA-256."""
    number = int.from_bytes(hashlib.sha256(path.encode()).digest()[:7], "big")
    return ArticleId("".join("0123456789abcdefghjkmnpqrstvwxyz"[(number >> 5 * i) & 31] for i in range(10)))


def settle(wanted: Sequence[tuple[SourcePath, Url]]) -> tuple[dict[SourcePath, Url], list[Problem]]:
    """Give every public file its own URL.

    Two files that want one URL (after case folding): an index file keeps it, else the first by path; the other becomes
    ``X-page/`` (then ``X-page-2/`` …) and is reported. Nothing is ever overwritten.
    """
    taken: dict[str, SourcePath] = {name: SourcePath(f"the site's own {name}") for name in RESERVED}
    urls: dict[SourcePath, Url] = {}
    problems: list[Problem] = []
    for path, url in sorted(wanted, key=lambda item: (not _is_index(item[0]), item[0])):
        final, number = url, 1
        while final.casefold() in taken:
            final = Url(f"{url.rstrip('/') or 'index'}-page{'' if number == 1 else f'-{number}'}/")
            number += 1
        if final != url:
            first = taken[url.casefold()]
            problems.append(
                Problem(
                    Severity.ERROR,
                    "url-collision",
                    path,
                    None,
                    f"{first} already stands at /{url}; this page is at /{final}",
                    "rename one of them, or give it a `slug`",
                    True,
                )
            )
        taken[final.casefold()] = path
        urls[path] = final
    return urls, problems


def _is_index(path: SourcePath) -> bool:
    return path.rsplit("/", 1)[-1].rsplit(".", 1)[0].casefold() in INDEX_NAMES
