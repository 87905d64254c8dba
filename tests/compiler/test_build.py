"""Whole builds of small vaults: what is public, what stays, what a second build does."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from compiler.build import How, build
from compiler.errors import BuildError, LockedError
from compiler.lock import held
from compiler.progress import Silent
from compiler.publish import ASIDE
from compiler.settings import load
from query_fn.contract import load_manifest

from .vault import NOON, PUBLIC, QUICK, codes, digests, make, write

VAULT = {
    "index.md": PUBLIC + "# 首页\n\n见[[安装]]、[[秘密计划]]。\n",
    "指南/安装.md": PUBLIC.replace("---\n", "---\ntags: [开始]\n", 1)
    + "# 安装\n\n## 步骤\n\n1. 下载\n2. 解压\n3. 运行\n",
    "指南/english.md": PUBLIC + "# English page\n\nSee [the steps](安装.md#步骤).\n",
    "秘密计划.md": "# 秘密计划\n\n绝密内容\n",
    "草稿.md": "---\ndraft: true\n---\n草稿内容\n",
    "过期.md": "---\nshare: public\nexpires: 2026-11-29\n---\n旧内容\n",
    "密码.md": "---\nshare: password\npassword: env:NOTES\n---\n口令内容\n",
    "坏.md": "---\ntitle: 复盘: 甲\nshare: private\n---\n坏内容\n",
}


def test_only_public_pages_are_built(tmp_path: Path) -> None:
    """The site and the artifacts hold the public pages and nothing of the others."""
    report, current = make(tmp_path, VAULT)
    assert report.sharing == {"public": 3, "password": 0, "private": 4, "expired": 1}
    assert report.counts["articles"] == 3
    everything = b"".join(p.read_bytes() for p in sorted(current.resolve().rglob("*")) if p.is_file())
    assert [
        w for w in ("绝密内容", "草稿内容", "旧内容", "口令内容", "坏内容", "复盘") if w.encode() in everything
    ] == []


def test_a_broken_page_is_private_and_the_rest_is_built(tmp_path: Path) -> None:
    """A file error names file and line, and costs only its own page."""
    report, _ = make(tmp_path, VAULT)
    assert ("frontmatter-yaml", "坏.md", 2) in codes(report)
    assert (report.errors, report.switched) == (1, True)


def test_deleting_what_is_private_changes_no_byte(tmp_path: Path) -> None:
    """Non-interference: with and without the other files the output is byte for byte the same."""
    public = {name: VAULT[name] for name in ("index.md", "指南/安装.md", "指南/english.md")}
    with_all = digests(make(tmp_path, VAULT, name="a")[1])
    alone = digests(make(tmp_path, public, name="b")[1])
    assert with_all == alone
    assert len(with_all) > 20


def test_the_order_of_files_and_the_hash_seed_change_no_byte(tmp_path: Path) -> None:
    """Same input, same bytes, whatever the order in which files were made."""
    first = digests(make(tmp_path, VAULT, name="a")[1])
    second = digests(make(tmp_path, dict(reversed(VAULT.items())), name="b")[1])
    assert first == second


def test_a_second_build_does_nothing(tmp_path: Path) -> None:
    """Nothing changed: nothing is rendered, embedded or switched."""
    make(tmp_path, VAULT)
    report, _ = make(tmp_path, VAULT)
    assert (report.unchanged, report.switched, report.rendered, report.fresh_embeddings) == (True, False, 0, 0)


def test_one_edited_page_renders_one_page(tmp_path: Path) -> None:
    """An edit costs its own page; the result equals a clean build."""
    make(tmp_path, VAULT)
    edited = VAULT | {"指南/安装.md": str(VAULT["指南/安装.md"]) + "\n4. 检查\n"}
    report, current = make(tmp_path, edited)
    assert report.rendered == 1
    assert digests(current) == digests(make(tmp_path, edited, name="clean")[1])


def test_unpublishing_removes_every_trace(tmp_path: Path) -> None:
    """A page made private is in no file of the next build, and equals one that never was."""
    make(tmp_path, VAULT)
    hidden = VAULT | {"指南/安装.md": "# 安装\n\n撤回的内容\n"}
    _, current = make(tmp_path, hidden)
    without = {k: v for k, v in VAULT.items() if k != "指南/安装.md"}
    assert digests(current) == digests(make(tmp_path, without, name="clean")[1])
    assert [p.name for p in (tmp_path / "a" / "dist" / "builds").iterdir()] == [current.resolve().name]


def test_expiry_is_judged_at_the_given_instant(tmp_path: Path) -> None:
    """The page is there the second before its end and gone from that second."""
    vault = {"a.md": "---\nshare: public\nexpires: 2026-12-01T10:00:00Z\n---\n# 短期\n"}
    end = datetime(2026, 12, 1, 10, tzinfo=UTC)
    before, _ = make(tmp_path, vault, now=end - timedelta(seconds=1), name="a")
    after, _ = make(tmp_path, vault, now=end, name="b")
    assert (before.counts["articles"], after.counts["articles"]) == (1, 0)
    assert before.next_change == int(end.timestamp())


def test_every_row_of_an_expiring_page_carries_its_end(tmp_path: Path) -> None:
    """Articles, chunks, questions, nodes and links know when they end and where they come from."""
    vault = {
        "a.md": "---\nshare: public\nexpires: 2026-12-01T10:00:00Z\n---\n# 短期\n\n见[[b]]\n",
        "b.md": PUBLIC + "# b\n\n见[[a]]\n",
    }
    _, current = make(tmp_path, vault)
    db = sqlite3.connect(f"file:{current / 'artifacts' / 'knowledge.db'}?mode=ro&immutable=1", uri=True)
    end = int(datetime(2026, 12, 1, 10, tzinfo=UTC).timestamp())
    ends = {
        t: [r[0] for r in db.execute(f"SELECT not_after FROM {t}")] for t in ("articles", "chunks", "nodes", "links")
    }
    assert ends == {"articles": [end, None], "chunks": [end, None], "nodes": [end, None], "links": [end, end]}
    assert db.execute("SELECT count(*) FROM questions WHERE sources = '[]'").fetchone() == (0,)


def test_an_empty_folder_builds_an_empty_site(tmp_path: Path) -> None:
    """No page, no problem: a home page and a function that can say that nothing is published."""
    report, current = make(tmp_path, {})
    assert (report.errors, report.counts["articles"]) == (0, 0)
    assert (current / "site" / "index.html").is_file()


def test_the_manifest_lists_and_vouches_for_every_file(tmp_path: Path) -> None:
    """Each file of site and artifacts stands in the manifest with its hash."""
    _, current = make(tmp_path, VAULT)
    manifest = load_manifest((current / "artifacts" / "manifest.json").read_text("utf-8"))
    found = digests(current)
    site = {f"site/{k}": v.sha256 for k, v in manifest.site.items()}
    files = {f"artifacts/{k}": v.sha256 for k, v in manifest.files.items()}
    assert {k: v for k, v in found.items() if k != "artifacts/manifest.json"} == site | files
    assert manifest.degraded == ("no_embedder",)


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"\xff\xfea\x00", "not-utf8", 1),
        ("a\né".encode("latin-1"), "not-utf8", 2),
        (b"a\nb\x00c", "control-character", 2),
        (b"a\x1b[31m", "control-character", 1),
        (b"x" * 10_000_001, "too-large", None),
    ],
)
def test_a_file_that_is_not_text_is_an_error_with_its_place(
    tmp_path: Path, data: bytes, code: str, line: int | None
) -> None:
    """Bytes that are no UTF-8 text are never replaced silently."""
    report, _ = make(tmp_path, {"a.md": data, "b.md": PUBLIC + "# b\n"})
    assert codes(report) == [(code, "a.md", line)]
    assert report.counts["articles"] == 1


def test_a_page_of_one_million_characters_in_one_line_is_whole(tmp_path: Path) -> None:
    """A 1 MB line is published, chunked and searchable to its last word."""
    report, current = make(tmp_path, {"a.md": PUBLIC + "这是一句话。" * 55_000 + "末尾的词"})
    db = sqlite3.connect(f"file:{current / 'artifacts' / 'knowledge.db'}?mode=ro&immutable=1", uri=True)
    assert db.execute("SELECT text LIKE '%末尾的词' FROM chunks ORDER BY n DESC LIMIT 1").fetchone() == (1,)
    assert report.counts["chunks"] > 200


def test_windows_line_ends_and_a_bom_are_read(tmp_path: Path) -> None:
    """CRLF and a byte order mark do not hide the front matter."""
    report, _ = make(tmp_path, {"a.md": b"\xef\xbb\xbf---\r\nshare: public\r\n---\r\n# a\r\n"})
    assert (report.counts["articles"], report.errors) == (1, 0)


def test_links_that_leave_the_content_folder_are_refused(tmp_path: Path) -> None:
    """A symbolic link to an outside file or folder is never opened; a loop does not hang."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text(PUBLIC + "外面的秘密")
    content = tmp_path / "a" / "content"
    content.mkdir(parents=True)
    (content / "file.md").symlink_to(outside / "secret.md")
    (content / "folder").symlink_to(outside, target_is_directory=True)
    (content / "loop.md").symlink_to(content / "loop.md")
    os.mkfifo(content / "pipe.md")
    report, _ = make(tmp_path, {"ok.md": PUBLIC + "# ok\n"})
    assert {(c, p) for c, p, _ in codes(report)} == {
        ("symlink-outside", "file.md"), ("symlink-outside", "folder"), ("symlink-broken", "loop.md"), ("not-a-file", "pipe.md"),
    }  # fmt: skip
    assert report.counts["articles"] == 1


