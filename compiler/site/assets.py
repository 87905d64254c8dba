"""The site's own files: styles, scripts, the widget, and the list of pages that the search box falls back to."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from functools import cache
from pathlib import Path

from compiler.model import Site
from compiler.site.listing import encode
from compiler.site.words import TEMPLATE

_SOURCES = ("assets", "widget")
_SUFFIXES = (".css", ".js", ".svg")
_THEME_CSS = re.compile(r"assets/stylesheets/main\.[0-9a-f]+\.min\.css")


def is_theme_stylesheet(path: str) -> bool:
    """Return whether a file of the Material theme is the one stylesheet that the site uses."""
    return _THEME_CSS.fullmatch(path) is not None


@cache
def _files() -> tuple[Path, ...]:
    """Return our own asset files, in a stable order."""
    found = (path for name in _SOURCES for path in (TEMPLATE / name).rglob("*") if path.suffix in _SUFFIXES)
    return tuple(sorted(found))


@cache
def folder() -> str:
    """Return the site-relative folder of our assets; its name changes with their bytes, so caches never go stale."""
    digest = hashlib.sha256()
    for path in _files():
        digest.update(path.relative_to(TEMPLATE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return f"assets/{digest.hexdigest()[:12]}"


def write(site: Site, out: Path) -> None:
    """Write styles, scripts, the list of pages, and a stable address for other sites that embed the widget."""
    for path in _files():
        target = out / folder() / path.relative_to(TEMPLATE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    (out / "assets" / "pages.json").write_text(pages_json(site), "utf-8")
    (out / "ask.js").write_text(f'export * from "./{folder()}/widget/geosmin-ask.js";\n', "utf-8")


def pages_json(site: Site) -> str:
    """Return the public list of pages as JSON rows: title, URL, summary, language; home is left out."""
    rows = [[page.title, encode(page.url), page.summary, page.lang] for page in site.pages if page.kind != "home"]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")) + "\n"
