"""An older commit never replaces a newer one: the state folder remembers which commit was built last.

Two pushes may race, and the one that comes later may be the one that makes a page private. What is remembered is the
owner's and never published.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from compiler import git
from compiler.errors import LockedError

FILE = "commit.json"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of the content's repository and its committer time in seconds."""

    id: str
    time: int


def head(content: Path) -> Commit | None:
    """Return the commit that is checked out, None without Git or before the first commit."""
    id_, _, moment = git.run(content, "log", "-1", "--format=%H %ct").strip().partition(" ")
    return Commit(id_, int(moment)) if moment else None


def refuse_older(content: Path, state: Path) -> Commit | None:
    """Return the commit that is checked out. Raises LockedError when a newer one was built already."""
    now, before = head(content), built(state)
    if now is not None and before is not None:
        refuse(content, now, before, "built")
    return now


def refuse(content: Path, now: Commit, before: Commit, done: str) -> None:
    """Raise LockedError when the commit `now` is older than the one that something was `done` with before.

    Older is an ancestor; where history does not reach (a shallow clone, a rewritten branch) the committer time tells.
    """
    if now.id == before.id:
        return
    if _is_known(content, before.id):
        older = git.succeeds(content, "merge-base", "--is-ancestor", now.id, before.id)
    else:
        older = now.time < before.time
    if older:
        raise LockedError(
            f"commit {now.id[:10]} is older than {before.id[:10]}, which was {done} already; "
            "check out the newer one, or go back on purpose with --allow-older"
        )


def remember(state: Path, commit: Commit | None) -> None:
    """Keep which commit was built last."""
    if commit is not None:
        aside = state / f"{FILE}.part"
        aside.write_text(json.dumps(asdict(commit)) + "\n", "utf-8")
        aside.replace(state / FILE)


def built(state: Path) -> Commit | None:
    """Return the commit that was built last, None when that is not known."""
    try:
        return commit_of(json.loads((state / FILE).read_text("utf-8")))
    except (OSError, ValueError):
        return None


def commit_of(data: object) -> Commit | None:
    """Return a commit as it was remembered, None for anything else."""
    if not isinstance(data, dict):
        return None
    try:
        return Commit(str(data["id"]), int(data["time"]))
    except (ValueError, KeyError, TypeError):
        return None


def _is_known(content: Path, commit: str) -> bool:
    return git.succeeds(content, "cat-file", "-e", f"{commit}^{{commit}}")
