"""`geosmin check`: the sharing report and every problem, without writing anything."""

from __future__ import annotations

from datetime import datetime

from compiler import git
from compiler.cache import Cache
from compiler.model import Problem, Severity, SourcePath
from compiler.progress import Clock, Progress
from compiler.read import Sources, read_sources
from compiler.report import Report, sharing_counts
from compiler.settings import CONFIG_NAME, Settings


def check(settings: Settings, *, now: datetime, progress: Progress) -> Report:
    """Return what a build would find: sharing states, problems, next changes. Writes nothing, embeds nothing."""
    clock = Clock(progress)
    sources = read_sources(settings, now, cache=Cache(None), clock=clock)
    problems = (*sources.problems, *repository_problems(settings, sources))
    moments = [int(d.not_after.timestamp()) for d in sources.decisions.values() if d.not_after and not d.expired]
    public = [a.not_after for a in sources.articles if a.not_after is not None]
    return Report(
        build_id="",
        switched=False,
        unchanged=False,
        counts={"articles": len(sources.articles)},
        sharing=sharing_counts(sources.decisions),
        problems=problems,
        seconds=clock.seconds,
        next_change=min(public, default=None),
        next_build=min(moments, default=None),
        ignored_keys=sources.selection.ignored_keys,
        decisions=sources.decisions,
    )


def repository_problems(settings: Settings, sources: Sources) -> tuple[Problem, ...]:
    """Return a warning when notes that are not public lie in a Git repository that is or may be public."""
    hidden = len(sources.decisions) - len(sources.articles)
    remotes = git.public_remotes(settings.content)
    if not hidden or not remotes or settings.sharing.repository_is_public:
        return ()
    message = (
        f"{hidden} files here are not public, and the Git remote {', '.join(remotes)} may be: "
        "whoever can read the repository can read them, whatever their `share` says"
    )
    fix = "make the repository private, or set sharing.repository_is_public: true if you know"
    return (Problem(Severity.WARNING, "repository-public", SourcePath(CONFIG_NAME), None, message, fix, True),)
