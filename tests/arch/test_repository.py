"""What the repository as a whole promises: a clean top level, pinned parts, no address of this or that machine."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TOP = {
    "pyproject.toml", "README.md", "content", "compiler", "site_template", "query_fn", "tests", ".github",
    "ARCHITECTURE.md", "CHANGELOG.md", "LICENSE", "Makefile", "requirements", "bench", ".ci", ".gitignore",
}  # fmt: skip
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTIONS = sorted((ROOT / ".github" / "actions").glob("*/action.yml"))


def tracked() -> list[Path]:
    """Return the files Git knows, or skip outside a checkout."""
    done = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a Git checkout")
    return [ROOT / name for name in done.stdout.split("\0") if name]


def test_the_top_level_stays_clean() -> None:
    """Only what the root needs stands there."""
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} <= TOP


def test_no_file_names_a_machine_or_a_package_index() -> None:
    """No path of a machine and no address of a package registry is committed."""
    barred = re.compile(
        r"(?<![\w.:/])/(?:work|root|farm)/|registry\.npmjs|pypi\.org/simple|files\.pythonhosted|--index-url|--extra-index"
    )
    hits = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in tracked()
        if path.is_file() and path != Path(__file__)
        for match in barred.finditer(path.read_text("utf-8", errors="ignore"))
    ]
    assert hits == []


@pytest.mark.parametrize("name", ["base.txt", "dev.txt"])
def test_requirements_are_exact_and_hashed(name: str) -> None:
    """Every pin has a version and at least one hash, and no address."""
    text = (ROOT / "requirements" / name).read_text("utf-8")
    pins = [block for block in re.split(r"\n(?=\S)", text) if block.strip() and not block.startswith("#")]
    assert len(pins) > 50
    assert [p.splitlines()[0] for p in pins if "==" not in p.splitlines()[0] or "--hash=sha256:" not in p] == []


def unpinned(steps: list[dict[str, str]]) -> list[str]:
    """Return the actions that are neither pinned by a commit nor part of this repository."""
    uses = [step["uses"] for step in steps if "uses" in step]
    return [use for use in uses if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}|\./\.github/actions/\w+", use)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.name)
def test_actions_are_pinned_and_permissions_empty(path: Path) -> None:
    """Each action is pinned by commit hash; the workflow grants nothing, jobs grant what they need."""
    flow = yaml.safe_load(path.read_text("utf-8"))
    steps = [step for job in flow["jobs"].values() for step in job["steps"]]
    inner = [step for action in ACTIONS for step in yaml.safe_load(action.read_text("utf-8"))["runs"]["steps"]]
    assert unpinned([*steps, *inner]) == []
    assert flow["permissions"] == {}
    assert all("permissions" in job and "timeout-minutes" in job for job in flow["jobs"].values())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.name)
def test_a_pull_request_gets_no_secret_and_no_cache(path: Path) -> None:
    """What a fork can start sees neither keys nor what a model wrote for the owner: both stand in other workflows."""
    flow = yaml.safe_load(path.read_text("utf-8"))
    starts = flow[True]  # YAML reads the key `on` as a truth value
    if not {"pull_request", "pull_request_target"} & set(starts):
        return
    assert "pull_request_target" not in starts
    assert "secrets." not in path.read_text("utf-8")
    local = [yaml.safe_load(a.read_text("utf-8"))["runs"]["steps"] for a in ACTIONS if a.parent.name == "compare"]
    steps = [step for job in flow["jobs"].values() for step in job["steps"]] + [
        step for inner in local for step in inner
    ]
    uses = [step.get("uses", "") for step in steps]
    assert [use for use in uses if use.endswith("/publish")] == []
    assert [step["name"] for inner in local for step in inner if "deploy" in step.get("run", "")] == []
    assert [
        use for use in uses if use.startswith(("actions/cache@", "actions/cache/", "actions/download-artifact"))
    ] == []
