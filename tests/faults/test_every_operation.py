"""A build that dies or fails at its n-th file operation: what was served stays whole, and the next build needs no help.

Every n of a quick build (without MkDocs and Pagefind) is a nightly run: GEOSMIN_NIGHTLY=1. Otherwise a fixed sample of them.
"""

from __future__ import annotations

import errno
import os
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.build import How, build
from compiler.index.write import verify
from compiler.progress import Silent
from compiler.settings import load
from tests.compiler.vault import NOON, PUBLIC, QUICK, digests, write
from tests.faults.faulty import ENDED, FAILED, Fault, count, limited, run

SAMPLE = 9  # moments for each kind of fault
KINDS: dict[str, Callable[[int], Fault]] = {
    "killed": lambda at: Fault(at, sent=signal.SIGKILL),
    "terminated": lambda at: Fault(at, sent=signal.SIGTERM),
    "disk full": lambda at: Fault(at, errno=errno.ENOSPC, lasting=True),
    "broken disk": lambda at: Fault(at, errno=errno.EIO),
    "read-only disk": lambda at: Fault(at, errno=errno.EROFS, lasting=True),
}
SECRETS = {"GEOSMIN_SECRET": "an owner's secret of enough length", "MEMBERS": "correct horse battery staple nine"}


def vault(mark: str) -> dict[str, str | bytes]:
    """Return a small vault with a page of every kind that is written, all of them changed by `mark`."""
    return {
        "index.md": PUBLIC + f"# 首页 {mark}\n\n[[b]] ![[b]] [表](t.csv)\n",
        "b.md": PUBLIC.replace("---\n", "---\naliases: [/old]\ntags: [甲]\n", 1) + f"# 乙\n\n第{mark}次。\n",
        f"{mark}.md": PUBLIC + "# 新\n\n[[首页]]\n",
        "members.md": f"---\nshare: password\npassword: env:MEMBERS\n---\n# 会员\n\n{mark}\n",
        "t.csv": f"a,{mark}\n",
    }


class Place:
    """One content folder and its output, edited and built again and again."""

    def __init__(self, folder: Path, how: How) -> None:
        self.folder, self.how, self.round = folder, how, 0
        self.out = folder / "dist"

    def edit(self) -> None:
        """Change every page."""
        self.round += 1
        for old in (self.folder / "content").glob("*"):
            old.unlink()
        write(self.folder / "content", vault(str(self.round)))

    def work(self) -> None:
        """Build; what goes through temporary folders is below the tested folder too."""
        tempfile.tempdir = str(self.folder)
        settings = load(self.folder / "content", self.out, self.folder / "state", overrides=["embed.model=none"])
        build(settings, now=NOON, progress=Silent(), how=self.how)

    def check(self) -> None:
        """The pointer leads to a whole build, and what it vouches for is there, byte by byte."""
        current = (self.out / "current").resolve(strict=True)
        manifest = verify(current / "artifacts")
        assert digests(current / "site") == {name: entry.sha256 for name, entry in manifest.site.items()}

    def check_next(self) -> None:
        """The next build succeeds, is the new one, and nothing of the failed one is left."""
        assert run(self.work, Fault(0), self.folder) == ENDED
        self.check()
        current = (self.out / "current").resolve()
        assert [place.name for place in (self.out / "builds").iterdir()] == [current.name]
        assert (current / "site" / str(self.round)).is_dir()
        assert len(list((self.out / "protected" / "p").iterdir())) == 1
        assert sorted(place.name for place in self.out.iterdir()) == [".lock", "builds", "current", "protected"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Return a folder with one good build."""
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    made = Place(tmp_path, QUICK)
    made.edit()
    assert run(made.work, Fault(0), tmp_path) == ENDED
    return made


def moments(total: int) -> list[int]:
    """Return all operations at night, and else a sample of them."""
    if os.environ.get("GEOSMIN_NIGHTLY") or total <= SAMPLE:
        return list(range(1, total + 1))
    return spread(total, SAMPLE)


def spread(total: int, sample: int) -> list[int]:
    """Return `sample` operations spread over the build, the last one included."""
    return sorted({round(1 + i * (total - 1) / (sample - 1)) for i in range(sample)})


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_served_survives(place: Place, kind: str) -> None:
    """After a fault at any moment the old or the new build is served whole, and the next build is as if none had been."""
    place.edit()
    total = count(place.work, place.folder)
    assert total > 100
    ends = set()
    for at in moments(total):
        place.edit()
        ends.add(run(place.work, KINDS[kind](at), place.folder))
        place.check()
        place.check_next()
    assert ends <= {ENDED, FAILED, -signal.SIGKILL, -signal.SIGTERM}
    assert ends - {ENDED}


@pytest.mark.slow
def test_the_whole_press_survives_a_kill(place: Place) -> None:
    """The same through MkDocs and Pagefind, at a few moments of a build that uses them."""
    place.how = How(durable=False)
    place.edit()
    total = count(place.work, place.folder)
    for at in spread(total, 4)[1:]:
        place.edit()
        assert run(place.work, Fault(at, sent=signal.SIGKILL), place.folder) in {-signal.SIGKILL, ENDED}
        place.check()
    place.check_next()


@pytest.mark.parametrize("size", [1, 4096, 20_000])
def test_files_that_cannot_grow_switch_nothing(place: Place, size: int) -> None:
    """When no file can grow past a size, native code's included, the build fails and the old one stays."""
    before = (place.out / "current").resolve()
    place.edit()
    assert limited(place.work, size) == FAILED
    place.check()
    assert (place.out / "current").resolve() == before
    place.check_next()
