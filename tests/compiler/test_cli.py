"""The command as a person and a script see it: output, exit codes, redaction."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from compiler.commands import build
from compiler.errors import SettingsError

from .vault import PUBLIC, write

GEOSMIN = [sys.executable, "-m", "compiler.cli"]
FAST = ("--set", "embed.model=none")


def run(folder: Path, *args: str, said: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command in `folder`, outside CI unless said otherwise."""
    root = str(Path(__file__).resolve().parents[2])
    clean = {k: v for k, v in os.environ.items() if k not in ("CI", "SOURCE_DATE_EPOCH")}
    return subprocess.run(
        [*GEOSMIN, *args], cwd=folder, capture_output=True, encoding="utf-8", check=False, timeout=120,
        input=said,
        env={**clean, "PYTHONPATH": root, "COLUMNS": "200", **env},
    )  # fmt: skip


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that `init` made and `build` built."""
    folder = tmp_path_factory.mktemp("kb")
    assert run(folder, "init").returncode == 0
    assert run(folder, "build", *FAST).returncode == 0
    return folder


def test_init_and_build_give_a_site_that_answers(vault: Path) -> None:
    """Two commands in an empty folder, and a question gets an answer that cites its page."""
    done = run(vault, "ask", "How do I make a page public?", "--json", *FAST)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["status"]) == (0, "completed")
    assert "share: public" in answer["answer"]
    assert answer["evidence"][0]["url"].startswith("/writing-a-page/")


@pytest.mark.parametrize(
    "args",
    [("build", *FAST), ("check",), ("search", "link", *FAST), ("ask", "How do I link?", *FAST), ("doctor",)],
    ids=lambda a: a[0],
)
def test_json_is_alone_on_standard_output(vault: Path, args: tuple[str, ...]) -> None:
    """With --json the whole standard output is one JSON document."""
    done = run(vault, *args, "--json")
    assert isinstance(json.loads(done.stdout), dict), done.stderr


def test_search_and_ask_print_places_a_person_can_open(vault: Path) -> None:
    """Without --json a search lists titles and addresses, a refusal the nearest pages."""
    found = run(vault, "search", "make a page public", *FAST)
    assert (found.returncode, "/writing-a-page/" in found.stdout) == (0, True), found.stderr
    refused = run(vault, "ask", "What is the capital of Mongolia?", *FAST).stdout
    assert "no_answer" in refused


def test_a_second_build_says_that_nothing_changed(vault: Path) -> None:
    """The report of an unchanged build says so, and no embedding was made."""
    report = json.loads(run(vault, "build", *FAST, "--json").stdout)
    assert (report["unchanged"], report["fresh_embeddings"]) == (True, 0)


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("build", "--content", "nowhere"), 2, "no such folder"),
        (("build", "--set", "sharing.default=everyone"), 2, "accepted: public, password, private"),
        (("build", "--set", "sharing.defualt=public"), 2, "did you mean `sharing.default`"),
        (("build", "--set", "nonsense"), 2, "section.key=value"),
        (("build", "--out", "content/site"), 2, "inside the content folder"),
        (("build", "--state", "dist/state"), 2, "inside --out"),
        (("build", "--config", "missing.yml"), 2, "no such configuration"),
        (("build", "--unknown"), 2, "No such option"),
        (("serve", "--preview", "--host", "0.0.0.0"), 2, "for this machine only"),
        (("ask", "x", "--out", "empty"), 3, "geosmin build"),
        (("search", "x", "--out", "empty"), 3, "geosmin build"),
        (("init",), 2, "already holds files"),
    ],
)  # fmt: skip
def test_a_wrong_call_says_what_to_do(vault: Path, args: tuple[str, ...], code: int, words: str) -> None:
    """Every refusal has its exit code and a sentence that helps; nothing is printed on standard output."""
    done = run(vault, *args)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert words in " ".join(done.stderr.split())


def test_a_file_error_gives_exit_code_one_and_file_and_line(tmp_path: Path) -> None:
    """The build is switched, exit code 1, and the message names file, line and fix."""
    write(tmp_path / "content", {"ok.md": PUBLIC + "# ok\n", "bad.md": "---\ntitle: a: b\nshare: private\n---\n"})
    done = run(tmp_path, "build", *FAST)
    assert done.returncode == 1
    assert "bad.md:2" in done.stderr
    assert (tmp_path / "dist" / "current" / "site" / "ok" / "index.html").is_file()


def test_ci_output_names_no_private_file(tmp_path: Path) -> None:
    """With CI set, a file that is not public is only file#hmac in every line and in the JSON, and its keys are not named."""
    broken, other = "---\ntitle: a: b\nshare: private\n---\n", "---\nsecret-plan-key: x\n---\n"
    write(tmp_path / "content", {"ok.md": PUBLIC + "# ok\n", "secret-plan.md": broken, "b.md": other})
    for args in (("build", *FAST), ("build", *FAST, "--json"), ("check",), ("check", "--json")):
        done = run(tmp_path, *args, CI="woodpecker")
        assert "secret-plan" not in done.stdout + done.stderr, args
        assert "file#" in done.stdout + done.stderr, args


