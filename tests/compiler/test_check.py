"""The sharing report: every file by state and by what decided, and each rule with the files it matches."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from compiler import sharing_screen
from compiler.check import check
from compiler.progress import Silent
from compiler.report import Report, problem_line, sharing_json, to_json
from compiler.settings import load

from .vault import NOON, PUBLIC, make, write

RULES = "sharing:\n  rules:\n    - {path: 博客/**, share: public}\n    - {path: 人事/**, share: private}\n"
VAULT: dict[str, str | bytes] = {
    "geosmin.yml": RULES,
    "首页.md": PUBLIC,
    "博客/第一篇.md": "---\nexpires: 2027-03-01\n---\n",
    "博客/a.md": "---\nexpires: 2027-03-01\n---\n",
    "博客/pic.txt": "x",
    "人事/计划.md": "text\n",
    "旧.md": "---\nshare: public\nexpires: 2020-01-01\n---\n",
    "note.md": "text\n",
    "会员.md": "---\nshare: password\npassword: env:CLUB\n---\n",
    "坏.md": "---\nshare: Public\n---\n",
}


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """Return what `check` finds in the vault."""
    monkeypatch.setenv("GEOSMIN_SECRET", "s" * 40)
    monkeypatch.setenv("CLUB", "correct horse battery staple")
    content = write(tmp_path / "content", VAULT)
    return check(load(content, tmp_path / "dist", tmp_path / "state"), now=NOON, progress=Silent())


def shown(report: Report, key: bytes | None = None) -> list[str]:
    """Return the lines of a screen of 80 columns."""
    out = io.StringIO()
    Console(file=out, width=80).print(sharing_screen.sharing(report, key, everything=False))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_the_screen_tells_state_and_reason(report: Report) -> None:
    """Files stand below the rule or key that decided, states from public to private, rules with their files."""
    lines = [line for line in shown(report) if not line.startswith("    /protected/p/")]
    assert lines == [
        "public (1)",
        "  share in the front matter (1)",
        "    首页.md",
        "public for a time (2)",
        "  rule 博客/** (2)",
        "    博客/a.md       until 2027-03-02 00:00 UTC",
        "    博客/第一篇.md  until 2027-03-02 00:00 UTC",
        "with a password (1)",
        "  share in the front matter (1)",
        "    会员.md",
        "expired, no longer public (1)",
        "  expired (1)",
        "    旧.md  until 2020-01-02 00:00 UTC",
        "private (3)",
        "  default (1)",
        "    note.md",
        "  rule 人事/** (1)",
        "    人事/计划.md",
        "  sharing-unknown-value (1)",
        "    坏.md",
        "",
        "addresses of password pages",
        "  会员.md",
        "",
        "folder rules",
        "  博客/**  public  3 files",
        "    博客/a.md",
        "    博客/pic.txt",
        "    博客/第一篇.md",
        "  人事/**  private  1 file",
        "    人事/计划.md",
    ]


def test_no_line_is_wider_than_the_screen(tmp_path: Path) -> None:
    """A long name wraps within its column."""
    name = "很长的名字" * 12 + ".md"
    content = write(tmp_path / "content", {name: "---\nshare: public\nexpires: 2027-03-01\n---\n"})
    found = check(load(content, tmp_path / "dist", tmp_path / "state"), now=NOON, progress=Silent())
    assert max(cell_len(line) for line in shown(found)) <= 80


def test_the_json_holds_all_of_it(report: Report) -> None:
    """State, reason and last moment of every file, the files of every rule, and the addresses of password pages."""
    data = sharing_json(report)
    assert data["files"]["博客/a.md"] == {
        "state": "public",
        "why": "rule 博客/**",
        "until": "2027-03-02T00:00:00+00:00",
    }
    assert data["files"]["旧.md"]["state"] == "expired"
    assert data["rules"][1] == {"path": "人事/**", "share": "private", "files": ["人事/计划.md"]}
    assert list(to_json(report)["protected"]) == ["会员.md"]


def test_redacted_it_names_nothing_that_is_not_public(report: Report) -> None:
    """Neither the names of files nor the rule of a hidden folder, on the screen and as JSON."""
    text = (
        "\n".join(shown(report, b"key"))
        + str(sharing_json(report, redact_with=b"key"))
        + str(to_json(report, redact_with=b"key"))
    )
    assert [word for word in ("人事", "计划", "会员", "旧", "坏", "note.md", "protected/p") if word in text] == []
    assert "首页.md" in text


def test_redacted_a_hidden_folder_is_not_named(tmp_path: Path) -> None:
    """Neither as the place of a public page, nor in what is said about that page or about another one."""
    files: dict[str, str | bytes] = {
        "人事/计划/公告.md": PUBLIC + "# 公告\n\n[[没有]]\n",
        "a.md": PUBLIC + "# A\n\n[[公吿公告通知]]\n[[公告#没有的标题]]\n[[公告x]]\n",
        "b/公告.md": PUBLIC + "# 公告\n",
        "geosmin.yml": "sharing:\n  rules:\n    - path: 人事/计划/**\n      share: private\n",
    }
    content = write(tmp_path / "content", files)
    found = check(load(content, tmp_path / "dist", tmp_path / "state"), now=NOON, progress=Silent())
    lines = [problem_line(p, b"key") for p in found.problems]
    text = "\n".join((*shown(found, b"key"), *lines, str(sharing_json(found, redact_with=b"key"))))
    told = text + str(to_json(found, redact_with=b"key"))
    assert found.sharing["public"] == 3
    assert any("人事" in problem_line(p) for p in found.problems)
    assert "人事" not in told and "b/公告.md" in told


def test_a_check_uses_what_a_build_has_left(tmp_path: Path) -> None:
    """After a build nothing is parsed again."""
    make(tmp_path, {"a.md": PUBLIC + "# a\n"})
    place = tmp_path / "a"
    before = (place / "state" / "cache.db").read_bytes()
    check(load(place / "content", place / "dist", place / "state"), now=NOON, progress=Silent())
    assert (place / "state" / "cache.db").read_bytes() == before
