"""The public part of a content folder: scanned, judged, parsed. `check` stops here; a build goes on from here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from compiler.cache import Cache
from compiler.model import Article, Attachment, Decision, Document, Problem, SourcePath
from compiler.pages import parse
from compiler.progress import Clock
from compiler.report import sorted_problems
from compiler.settings import Settings
from compiler.sources.articles import Selection, select
from compiler.sources.attachments import collect, is_cleanable
from compiler.sources.dates import commit_days
from compiler.sources.scan import scan
from compiler.sources.sharing import covered


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything that is public, and everything the owner should know about the rest."""

    selection: Selection
    documents: tuple[Document, ...]
    attachments: tuple[Attachment, ...]
    problems: tuple[Problem, ...]

    @property
    def articles(self) -> tuple[Article, ...]:
        """The public articles."""
        return self.selection.articles

    @property
    def decisions(self) -> dict[SourcePath, Decision]:
        """The sharing decision of every Markdown file, broken ones included."""
        return dict(self.selection.decisions)


def may_be_published(path: SourcePath, settings: Settings) -> bool:
    """Tell whether a file that is no article can be an attachment: no rule keeps it back, and its kind can be cleaned.

    What cannot be published resolves like a file that is not there, so a link tells nothing about it.
    """
    return is_cleanable(path) and not covered(settings.sharing.rules, path)


def read_sources(settings: Settings, now: datetime, *, cache: Cache, clock: Clock, preview: bool = False) -> Sources:
    """Return the public sources at the instant `now`. What is not public is dropped before anything is derived."""
    with clock.stage("scan"):
        found = scan(settings.content, settings.limits)
    with clock.stage("share"):
        days = commit_days(settings.content)
        elsewhere = [*found.others, *(p.path for p in found.problems)]
        selection = select(found.files, settings, now, days=days, others=elsewhere, preview=preview)
    with clock.stage("parse"):
        others = {path: place for path, place in found.others.items() if may_be_published(path, settings)}
        parsed = parse(selection.articles, others, cache, clock.progress.update)
    wanted = sorted({path for document in parsed.documents for path in document.attachments})
    attachments, problems = collect(wanted, others, parsed.attachment_urls, limits=settings.limits)
    public = frozenset(a.source for a in selection.articles)
    everything = (*found.problems, *selection.problems, *parsed.problems, *problems)
    return Sources(selection, parsed.documents, attachments, sorted_problems(everything, public))
