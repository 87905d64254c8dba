"""Dates that come from Git: those of the files' own commits, or none."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from compiler.build import How, build
from compiler.progress import Silent
from compiler.report import Report
from compiler.settings import load

from .vault import NOON, PUBLIC, QUICK, codes

WHO = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Qzperson"), ("EMAIL", "qzperson@example.org"))
}


def git(folder: Path, *args: str, day: int = 1) -> None:
    """Run a Git command at a fixed day of November 2026, as a fixed person."""
    moment = {f"GIT_{role}_DATE": f"2026-11-{day:02}T12:00:00Z" for role in ("AUTHOR", "COMMITTER")}
    subprocess.run(
        ["git", "-C", str(folder), *args], env={**os.environ, **WHO, **moment}, capture_output=True, check=True
    )


def outcome(content: Path, place: Path, *sets: str, how: How = QUICK) -> tuple[Report, str]:
    """Build a content folder, and return its report and everything that was published as one text."""
    settings = load(content, place / "dist", place / "state", overrides=["embed.model=none", *sets])
    report = build(settings, now=NOON, progress=Silent(), how=how)
    files = sorted(path for path in (place / "dist").rglob("*") if path.is_file() and not path.is_symlink())
    return report, "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """Return a repository in which two pages were committed on two days."""
    folder = tmp_path / "origin"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for day, name in ((3, "a.md"), (7, "b.md")):
        (folder / name).write_text(PUBLIC + f"# {name}\n", "utf-8")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "qzmessage", day=day)
    return folder


def test_a_page_is_as_old_as_its_own_commit(origin: Path, tmp_path: Path) -> None:
    """Each page carries the day it was last committed, and nothing of who did it or what they said."""
    report, text = outcome(origin, tmp_path)
    assert report.problems == ()
    assert "2026-11-03" in text and "2026-11-07" in text
    assert "qzperson" not in text.casefold() and "qzmessage" not in text


def test_a_shallow_clone_gives_no_date_and_says_so(origin: Path, tmp_path: Path) -> None:
    """The one commit that a shallow clone knows would be a wrong date for every page but the last."""
    git(tmp_path, "clone", "-q", "--depth", "1", origin.as_uri(), "shallow")
    report, text = outcome(tmp_path / "shallow", tmp_path)
    assert codes(report) == [("history-shallow", "geosmin.yml", None)]
    assert "2026-11-03" not in text and "2026-11-07" not in text
    assert "qzperson" not in text.casefold()


def test_pages_with_dates_of_their_own_need_no_history(origin: Path, tmp_path: Path) -> None:
    """Where every page says when it was changed, a shallow clone is as good as a whole one."""
    for path in origin.glob("*.md"):
        path.write_text(path.read_text("utf-8").replace("---\n", "---\nupdated: 2026-10-01\n", 1), "utf-8")
    git(origin, "commit", "-q", "-a", "-m", "dates")
    git(tmp_path, "clone", "-q", "--depth", "1", origin.as_uri(), "shallow")
    assert outcome(tmp_path / "shallow", tmp_path)[0].problems == ()


def test_the_repository_is_named_only_when_it_is_configured(origin: Path, tmp_path: Path) -> None:
    """No finished page links to where the notes lie, unless the owner gives the address of a repository."""
    git(origin, "remote", "add", "origin", "https://qztoken@git.example.org/qz/notes.git")
    _, text = outcome(origin, tmp_path / "silent", how=How())
    assert "git.example.org" not in text and "qztoken" not in text
    _, text = outcome(origin, tmp_path / "told", "site.repository_url=https://git.example.org/open", how=How())
    assert "https://git.example.org/open" in text and "qztoken" not in text