def test_check_writes_nothing(tmp_path: Path) -> None:
    """The sharing report leaves no file behind."""
    write(tmp_path / "content", {"a.md": PUBLIC + "# a\n[[nowhere]]\n", "b.md": "# b\n"})
    done = run(tmp_path, "check")
    assert done.returncode == 0
    assert {p.name for p in tmp_path.iterdir()} == {"content"}
    assert "public" in done.stdout
    assert "link to nowhere" in done.stderr


def test_strict_fails_on_a_warning(tmp_path: Path) -> None:
    """A link to nowhere is a failure with --strict."""
    write(tmp_path / "content", {"a.md": PUBLIC + "# a\n[[nowhere]]\n"})
    assert [run(tmp_path, "check").returncode, run(tmp_path, "check", "--strict").returncode] == [0, 1]


def test_check_warns_when_the_remote_may_be_public(tmp_path: Path) -> None:
    """Private notes in a repository on a public forge are named as what they are."""
    write(tmp_path / "content", {"a.md": PUBLIC + "# a\n", "b.md": "# b\n"})
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "remote", "add", "origin", "git@github.com:me/notes.git"], check=True)
    assert "repository-public" in run(tmp_path, "check").stderr
    told = run(tmp_path, "check", "--set", "sharing.repository_is_public=true")
    assert "repository-public" not in told.stderr


def test_an_empty_knowledge_base_says_that_nothing_is_published(tmp_path: Path) -> None:
    """Asking an empty base is an answer, not an error."""
    write(tmp_path / "content", {})
    assert run(tmp_path, "build", *FAST).returncode == 0
    answer = json.loads(run(tmp_path, "ask", "anything?", "--json", *FAST).stdout)
    assert "Nothing is published" in answer["answer"]


@pytest.mark.parametrize(
    ("words", "anew"),
    [
        (["--from", "site"], ("site", "search")),
        (["--rebuild"], ("parse", "derive", "site", "search")),
        (["--no-cache"], ("parse", "derive", "embed", "site", "search")),
        ([], ()),
    ],
)
def test_a_stage_and_all_after_it_are_made_anew(words: list[str], anew: tuple[str, ...]) -> None:
    """`--rebuild` keeps the vectors alone, `--no-cache` nothing."""
    stage = words[1] if len(words) > 1 else None
    assert build._anew(stage, rebuild="--rebuild" in words, no_cache="--no-cache" in words) == anew


@pytest.mark.parametrize(
    ("stage", "rebuild", "says"), [("rain", False, "no such stage"), ("site", True, "one of them")]
)
def test_what_is_to_be_made_anew_is_said_once_and_right(stage: str, rebuild: bool, says: str) -> None:
    """An unknown stage and two answers to one question are usage errors."""
    with pytest.raises(SettingsError, match=says):
        build._anew(stage, rebuild=rebuild, no_cache=False)


def test_a_conclusion_is_saved_listed_shown_and_logged(tmp_path: Path) -> None:
    """From the question to the diff: `ask --save`, `propose --list`, `propose ID`, `propose --drop`, `log`."""
    write(tmp_path, {"content/backup.md": PUBLIC + "# Backups\n\nBackups are kept for 30 days on the second server.\n"})
    assert run(tmp_path, "build", *FAST).returncode == 0
    saved = run(tmp_path, "ask", "How long are backups kept?", "--save", "--json", *FAST)
    assert json.loads(saved.stdout)["status"] == "completed"
    (waiting,) = json.loads(run(tmp_path, "propose", "--list", "--json").stdout)
    assert waiting["id"] in saved.stderr
    diff = run(tmp_path, "propose", waiting["id"]).stdout
    assert diff.startswith("--- /dev/null\n+++ b/content/wiki/How-long-are-backups-kept.md\n")
    assert run(tmp_path, "propose", "--drop", waiting["id"]).returncode == 0
    events = json.loads(run(tmp_path, "log", "--json").stdout)
    assert [event["what"] for event in events] == ["built", "proposed", "removed"]
    assert events[2]["title"] not in run(tmp_path, "log", CI="true").stdout
    assert json.loads(run(tmp_path, "log", "--json", "--since", "2999-01-01").stdout) == []


def test_a_text_from_standard_input_is_proposed(tmp_path: Path) -> None:
    """A dash reads it; what is no conclusion ends with 3 and a sentence; two things at once are a usage error."""
    write(tmp_path, {"content/backup.md": PUBLIC + "# Backups\n\nBackups are kept for 30 days.\n"})
    assert run(tmp_path, "build", *FAST).returncode == 0
    done = run(tmp_path, "propose", "-", "--title", "T", said="Kept for a month ([here](../backup.md)).\n")
    assert (done.returncode, "+# T\n" in done.stdout) == (0, True)
    refused = run(tmp_path, "propose", "-", said="---\nshare: public\n---\n# T\n")
    assert (refused.returncode, "front matter" in refused.stderr) == (3, True)
    assert run(tmp_path, "propose", "-", "--list").returncode == 2
