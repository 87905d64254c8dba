"""The workflow that publishes, run here step by step: the clouds are on loopback, GitHub's own actions are left out."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import boto3
import pytest
import yaml

from tests.aws import REGION
from tests.deploy.cloud import Account, account, secrets, tools
from tests.workflow import ROOT, Runner, machine

WORKFLOW = ROOT / ".github" / "workflows" / "publish.yml"
BUILD = ["check", "build", "leakcheck", "lint", "deploy"]
WHO = ("-c", "user.name=You", "-c", "user.email=you@example.org")
SECRET = "# A private note\n\nThe password of the safe is zanzibar-quokka-nine.\n"


@pytest.fixture
def owner(cloud: str) -> Account:
    """An account of its own."""
    return account(cloud)


def git(folder: Path, *args: str) -> str:
    """Run Git as a fixed person."""
    return subprocess.run(["git", *WHO, *args], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder: Path) -> str:
    """Commit everything and return the commit's id."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A repository as `geosmin init` and `git init` make it, words only."""
    folder = tmp_path / "notes"
    folder.mkdir()
    subprocess.run([sys.executable, "-m", "compiler.cli", "init"], cwd=folder, check=True, env=machine(ROOT))
    (folder / "content" / "private-note.md").write_text(SECRET)
    (folder / "content" / "geosmin.yml").write_text("embed:\n  model: none\n")
    git(folder, "init", "-q", "-b", "main")
    commit(folder)
    return folder


def runner(folder: Path, place: Path, *, event: str = "push", owner: Account | None = None, **said: object) -> Runner:
    """Return a fresh machine with the repository checked out; with an account, it may take on the account's role."""
    place.mkdir()
    context = {"github.event_name": event, "github.token": "t", "github.run_id": "7", "github.sha": "s"}
    if owner:
        context |= {"vars.AWS_ROLE": owner.role, "vars.AWS_REGION": REGION, **secrets()}
    env = machine(
        tools(place / "tools", **said),  # type: ignore[arg-type]
        GITHUB_SHA=git(folder, "rev-parse", "HEAD"), GITHUB_WORKFLOW="publish", GITHUB_RUN_ID="7",
        ACTIONS_ID_TOKEN_REQUEST_URL="https://token.invalid/?x=1", ACTIONS_ID_TOKEN_REQUEST_TOKEN="gh",
    )  # fmt: skip
    return Runner(folder, place / "temp", context, env)


def test_a_push_publishes_to_pages(notes: Path, tmp_path: Path) -> None:
    """Without an account every shell step succeeds, and the folder for Pages is the site and holds nothing private."""
    job = runner(notes, tmp_path / "a")
    assert [(step.name, step.code) for step in job.run(WORKFLOW, "publish")] == [(name, 0) for name in BUILD]
    site = tmp_path / "a" / "temp" / "site"
    assert (site / "writing-a-page" / "index.html").is_file()
    assert not [path for path in site.rglob("*") if path.is_file() and b"quokka" in path.read_bytes()]
    assert "private-note" not in "".join(step.printed for step in job.ran)


def test_what_the_cache_keeps_a_fork_may_read(notes: Path, tmp_path: Path) -> None:
    """Of the state folder only files that hold nothing of private pages go into the cache, which pull requests can read."""
    runner(notes, tmp_path / "a").run(WORKFLOW, "publish")
    steps = yaml.safe_load((ROOT / ".github/actions/publish/action.yml").read_text())["runs"]["steps"]
    (kept,) = (step["with"]["path"].split() for step in steps if step["name"] == "caches")
    assert kept == [".geosmin/cache.db", ".geosmin/vectors.db", ".geosmin/claude", "~/.cache/geosmin"]
    written = [
        path for name in kept[:3] for place in [notes / name] for path in [place, *place.rglob("*")] if path.is_file()
    ]
    assert (notes / ".geosmin" / "cache.db") in written
    assert not [path for path in written if b"quokka" in path.read_bytes() or b"private-note" in path.read_bytes()]
    assert b"private-note" in (notes / ".geosmin" / "report.json").read_bytes()


def test_a_push_publishes_site_and_function(notes: Path, owner: Account, tmp_path: Path) -> None:
    """With an account the site, the artifacts and the code are live, of one build, within three minutes."""
    settings = notes / "content" / "geosmin.yml"
    settings.write_text(settings.read_text() + owner.settings())
    commit(notes)
    (notes / "function.zip").write_bytes(b"new code")  # made for real in test_notes.py
    job, began = runner(notes, tmp_path / "a", owner=owner), time.monotonic()
    job.left_out = ("install", "package")
    job.run(WORKFLOW, "publish")
    assert [(step.name, step.code) for step in job.ran if step.code] == [], job.ran[-1].printed
    assert job.names() == [
        "check", "credentials for the answers", "restore answers", "build", "save answers", "leakcheck", "lint", "credentials", "deploy",
    ]  # fmt: skip
    assert owner.pointer() == json.loads(owner.file("build.json"))["build"]
    live = boto3.client("lambda").get_function(FunctionName=owner.function, Qualifier="live")
    assert live["Configuration"]["Version"] == "2"
    assert b"Writing a page" in owner.file("writing-a-page/index.html")
    assert time.monotonic() - began < 180


