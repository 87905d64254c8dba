"""What a change would do to what is public: two readings of the sources, and the difference as Markdown.

Titles are told of pages only that the change leaves public; of all others only how many there are.
"""

from __future__ import annotations

import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from compiler import git
from compiler.cache import Cache
from compiler.errors import SettingsError
from compiler.model import Severity, SourcePath
from compiler.progress import Clock, Silent
from compiler.read import read_sources
from compiler.settings import Settings
from compiler.spending import Bill
from compiler.version import compiler_version

SHOWN = 20  # titles in a comment


@dataclass(frozen=True, slots=True)
class Side:
    """The sources before or after a change: public pages with their titles and texts, and what is wrong with files."""

    public: Mapping[SourcePath, tuple[str, str]]
    errors: int
    score: int | None = None  # of `geosmin lint`, None: not built


@dataclass(frozen=True, slots=True)
class Fallen:
    """A figure of the questions that is lower than before."""

    name: str
    before: float
    after: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides, what a build would pay for, and the figures that fell (None: not asked; a text: why not known)."""

    before: Side
    after: Side
    bill: Bill
    fallen: Sequence[Fallen] | str | None = None

    @property
    def published(self) -> tuple[SourcePath, ...]:
        """Pages that become public."""
        return tuple(sorted(set(self.after.public) - set(self.before.public)))

    @property
    def unpublished(self) -> tuple[SourcePath, ...]:
        """Pages that are public no longer."""
        return tuple(sorted(set(self.before.public) - set(self.after.public)))

    @property
    def changed(self) -> int:
        """How many pages stay public with another text."""
        both = set(self.before.public) & set(self.after.public)
        return sum(self.before.public[path] != self.after.public[path] for path in both)


def take_out(content: Path, ref: str, folder: Path) -> Path:
    """Write the content folder as it is in a commit below `folder` and return it. Raises SettingsError without one."""
    archive, target = folder / "before.tar", folder / "content"
    if ref.startswith("-") or not git.succeeds(content, "archive", "-o", str(archive), ref, "--", "."):
        raise SettingsError(f"{ref}: no commit that holds the content folder is known by this name")
    with tarfile.open(archive) as packed:
        packed.extractall(target, filter="data")
    archive.unlink()
    return target


def look(settings: Settings, *, now: datetime, score: int | None = None) -> Side:
    """Return what is public and how many other files there are. Nothing is written."""
    cache = Cache(None, version=compiler_version())
    try:
        sources = read_sources(settings, now, cache=cache, clock=Clock(Silent()))
    finally:
        cache.close()
    pages = {d.article.source: (d.article.title, d.text) for d in sources.documents}
    errors = sum(problem.severity is Severity.ERROR for problem in sources.problems)
    return Side(pages, errors, score)


def markdown(found: Comparison) -> str:
    """Return the comparison as a comment for a pull request."""
    before, after = found.before, found.after
    published, unpublished = len(found.published), len(found.unpublished)
    lines = [
        f"This change would publish {_pages(published)}, unpublish {unpublished} and change {found.changed}; "
        f"{len(after.public)} would be public, without those that have a password.",
        "",
        *(f"- publish {_title(after.public[path][0])}" for path in found.published[:SHOWN]),
        *([f"- publish {published - SHOWN} more"] if published > SHOWN else []),
        *([f"- unpublish {_pages(unpublished)}"] if unpublished else []),
        "",
        "| | before | after |",
        "|---|---|---|",
        f"| errors in files | {before.errors} | {after.errors} |",
    ]
    if after.score is not None:
        lines.append(f"| lint score | {'' if before.score is None else before.score} | {after.score} |")
    lines.append(f"| a model would be paid | | ${found.bill.usd:.2f} for {found.bill.calls} calls |")
    return "\n".join([*lines, "", *_questions(found.fallen)]).rstrip() + "\n"


def _questions(fallen: Sequence[Fallen] | str | None) -> list[str]:
    if fallen is None:
        return []
    if isinstance(fallen, str):
        return [f"Your questions {fallen}."]
    if not fallen:
        return ["Your questions: no figure fell."]
    rows = (f"- `{f.name}`: {f.before:.3f} → {'none' if f.after is None else f'{f.after:.3f}'}" for f in fallen)
    return ["Your questions, figures that fell:", "", *rows]


def _pages(count: int) -> str:
    return f"{count} page{'' if count == 1 else 's'}"


def _title(title: str) -> str:
    """Return a title as code: then nobody is called by it, and it links to nothing."""
    return f"`{' '.join(title.replace('`', ' ').split())}`"
