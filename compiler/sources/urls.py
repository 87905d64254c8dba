"""Where a public file stands on the site. Computed over public files only, so a private one can't move a page."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from urllib.parse import unquote

from compiler.model import ArticleId, Problem, Severity, SourcePath, Url

INDEX_NAMES = frozenset({"index", "_index", "readme"})
SITE_FILES = (
    *("llms.txt", "llms-full.txt", "404.html", "sitemap.xml", "sitemap.xml.gz", "atom.xml", "rss.xml"),
    *("ask.js", "embed.html", "build.json"),
)
SITE_PAGES = ("articles", "graph", "outline", "search", "tags", "unlock", "wiki")
RESERVED = tuple(f"{name}/" for name in (*SITE_PAGES, "pagefind", *SITE_FILES))  # the site itself
OWN_FOLDERS = frozenset({"assets", "protected", "tags", "pagefind", *SITE_FILES})  # what lies below is the site's
OWN_FILES = frozenset({"index.html", "index.md"})  # every page's own two files: no segment may be named like them
MAX_SEGMENT = 120  # bytes; file systems take 255, and some hosts store names percent-encoded
BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")  # embeddings, overrides and isolates: no address holds one
HIDDEN = "_"  # stands for the segments of a folder that a rule keeps private
_UNSAFE = re.compile(r'[\x00-\x1f\x7f?#%\\"<>|:*^`{}\[\]\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]')


def public_path(path: SourcePath, hidden: Sequence[str]) -> SourcePath:
    """Return a path in which the segments of the deepest hidden folder it lies in are one opaque segment."""
    inside = max((h for h in hidden if path.startswith(h + "/")), key=len, default=None)
    return path if inside is None else SourcePath(HIDDEN + "/" + path.rsplit("/", 1)[-1])


def slug(text: str) -> str:
    """Return one URL segment: Unicode letters stay, spaces become hyphens, characters unsafe in URLs go."""
    text = unicodedata.normalize("NFC", text).strip()
    segment = re.sub(r"[\s]+", "-", _UNSAFE.sub("", text)).strip(".") or "page"
    return shorten(segment.replace(".", "-") if segment.casefold() in OWN_FILES else segment)


def shorten(segment: str) -> str:
    """Return a URL segment of at most MAX_SEGMENT bytes; a longer one is cut and ends in eight digits of its hash."""
    data = segment.encode()
    if len(data) <= MAX_SEGMENT:
        return segment
    kept = data[: MAX_SEGMENT - 9].decode("utf-8", errors="ignore").rstrip("-.")
    return f"{kept}-{hashlib.sha256(data).hexdigest()[:8]}"


def url_of(path: SourcePath, chosen: str = "") -> Url:
    """Return the site-relative URL of a public path; `chosen` is the author's `slug`, for the last segment."""
    parts = path.split("/")
    stem = re.sub(r"\.(md|markdown)$", "", parts.pop(), flags=re.IGNORECASE)
    if chosen:
        parts.append(chosen)
    elif stem.casefold() not in INDEX_NAMES:
        parts.append(stem)
    return Url("".join(slug(part) + "/" for part in parts))


def attachment_urls(others: Iterable[SourcePath], hidden: Sequence[str] = ()) -> dict[SourcePath, str]:
    """Return the site-relative URL of each possible attachment; a hidden folder leaves no name in it."""
    out = {}
    for path in others:
        *folders, name = public_path(path, hidden).split("/")
        stem, dot, suffix = name.rpartition(".")
        out[path] = "files/" + "/".join(
            [*(slug(f) for f in folders), slug(stem or suffix) + (dot and stem and "." + slug(suffix))]
        )
    return out


def article_id(path: SourcePath) -> ArticleId:
    """Return a short id that follows from the public path: 10 base-32 characters of its SHA-256."""
    number = int.from_bytes(hashlib.sha256(path.encode()).digest()[:7], "big")
    return ArticleId("".join("0123456789abcdefghjkmnpqrstvwxyz"[(number >> 5 * i) & 31] for i in range(10)))


def redirect_fault(alias: str) -> str:
    """Return why an alias such as ``/old/page`` can't be a redirect of the site, "" when it can."""
    place = unquote(alias).strip("/")
    segments = place.split("/")
    if not place or alias.startswith("//") or any(part in ("", ".", "..") for part in segments):
        return "it names no page below the site's root"
    if _UNSAFE.search(place):
        return "it holds a character that no address of a page has"
    if any(len(part.encode()) > MAX_SEGMENT for part in segments):
        return f"a part of it is longer than {MAX_SEGMENT} bytes"
    folded = place.casefold()
    if (
        folded + "/" in RESERVED
        or folded.partition("/")[0] in {*OWN_FOLDERS, "files"}
        or OWN_FILES & {*folded.split("/")}
    ):
        return "it is one of the site's own addresses"
    return ""


def settle(wanted: Sequence[tuple[SourcePath, Url]]) -> tuple[dict[SourcePath, Url], list[Problem]]:
    """Give every public file its own URL.

    Two files that want one URL (after case folding): an index file keeps it, else the first by path; the other becomes
    ``X-page/`` (then ``X-page-2/`` …) and is reported. Nothing is ever overwritten.
    """
    taken: dict[str, SourcePath] = {name: SourcePath(f"the site's own {name}") for name in RESERVED}
    urls: dict[SourcePath, Url] = {}
    problems: list[Problem] = []
    for path, url in sorted(wanted, key=lambda item: (not _is_index(item[0]), item[0])):
        outside = _outside_own_folders(url)
        final, number = outside, 1
        while final.casefold() in taken:
            final = Url(f"{outside.rstrip('/') or 'index'}-page{'' if number == 1 else f'-{number}'}/")
            number += 1
        if final != url:
            first = taken.get(url.casefold(), f"the site's own {url.partition('/')[0]}/")
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


def _outside_own_folders(url: Url) -> Url:
    first, _, rest = url.partition("/")
    return Url(f"{first}-page/{rest}") if rest and first.casefold() in OWN_FOLDERS else url


def _is_index(path: SourcePath) -> bool:
    return path.rsplit("/", 1)[-1].rsplit(".", 1)[0].casefold() in INDEX_NAMES
