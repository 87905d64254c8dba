"""What Git says about where a content folder goes. No network."""

from __future__ import annotations

import re
import subprocess
from enum import StrEnum
from pathlib import Path

_FORGES = re.compile(
    r"(github\.com|gitlab\.com|gitee\.com|codeberg\.org|bitbucket\.org|gitcode\.(com|net)|sr\.ht)", re.IGNORECASE
)


def public_remotes(folder: Path) -> tuple[str, ...]:
    """Return the names of the remotes that are, or may be, readable by others: those on a public forge."""
    lines = run(folder, "remote", "-v").splitlines()
    return tuple(dict.fromkeys(line.split()[0] for line in lines if _FORGES.search(line)))


class Visibility(StrEnum):
    """Who may read the repository that holds the notes, as its host says."""

    PUBLIC = "public"
    PRIVATE = "private"
    INTERNAL = "internal"  # to everybody of an organisation
    UNKNOWN = "unknown"


def run(folder: Path, *args: str) -> str:
    """Return what a Git command prints, "" when it fails or Git is not there."""
    done = _git(folder, *args)
    return done.stdout if done and done.returncode == 0 else ""


def succeeds(folder: Path, *args: str) -> bool:
    """Tell whether a Git command ends well."""
    done = _git(folder, *args)
    return done is not None and done.returncode == 0


def _git(folder: Path, *args: str) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(
            ["git", "-C", str(folder), *args],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