def test_a_name_collision_overwrites_nothing(tmp_path: Path) -> None:
    """Both pages are there, each at its own address, and the owner is told."""
    report, current = make(tmp_path, {"专题.md": PUBLIC + "# 一\n", "专题/index.md": PUBLIC + "# 二\n"})
    assert ("url-collision", "专题.md", None) in codes(report)
    assert "一" in (current / "site" / "专题-page" / "index.html").read_text("utf-8")
    assert "二" in (current / "site" / "专题" / "index.html").read_text("utf-8")


def test_a_private_page_moves_no_public_one(tmp_path: Path) -> None:
    """A collision with a private file changes nothing."""
    report, current = make(tmp_path, {"专题.md": PUBLIC + "# 一\n", "专题/index.md": "# 二\n"})
    assert codes(report) == []
    assert (current / "site" / "专题" / "index.html").is_file()


def test_a_link_to_a_private_page_looks_like_a_link_to_nothing(tmp_path: Path) -> None:
    """The page is the same with and without the private file, and so is the message to strangers."""
    page = {"a.md": PUBLIC + "# a\n\n见[[Secret plan]]和[x](Secret%20plan.md)和![[Secret plan]]\n"}
    with_it, one = make(tmp_path, page | {"Secret plan.md": "# Secret plan\n"}, name="a")
    without, two = make(tmp_path, page, name="b")
    assert digests(one) == digests(two)
    assert codes(with_it) == codes(without)
    assert '<span class="missing">Secret plan</span>' in (one / "site" / "a" / "index.html").read_text("utf-8")


