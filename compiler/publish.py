"""Writes a finished build aside: the site, then the artifacts with the manifest that vouches for both."""

from __future__ import annotations

import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from compiler.cache import Cache
from compiler.derive import Derivation
from compiler.embed import Choice
from compiler.errors import BuildError
from compiler.index.check import verify_bytes
from compiler.index.rows import BuildMeta, Rows, Vectors
from compiler.index.switch import BUILDS, current_build, ours
from compiler.index.write import verify, write_artifacts
from compiler.model import Site
from compiler.progress import Clock, Progress
from compiler.read import Sources
from compiler.settings import Settings
from compiler.site import feeds, mkdocs, pagefind
from compiler.site.assemble import Parts, assemble, dominant_language
from compiler.site.body import spoken
from compiler.site.listing import Listing, file_path
from compiler.site.shelf import Shelf
from compiler.site.view import DIAGRAM
from compiler.wiki.graph import backlinks
from query_fn.contract import (
    MANIFEST,
    POINTER,
    FileEntry,
    Manifest,
    ManifestError,
    NodeRow,
    QuestionRow,
    file_entry,
    load_manifest,
)

ASIDE = ".part"


@dataclass(frozen=True, slots=True)
class Derived:
    """What the stages made of the sources, ready to be written."""

    build_id: str
    stamp: int
    sources: Sources
    made: Derivation
    vectors: Vectors | None
    choice: Choice
    search: pagefind.Finish  # ends the search that was begun when the pages were there


@dataclass(frozen=True, slots=True)
class Press:
    """What turns the assembled site into files: the frame around each page, and the static search over all of them.

    Both are functions of public values. Tests of everything before them put simpler ones in.
    """

    wrap: Callable[..., tuple[str, ...]] = mkdocs.render
    search: Callable[..., AbstractContextManager[pagefind.Finish]] = pagefind.begun


def leaves_of(sources: Sources, made: Derivation) -> list[pagefind.Leaf]:
    """Return what the static search is made of: all articles, and what defines each subject that has a page."""
    subjects = [entry for entry in made.wiki.entries if entry.human is None]
    leaves = [
        pagefind.Leaf(a.url, a.title, a.lang, spoken(d.html, a.lang), a.kind, a.tags)
        for d in sources.documents
        for a in (d.article,)
    ]
    defined = ((entry, Markup("<p>{}</p>").format(entry.definition.text)) for entry in subjects)
    return leaves + [pagefind.Leaf(e.url, e.title, e.lang, str(html), e.kind) for e, html in defined]


def is_served(out: Path, build_id: str) -> Manifest | None:
    """Return the current build's manifest when it is this build, every file of it verifies, and it holds no other."""
    name = current_build(out)
    if name is None or name.partition("-")[0] != build_id:
        return None
    place = out / BUILDS / name
    try:
        manifest = verify_bytes(place / "artifacts")
    except BuildError:
        return None
    alone = sorted(path.name for path in place.iterdir()) == ["artifacts", "site"]
    complete = manifest.build_id == build_id and _site_entries(place / "site") == manifest.site
    return manifest if complete and alone else None


def write_build(
    derived: Derived, settings: Settings, press: Press, *, cache: Cache, clock: Clock
) -> tuple[Path, Manifest]:
    """Write site and artifacts into a folder of their own, verify them, and return the folder and its manifest."""
    builds = settings.out / BUILDS
    aside = builds / (derived.build_id + ASIDE)
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    with clock.stage("site"):
        _write_site(derived, settings, press, out=aside / "site", cache=cache, progress=clock.progress)
    with clock.stage("search"):
        missing = derived.search(aside / "site", clock.progress.update)
    with clock.stage("index"):
        entries = _site_entries(aside / "site")
        _check_site(derived, entries)
        degraded = (*derived.choice.degraded, *derived.made.degraded, *missing, *_undrawn(derived, settings))
        meta = _meta(derived, settings, site=entries, degraded=degraded)
        write_artifacts(
            derived.made.rows, aside / "artifacts", meta=meta, vectors=derived.vectors, texts=derived.made.texts
        )
    with clock.stage("verify"):
        manifest = verify(aside / "artifacts")
    place = _free_place(builds, derived.build_id)
    aside.rename(place)
    return place, manifest


def _write_site(
    derived: Derived, settings: Settings, press: Press, *, out: Path, cache: Cache, progress: Progress
) -> None:
    """Write the site. The pages as they are wrapped are gone afterwards: the index needs their memory."""
    site = _assembled(derived, settings, cache)
    press.wrap(site, out, shelf=_shelf(settings.out, cache), progress=progress.update)
    _write_texts(derived, site, out)


