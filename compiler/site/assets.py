"""The site's own files: styles, scripts, the widget, and the list of pages that the search box falls back to."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from compiler.cache import digest_of
from compiler.errors import BuildError
from compiler.model import Site, Theme
from compiler.site import embed
from compiler.site.languages import name_of
from compiler.site.listing import encode
from compiler.site.words import TEMPLATE

TAGS = 200  # in the filter of the search
_SOURCES = ("assets", "widget")
_SUFFIXES = (".css", ".js", ".svg", ".html")
_STYLES = "assets/geosmin.css"  # one file, because one request is quicker than many
_SHEETS = "assets/styles"
_ORDER = (  # later rules win over earlier ones
    *("tokens", "frame", "tree", "contents", "columns", "article", "wiki", "text", "code", "blocks", "lists", "home"),
    "print",
)
_DIAGRAMS = "assets/mermaid/"  # the scripts that draw; left out where nothing is drawn
_THEME_CSS = re.compile(r"main\.[0-9a-f]+\.min\.css")
_NOT_IN_A_LAYER = re.compile(r'@charset "[^"]*";|/\*# sourceMappingURL=.*?\*/')


def theme_stylesheet(folders: Sequence[str]) -> Path:
    """Return the one stylesheet of the Material theme that the site uses; `folders` are the theme's."""
    sheets = [p for f in folders for p in Path(f, "assets/stylesheets").glob("*.css") if _THEME_CSS.fullmatch(p.name)]
    if len(sheets) != 1:
        raise BuildError(f"expected one stylesheet in the Material theme, found {len(sheets)}")
    return sheets[0]


@cache
def _files(theme_css: Path) -> dict[str, bytes]:
    """Return our own assets by path. The theme's rules go into a layer below ours, so ours always win."""
    paths = (path for name in _SOURCES for path in (TEMPLATE / name).rglob("*") if path.suffix in _SUFFIXES)
    found = {
        path.relative_to(TEMPLATE).as_posix(): path.read_bytes()
        for path in sorted(paths)
        if path.parent != TEMPLATE / _SHEETS
    }
    theme = _NOT_IN_A_LAYER.sub("", theme_css.read_text("utf-8"))
    own = b"".join((TEMPLATE / _SHEETS / f"{name}.css").read_bytes() for name in _ORDER)
    found[_STYLES] = b"@layer material{" + theme.strip().encode() + b"}\n" + own
    return found


def with_theme(theme_css: Path, theme: Theme) -> dict[str, bytes]:
    """Return the files of the assets folder: ours, and the owner's, whose styles follow and files replace them."""
    found = dict(_files(theme_css))
    found[_STYLES] += theme.styles.encode()
    found |= {f"assets/{name}": data for name, data in theme.files.items()}
    if theme.diagrams:
        return found | {f"{_DIAGRAMS}mermaid.min.js": theme.diagrams}
    return {path: data for path, data in found.items() if not path.startswith(_DIAGRAMS)}


def folder(theme_css: Path, theme: Theme) -> str:
    """Return the site-relative folder of the assets; its name changes with their bytes and with the owner's theme."""
    digest = hashlib.sha256(digest_of(theme).encode())
    for path, content in with_theme(theme_css, theme).items():
        digest.update(path.encode() + b"\0" + content + b"\0")
    return f"assets/{digest.hexdigest()[:12]}"


def write(site: Site, out: Path, theme_css: Path) -> None:
    """Write styles, scripts, the list of pages, the build's id, and what other sites embed."""
    place = folder(theme_css, site.theme)
    for path, content in with_theme(theme_css, site.theme).items():
        target = out / place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    for path, text in {
        "assets/pages.json": pages_json(site),
        "assets/filters.json": filters_json(site),
        **site.data,
    }.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text, "utf-8")
    (out / "build.json").write_text(json.dumps({"build": site.build_id}) + "\n", "utf-8")
    (out / embed.SCRIPT).write_text(embed.script(site, place), "utf-8")
    (out / embed.PAGE).write_text(embed.page(site, place), "utf-8")


def pages_json(site: Site) -> str:
    """Return the public list of pages as JSON rows: title, URL, summary, language, kind and tags of each."""
    listed = (page for page in site.pages if page.kind not in ("home", "search", "unlock"))
    rows = [[p.title, encode(p.url), p.summary, p.lang, p.kind, [tag.title for tag in p.tags]] for p in listed]
    return _json(rows)


def filters_json(site: Site) -> str:
    """Return by what a search can be narrowed: kinds of page, the tags of most pages, languages with their names."""
    found = [page for page in site.pages if page.article_id or page.generated]
    tags = Counter(tag.title for page in found for tag in page.tags)
    most = sorted(tags, key=lambda tag: (-tags[tag], tag))[:TAGS]
    langs = [[lang, name_of(lang)] for lang in sorted({page.lang for page in found})]
    return _json({"kinds": sorted({page.kind for page in found} - {"home"}), "tags": sorted(most), "langs": langs})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
