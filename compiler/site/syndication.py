"""Feeds of what changed last, as RSS 2.0 and Atom 1.0, and what search engines read of a page (JSON-LD)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import format_datetime
from typing import Any

from markupsafe import Markup

from compiler.model import Site, SitePage
from compiler.site.listing import encode
from compiler.site.words import fill

ATOM, RSS = "atom.xml", "rss.xml"
ENTRIES = 30
_NOT_XML = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_IN_HTML = str.maketrans({"<": r"\u003c", ">": r"\u003e", "&": r"\u0026"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a feed, its texts free of what XML does not allow."""

    title: str
    url: str
    summary: str
    lang: str
    day: date

    @property
    def iso(self) -> str:
        """The day as RFC 3339 has it."""
        return f"{self.day.isoformat()}T00:00:00Z"

    @property
    def rfc822(self) -> str:
        """The day as RSS has it."""
        return format_datetime(datetime(self.day.year, self.day.month, self.day.day, tzinfo=UTC))


def feeds(site: Site) -> dict[str, str]:
    """Return both feeds by path; none without the site's address, because a feed is read elsewhere."""
    found = entries(site)
    if not site.site_url or not found:
        return {}
    base = _base(site.site_url)
    texts = {"title": _clean(site.title), "description": _clean(site.description)}
    shared = {"base": base, "entries": found, "lang": site.lang, **texts}
    return {ATOM: fill("atom.xml", address=base + ATOM, **shared), RSS: fill("rss.xml", address=base + RSS, **shared)}


def entries(site: Site) -> Sequence[Entry]:
    """Return the articles that changed last, newest first; those without a date are in no feed."""
    base = _base(site.site_url)
    dated = ((page, day) for page in site.pages if page.article_id and (day := _day(page.updated or page.created)))
    newest = sorted(dated, key=lambda pair: (-pair[1].toordinal(), pair[0].url))[:ENTRIES]
    return [Entry(_clean(p.title), base + encode(p.url), _clean(p.summary), p.lang, day) for p, day in newest]


def structured(page: SitePage, *, title: str, site_url: str) -> Markup:
    """Return what a page is, for search engines, safe to stand in HTML; `title` is the site's."""
    value = {"@context": "https://schema.org", **_kind(page, title), "inLanguage": page.lang}
    if page.summary:
        value["description"] = page.summary
    if site_url:
        base = _base(site_url)
        value["url"] = base + encode(page.url)
        if page.kind == "home":
            value["potentialAction"] = _search(base)
        else:
            value["isPartOf"] = {"@type": "WebSite", "name": title, "url": base}
    return Markup(json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_NOT_IN_HTML))  # noqa: S704


def _kind(page: SitePage, title: str) -> dict[str, Any]:
    if page.kind == "home":
        return {"@type": "WebSite", "name": title}
    if page.generated:
        return {"@type": "DefinedTerm", "name": page.title}
    if not page.article_id:
        return {"@type": "CollectionPage", "name": page.title}
    dates = {"datePublished": page.created, "dateModified": page.updated}
    about = {"keywords": [tag.title for tag in page.tags]}
    return {"@type": "Article", "headline": page.title, **{k: v for k, v in {**dates, **about}.items() if v}}


def _search(base: str) -> dict[str, str]:
    return {"@type": "SearchAction", "target": f"{base}search/?q={{query}}", "query-input": "required name=query"}


def _base(site_url: str) -> str:
    return site_url.rstrip("/") + "/"


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return None


def _clean(text: str) -> str:
    return _NOT_XML.sub("", " ".join(text.split()))