def test_a_damaged_current_build_is_built_again(tmp_path: Path) -> None:
    """One flipped byte in what is served makes the next build a real one."""
    _, current = make(tmp_path, VAULT)
    page = current.resolve() / "site" / "index.html"
    page.write_bytes(page.read_bytes().replace(b"<", b" ", 1))
    report, _ = make(tmp_path, VAULT)
    assert report.switched
    assert make(tmp_path, VAULT)[0].unchanged


@pytest.mark.parametrize("place", ["x.txt", "site/x.txt", "artifacts/x.txt", "x/y.txt"])
def test_a_build_with_a_file_too_many_is_built_again(tmp_path: Path, place: str) -> None:
    """Whatever lies in the served build and is not of it is taken for damage, wherever it lies."""
    files: dict[str, str | bytes] = {"a.md": PUBLIC + "# A\n"}
    _, current = make(tmp_path, files, how=QUICK)
    write(current, {place: "x"})
    report, current = make(tmp_path, files, how=QUICK)
    assert report.switched and not (current / place).exists()
    assert not make(tmp_path, files, how=QUICK)[0].switched


def test_artifacts_of_an_earlier_build_are_damage(tmp_path: Path) -> None:
    """A whole set of artifacts, but of the build before, does not pass for that of the pages that are served."""
    _, current = make(tmp_path, {"a.md": PUBLIC + "# A\n"}, how=QUICK)
    earlier = shutil.copytree(current / "artifacts", tmp_path / "earlier")
    new: dict[str, str | bytes] = {"a.md": PUBLIC + "# A\n\nnew\n"}
    make(tmp_path, new, how=QUICK)
    wanted = digests(current / "artifacts")
    shutil.rmtree(current / "artifacts")
    shutil.copytree(earlier, current / "artifacts")
    assert make(tmp_path, new, how=QUICK)[0].switched
    assert digests(current / "artifacts") == wanted


