"""How the owner changes the look: the folder `_theme/` of the content folder. It shapes the site and is never a page.

``*.css`` follows our own styles; images, fonts and `mark.svg` (the icon) lie beside them. `overrides/` holds Jinja
templates: one that is named like ours takes its place and may extend it as ``geosmin/NAME``. `mkdocs.yml` may set what
is in OPTIONS. `mermaid.min.js` draws diagrams. Whatever stands here runs under the policy of the site, so what the
policy would not let happen is refused, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from compiler.errors import SettingsError
from compiler.model import Theme

FOLDER = "_theme"
DIAGRAMS = "mermaid.min.js"  # of the npm package `mermaid`
OPTIONS = ("copyright", "extra", "site_author")
MAX_BYTES = 8_000_000  # a file; Mermaid has 3.6 MB
_TEMPLATES = "overrides"
_CONFIG = "mkdocs.yml"
_BESIDE = (".svg", ".png", ".webp", ".jpg", ".woff2")
_OUTSIDE = re.compile(
    r"@import\b|url\(\s*[\"']?\s*(?!data:)(?:[a-z][a-z0-9+.-]*:|//)|image-set\([^)]*//", re.IGNORECASE
)
_REASONS = {
    **dict.fromkeys(("plugins", "hooks"), "it would run code in a build that is the same everywhere"),
    **dict.fromkeys(("extra_javascript", "extra_templates"), "every script of the site is our own"),
    "extra_css": f"every .css file of {FOLDER}/ is on every page already",
    "theme": f"templates go into {FOLDER}/{_TEMPLATES}/, colours into a .css file",
    "markdown_extensions": "pages are read by one parser, so that anchors and citations agree",
    **dict.fromkeys(
        ("site_name", "site_url", "site_description", "repo_url"), "it is said in geosmin.yml under `site`"
    ),
    **dict.fromkeys(("docs_dir", "site_dir"), "where things lie is said to `geosmin build`"),
    "nav": "the tree follows folders and front matter",
}


def read_theme(content: Path) -> Theme:
    """Return what `_theme/` holds. Raises SettingsError that names the file and why it is not taken."""
    folder = content / FOLDER
    if not folder.is_dir():
        return Theme()
    found = {place.relative_to(folder).as_posix(): _bytes(place) for place in _files(folder)}
    styles = {name: _text(folder / name, data) for name, data in found.items() if name.endswith(".css")}
    for name, text in styles.items():
        if match := _OUTSIDE.search(text):
            raise SettingsError(f"{folder / name}: {match[0]!r} would load from elsewhere; put the file beside it")
    templates = {
        name.removeprefix(f"{_TEMPLATES}/"): _text(folder / name, data)
        for name, data in found.items()
        if name.startswith(f"{_TEMPLATES}/") and name.endswith((".html", ".xml"))
    }
    return Theme(
        styles="".join(f"\n{text}\n" for text in styles.values()),
        files={name: data for name, data in found.items() if "/" not in name and name.endswith(_BESIDE)},
        templates=templates,
        options=_options(folder / _CONFIG, found.get(_CONFIG, b"")),
        diagrams=found.get(DIAGRAMS, b""),
    )


def _files(folder: Path) -> Iterator[Path]:
    for place in sorted(folder.rglob("*")):
        if place.is_symlink():
            raise SettingsError(f"{place}: a link; put the file itself here")
        if place.is_file() and not any(part.startswith(".") for part in place.relative_to(folder).parts):
            yield place


def _bytes(place: Path) -> bytes:
    if place.stat().st_size > MAX_BYTES:
        raise SettingsError(f"{place}: more than {MAX_BYTES:,} bytes")
    return place.read_bytes()


def _text(place: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SettingsError(f"{place}: not UTF-8") from None


def _options(place: Path, data: bytes) -> dict[str, Any]:
    """Return what of a mkdocs.yml is taken over; every value is text, a list or a mapping, whatever its tag says."""
    try:
        raw = yaml.load(_text(place, data), Loader=yaml.BaseLoader) or {}  # noqa: S506 - strings only
    except (yaml.YAMLError, RecursionError) as error:
        raise SettingsError(f"{place}: not readable as YAML: {' '.join(str(error).split())}") from None
    if not isinstance(raw, dict):
        raise SettingsError(f"{place}: expected `key: value` lines")
    for key in raw:
        if key not in OPTIONS:
            reason = _REASONS.get(key, "it has no effect here")
            raise SettingsError(f"{place}: `{key}` is not taken over: {reason}; accepted: {', '.join(OPTIONS)}")
    for key, kind in (("copyright", str), ("site_author", str), ("extra", dict)):
        if not isinstance(raw.get(key, kind()), kind):
            raise SettingsError(f"{place}: `{key}` should be {'text' if kind is str else 'key: value lines'}")
    return raw
