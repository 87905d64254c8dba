"""`geosmin leakcheck`: everything that was published is searched for everything that was not.

A last look from outside: it shares no code with the stages that keep private text out, so a fault there shows here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.resources import files as package
from pathlib import Path

from compiler.errors import BuildError
from compiler.guide import GLOSSARY_NAME, GUIDE_NAME
from compiler.leakcheck.marks import SEPARATOR, Marks, folded, marks
from compiler.leakcheck.readings import is_packed, readings
from compiler.leakcheck.windows import Rolling, Wanted
from compiler.model import Article, SourceFile, SourcePath
from compiler.report import file_tag
from compiler.settings import CONFIG_NAME, Settings
from compiler.sources.articles import select
from compiler.sources.scan import scan
from query_fn.contract import LEXICAL, POINTER, load_manifest
from query_fn.store import open_store
from query_fn.text import plain

PACKAGES = ("compiler", "query_fn", "site_template")
_MARKS = re.compile(r"[^\w\s]")


@dataclass(frozen=True, slots=True)
class Hit:
    """Something of a file that is not public, found in a published one."""

    published: str  # relative to the output folder
    source: str  # the file it belongs to
    kind: str  # "passage" | "name" | "file" | "word"
    text: str  # as found; only for the owner's own eyes


@dataclass(frozen=True, slots=True)
class LeakReport:
    """What was looked for, in how much, and what was found."""

    marks: int
    sources: int
    files: int
    bytes: int
    hits: tuple[Hit, ...]


def leakcheck(settings: Settings, *, now: datetime, progress: Callable[[int, int], None]) -> LeakReport:
    """Return what of the sources that are not public is found in the current build and in ``protected/``.

    Looked for are passages, names and rare words that no public page and no file of the program holds, and the bytes
    of attachments that were not published. Raises BuildError when there is no build.
    """
    current = settings.out / POINTER
    if not current.is_dir():
        raise BuildError(f"there is no build in {settings.out}; run `geosmin build` first")
    found = scan(settings.content, settings.limits)
    articles = select(found.files, settings, now, days={}, others=tuple(found.others)).articles
    wanted = marks(_secrets(settings, found.files), _public_texts(settings, articles))
    digests = {hashlib.sha256(place.read_bytes()).hexdigest(): path for path, place in found.others.items()}
    for entry in load_manifest((current / "artifacts" / "manifest.json").read_text("utf-8")).site.values():
        digests.pop(entry.sha256, None)
    places = _published(settings.out)
    hits: list[Hit] = []
    size = 0
    for number, (name, place) in enumerate(places, 1):
        data = place.read_bytes()
        size += len(data)
        hits += _file_hits(name, data, wanted, digests)
        progress(number, len(places))
    hits += _vocabulary_hits(current, wanted)
    return LeakReport(wanted.count, len(wanted.owners), len(places), size, tuple(dict.fromkeys(hits)))


def told(report: LeakReport, *, redact_with: bytes | None) -> LeakReport:
    """Return the report as its reader may see it: with a key, no name and no word of a file that is not public."""
    if redact_with is None:
        return report
    named = {hit.published for hit in report.hits if hit.text and hit.text in folded(hit.published)}
    return replace(report, hits=tuple(_redacted(hit, redact_with, named) for hit in report.hits))


def _redacted(hit: Hit, key: bytes, named: Container[str]) -> Hit:
    where = file_tag(SourcePath(hit.published), key) if hit.published in named else hit.published
    return Hit(where, file_tag(SourcePath(hit.source), key) if hit.source else "", hit.kind, "")


def _secrets(settings: Settings, files: tuple[SourceFile, ...]) -> dict[str, str]:
    """Return all that was ever written, file by file: what public pages hold is taken out again."""
    configuration = ((name, settings.content / name) for name in (CONFIG_NAME, GUIDE_NAME, GLOSSARY_NAME))
    own = {name: place.read_text("utf-8", errors="replace") for name, place in configuration if place.is_file()}
    return own | {file.path: file.path.rsplit(".", 1)[0] + SEPARATOR + file.text for file in files}


def _public_texts(settings: Settings, articles: tuple[Article, ...]) -> Iterator[str]:
    for a in articles:
        names = (a.path, a.url, a.id, a.title, a.lang, a.summary, a.kind, a.created, a.updated)
        listed = (*a.tags, *a.aliases, *a.redirects)
        anchors = _MARKS.sub("", a.body)  # an anchor drops what stands between its words
        yield "\n".join((*(name or "" for name in names), *listed, a.body, plain(a.body), anchors))
    site = settings.site
    yield "\n".join(
        (
            site.title,
            site.description,
            site.url,
            site.base_path,
            site.edit_url,
            site.repository_url,
            settings.ask.endpoint,
        )
    )
    yield "\n".join((settings.theme.styles, *settings.theme.templates.values(), str(settings.theme.options)))
    for name in PACKAGES:
        for place in sorted(Path(str(package(name))).rglob("*")):
            if place.is_file() and place.suffix != ".pyc":
                yield place.read_text("utf-8", errors="replace")


def _published(out: Path) -> list[tuple[str, Path]]:
    roots = ((POINTER, (out / POINTER).resolve()), ("protected", out / "protected"))
    return [
        (f"{name}/{place.relative_to(root).as_posix()}", place)
        for name, root in roots
        for place in sorted(root.rglob("*"))
        if place.is_file()
    ]


def _file_hits(name: str, data: bytes, wanted: Marks, digests: Mapping[str, str]) -> Iterator[Hit]:
    digest = hashlib.sha256(data).hexdigest()
    if digest in digests:
        yield Hit(name, digests[digest], "file", "")
    found = (name, *readings(data))
    everything = SEPARATOR.join(map(folded, found))
    plain_ones = SEPARATOR.join(folded(reading) for reading in found if not is_packed(reading))
    yield from _hits(name, "passage", everything, wanted.passages, wanted.owners)
    yield from _hits(name, "name", plain_ones, wanted.names, wanted.owners)


def _hits(name: str, kind: str, text: str, tables: tuple[Wanted, ...], owners: tuple[str, ...]) -> Iterator[Hit]:
    rolling = Rolling.of(text)
    for table in tables:
        at, which = table.search(rolling)
        for start, place in _first_of_each(at.tolist(), which.tolist(), table.length):
            yield Hit(name, owners[int(table.owners[place])], kind, text[start : start + table.length])


def _first_of_each(at: list[int], which: list[int], length: int) -> Iterator[tuple[int, int]]:
    """Yield the first window of each run of hits: a copied sentence is one hit, not one per character."""
    end = -1
    for start, place in zip(at, which, strict=True):
        if start > end:
            yield start, place
        end = start + length


def _vocabulary_hits(current: Path, wanted: Marks) -> Iterator[Hit]:
    """Yield the rare words that an index knows: its dictionary is packed, and can only be asked."""
    store = open_store(current / "artifacts")
    for name in LEXICAL:
        searcher = store.lexical(name).searcher()
        for field in ("title", "path", "body"):
            yield from (
                Hit(f"{POINTER}/artifacts/lexical/{name}", "", "word", word)
                for word in wanted.words
                if searcher.doc_freq(field, word)
            )
