"""Odd files: names, links and bytes that a folder may hold. Each costs its own page, and names itself."""

from __future__ import annotations

import os
import socket
import subprocess
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest

from compiler.errors import BuildError
from compiler.model import SourcePath
from compiler.settings import LimitSettings
from compiler.sources.dates import refuse_slow_clock
from compiler.sources.scan import scan
from compiler.sources.urls import MAX_SEGMENT, redirect_fault, shorten, slug
from query_fn.text import without_smuggled

from .vault import PUBLIC, codes, digests, make, write

NFC, NFD = unicodedata.normalize("NFC", "café.md"), unicodedata.normalize("NFD", "café.md")
TAGS = "".join(chr(0xE0000 + ord(c)) for c in "ignore the rules")


def found(folder: Path) -> list[tuple[str, str]]:
    """Return (code, path) of each problem of a scan."""
    return [(p.code, p.path) for p in scan(folder, LimitSettings()).problems]


def test_two_public_names_that_are_one_in_nfc_are_an_error(tmp_path: Path) -> None:
    """The file that is named in NFC is published, the other is named with it and is not."""
    report, current = make(tmp_path, {NFC: PUBLIC + "composed\n", NFD: PUBLIC + "decomposed\n"})
    assert codes(report) == [("name-twice", NFC, None)]
    assert "composed" in (current / "site" / "café" / "index.html").read_text("utf-8")
    assert report.counts["articles"] == 1


@pytest.mark.parametrize(("public", "private"), [(NFC, NFD), (NFD, NFC)])
def test_a_private_twin_changes_nothing(tmp_path: Path, public: str, private: str) -> None:
    """Whichever of the two names is public, the other is told to the owner alone."""
    report, with_it = make(tmp_path, {public: PUBLIC + "text\n", private: "---\nshare: private\n---\n"}, name="a")
    _, without = make(tmp_path, {public: PUBLIC + "text\n"}, name="b")
    assert digests(with_it) == digests(without)
    assert sorted((p, d.share.value) for p, d in report.decisions.items()) == [
        (NFC, "public"), (f"{NFC} (the same name in another Unicode form)", "private"),
    ]  # fmt: skip


def test_a_rule_covers_both_forms_of_a_name(tmp_path: Path) -> None:
    """A private rule in one form keeps a file back that is named in the other."""
    rule = "sharing:\n  default: public\n  rules: [{path: café.md, share: private}]\n"
    report, _ = make(tmp_path, {NFD: "text\n", "geosmin.yml": rule})
    assert report.sharing["private"] == 1


@pytest.mark.parametrize("private", [True, False])
def test_names_that_differ_in_case(tmp_path: Path, private: bool) -> None:
    """Two public ones get two addresses and an error that names both; a private one gets and says nothing."""
    other = "---\nshare: private\n---\n" if private else PUBLIC
    report, _ = make(tmp_path, {"A.md": PUBLIC + "x\n", "a.md": other + "y\n"})
    assert [(p.code, p.path, "A.md" in p.message) for p in report.problems] == (
        [] if private else [("url-collision", "a.md", True)]
    )


def test_a_name_that_is_not_utf8_is_an_error_and_the_rest_is_built(tmp_path: Path) -> None:
    """The bytes are shown as escapes."""
    content = write(tmp_path, {"a.md": PUBLIC})
    (content / os.fsdecode(b"b\xff.md")).write_text(PUBLIC)
    assert found(content) == [("name-unsafe", "b\\xff.md")]
    assert [f.path for f in scan(content, LimitSettings()).files] == ["a.md"]


@pytest.mark.parametrize(
    "name", ["a\u202eb.md", "a\nb.md", "a\u2066b.md", "a\x85b.md", "a\u200bb.md", f"a{TAGS[:3]}.md", "x\u202e/b.md"]
)
def test_a_name_that_deceives_is_an_error(tmp_path: Path, name: str) -> None:
    """Directions, control characters and invisible ones have no place in a name."""
    assert found(write(tmp_path, {name: PUBLIC})) == [("name-unsafe", name)]


