"""The public part of a content folder: scanned, judged, parsed. `check` stops here; a build goes on from here."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from compiler.cache import Cache, Kind, digest_of
from compiler.model import (
    Article,
    Attachment,
    Decision,
    Document,
    FrontMatter,
    Problem,
    ProtectedPage,
    Share,
    SourceFile,
    SourcePath,
    Url,
)
from compiler.pages import Parsed, parse
from compiler.progress import Clock
from compiler.protected import protected_pages
from compiler.report import sorted_problems
from compiler.settings import Settings
from compiler.sources.articles import Selection, select
from compiler.sources.attachments import collect
from compiler.sources.dates import commit_days, history_problems, refuse_slow_clock
from compiler.sources.fields import Judged, Read, read_page
from compiler.sources.frontmatter import read_front_matter
from compiler.sources.scan import scan
from compiler.sources.sharing import hidden_folders, ruled
from compiler.sources.urls import attachment_urls

_FRONT = Kind("front", FrontMatter)
_PAGE = Kind("page", Read)


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything that is public, and everything the owner should know about the rest."""

    selection: Selection
    documents: tuple[Document, ...]
    attachments: tuple[Attachment, ...]
    problems: tuple[Problem, ...]
    protected: tuple[ProtectedPage, ...] = ()
    hidden: tuple[str, ...] = ()  # folders whose names nothing public shows

    @property
    def articles(self) -> tuple[Article, ...]:
        """The public articles."""
        return self.selection.articles

    @property
    def decisions(self) -> dict[SourcePath, Decision]:
        """The sharing decision of every Markdown file, broken ones included."""
        return dict(self.selection.decisions)

    @property
    def next_change(self) -> int | None:
        """When the next public page expires, in seconds of the epoch: this much may be published."""
        return min((a.not_after for a in self.articles if a.not_after is not None), default=None)

    @property
    def next_build(self) -> int | None:
        """When the next page of any state expires: when the owner should build again."""
        moments = (d.not_after for d in self.selection.decisions.values() if d.not_after and not d.expired)
        return min((int(moment.timestamp()) for moment in moments), default=None)

    @property
    def addresses(self) -> dict[SourcePath, Url]:
        """The address of each password page: nobody learns it but from the owner."""
        return {page.source: page.url for page in self.protected}


def read_sources(settings: Settings, now: datetime, *, cache: Cache, clock: Clock, preview: bool = False) -> Sources:
    """Return the public sources at the instant `now`. What is not public is dropped before anything is derived."""
    with clock.stage("scan"):
        refuse_slow_clock(settings.content, now)
        found = scan(settings.content, settings.limits)
    with clock.stage("share"):
        days = commit_days(settings.content)
        elsewhere = [*found.others, *(p.path for p in found.problems)]
        known = _Known(cache)
        selection = select(
            found.files, settings, now, days=days, others=elsewhere, preview=preview, front=known.front, page=known.page
        )
        known.keep(found.files, frozenset(a.source for a in selection.articles))
    with clock.stage("parse"):
        rules = settings.sharing.rules
        shares = {path: ruled(rules, path, found.links.get(path, path)) for path in found.others}
        others = {path: place for path, place in found.others.items() if shares[path] is Share.PUBLIC}
        parsed, attachments, problems = _linked(selection.articles, others, settings, cache=cache, clock=clock)
    with clock.stage("protect"):
        others = {path: place for path, place in found.others.items() if shares[path] is not Share.PRIVATE}
        protected, refused = protected_pages(
            selection.protected, parsed.documents, others, settings=settings, environment=os.environ
        )
    public = frozenset(a.source for a in selection.articles)
    hidden = hidden_folders(rules)
    problems += history_problems(settings.content, selection.articles)
    everything = sorted_problems((*found.problems, *selection.problems, *problems, *refused), public, hidden=hidden)
    selection = _without(selection, refused, published=frozenset(page.source for page in protected))
    return Sources(selection, parsed.documents, attachments, everything, protected, hidden)


class _Known:
    """What was read of public pages, kept in the cache; any other file is read each time and never kept."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._fresh: dict[str, FrontMatter] = {}

    def front(self, file: SourceFile) -> FrontMatter:
        """Return a file's front matter. Raises FileError like the reader itself."""
        found = self._cache.find(_FRONT, (file.sha256,))
        if found is None:
            found = self._fresh[file.sha256] = read_front_matter(file.text)
        return found

    def page(self, judged: Judged, hidden: Sequence[str], day: str | None) -> Read:
        """Return what a public file says. Raises FileError like the reader itself."""
        file, ends = judged.file, judged.decision.not_after
        parts = (file.sha256, file.path, digest_of(hidden), day or "", ends.isoformat() if ends else "")
        found = self._cache.find(_PAGE, parts)
        if found is None:
            found = read_page(judged, hidden, day)
            self._cache.keep(_PAGE, parts, found)
        return found

    def keep(self, files: Sequence[SourceFile], public: Container[SourcePath]) -> None:
        """Remember the front matter of the files that turned out to be public."""
        for file in files:
            if file.path in public and file.sha256 in self._fresh:
                self._cache.keep(_FRONT, (file.sha256,), self._fresh[file.sha256])


def _without(selection: Selection, refused: Sequence[Problem], *, published: frozenset[SourcePath]) -> Selection:
    """Return the selection with a password page that can't be published decided as what it is: private."""
    codes = {p.path: p.code for p in refused if p.path not in published}
    decisions = {
        path: Decision(Share.PRIVATE, None, codes[path]) if path in codes else decision
        for path, decision in selection.decisions.items()
    }
    return dataclasses.replace(selection, decisions=decisions) if codes else selection


def _linked(
    articles: Sequence[Article], others: Mapping[SourcePath, Path], settings: Settings, *, cache: Cache, clock: Clock
) -> tuple[Parsed, tuple[Attachment, ...], list[Problem]]:
    """Return the pages and the clean files they show. A file that can't be shown is taken for one that is not there.

    Links are then resolved again; the problems of the first round stand, so that the file itself is told once.
    """
    pages = [a.url for a in articles]
    urls = attachment_urls(others, hidden_folders(settings.sharing.rules))
    parsed = parse(articles, urls, cache, clock.progress.update)
    problems = list(parsed.problems)
    while True:
        wanted = sorted({path for document in parsed.documents for path in document.attachments})
        found, refused = collect(wanted, others, urls, limits=settings.limits, pages=pages)
        problems += refused
        if not refused:
            return parsed, found, problems
        gone = {p.path for p in refused}
        urls = {path: url for path, url in urls.items() if path not in gone}
        parsed = parse(articles, urls, cache, clock.progress.update)
