"""The cache: what it may give back, and what it must make again."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from compiler.cache import KINDS, STAGES, Cache, Kind, Recipe, opened
from compiler.errors import BuildError
from compiler.parallel import ENOUGH, Workers
from tests.compiler.vault import PUBLIC, make


def doubled(text: str) -> str:
    """Return a text twice."""
    return text * 2


def process_of(_: object) -> int:
    """Return the number of the process that runs this."""
    return os.getpid()


def refused(text: str) -> str:
    """Refuse every text."""
    raise BuildError(f"{text} is refused")


DOUBLED = Recipe(Kind("structure", str), doubled)
WANTED = [((name,), name) for name in ("a", "b", "c")]


def fill(path: Path, version: str = "1", anew: tuple[str, ...] = ()) -> tuple[list[str], int]:
    """Ask for three results and return them with how many had to be made."""
    with opened(path, version=version, anew=anew) as cache:
        return cache.all(DOUBLED, WANTED), cache.made["structure"]


def test_a_result_is_made_once(tmp_path: Path) -> None:
    """The second time all results are stored ones."""
    assert fill(tmp_path / "c.db") == (["aa", "bb", "cc"], 3)
    assert fill(tmp_path / "c.db") == (["aa", "bb", "cc"], 0)


def test_another_compiler_takes_nothing_over(tmp_path: Path) -> None:
    """The version is part of every entry, and what an older compiler left is removed."""
    fill(tmp_path / "c.db", "1")
    assert fill(tmp_path / "c.db", "2")[1] == 3
    assert fill(tmp_path / "c.db", "1")[1] == 3


@pytest.mark.parametrize("harm", ["UPDATE results SET value = x'a27a7a'", "UPDATE results SET digest = x'00'"])
def test_a_changed_entry_is_made_again(tmp_path: Path, harm: str) -> None:
    """Every entry carries a hash of its bytes."""
    fill(tmp_path / "c.db")
    with sqlite3.connect(tmp_path / "c.db") as db:
        db.execute(harm)
    assert fill(tmp_path / "c.db") == (["aa", "bb", "cc"], 3)


def test_entries_cannot_stand_in_for_each_other(tmp_path: Path) -> None:
    """The hash covers the key, so an entry that was moved to another key is not believed."""
    fill(tmp_path / "c.db")
    with sqlite3.connect(tmp_path / "c.db") as db:
        one = db.execute("SELECT digest, value FROM results LIMIT 1").fetchone()
        db.execute("UPDATE results SET digest = ?, value = ?", one)
    assert fill(tmp_path / "c.db") == (["aa", "bb", "cc"], 2)


def test_a_torn_page_is_told_and_survived(tmp_path: Path) -> None:
    """A file that is damaged in the middle costs what cannot be read, and the note says so."""
    path = tmp_path / "c.db"
    many = [((str(i),), "x" * 500) for i in range(200)]
    with opened(path) as cache:
        cache.all(DOUBLED, many)
    data = bytearray(path.read_bytes())
    data[4096 * 3 : 4096 * 12] = b"\xff" * (4096 * 9)
    path.write_bytes(data)
    with opened(path) as cache:
        assert cache.all(DOUBLED, many) == ["x" * 1000] * 200
        assert "damaged" in cache.note


def test_what_is_not_used_is_pruned(tmp_path: Path) -> None:
    """Only what the last build asked for is kept."""
    fill(tmp_path / "c.db")
    with opened(tmp_path / "c.db", version="1") as cache:
        cache.all(DOUBLED, WANTED[:1])
    with sqlite3.connect(tmp_path / "c.db") as db:
        assert db.execute("SELECT count(*) FROM results").fetchone() == (1,)


def test_a_stage_can_be_made_anew(tmp_path: Path) -> None:
    """Results of the named stages are not read, those of others are."""
    fill(tmp_path / "c.db")
    assert fill(tmp_path / "c.db", anew=("derive",))[1] == 0
    assert fill(tmp_path / "c.db", anew=("parse",))[1] == 3


def test_every_kind_belongs_to_a_stage() -> None:
    """A kind outside the stages could never be made anew."""
    assert set(KINDS.values()) <= set(STAGES)


def test_results_keep_their_order_over_processes() -> None:
    """Two processes give the same list as none."""
    items = list(range(4 * ENOUGH))
    many = Workers(2)
    try:
        assert list(many.map(str, items)) == list(Workers(1).map(str, items)) == [str(i) for i in items]
    finally:
        many.close()


def test_what_is_made_beside_the_reading_keeps_its_place() -> None:
    """Results of a slow recipe stand where they were asked for: stored ones, new ones, and one that is damaged."""
    slow = Recipe(DOUBLED.kind, doubled, load=len)
    with closing(Cache(None, workers=Workers(2))) as cache:
        cache.all(slow, [((name,), name) for name in "bdf"])
        cache._flush()
        cache._db.execute("UPDATE results SET digest = x'00' WHERE key = ?", (cache._key(slow.kind, ("d",)),))
        assert cache.all(slow, [((name,), name) for name in "abcdefg"]) == [name * 2 for name in "abcdefg"]
        assert cache.made["structure"] == 3 + 5


def test_short_lists_beside_share_a_process() -> None:
    """What the first one loads is there for the second one, and the process ends with the workers."""
    many = Workers(2)
    first, second = (list(many.map(process_of, [0], beside=True)) for _ in range(2))
    many.close()
    assert first == second != [os.getpid()]
    with pytest.raises(ProcessLookupError):
        os.kill(first[0], 0)


def test_an_error_in_a_process_ends_the_list() -> None:
    """What a worker raises is raised here, and the workers end."""
    many = Workers(2)
    with pytest.raises(BuildError, match="0 is refused"):
        list(many.map(refused, [str(i) for i in range(2 * ENOUGH)]))
    many.close()


def test_progress_counts_stored_and_made_results() -> None:
    """The last call says that all are done."""
    seen: list[tuple[int, int]] = []
    cache = Cache(None)
    cache.all(DOUBLED, WANTED[:1])
    cache._flush()
    cache.all(DOUBLED, WANTED, lambda done, total: seen.append((done, total)))
    assert seen == [(2, 3), (3, 3)]


def test_only_public_front_matter_is_kept(tmp_path: Path) -> None:
    """The cache holds the front matter of public pages and of no other, and reading it again decides the same."""
    files: dict[str, str | bytes] = {
        "a.md": PUBLIC.replace("---\n", "---\nsummary: qzpublicqz\n", 1) + "# 甲\n",
        "b.md": "---\nshare: private\nsummary: qzprivateqz\n---\n# 乙\n",
        "c.md": "---\nshare: publick\nsummary: qzbrokenqz\n---\n# 丙\n",
    }
    first, _ = make(tmp_path, files)
    stored = b"".join(path.read_bytes() for path in sorted((tmp_path / "a" / "state").glob("cache.db*")))
    assert (b"qzpublicqz" in stored, b"qzprivateqz" in stored, b"qzbrokenqz" in stored) == (True, False, False)
    again, _ = make(tmp_path, files)
    assert (again.unchanged, again.decisions, again.problems) == (True, first.decisions, first.problems)
