"""Symbolic links, files of one name, hidden folders and addresses: ways around a rule that lead nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from .vault import PUBLIC, QUICK, codes, digests, make, write

OPEN = """sharing:
  default: public
  rules:
    - {path: closed/**, share: private}
    - {path: locked/**, share: password}
"""
KEPT_BACK: dict[str, str | bytes] = {
    "geosmin.yml": OPEN, "closed/page.md": "# quixotry\n", "closed/file.txt": "quixotry", "locked/file.txt": "quixotry",
    "own.md": "---\nshare: private\n---\n# quixotry\n",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "target", "code"),
    [
        ("x.md", "closed/page.md", ""), ("x.txt", "closed/file.txt", ""), ("x.txt", "locked/file.txt", ""),
        ("x.md", "own.md", ""), ("x.txt", "own.md", "symlink-kind"), ("x.txt", "closed/page.md", "symlink-kind"),
        ("x.md", "closed/file.txt", "symlink-kind"), ("x.yml", "geosmin.yml", "symlink-kind"),
    ],
)  # fmt: skip
def test_a_symbolic_link_opens_nothing(tmp_path: Path, name: str, target: str, code: str) -> None:
    """A link is as private as what it leads to, and never shows a page or the configuration as a file."""
    page: dict[str, str | bytes] = {"a.md": f"# a\n\n[[x]] ![[{name}]] [l]({name})\n"}
    content = write(tmp_path / "a" / "content", KEPT_BACK | page)
    (content / name).symlink_to(target)
    report, with_it = make(tmp_path, {}, how=QUICK)
    _, without = make(tmp_path, {"geosmin.yml": "sharing: {default: public}\n"} | page, name="b", how=QUICK)
    assert digests(with_it / "site") == digests(without / "site")
    assert [(c, path) for c, path, _ in codes(report) if c.startswith("symlink")] == ([(code, name)] if code else [])


def test_a_symbolic_link_to_what_is_public_is_a_file_of_its_own(tmp_path: Path) -> None:
    """A page and a picture that no rule keeps back may stand in two places."""
    files: dict[str, str | bytes] = {"a.md": PUBLIC + "[l](b.txt)\n", "x/a.txt": "text"}
    content = write(tmp_path / "a" / "content", files)
    (content / "b.txt").symlink_to("x/a.txt")
    (content / "b.md").symlink_to("a.md")
    report, current = make(tmp_path, {}, how=QUICK)
    assert (report.problems, report.counts["articles"]) == ((), 2)
    assert (current / "site" / "files" / "b.txt").read_text("utf-8") == "text"


def test_of_two_files_of_one_name_the_nearest_is_shown(tmp_path: Path) -> None:
    """A file beside private notes is not taken for one that lies nearer to the page, and the author is told."""
    files: dict[str, str | bytes] = {
        "z/page.md": PUBLIC + "![[pot.txt]]\n", "z/deep/er/pot.txt": "mine", "notes/pot.txt": "quixotry",
        "notes/n.md": "![[pot.txt]]\n",
    }  # fmt: skip
    report, current = make(tmp_path, files, how=QUICK)
    assert [p.name for p in (current / "site" / "files").iterdir()] == ["z"]
    assert [(p.code, "notes" in p.message) for p in report.problems] == [("link-unsure", False)]


def test_a_hidden_folder_leaves_no_name_in_the_address_of_a_file(tmp_path: Path) -> None:
    """A file that a narrower rule opens keeps the name of its hidden folder to itself, as a page does."""
    rules = (
        "sharing:\n  rules:\n    - {path: quixotry/**, share: private}\n    - {path: quixotry/in/**, share: public}\n"
    )
    page = PUBLIC + "![[pot.txt]]\n"
    files: dict[str, str | bytes] = {"geosmin.yml": rules, "quixotry/in/a.md": page, "quixotry/in/pot.txt": "pot"}
    _, current = make(tmp_path, files)
    assert (current / "site" / "files" / "_" / "pot.txt").is_file()
    assert not [name for name in digests(current) if "quixotry" in name]
    assert not [p for p in current.resolve().rglob("*") if p.is_file() and b"quixotry" in p.read_bytes()]


@pytest.mark.parametrize("slug", ["a/b", "/a", "a/../b", "../up", "a/index.html", "//host", "a/"])
def test_a_slug_with_a_slash_costs_its_page_alone(tmp_path: Path, slug: str) -> None:
    """A slug that is a path is an error of its file, and the rest is built."""
    files: dict[str, str | bytes] = {"a.md": PUBLIC, "b.md": f"---\nshare: public\nslug: {slug}\n---\n"}
    report, _ = make(tmp_path, files, how=QUICK)
    assert (codes(report), report.counts["articles"]) == ([("slug-invalid", "b.md", 3)], 1)
