"""What machines read: llms.txt and llms-full.txt, the sitemap, raw Markdown. Values in, text out; `write` writes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from xml.sax.saxutils import escape

from compiler.site.listing import Listing, encode, file_path

_BRACKETS = re.compile(r"([\[\]\\])")


def llms_txt(title: str, description: str, listings: Sequence[Listing], *, site_url: str = "") -> str:
    """Return llms.txt: a title, a summary, and per page a link to its raw Markdown with its summary.

    Links are absolute when `site_url` is set, else relative to the file (https://llmstxt.org).
    """
    base = site_url.rstrip("/") + "/" if site_url else ""
    lines = [f"# {_one_line(title)}", ""]
    if description:
        lines += [f"> {_one_line(description)}", ""]
    if listings:
        lines += [f"- [llms-full.txt]({base}llms-full.txt)", ""]
    for lang in sorted({item.lang for item in listings}):
        lines += [f"## {lang}", ""]
        lines += [_entry(item, base) for item in listings if item.lang == lang] + [""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _entry(item: Listing, base: str) -> str:
    """Return one line of llms.txt."""
    title = _BRACKETS.sub(r"\\\1", _one_line(item.title))
    link = f"- [{title}]({base}{encode(item.url)}index.md)"
    return f"{link}: {_one_line(item.summary)}" if item.summary else link


def _one_line(text: str) -> str:
    """Return text with every run of white space as one space."""
    return " ".join(text.split())


def sitemap_xml(pages: Sequence[tuple[str, str | None]], *, site_url: str, stamp: int) -> str:
    """Return sitemap.xml of (URL, date); a page without a date carries the build's. Without `site_url` it is empty."""
    base, day = site_url.rstrip("/") + "/", datetime.fromtimestamp(stamp, UTC).date().isoformat()
    entries = (
        f"<url><loc>{escape(base + encode(url))}</loc><lastmod>{_iso_date(updated) or day}</lastmod></url>\n"
        for url, updated in (pages if site_url else ())
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return head + "".join(entries) + "</urlset>\n"


def _iso_date(text: str | None) -> str:
    """Return the date of an ISO date or date-time, or "" when it is neither."""
    try:
        return date.fromisoformat((text or "")[:10]).isoformat()
    except ValueError:
        return ""


def llms_full_txt(title: str, pages: Sequence[tuple[Listing, str]], *, site_url: str = "") -> str:
    """Return the text of all pages in one file, each below its title, address, language and date."""
    base = site_url.rstrip("/") + "/" if site_url else ""
    parts = (_full(item, text, base) for item, text in pages)
    return f"# {_one_line(title)}\n\n" + "\n\n".join(parts) + "\n"


def _full(item: Listing, text: str, base: str) -> str:
    """Return one page of llms-full.txt; the lines in front of it are those of front matter."""
    known = {"title": _one_line(item.title), "url": f"{base}{encode(item.url)}", "lang": item.lang}
    if item.updated:
        known["updated"] = item.updated
    head = "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in known.items())
    return f"---\n{head}\n---\n\n{text.strip()}"


def raw_markdown(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the raw files, by path under the site: `texts` maps a page's URL to its published Markdown."""
    return {file_path(url).removesuffix("index.html") + "index.md": text for url, text in sorted(texts.items())}


def write(out: Path, files: Mapping[str, str]) -> None:
    """Write text files below `out`; paths come from `file_path` and stay inside it."""
    for path, text in sorted(files.items()):
        target = out / file_path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text if text.endswith("\n") else text + "\n", "utf-8")
