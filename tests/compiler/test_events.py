"""The event log: every event once, whatever happens between the switch and its line."""

from __future__ import annotations

import json
import signal
import tempfile
from pathlib import Path

import pytest

from compiler.build import build
from compiler.events import FILE, INTENT, Event, What, event, history, intend, log, settle
from compiler.index.switch import current_build
from compiler.progress import Silent
from compiler.settings import load
from tests.compiler.vault import NOON, PUBLIC, QUICK, make, write
from tests.faults.faulty import Fault, count, run


def one(what: What = What.BUILT, subject: str = "b1") -> Event:
    """Return an event."""
    return event(what, subject, "标题", now=NOON)


def test_what_is_logged_is_read_again(tmp_path: Path) -> None:
    """Events come back whole and in order, and the file is the owner's alone."""
    listed = [one(), one(What.MERGED, "p1")]
    log(tmp_path, listed[:1])
    log(tmp_path, listed[1:])
    assert history(tmp_path).events == tuple(listed)
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("torn", [b"{", b'{"id": "x", "at": "2026', b'{"id": "\xe6\xa0'])
def test_a_torn_last_line_was_never_logged(tmp_path: Path, torn: bytes) -> None:
    """It is not shown, and the next event does not run into it."""
    first, second = one(), one(What.REMOVED, "a/")
    log(tmp_path, [first])
    with (tmp_path / FILE).open("ab") as file:
        file.write(torn)
    assert history(tmp_path).events == (first,)
    log(tmp_path, [second])
    assert history(tmp_path).events == (first, second)
    assert history(tmp_path).unreadable == 0


def test_a_line_that_is_no_event_is_counted(tmp_path: Path) -> None:
    """A damaged line in the middle hides no other, and is not passed over in silence."""
    log(tmp_path, [one()])
    with (tmp_path / FILE).open("ab") as file:
        file.write(b"\x00\x00\n")
    log(tmp_path, [one()])
    assert (len(history(tmp_path).events), history(tmp_path).unreadable) == (2, 1)


@pytest.mark.parametrize("logged", [0, 1, 2])
def test_what_was_intended_and_happened_is_logged_once(tmp_path: Path, logged: int) -> None:
    """A crash after none, some or all of the lines leaves the rest to the next run."""
    (tmp_path / "current").symlink_to("builds/new")
    events = [one(), one(What.REMOVED, "a/")]
    intend(tmp_path, tmp_path, "new", events)
    log(tmp_path, events[:logged])
    settle(tmp_path)
    settle(tmp_path)
    assert history(tmp_path).events == tuple(events)
    assert not (tmp_path / INTENT).exists()


def test_what_was_intended_and_did_not_happen_is_forgotten(tmp_path: Path) -> None:
    """A build that died before its switch was not built."""
    (tmp_path / "current").symlink_to("builds/old")
    intend(tmp_path, tmp_path, "new", [one()])
    settle(tmp_path)
    assert history(tmp_path).events == ()


def test_a_build_logs_itself_and_the_pages_that_went(tmp_path: Path) -> None:
    """The title of a page that is public no more is in the owner's log, and an unchanged build says nothing."""
    make(tmp_path, {"a.md": PUBLIC + "# Rain\n\nText.\n", "b.md": PUBLIC + "# Gone\n\nText.\n"}, how=QUICK)
    (tmp_path / "a/content/b.md").write_text("---\nshare: private\n---\n# Gone\n\nText.\n")
    for _ in range(2):
        make(tmp_path, {}, how=QUICK)
    events = history(tmp_path / "a/state").events
    assert [e.what for e in events] == [What.BUILT, What.BUILT, What.REMOVED]
    assert (events[2].subject, events[2].title) == ("b/", "Gone")


def test_nothing_of_the_log_is_published(tmp_path: Path) -> None:
    """No file below the output holds an event's id."""
    make(tmp_path, {"a.md": PUBLIC + "# Rain\n\nText.\n"}, how=QUICK)
    names = [e.id.encode() for e in history(tmp_path / "a/state").events]
    files = [path for path in (tmp_path / "a/dist").rglob("*") if path.is_file()]
    assert names
    assert not [path for path in files if any(name in path.read_bytes() for name in names)]


def test_a_build_killed_at_any_moment_of_its_end_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every operation from the intent on: whatever is served then was logged exactly once by the next run."""
    vault = {"n": 0}
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def work() -> None:
        settings = load(tmp_path / "content", tmp_path / "dist", tmp_path / "state", overrides=["embed.model=none"])
        build(settings, now=NOON, progress=Silent(), how=QUICK)

    def edit() -> None:
        vault["n"] += 1
        write(tmp_path / "content", {"a.md": PUBLIC + f"# Rain\n\nText {vault['n']}.\n"})

    edit()
    work()
    edit()
    total = count(work, tmp_path)
    for at in range(max(1, total - 24), total + 1):
        edit()
        run(work, Fault(at, sent=signal.SIGKILL), tmp_path)
        served = str(current_build(tmp_path / "dist")).partition("-")[0]
        settle(tmp_path / "state")
        built = [e.subject for e in history(tmp_path / "state").events if e.what is What.BUILT]
        assert built[-1] == served
        assert len(built) == len(set(built))
    assert json.loads((tmp_path / "state" / FILE).read_text().splitlines()[0])["what"] == "built"


def test_a_page_goes_from_a_base_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the folders as they are by default, `content`, `dist` and `.geosmin`, a removed page is logged."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "content", {"index.md": PUBLIC + "# Home\n", "rain.md": PUBLIC + "# Rain\n\nRain is water.\n"})
    settings = load(Path("content"), Path("dist"), Path(".geosmin"), overrides=["embed.model=none"])
    build(settings, now=NOON, progress=Silent(), how=QUICK)
    (tmp_path / "content/rain.md").unlink()
    build(settings, now=NOON, progress=Silent(), how=QUICK)
    gone = [e.subject for e in history(Path(".geosmin")).events if e.what is What.REMOVED]
    assert gone == ["rain/"]