def test_without_a_role_nothing_goes_to_amazon(notes: Path, owner: Account, tmp_path: Path) -> None:
    """An owner who has taken the role away still publishes to Pages; no bucket is touched."""
    settings = notes / "content" / "geosmin.yml"
    settings.write_text(settings.read_text() + owner.settings())
    commit(notes)
    job = runner(notes, tmp_path / "a")
    assert [(step.name, step.code) for step in job.run(WORKFLOW, "publish")] == [(name, 0) for name in BUILD]
    assert (tmp_path / "a" / "temp" / "site" / "build.json").is_file()
    assert owner.names(owner.builds) == owner.names(owner.site) == set()


@pytest.mark.parametrize("visibility", ["public", "internal", "unknown", ""])
def test_a_repository_that_others_read_stops(notes: Path, tmp_path: Path, visibility: str) -> None:
    """Nothing is built when private notes lie where others, or nobody knows who, can read them."""
    job = runner(notes, tmp_path / "a", visibility=visibility)
    job.run(WORKFLOW, "publish")
    assert [(step.name, bool(step.code)) for step in job.ran] == [("check", True)]
    assert not (notes / "dist").exists()


def test_the_owner_may_say_that_it_is_public(notes: Path, tmp_path: Path) -> None:
    """An owner who knows publishes from a public repository."""
    (notes / "content" / "geosmin.yml").write_text("embed: {model: none}\nsharing: {repository_is_public: true}\n")
    commit(notes)
    job = runner(notes, tmp_path / "a", visibility="public")
    assert [step.code for step in job.run(WORKFLOW, "publish")] == [0] * len(BUILD)


def test_a_page_with_an_error_does_not_stop_the_rest(notes: Path, tmp_path: Path) -> None:
    """Exit code 1 of the build publishes with an annotation; the page stays private."""
    (notes / "content" / "odd.md").write_text("---\nshare: Public\n---\n# Odd quokka\n")
    commit(notes)
    job = runner(notes, tmp_path / "a")
    printed = {step.name: step.printed for step in job.run(WORKFLOW, "publish")}
    assert job.names() == BUILD
    assert "::warning::" in printed["build"]
    assert "odd.md" not in "".join(printed.values())


def test_a_wrong_setting_stops(notes: Path, tmp_path: Path) -> None:
    """Any other exit code ends the run before anything is deployed."""
    (notes / "content" / "geosmin.yml").write_text("embed: {model: none}\nsharing: {timezone: Nowhere}\n")
    commit(notes)
    job = runner(notes, tmp_path / "a")
    assert [(step.name, step.code) for step in job.run(WORKFLOW, "publish")] == [("check", 1)]


def test_a_failing_gate_stops_before_the_deployment(notes: Path, tmp_path: Path) -> None:
    """A wiki under its own lint score is not published."""
    (notes / "content" / "geosmin.yml").write_text("embed: {model: none}\nlint: {score: 100}\n")
    (notes / "content" / "index.md").write_text("---\nshare: public\n---\n# Hello\n\n[[Nowhere at all]]\n")
    commit(notes)
    job = runner(notes, tmp_path / "a")
    job.run(WORKFLOW, "publish")
    assert job.names() == BUILD[:-1]
    assert job.ran[-1].code == 1


@pytest.mark.parametrize(
    ("hours", "same", "expires", "due"),
    [(1, True, 0, "false"), (1, True, 30, "true"), (1, True, 90, "false"), (1, False, 0, "true"), (0, True, 0, "true")],
    ids=["nothing", "a page expired since", "it had before", "another commit", "never ran"],
)
def test_an_hourly_run_builds_when_something_changed(
    notes: Path, tmp_path: Path, hours: int, same: bool, expires: int, due: str
) -> None:
    """The schedule builds when a page expired after the last good run, or when that run was of another commit."""
    now = datetime.now(UTC)
    if expires:
        moment = (now - timedelta(minutes=expires)).isoformat()
        (notes / "content" / "old.md").write_text(f"---\nshare: public\nexpires: {moment}\n---\n# Old\n")
        commit(notes)
    at = (now - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")
    last = {"createdAt": at, "headSha": git(notes, "rev-parse", "HEAD") if same else "0" * 40}
    job = runner(notes, tmp_path / "a", event="schedule", runs=[last] if hours else [])
    job.left_out = ("install", *BUILD)
    job.run(WORKFLOW, "publish")
    assert job.outputs == {"steps.due.outputs.due": due}


def test_nothing_is_done_when_nothing_is_due() -> None:
    """Every step after the question whether a build is due depends on its answer."""
    steps = yaml.safe_load((ROOT / ".github/actions/publish/action.yml").read_text())["runs"]["steps"]
    after = steps[[step["name"] for step in steps].index("due") + 1 :]
    assert [step["name"] for step in after if "steps.due.outputs.due != 'false'" not in step["if"]] == []