def test_a_damaged_cache_costs_time_and_nothing_else(tmp_path: Path) -> None:
    """A broken cache file is set aside, said so, and the output is the same."""
    _, current = make(tmp_path, VAULT)
    before = digests(current)
    (tmp_path / "a" / "state" / "cache.db").write_bytes(b"not a database" * 100)
    report, current = make(tmp_path, VAULT)
    assert "damaged" in report.notes[0]
    assert digests(current) == before


def test_what_a_killed_build_left_is_removed(tmp_path: Path) -> None:
    """A half-written folder is never served and is gone after the next build."""
    left = tmp_path / "a" / "dist" / "builds" / ("0" * 16 + ASIDE)
    left.mkdir(parents=True)
    (left / "half").write_text("x")
    make(tmp_path, VAULT)
    assert not left.exists()


def test_a_failing_build_keeps_the_previous_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the artifacts do not verify, nothing is switched."""
    _, current = make(tmp_path, VAULT)
    before = (current.resolve().name, digests(current))

    def broken(_folder: Path) -> None:
        raise BuildError("artifact self-check: made to fail")

    monkeypatch.setattr("compiler.publish.verify", broken)
    with pytest.raises(BuildError):
        make(tmp_path, VAULT | {"new.md": PUBLIC + "# new\n"})
    assert (current.resolve().name, digests(current)) == before


def test_two_builds_at_once_do_not_meet(tmp_path: Path) -> None:
    """The second build stops with its own error while the first holds the lock."""
    with held(tmp_path / "a" / "state"), pytest.raises(LockedError):
        make(tmp_path, VAULT)


def test_the_state_folder_is_the_owners_alone(tmp_path: Path) -> None:
    """Caches and the full report are readable by the owner only, and the report names everything."""
    make(tmp_path, VAULT)
    state = tmp_path / "a" / "state"
    assert state.stat().st_mode & 0o777 == 0o700
    report = json.loads((state / "report.json").read_text("utf-8"))
    assert report["decisions"]["秘密计划.md"]["share"] == "private"


def test_an_attachment_is_published_only_when_a_public_page_uses_it(tmp_path: Path) -> None:
    """Files nobody public refers to stay where they are."""
    vault = {
        "a.md": PUBLIC + "# a\n\n[表](data.csv)\n",
        "data.csv": "a,b\n",
        "other.csv": "x\n",
        "p.md": "[x](private.csv)",
        "private.csv": "y\n",
    }
    _, current = make(tmp_path, vault)
    assert sorted(p.name for p in (current / "site" / "files").rglob("*.csv")) == ["data.csv"]


def test_a_preview_shows_private_pages_only_in_its_own_folder(tmp_path: Path) -> None:
    """What `serve --preview` builds never lies below --out."""
    from compiler.serve import preview_settings

    make(tmp_path, VAULT)
    base = tmp_path / "a"
    settings = load(base / "content", base / "dist", base / "state", overrides=["embed.model=none"])
    scratch = preview_settings(settings)
    report = build(scratch, now=NOON, progress=Silent(), how=How(preview=True))
    assert report.counts["articles"] == 7
    assert scratch.out.is_relative_to(base / "state")
    assert "绝密内容" not in "".join(
        p.read_text("utf-8", errors="ignore") for p in (base / "dist").rglob("*") if p.is_file()
    )
