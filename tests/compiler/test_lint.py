"""`geosmin lint`: what each rule finds, the score, and how it is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from typer.testing import CliRunner

from compiler.cli import app
from compiler.enrich.claude.prompts import versions
from compiler.lint import rules
from compiler.lint.findings import Finding, Level, ordered
from compiler.lint.run import lint
from compiler.lint.sarif import sarif
from compiler.progress import Silent
from compiler.settings import load
from query_fn.contract import ContributionRow, PageRow, RelationRow
from tests.compiler.vault import NOON, PUBLIC, QUICK, make, write

PAGE = PageRow(0, "rain", "concept", "Rain", "wiki/Rain/", "en", "Rain is water.", "", True, None, None, ("a",))
SAID = ContributionRow(0, "rain", "a", "Rain is water.", ("a.0",), None, ("a",))
NOTHING = rules.Built((), (), (), (), ())


@pytest.mark.parametrize(
    ("levels", "pages", "score"),
    [
        ([], 10, 100),
        ([Level.ERROR] * 10, 10, 0),
        ([Level.WARNING] * 10, 10, 70),
        ([Level.INFO] * 10, 10, 95),
        ([Level.ERROR] * 99, 10, 0),
        ([Level.ERROR], 0, 0),
    ],
)
def test_the_score_is_what_the_formula_says(levels: list[Level], pages: int, score: int) -> None:
    """One error on every page makes 0, one warning 70, one info 95."""
    findings = [Finding(level, "x", f"p{n}", None, "m") for n, level in enumerate(levels)]
    assert ordered(findings, pages).score == score


def test_a_ghost_is_an_error() -> None:
    """A link or relation to a page that is not there; an escaped bracket is text."""
    body = r"[[rain|Rain]] and [[snow|Snow]] and \[\[hail|Hail]]"
    related = RelationRow(0, "rain", "uses", "fog", "a.0", "s", None, ("a",))
    built = replace(NOTHING, pages=(structs.replace(PAGE, body=body),), relations=(related,))
    assert [f.message for f in rules.ghost_links(built)] == ["link to no page: snow", "no page: fog"]


def test_a_generated_page_names_its_sources() -> None:
    """No source, no contribution or no passage is a warning; a page of a person needs none."""
    lost, bare = structs.replace(PAGE, key="lost"), structs.replace(SAID, chunk_ids=())
    human = structs.replace(PAGE, key="own", generated=False)
    built = replace(NOTHING, pages=(PAGE, lost, human), contributions=(SAID, bare))
    assert [f.path for f in rules.unsourced(built)] == ["wiki:lost", "wiki:rain"]


def test_a_page_without_a_definition_is_found() -> None:
    """A page that cannot say what its subject is."""
    built = replace(NOTHING, pages=(PAGE, structs.replace(PAGE, key="x", summary=" ")))
    assert [f.path for f in rules.undefined(built)] == ["wiki:x"]


FILES: dict[str, str | bytes] = {
    "index.md": PUBLIC + "# Home\n\nThe first page leads to [[rain]] and to [[walks]].\n",
    "rain.md": PUBLIC + "# Rain\n\n**Petrichor** is a smell of rain. Petrichor was named in 1964 by two chemists.\n",
    "walks.md": PUBLIC + "# Walks\n\nPetrichor was named in 1970 by two chemists. See [[nowhere]].\n",
    "alone.md": PUBLIC + "# Alone\n\n" + "".join(f"Line number {n} of a long text.\n\n" for n in range(9)),
    "again.md": PUBLIC + "# Again\n\n" + "".join(f"Line number {n} of a long text.\n\n" for n in range(9)),
}


def found(tmp: Path) -> set[tuple[str, str]]:
    """Return (code, path) of all findings of the vault in `tmp`."""
    settings = load(tmp / "a/content", tmp / "a/dist", tmp / "a/state")
    return {(f.code, f.path) for f in lint(settings, now=NOON, progress=Silent()).findings}


def test_a_real_build_is_looked_at_whole(tmp_path: Path) -> None:
    """Broken links, orphans, near duplicates and contradictions, each at its place."""
    make(tmp_path, FILES, how=QUICK)
    assert found(tmp_path) == {
        ("broken-link", "walks.md"),
        ("contradiction", "wiki:petrichor"),
        ("near-duplicate", "alone.md"),
        ("orphan", "alone.md"),
        ("orphan", "again.md"),
    }


def test_what_changed_since_the_build_is_stale(tmp_path: Path) -> None:
    """A changed, a new and a removed page, each once."""
    make(tmp_path, FILES, how=QUICK)
    (tmp_path / "a/content/again.md").unlink()
    write(
        tmp_path / "a/content", {"new.md": PUBLIC + "# New\n\n[[alone]]\n", "walks.md": PUBLIC + "# Walks\n\nOther.\n"}
    )
    stale = {path for code, path in found(tmp_path) if code == "stale"}
    assert stale == {"again.md", "new.md", "walks.md"}


def test_older_prompts_are_outdated(tmp_path: Path) -> None:
    """A build whose model was asked with other prompts is told, page by page; one without a model is not."""
    make(tmp_path, FILES, how=QUICK)
    assert not {path for code, path in found(tmp_path) if code == "outdated"}
    report = tmp_path / "a/state/report.json"
    told = json.loads(report.read_text("utf-8")) | {"prompts": versions() | {"source": "0"}}
    report.write_text(json.dumps(told), "utf-8")
    assert {path for code, path in found(tmp_path) if code == "outdated"} == set(FILES)


def test_the_command_tells_and_fails_under_a_score(tmp_path: Path) -> None:
    """`--json` has score and findings, `--sarif` a log of the same, and the exit code follows `lint.score`."""
    make(tmp_path, FILES, how=QUICK)
    places = [
        f"--{name}={tmp_path / 'a' / folder}"
        for name, folder in (("content", "content"), ("out", "dist"), ("state", "state"))
    ]
    log = tmp_path / "lint.sarif"
    good = CliRunner().invoke(app, ["lint", *places, "--json", f"--sarif={log}", f"--now={NOON.isoformat()}"])
    told = json.loads(good.stdout)
    assert (good.exit_code, told["errors"], told["score"]) == (0, 1, 66)
    assert len(json.loads(log.read_text())["runs"][0]["results"]) == len(told["problems"])
    assert CliRunner().invoke(app, ["lint", *places, "--set=lint.score=90"]).exit_code == 1


def test_sarif_has_files_and_lines() -> None:
    """A file is named below the content folder; what concerns a wiki page is told at that folder."""
    findings = (
        Finding(Level.ERROR, "broken-link", "a.md", 3, "m"),
        Finding(Level.INFO, "orphan", "wiki:rain", None, "n"),
    )
    results = sarif(ordered(findings, 2), Path("content"))["runs"][0]["results"]
    first, second = (result["locations"][0]["physicalLocation"] for result in results)
    assert first == {"artifactLocation": {"uri": "content/a.md"}, "region": {"startLine": 3}}
    assert second == {"artifactLocation": {"uri": "content"}}
    assert [result["level"] for result in results] == ["error", "note"]
