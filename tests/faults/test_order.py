"""Two builds at once, and builds out of order: one waits or gives way, and what is newer stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from compiler import order
from compiler.errors import LockedError
from compiler.lock import held

TIME = "2026-01-0{}T00:00:00+00:00"


def git(folder: Path, *args: str, day: int = 1) -> str:
    """Run a Git command at a fixed time, as a fixed person."""
    moment = TIME.format(day)
    person = {f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **person, "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
    done = subprocess.run(["git", "-C", str(folder), *args], env=env, capture_output=True, encoding="utf-8", check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with three commits on one branch."""
    folder = tmp_path / "notes"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for day in (1, 2, 3):
        (folder / "a.md").write_text(f"第{day}次", "utf-8")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", f"c{day}", day=day)
    return folder


def built(folder: Path, state: Path) -> None:
    """Do what a build does about the order of commits."""
    order.remember(state, order.refuse_older(folder, state))


def test_an_older_commit_gives_way(repository: Path, tmp_path: Path) -> None:
    """After a commit was built its ancestors are refused by name; itself and its descendants are not."""
    git(repository, "checkout", "-q", "HEAD~1")
    built(repository, tmp_path)
    built(repository, tmp_path)
    git(repository, "checkout", "-q", "main")
    built(repository, tmp_path)
    git(repository, "checkout", "-q", "HEAD~2")
    with pytest.raises(LockedError, match="is older than"):
        order.refuse_older(repository, tmp_path)


def test_another_branch_is_not_older(repository: Path, tmp_path: Path) -> None:
    """A branch that left before the built commit is another line, not an older state of it."""
    built(repository, tmp_path)
    git(repository, "checkout", "-q", "-b", "draft", "HEAD~1")
    git(repository, "commit", "-q", "--allow-empty", "-m", "d", day=2)
    built(repository, tmp_path)


@pytest.mark.parametrize(("day", "refused"), [(2, True), (4, False)])
def test_without_history_the_time_tells(repository: Path, tmp_path: Path, day: int, *, refused: bool) -> None:
    """In a shallow clone the built commit is unknown, and the committer times are compared."""
    built(repository, tmp_path)
    other = tmp_path / "clone"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "commit", "-q", "--allow-empty", "-m", "x", day=day)
    if refused:
        with pytest.raises(LockedError):
            order.refuse_older(other, tmp_path)
    else:
        assert order.refuse_older(other, tmp_path) == order.head(other)


def test_no_git_is_no_order(tmp_path: Path) -> None:
    """A folder without history is always built, and nothing is remembered."""
    built(tmp_path, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_memory_stops_nothing(repository: Path, tmp_path: Path) -> None:
    """What cannot be read is as if nothing had been built."""
    (tmp_path / order.FILE).write_text("{", "utf-8")
    built(repository, tmp_path)
    assert json.loads((tmp_path / order.FILE).read_text("utf-8"))["id"] == git(repository, "rev-parse", "HEAD")


def test_a_second_build_gives_way_or_waits(tmp_path: Path) -> None:
    """A held lock is refused at once by default, and taken as soon as it is free when one waits."""
    with held(tmp_path / "state", tmp_path / "out"):
        for folder in ("state", "out"):
            with pytest.raises(LockedError, match="another build is running"), held(tmp_path / folder):
                raise AssertionError("both held it")
    inside, free = threading.Event(), threading.Event()

    def hold() -> None:
        with held(tmp_path / "out"):
            inside.set()
            free.wait(10)

    other = threading.Thread(target=hold)
    other.start()
    inside.wait(10)
    threading.Timer(0.3, free.set).start()
    with held(tmp_path / "state", tmp_path / "out", wait=10):
        assert free.is_set()
    other.join()


def test_a_killed_build_leaves_no_lock(tmp_path: Path) -> None:
    """The lock ends with the process that held it."""
    script = "import sys,time\nfrom pathlib import Path\nfrom compiler.lock import held\nwith held(Path(sys.argv[1])): print(1, flush=True); time.sleep(60)"
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "s")], cwd=root, stdout=subprocess.PIPE
    ) as running:
        assert running.stdout
        running.stdout.readline()
        with pytest.raises(LockedError), held(tmp_path / "s"):
            pass
        running.kill()
    deadline = time.monotonic() + 5
    with held(tmp_path / "s", wait=5):
        assert time.monotonic() < deadline