def sweep(out: Path) -> None:
    """Remove what a killed build left half-written."""
    for path in ours(out):
        if path.name.endswith(ASIDE):
            shutil.rmtree(path)


def _shelf(out: Path, cache: Cache) -> Shelf:
    """Return the served site, whose unchanged pages need not be made again; nothing when it does not verify."""
    served = out / POINTER / "artifacts" / MANIFEST
    try:
        return Shelf(cache, (out / POINTER / "site").resolve(), load_manifest(served.read_text("utf-8")).site)
    except (OSError, ManifestError):
        return Shelf(cache)


def _assembled(derived: Derived, settings: Settings, cache: Cache) -> Site:
    rows, questions = derived.made.rows, _questions_by_article(derived.made.rows)
    attachments = derived.sources.attachments
    links = {str(key): entries for key, entries in backlinks(derived.sources.documents, rows.links).items()}
    made, nodes = derived.made, _nodes_by_article(rows)
    parts = Parts(
        derived.sources.documents, rows.articles, questions, links, attachments, made.minutes, made.wiki, nodes
    )
    return assemble(parts, settings, cache, build_id=derived.build_id, stamp=derived.stamp)


def _undrawn(derived: Derived, settings: Settings) -> tuple[str, ...]:
    """Return the name of the fallback when pages show the source of their diagrams."""
    drawn = bool(settings.theme.diagrams) or not any(DIAGRAM in d.html for d in derived.sources.documents)
    return () if drawn else ("no_mermaid",)


def _write_texts(derived: Derived, site: Site, place: Path) -> None:
    """Write what machines read: the Markdown of each page, and the list of them."""
    rows = derived.made.rows.articles
    listings = [Listing(a.url, a.title, a.lang, a.folder, a.summary, a.tags, a.updated) for a in rows]
    texts = feeds.raw_markdown({a.url: a.text for a in rows})
    llms = feeds.llms_txt(site.title, site.description, listings, site_url=site.site_url)
    pages = [(item, a.text) for item, a in zip(listings, rows, strict=True)]
    full = feeds.llms_full_txt(site.title, pages, site_url=site.site_url)
    feeds.write(place, {**texts, "llms.txt": llms, "llms-full.txt": full})


def _check_site(derived: Derived, entries: dict[str, FileEntry]) -> None:
    """Raise BuildError unless every public page is a file of the site."""
    missing = [a.path for a in derived.made.rows.articles if file_path(a.url) not in entries]
    if missing or file_path("") not in entries:
        raise BuildError(f"the site has no page for {', '.join(missing[:3]) or 'home'}; nothing was switched")


def _questions_by_article(rows: Rows) -> dict[str, list[QuestionRow]]:
    owner = {chunk.id: chunk.article_id for chunk in rows.chunks}
    out: dict[str, list[QuestionRow]] = defaultdict(list)
    for question in rows.questions:
        out[owner[question.chunk_id]].append(question)
    return out


def _nodes_by_article(rows: Rows) -> dict[str, list[NodeRow]]:
    out: dict[str, list[NodeRow]] = defaultdict(list)
    for node in rows.nodes:
        out[node.article_id].append(node)
    return out


def _meta(derived: Derived, settings: Settings, *, site: dict[str, FileEntry], degraded: tuple[str, ...]) -> BuildMeta:
    articles = derived.made.rows.articles
    languages = Counter(a.lang for a in articles)
    return BuildMeta(
        build_id=derived.build_id,
        stamp=derived.stamp,
        title=settings.site.title,
        languages=tuple(sorted(languages, key=lambda lang: (-languages[lang], lang))) or (dominant_language(articles),),
        base_path=settings.site.base_path,
        site_url=settings.site.url,
        next_change=min((a.not_after for a in articles if a.not_after is not None), default=None),
        degraded=degraded,
        site=site,
    )


def _site_entries(site: Path) -> dict[str, FileEntry]:
    paths = sorted(Path(folder, name) for folder, _, names in os.walk(site) for name in names)
    return {path.relative_to(site).as_posix(): file_entry(path) for path in paths}


def _free_place(builds: Path, build_id: str) -> Path:
    """Return a folder for a finished build; a damaged one of the same id stays served until the switch."""
    place, number = builds / build_id, 1
    while place.exists():
        place, number = builds / f"{build_id}-{number}", number + 1
    return place