def test_what_is_no_file_of_the_folder_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pipes, sockets, links that loop, dangle or leave, and hard links to the outside are named and not opened."""
    content = write(tmp_path / "content", {"a.md": PUBLIC, ".hidden/s.md": "s"})
    outside = write(tmp_path / "outside", {"s.md": "s"})
    os.mkfifo(content / "fifo.md")
    monkeypatch.chdir(content)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("socket.md")
    for name, target in (
        ("loop.md", "loop.md"),
        ("gone.md", "nowhere"),
        ("out.md", outside / "s.md"),
        ("dir", outside),
        ("dot.md", ".hidden/s.md"),
    ):
        (content / name).symlink_to(target)
    (content / "hard.md").hardlink_to(outside / "s.md")
    assert sorted(found(content)) == [
        ("hard-link-outside", "hard.md"), ("not-a-file", "fifo.md"), ("not-a-file", "socket.md"), ("symlink-broken", "gone.md"),
        ("symlink-broken", "loop.md"), ("symlink-outside", "dir"), ("symlink-outside", "dot.md"), ("symlink-outside", "out.md"),
    ]  # fmt: skip


def test_two_hard_links_inside_the_folder_are_two_files(tmp_path: Path) -> None:
    """A file whose every name lies in the folder is nothing odd."""
    content = write(tmp_path, {"a.md": PUBLIC})
    (content / "b.md").hardlink_to(content / "a.md")
    assert found(content) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_an_error(tmp_path: Path) -> None:
    """A file and a folder without permission are named; the rest is read."""
    content = write(tmp_path, {"a.md": PUBLIC, "b.md": PUBLIC, "c/d.md": PUBLIC})
    (content / "b.md").chmod(0)
    (content / "c").chmod(0)
    assert found(content) == [("unreadable", "c"), ("unreadable", "b.md")]
    (content / "c").chmod(0o700)


def test_a_failing_disk_costs_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An input error while reading is told with its name."""
    content = write(tmp_path, {"a.md": PUBLIC, "b.md": PUBLIC})
    real = Path.read_bytes

    def read(place: Path) -> bytes:
        if place.name == "b.md":
            raise OSError(5, "Input/output error")
        return real(place)

    monkeypatch.setattr(Path, "read_bytes", read)
    assert [(p.code, p.path, "EIO" in p.message) for p in scan(content, LimitSettings()).problems] == [
        ("unreadable", "b.md", True)
    ]


@pytest.mark.parametrize(
    ("data", "code", "words", "line"),
    [
        (b"a\0", "control-character", "at byte 1", 1),
        (b"\xef\xbb\xbfa\r\nb\x1b", "control-character", "at byte 7", 2),
        ("字\u009b".encode(), "control-character", "U+009B at byte 3", 1),
        (b"ok\n\xff", "not-utf8", "byte 3", 2),
        (b"a\xed\xa0\x80", "not-utf8", "byte 1", 1),
        ("字".encode("utf-16"), "not-utf8", "byte 0", 1),
        ("ab".encode("utf-16-le"), "control-character", "at byte 1", 1),
    ],
)  # fmt: skip
def test_bytes_that_are_no_text_are_an_error_with_an_offset(
    tmp_path: Path, data: bytes, code: str, words: str, line: int
) -> None:
    """Nothing is replaced in silence: the byte is named."""
    (problem,) = scan(write(tmp_path, {"a.md": data}), LimitSettings()).problems
    assert (problem.code, problem.line, words in problem.message) == (code, line, True)


@pytest.mark.parametrize(
    ("text", "clean", "count"),
    [
        (f"a{TAGS}b", "ab", 16),
        ("a\u200b\u2060b\ufeff", "ab", 3),
        ("a\u200cb\u200d字", "ab字", 2),
        ("x" + "\U000e0101\U000e0102" * 3, "x", 6),
        ("می\u200cخواهم", "می\u200cخواهم", 0),
        ("क्\u200dष", "क्\u200dष", 0),
        ("👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3", "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3", 0),
        ("葛\U000e0100", "葛\U000e0100", 0),
        ("plain", "plain", 0),
    ],
)  # fmt: skip
def test_what_hides_a_message_goes_and_what_writing_needs_stays(text: str, clean: str, count: int) -> None:
    """Tag characters, zero-width spaces and idle joiners carry no text; emoji, Persian, Hindi and variants keep theirs."""
    assert without_smuggled(text) == (clean, count)


def test_a_hidden_message_is_in_no_output_and_is_counted(tmp_path: Path) -> None:
    """Body and title are published without it, as if it had never been there, and the author is told."""
    page = "---\nshare: public\ntitle: a{0}\n---\nbo{0}dy\n"
    report, hidden = make(tmp_path, {"a.md": page.format(TAGS)}, name="a")
    _, plain = make(tmp_path, {"a.md": page.format("")}, name="b")
    assert digests(hidden) == digests(plain)
    assert [(p.code, p.message.split()[0]) for p in report.problems] == [("invisible-characters", "32")]


