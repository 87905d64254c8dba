"""`geosmin check`: the sharing report and every problem, without writing anything."""

from __future__ import annotations

import os
from datetime import datetime

from compiler import git
from compiler.cache import Cache
from compiler.git import Visibility
from compiler.model import Problem, Severity, SourcePath
from compiler.progress import Clock, Progress
from compiler.read import Sources, read_sources
from compiler.report import Report, sharing_counts
from compiler.settings import CONFIG_NAME, Settings
from compiler.version import compiler_version

CACHE_NAME = "cache.db"
REPOSITORY = "repository-public"


def check(settings: Settings, *, now: datetime, progress: Progress, visibility: Visibility | None = None) -> Report:
    """Return what a build would find: sharing states, problems, next changes. Builds nothing, embeds nothing.

    `visibility` is what the repository's host says of it, None when nobody was asked.
    Where a build has left a cache, its results are used and new ones kept; else nothing at all is written.
    """
    clock, place = Clock(progress), settings.state / CACHE_NAME
    cache = Cache(place if os.access(place, os.R_OK | os.W_OK) else None, version=compiler_version())
    try:
        sources = read_sources(settings, now, cache=cache, clock=clock)
        cache.save(prune=False)
    finally:
        cache.close()
    problems = (*sources.problems, *repository_problems(settings, sources, visibility))
    return Report(
        build_id="",
        switched=False,
        unchanged=False,
        counts={"articles": len(sources.articles)},
        sharing=sharing_counts(sources.decisions),
        problems=problems,
        seconds=clock.seconds,
        next_change=sources.next_change,
        next_build=sources.next_build,
        ignored_keys=sources.selection.ignored_keys,
        decisions=sources.decisions,
        rules=sources.selection.rules,
        protected=sources.addresses,
        hidden=sources.hidden,
    )


def repository_problems(
    settings: Settings, sources: Sources, visibility: Visibility | None = None
) -> tuple[Problem, ...]:
    """Return what is wrong when notes that are not public lie in a Git repository that is or may be public.

    What the host says of it (`visibility`) makes an error, anything but private included; the names of the remotes
    alone make a warning.
    """
    hidden = len(sources.decisions) - len(sources.articles)
    if not hidden or visibility is Visibility.PRIVATE or settings.sharing.repository_is_public:
        return ()
    remotes = git.public_remotes(settings.content)
    if visibility is None and not remotes:
        return ()
    told = {
        None: f"the Git remote {', '.join(remotes)} may be",
        Visibility.UNKNOWN: "nobody could tell whether this repository is",
    }.get(visibility, f"this repository is {visibility}")
    message = (
        f"{hidden} files here are not public, and {told}: "
        "whoever can read the repository can read them, whatever their `share` says"
    )
    fix = "make the repository private, or set sharing.repository_is_public: true if you know"
    severity = Severity.WARNING if visibility is None else Severity.ERROR
    return (Problem(severity, REPOSITORY, SourcePath(CONFIG_NAME), None, message, fix, True),)
