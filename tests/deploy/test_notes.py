"""A repository that holds only notes: what `geosmin init` writes publishes it, and tells what a change would publish."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.deploy.test_publish import commit, git, runner
from tests.deploy.test_workflows import ACTION
from tests.workflow import ROOT, machine


def geosmin(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    line = [sys.executable, "-m", "compiler.cli", *args]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False, env=machine(ROOT))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """An empty repository after one command."""
    folder = tmp_path / "notes"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    assert geosmin(folder, "init", "--github", "--action", ACTION).returncode == 0
    commit(folder)
    return folder


def test_the_start_may_be_public(notes: Path) -> None:
    """What the command writes holds nothing private, so that a public repository publishes it as it is."""
    told = geosmin(notes, "check", "--repository", "public")
    assert (told.returncode, "private (" in told.stdout) == (0, False), told.stdout + told.stderr


@pytest.mark.slow
def test_one_command_and_a_push_give_a_site_and_a_bundle(notes: Path, tmp_path: Path) -> None:
    """No other file is edited: the workflow that was written builds the site and the function's zip."""
    job = runner(notes, tmp_path / "a")
    job.context |= {"vars.AWS_ROLE": "arn:aws:iam::1:role/x", "vars.AWS_REGION": "eu-west-1"}
    job.run(notes / ".github" / "workflows" / "publish.yml", "publish")
    assert [(step.name, step.printed) for step in job.ran if step.code] == []
    assert (tmp_path / "a" / "temp" / "site" / "writing-a-page" / "index.html").is_file()
    with zipfile.ZipFile(notes / "function.zip") as bundle:
        names = set(bundle.namelist())
        assert {"query_fn/handler.py", "query_fn/stream.sh", "model/model.onnx"} <= names
        assert bundle.getinfo("query_fn/stream.sh").external_attr >> 16 & 0o111
        assert not [name for name in names if name.startswith(("compiler/", "artifacts/")) or name.endswith(".yaml")]


def test_a_pull_request_tells_what_it_would_publish(notes: Path, tmp_path: Path) -> None:
    """Titles are told of what becomes public, numbers of the rest, and nothing of what is or becomes private."""
    (notes / "content" / "geosmin.yml").write_text("embed: {model: none}\n")
    base = commit(notes)
    page = "---\nshare: public\ntitle: {}\n---\n# Hello\n"
    (notes / "content" / "a.md").write_text(page.format("Ferns of @somebody"))
    (notes / "content" / "b.md").write_text(page.format("Mosses"))
    (notes / "content" / "c.md").write_text("# Quokka, my private thoughts\n")
    (notes / "content" / "d.md").write_text("---\nshare: password\npassword: env:CLUB\n---\n# Zebra club\n")
    (notes / "content" / "writing-a-page.md").write_text("# Writing a page, now private\n")
    commit(notes)
    job = runner(notes, tmp_path / "a", event="pull_request")
    job.context |= {"github.event.pull_request.base.sha": base}
    job.run(notes / ".github" / "workflows" / "pull-request.yml", "compare")
    assert [(step.name, step.code) for step in job.ran] == [("build", 0), ("leakcheck", 0), ("compare", 0)]
    told = job.outputs["steps.compare.outputs.comment"]
    assert "would publish 2 pages, unpublish 1 and change 1; 3 would be public" in told
    assert "`Ferns of @somebody`" in told and "`Mosses`" in told
    assert "| lint score | 100 |" in told
    assert not [
        word for word in ("Quokka", "Zebra", "Writing a page") if word in told + "".join(s.printed for s in job.ran[1:])
    ]


def test_the_action_is_where_geosmin_came_from(tmp_path: Path) -> None:
    """Installed from a folder without a GitHub remote, the command asks for a copy to trust; a wrong one is refused."""
    for wrong in ("you", "you/geosmin", "you/geosmin@a b", "https://github.com/you/geosmin@x"):
        assert geosmin(tmp_path, "init", "--github", "--action", wrong).returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_notes_that_are_there_stay(tmp_path: Path) -> None:
    """In a folder with notes only what the host needs is written, and no file is written over."""
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "mine.md").write_text("mine")
    (tmp_path / "template.yaml").write_text("mine")
    assert geosmin(tmp_path, "init", "--github", "--aws", "--action", ACTION).returncode == 0
    assert sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()) == [
        ".github/workflows/publish.yml", ".github/workflows/pull-request.yml", "content/mine.md", "template.yaml",
    ]  # fmt: skip
    assert (tmp_path / "template.yaml").read_text() == "mine"