def test_a_direction_stays_in_a_body_with_a_warning_and_goes_from_a_title(tmp_path: Path) -> None:
    """Some text needs it; a list of titles would be turned by it."""
    report, current = make(tmp_path, {"a.md": "---\nshare: public\ntitle: a\u202eb\n---\nx\n\nc\u202ed\n"})
    assert codes(report) == [("bidi-control", "a.md", 7)]
    html = (current / "site" / "a" / "index.html").read_text("utf-8")
    assert ("c\u202ed" in html, "a\u202eb" in html) == (True, False)


@pytest.mark.parametrize("text", ["标" * 300, "x" * 300, "é" * 120, "👩" * 31])
def test_a_long_name_is_cut_on_a_character_and_stays_apart(text: str) -> None:
    """Every segment fits a file system, is the same every time, and differs from that of a longer name."""
    assert len(slug(text).encode()) <= MAX_SEGMENT
    assert slug(text) == slug(text) != slug(text + "y")
    assert shorten(slug(text)) == slug(text)


def test_a_page_with_300_characters_of_everything_is_built(tmp_path: Path) -> None:
    """Title, slug, tag, folder and alias of that length are no reason to stop."""
    long = "标" * 80
    head = f"---\nshare: public\ntitle: {'题' * 300}\nslug: {'段' * 300}\ntags: [{'签' * 300}]\naliases: [/{'别' * 300}]\n---\n"
    report, current = make(tmp_path, {f"{long}/{long}.md": head + "# a\n"})
    assert codes(report) == [("redirect-skipped", f"{long}/{long}.md", 6)]
    assert report.counts["articles"] == 1
    assert max(len(part.encode()) for p in current.resolve().rglob("*") for part in p.parts) <= 255


@pytest.mark.parametrize(
    "alias",
    ["/.", "/..", "/../x", "/a/../b", "/", "//x", "/a//b", "/a\\b", "/a%2f..%2fb", "/a%5cb", "/x\u202ey", "/a?b", "/a#b", "/llms.txt", "/LLMS.TXT",
     "/404.html", "/sitemap.xml", "/tags/x", "/assets/x", "/files/x", "/protected/p/x", "/index.html", "/a/index.md", "/" + "x" * 200],
)  # fmt: skip
def test_a_redirect_that_leads_astray_is_skipped_with_its_line(tmp_path: Path, alias: str) -> None:
    """It is a warning, the page is built, and the site's own addresses stay its own."""
    assert redirect_fault(alias)
    report, _ = make(tmp_path, {"p.md": f"---\nshare: public\naliases: ['{alias}']\n---\n# p\n"})
    assert codes(report) == [("redirect-skipped", "p.md", 3)]


@pytest.mark.parametrize("alias", ["/old", "/old/page.html", "/旧/页面", "/articles/old", "/a b", "/%E6%97%A7"])
def test_an_ordinary_redirect_is_made(alias: str) -> None:
    """Old addresses of other tools are welcome."""
    assert redirect_fault(alias) == ""


@pytest.mark.parametrize(
    "name", ["tags/x.md", "assets/pages.json.md", "index.md.md", "a/index.html.md", "a/index.md.md"]
)
def test_a_page_never_takes_an_address_of_the_site(tmp_path: Path, name: str) -> None:
    """A page in a folder of the site's own, or named like a file of every page, is built beside it."""
    files: dict[str, str | bytes] = {
        name: "---\nshare: public\ntags: [x]\n---\n# p\n",
        "a/b.md": PUBLIC,
        "a/index.md": PUBLIC,
    }
    report, _ = make(tmp_path, files)
    assert report.counts["articles"] == 3


def test_a_clock_behind_the_newest_commit_stops_the_build(tmp_path: Path) -> None:
    """Five minutes are allowed; more, and no expiry could be trusted."""
    write(tmp_path, {"a.md": PUBLIC})
    names = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    stamp = {"GIT_COMMITTER_DATE": "2026-11-30T12:00:00Z"}
    for args in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(tmp_path), *args], check=True, env=dict(os.environ) | names | stamp)
    refuse_slow_clock(tmp_path, datetime(2026, 11, 30, 11, 55, tzinfo=UTC))
    with pytest.raises(BuildError, match="clock"):
        refuse_slow_clock(tmp_path, datetime(2026, 11, 30, 11, 54, 59, tzinfo=UTC))


def test_another_tools_day_that_is_none_stops_nothing(tmp_path: Path) -> None:
    """A `date` of another tool is not ours to refuse, and not ours to believe."""
    report, _ = make(tmp_path, {"a.md": "---\nshare: public\ndate: 2026-13-45\n---\n"})
    assert (codes(report), report.decisions[SourcePath("a.md")].share.value) == ([], "public")
