"""The commands of a publishing run, as a script sees them: what they print and how they end."""

from __future__ import annotations

import json
import marshal
from pathlib import Path

import pytest

from tests.compiler.test_cli import run
from tests.compiler.vault import PUBLIC, write
from tests.deploy.test_publish import commit, git

WORDS = ("--set", "embed.model=none")
ALLOWED = ("--set", "sharing.repository_is_public=true")


@pytest.mark.parametrize(
    ("visibility", "more", "checked", "examined"),
    [
        ("public", (), 3, 1), ("internal", (), 3, 1), ("unknown", (), 3, 1), ("private", (), 0, 0),
        ("public", ALLOWED, 0, 0), ("open", (), 2, 2),
    ],
)  # fmt: skip
def test_who_may_read_the_repository(
    tmp_path: Path, visibility: str, more: tuple[str, ...], checked: int, examined: int
) -> None:
    """Private notes where others can read them stop a run, unless the owner said so; the doctor says it too."""
    write(tmp_path / "content", {"a.md": PUBLIC + "# a\n", "b.md": "# b\n"})
    ends = [run(tmp_path, name, "--repository", visibility, *more).returncode for name in ("check", "doctor")]
    assert ends == [checked, examined]


def test_without_private_notes_nothing_stops(tmp_path: Path) -> None:
    """A repository whose notes are all public may be public."""
    write(tmp_path / "content", {"a.md": PUBLIC + "# a\n"})
    assert run(tmp_path, "check", "--repository", "public").returncode == 0


@pytest.mark.parametrize(
    ("since", "due"),
    [("2026-11-30T09:59:59Z", True), ("2026-11-30T10:00:00Z", False), ("2026-11-30T11:00:00Z", False), ("", True)],
)
def test_a_build_is_due_when_a_page_has_expired(tmp_path: Path, since: str, due: bool) -> None:
    """The instant of the last build counts as before it; pages of every state count, and none is named."""
    page = "---\nshare: private\nexpires: 2026-11-30T10:00:00Z\n---\n# Quokka\n"
    write(tmp_path / "content", {"a.md": PUBLIC + "# a\n", "quokka.md": page})
    done = run(tmp_path, "due", "--since", since, "--now", "2026-11-30T12:00:00Z", "--json")
    assert (json.loads(done.stdout), done.stderr) == ({"due": due}, "")


def test_a_time_to_come_is_no_last_build(tmp_path: Path) -> None:
    """A clock that is behind is told, and no build is left out because of it."""
    write(tmp_path / "content", {"a.md": PUBLIC})
    assert run(tmp_path, "due", "--since", "2027-01-01", "--now", "2026-11-30").returncode == 2


def test_questions_tell_what_fell(tmp_path: Path) -> None:
    """A change that takes the answer of a golden question away is told by the figure that fell."""
    text = "# Backups\n\nBackups of the whole site are kept for fourteen days.\n"
    write(tmp_path / "content", {"a.md": PUBLIC + "# Welcome\n\nHello.\n", "backups.md": PUBLIC + text})
    golden = "- {question: 'How long are backups kept?', page: backups.md, must_contain: [fourteen]}\n"
    (tmp_path / "questions.yml").write_text(golden)
    (tmp_path / ".gitignore").write_text("dist\n.geosmin\n")
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path)
    (tmp_path / "content" / "backups.md").write_text(PUBLIC + "# Backups\n\nNothing of this is known any more.\n")
    assert run(tmp_path, "build", *WORDS).returncode == 0
    done = run(tmp_path, "compare", "HEAD", "--questions", "questions.yml", "--json", *WORDS)
    told = json.loads(done.stdout)
    assert (told["publish"], told["unpublish"], told["changed"]) == (0, 0, 1)
    assert [one["name"] for one in told["fallen"] if one["name"].startswith("answer")] != []


def test_questions_about_a_new_page(tmp_path: Path) -> None:
    """Questions that the state before cannot be asked are said to be that, and the rest is told."""
    write(tmp_path / "content", {"a.md": PUBLIC + "# Welcome\n\nHello.\n"})
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path)
    write(tmp_path / "content", {"ferns.md": PUBLIC + "# Ferns\n\nA fern is a plant without flowers.\n"})
    (tmp_path / "questions.yml").write_text("- {question: 'What is a fern?', page: ferns.md}\n")
    assert run(tmp_path, "build", *WORDS).returncode == 0
    done = run(tmp_path, "compare", "HEAD", "--questions", "questions.yml", *WORDS)
    assert "would publish 1 page" in done.stdout
    assert "could not be asked of the state before" in done.stdout


@pytest.mark.parametrize("ref", ["no-such-commit", "--output=x", ""])
def test_a_commit_that_is_none(tmp_path: Path, ref: str) -> None:
    """What names no commit is told, and is no option of Git."""
    write(tmp_path / "content", {"a.md": PUBLIC})
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    assert run(tmp_path, "compare", "--", ref).returncode == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == [".git", "content"]


def test_a_folder_in_use_is_not_published_into(tmp_path: Path) -> None:
    """What lies in a folder might not be public, so `deploy --to` wants an empty one."""
    write(tmp_path / "content", {"a.md": PUBLIC + "# a\n"})
    write(tmp_path / "site", {"old.html": "quokka"})
    assert run(tmp_path, "deploy", "--to", "site").returncode == 2
    assert run(tmp_path, "build", *WORDS).returncode == 0
    assert run(tmp_path, "deploy", "--to", "site").returncode == 2
    assert run(tmp_path, "deploy", "--to", "new").returncode == 0
    assert (tmp_path / "new" / "a" / "index.html").is_file()


@pytest.mark.parametrize(
    "wrong",
    [
        "deploy.builds=bucket", "deploy.site=https://x.example", "deploy.function=f", "deploy.address=ftp://x",
        "deploy={builds: 's3://one/a', site: 's3://one/b'}",
    ],
)  # fmt: skip
def test_a_place_that_is_none(tmp_path: Path, wrong: str) -> None:
    """Wrong places are named before anything is built or sent; public and private files share no bucket."""
    write(tmp_path / "content", {"a.md": PUBLIC})
    if wrong.startswith("deploy="):
        (tmp_path / "content" / "geosmin.yml").write_text(wrong.replace("=", ": ", 1))
        assert run(tmp_path, "check").returncode == 2
    else:
        assert run(tmp_path, "check", "--set", wrong).returncode == 2


def test_a_dictionary_that_somebody_planted_is_not_read(tmp_path: Path) -> None:
    """A file that another user laid into the shared temporary folder, under the name of a library's cache, changes nothing."""
    text = "# 检索增强生成\n\n检索增强生成是一种先检索资料、再写答案的方法。检索增强生成需要索引。\n"
    built = []
    for name, planted in (("clean", {}), ("planted", {"jieba.cache": marshal.dumps(({"检索": 10**9}, 1))})):
        write(tmp_path / name, {"content/a.md": PUBLIC + text})
        shared = write(tmp_path / f"{name}-tmp", planted)
        assert run(tmp_path / name, "build", *WORDS, TMPDIR=str(shared)).returncode == 0
        assert {p.name: p.read_bytes() for p in shared.iterdir()} == planted
        built.append(files(tmp_path / name / "dist"))
    assert built[0] == built[1]


def files(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder by its path."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
