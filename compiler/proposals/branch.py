"""A proposal as a commit on a branch of its own, made without a look at the working tree, and as a pull request."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from compiler import git
from compiler.errors import ProposalError

PREFIX = "geosmin/"
NEW = "0" * 40  # the value that a reference must have to be made: none


@dataclass(frozen=True, slots=True)
class Change:
    """What the commit says and holds: `text` makes the page from the one that the branch begins with."""

    branch: str
    page: Path  # in the file system
    title: str
    text: Callable[[str | None], str]


def commit(change: Change) -> str:
    """Commit the change on a new branch from HEAD and return the commit. Working tree and index stay as they are.

    Raises ProposalError without a repository, without a commit in it, and when the branch is there already.
    """
    folder = _folder(change)
    root = Path(_git(folder, "rev-parse", "--show-toplevel").strip())
    name = change.page.resolve().relative_to(root.resolve()).as_posix()
    head = _git(root, "rev-parse", "--verify", "HEAD").strip()
    listed = _git(root, "ls-tree", "-z", head, "--", name)
    blob = _git(root, "hash-object", "-w", "--stdin", said=change.text(_of(root, listed)))
    with tempfile.TemporaryDirectory() as scratch:
        index = {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        _git(root, "read-tree", head, environment=index)
        _git(root, "update-index", "--add", "--cacheinfo", f"100644,{blob.strip()},{name}", environment=index)
        tree = _git(root, "write-tree", environment=index).strip()
    made = _git(root, "commit-tree", tree, "-p", head, "-F", "-", said=f"docs: {change.title}\n").strip()
    _git(root, "update-ref", f"refs/heads/{change.branch}", made, NEW)
    return made


def exists(change: Change) -> bool:
    """Tell whether the branch of a change is there already."""
    return git.succeeds(_folder(change), "rev-parse", "--verify", "--quiet", f"refs/heads/{change.branch}")


def pull_request(change: Change, body: str) -> str:
    """Push the branch and open a pull request; return its address.

    Raises ProposalError when `gh` is not there (the message says what to do by hand) or when it fails.
    """
    folder = _folder(change)
    if shutil.which("gh") is None:
        raise ProposalError(
            f"gh is not installed, so no pull request was opened; the branch {change.branch} holds the commit: "
            f"`git push -u origin {change.branch}`, then open one on your forge"
        )
    _git(folder, "push", "--set-upstream", "origin", change.branch)
    asked = ("gh", "pr", "create", "--head", change.branch, "--title", change.title, "--body-file", "-")
    return _run(folder, asked, said=body).strip()


def _folder(change: Change) -> Path:
    """Return the nearest folder above the page that is there."""
    return next(parent for parent in change.page.parents if parent.is_dir())


def _of(root: Path, listed: str) -> str | None:
    """Return the text of the file that `git ls-tree` lists, None when it lists none."""
    return _git(root, "cat-file", "blob", listed.split()[2]) if listed else None


def _git(folder: Path, *args: str, said: str = "", environment: dict[str, str] | None = None) -> str:
    return _run(folder, ("git", *args), said=said, environment=environment)


def _run(folder: Path, command: tuple[str, ...], *, said: str = "", environment: dict[str, str] | None = None) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            input=said.encode(),
            capture_output=True,
            timeout=120,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ProposalError(f"{command[0]} could not be run: {type(error).__name__}") from None
    if done.returncode:
        told = " ".join(done.stderr.decode(errors="replace").split())
        raise ProposalError(f"`{' '.join(command[:2])}` failed: {told}")
    return done.stdout.decode()
