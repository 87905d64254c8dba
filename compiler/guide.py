"""What the owner says about the words of the base: `_glossary.yml` and `_guide.md`. They steer and are never published.

`_glossary.yml` is a list. Each entry has `term` and may have `aliases`; ``ignore: true`` keeps the term from having a
page. Only what public pages use of it has any effect on what is published.

`_guide.md` is for people and for a model: domain, readers, conventions. HTML comments and sections without text count
for nothing. The items of a list below a heading "Terms" or "Ignore" (术语, 忽略) are read like the glossary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from compiler.errors import SettingsError

GUIDE_NAME = "_guide.md"
GLOSSARY_NAME = "_glossary.yml"
MAX_BYTES = 256_000
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SECTION = re.compile(r"^(#{1,6}[ \t]+[^\n]*)\n?", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*[-*+][ \t]+(.+?)[ \t]*$", re.MULTILINE)
_LISTS = {"terms": False, "术语": False, "ignore": True, "忽略": True}  # heading -> whether its items are ignored


@dataclass(frozen=True, slots=True)
class Term:
    """One entry of the glossary. An ignored term has no page."""

    name: str
    aliases: tuple[str, ...] = ()
    ignore: bool = False


@dataclass(frozen=True, slots=True)
class Guide:
    """The owner's terms, and the guide's text without comments and empty sections."""

    terms: tuple[Term, ...] = ()
    text: str = ""


def read_guide(content: Path) -> Guide:
    """Return what `_glossary.yml` and `_guide.md` say; nothing when they are not there.

    Raises SettingsError that names the file and the entry that is not understood.
    """
    place = content / GLOSSARY_NAME
    text = _kept(_COMMENT.sub("", _text(content / GUIDE_NAME)))
    return Guide((*_terms(_text(place), place), *_listed(text)), text)


def _text(place: Path) -> str:
    """Return a file's text, "" when there is none."""
    if not place.is_file():
        return ""
    if place.stat().st_size > MAX_BYTES:
        raise SettingsError(f"{place}: more than {MAX_BYTES:,} bytes")
    try:
        return place.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise SettingsError(f"{place}: not UTF-8") from None


def _kept(text: str) -> str:
    """Return Markdown without the sections that hold no text."""
    head, *parts = _SECTION.split(text)
    sections = zip(parts[::2], parts[1::2], strict=True)
    return "\n".join(
        [head.strip(), *(f"{title}\n{body.strip()}\n" for title, body in sections if body.strip())]
    ).strip()


def _listed(text: str) -> Iterator[Term]:
    """Yield the items below the headings that name terms or words to ignore."""
    _, *parts = _SECTION.split(text)
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        ignore = _LISTS.get(title.strip("# \t").casefold())
        for item in _ITEM.finditer(body) if ignore is not None else ():
            name, *aliases = re.split(r"\s*[,，、=]\s*", item[1])
            yield Term(name, tuple(aliases), bool(ignore))


def _terms(text: str, place: Path) -> Iterator[Term]:
    try:
        found = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - strings only
    except (yaml.YAMLError, RecursionError) as error:
        raise SettingsError(f"{place}: not readable as YAML: {' '.join(str(error).split())}") from None
    if found in (None, ""):
        return
    if not isinstance(found, list):
        raise SettingsError(f"{place}: expected a list of entries such as `- term: front matter`")
    for number, entry in enumerate(found, 1):
        yield _term(entry, f"{place}: entry {number}")


def _term(entry: Any, where: str) -> Term:
    if not isinstance(entry, dict) or not isinstance(entry.get("term"), str) or not entry["term"].strip():
        raise SettingsError(f"{where}: needs `term: <name>`")
    if unknown := sorted(set(entry) - {"term", "aliases", "definition", "ignore"}):
        raise SettingsError(f"{where}: unknown key `{unknown[0]}`; known: term, aliases, definition, ignore")
    if (ignore := entry.get("ignore", "false")) not in ("true", "false"):
        raise SettingsError(f"{where}: `ignore` is true or false")
    return Term(entry["term"].strip(), _strings(entry.get("aliases", []), where), ignore == "true")


def _strings(value: Any, where: str) -> tuple[str, ...]:
    items: Sequence[Any] = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise SettingsError(f"{where}: `aliases` is a list of words")
    return tuple(item.strip() for item in items if item.strip())
