"""Settings: every value that makes no sense is refused with its key, before anything is written."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from compiler import identity
from compiler.errors import SettingsError
from compiler.settings import Settings, load

from .vault import PUBLIC, make, write

REFUSED = [
    "embed.seconds=nan", "embed.seconds=inf", "embed.seconds=-1", "embed.threads=-1", "embed.threads=1000", "embed.threads=1.5",
    "chunk.target=0", "chunk.tail=0", "chunk.cap=-5", "chunk.overlap=-1", "chunk.overlap=1200", "chunk.target=100", "chunk.cap=1000000000000",
    "questions.per_chunk=-1", "questions.per_chunk=100000", "limits.file_bytes=0", "limits.file_bytes=-1", "limits.attachment_bytes=0",
    "site.url=example.org", "site.url=javascript:alert(1)", "site.url=ftp://example.org", "site.url=https://", "site.url=https://u:p@example.org/",
    "site.url='https://example.org/ a'", "site.url=https://example.org:99999/", "site.repository_url=file:///x", "ask.endpoint=//example.org/x",
    "ask.endpoint=ws://example.org", "site.base_path=../x", "site.base_path=/a/../b/", "site.base_path=/a/%2e%2e/b", "site.base_path=/a//b",
    'site.base_path="a\\\\b"', "site.base_path=/a?b", "sharing.timezone=Mars/Base", "sharing.default=password", "sharing.default=Public",
    "sharing.repository_is_public=yes", "search.analyser=trigram",
]  # fmt: skip


def loaded(tmp_path: Path, *overrides: str) -> Settings:
    return load(write(tmp_path / "content", {}), tmp_path / "dist", tmp_path / "state", overrides=overrides)


@pytest.mark.parametrize("override", REFUSED)
def test_a_value_that_makes_no_sense_is_refused_by_name(tmp_path: Path, override: str) -> None:
    """The message names the section or the key, and nothing is written."""
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, override)
    assert override.partition(".")[0] in str(caught.value)
    assert not (tmp_path / "dist").exists()


@pytest.mark.parametrize(
    ("override", "near"),
    [("site.titel=x", "site.title"), ("shering.default=public", "sharing"), ("chunk.traget=1", "chunk.target"), ("limits.file_byte=1", "limits.file_bytes")],
)  # fmt: skip
def test_an_unknown_key_names_the_nearest_one(tmp_path: Path, override: str, near: str) -> None:
    """A slip of one letter is told with what was meant."""
    with pytest.raises(SettingsError, match=f"did you mean `{near}`"):
        loaded(tmp_path, override)


@pytest.mark.parametrize(
    ("overrides", "base"),
    [
        ((), "/"),
        (("site.url=https://example.org/wiki",), "/wiki/"),
        (("site.url=https://example.org/wiki/", "site.base_path=/other"), "/other/"),
        (("site.url=http://例子.example:8080/知识/",), "/知识/"),
        (("site.base_path=a/b",), "/a/b/"),
    ],
)
def test_a_base_path_has_a_slash_at_both_ends(tmp_path: Path, overrides: tuple[str, ...], base: str) -> None:
    """It is what was chosen, else the path of the site's address."""
    assert loaded(tmp_path, *overrides).site.base_path == base


@pytest.mark.parametrize(
    ("content", "out", "state"),
    [
        ("c", "c/site", "s"), ("c", "c", "s"), ("c/in", "c", "s"), ("c", "o", "c/state"), ("c", "o", "o/state"), ("c", "c/../c/site", "s"),
        ("c", "link/site", "s"),
    ],
)  # fmt: skip
def test_output_and_content_never_lie_in_each_other(tmp_path: Path, content: str, out: str, state: str) -> None:
    """A build that would read what it writes stops before it writes; a symbolic link does not hide it."""
    write(tmp_path / "c" / "in", {})
    (tmp_path / "link").symlink_to(tmp_path / "c", target_is_directory=True)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(SettingsError):
        load(tmp_path / content, tmp_path / out, tmp_path / state)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("value", ["yesterday", "-1", "1e9", "２０", "99999999999", "9" * 30])
def test_a_stamp_that_is_no_instant_stops_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """SOURCE_DATE_EPOCH is seconds since 1970 and at most a year ahead; anything else says so."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    with pytest.raises(SettingsError, match="SOURCE_DATE_EPOCH"):
        make(tmp_path, {"a.md": PUBLIC})
    assert not (tmp_path / "a" / "dist").exists()


@pytest.mark.parametrize(("value", "seconds"), [("", 0), ("0", 0), ("1700000000", 1_700_000_000)])
def test_a_stamp_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch, value: str, seconds: int) -> None:
    """A past instant and none are both fine."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    assert identity.source_date_epoch() == seconds
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) + 86_400))
    assert identity.source_date_epoch() > time.time()


def test_an_output_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """`--out` and `--state` name folders; a file of that name is told before anything is read."""
    (tmp_path / "content").mkdir()
    (tmp_path / "x").write_text("", "utf-8")
    for out, state in (("x", "state"), ("dist", "x")):
        with pytest.raises(SettingsError, match="is a file; choose a folder"):
            load(tmp_path / "content", tmp_path / out, tmp_path / state)
