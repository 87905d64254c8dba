"""Front matters that can be read two ways: each page is private, its build exits with 1, and one line says what to do.

The cases stand in tests/golden/sharing/refused.md; ``REFRESH=1`` writes what is said about them anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from compiler import cli
from compiler.report import problem_line

from .vault import PUBLIC, digests, make, write

TABLE = Path(__file__).resolve().parents[1] / "golden" / "sharing" / "refused.md"
CASE = re.compile(r"## ([^\n]+)\n\n````text\n(.*?)\n````\n\n    ([^\n]*)\n", re.DOTALL)
HIDDEN = "qzhiddenkx"  # stands in every case for what nobody but the owner may read


def cases() -> list[tuple[str, str, str]]:
    """Return (title, file text, expected output) of each case."""
    found = CASE.findall(TABLE.read_text("utf-8"))
    return [
        (title, re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), text) + "\n", said)
        for title, text, said in found
    ]


def vault() -> dict[str, str | bytes]:
    """Return one public page and every case as a file with a number."""
    files: dict[str, str | bytes] = {f"{n:03}.md": text for n, (_, text, _) in enumerate(cases())}
    return files | {"index.md": PUBLIC + "# home\n"}


def refresh(said: Sequence[str]) -> None:
    """Write what is said now into the table."""
    lines = iter(said)
    text = CASE.sub(lambda m: m[0].replace(f"\n    {m[3]}\n", f"\n    {next(lines)}\n"), TABLE.read_text("utf-8"))
    TABLE.write_text(text, "utf-8")


def test_each_says_in_one_line_what_to_do(tmp_path: Path) -> None:
    """One error per file, with its line and a fix, that quotes nothing of the file."""
    report, _ = make(tmp_path, vault())
    lines = [problem_line(p).partition(".md")[2] for p in report.problems]
    if os.environ.get("REFRESH"):
        refresh(lines)
    assert [p.path for p in report.problems] == [f"{n:03}.md" for n in range(len(cases()))]
    assert lines == [said for _, _, said in cases()]
    assert all(p.line and p.fix for p in report.problems)
    assert HIDDEN not in "".join(lines)


def test_there_are_many() -> None:
    """The table is a table, and every case in it is another one."""
    assert len({text for _, text, _ in cases()}) == len(cases()) >= 60


def test_none_is_in_any_output(tmp_path: Path) -> None:
    """With a public default too, the output is that of the public page alone."""
    _, with_them = make(tmp_path, vault(), "sharing.default=public", name="a")
    _, alone = make(tmp_path, {"index.md": PUBLIC + "# home\n"}, "sharing.default=public", name="b")
    assert digests(with_them) == digests(alone)


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, *more: str) -> int:
    """Run ``geosmin build`` on a folder as a person would and return its exit code."""
    places = ["--content", str(folder / "content"), "--out", str(folder / "dist"), "--state", str(folder / "state")]
    monkeypatch.setattr("sys.argv", ["geosmin", "build", *places, "--set", "embed.model=none", *more])
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(SystemExit) as caught:
        cli.main()
    return int(caught.value.code or 0)


def test_the_command_exits_with_one_and_names_every_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The site is switched, and the terminal names file, line and fix of each case."""
    write(tmp_path / "content", vault())
    assert run(monkeypatch, tmp_path, "--all") == 1
    shown = " ".join(capsys.readouterr().err.split())
    for number, (_, _, said) in enumerate(cases()):
        assert " ".join(f"{number:03}.md{said}".split()) in shown
    assert HIDDEN not in shown


def test_a_dead_private_rule_stops_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where everything else is public, a rule that matches nothing exits with 3 and switches nothing."""
    write(
        tmp_path / "content",
        {
            "a.md": "# a\n",
            "private/b.md": "# b\n",
            "geosmin.yml": "sharing: {default: public, rules: [{path: privat/**, share: private}]}",
        },
    )
    assert run(monkeypatch, tmp_path) == 3
    assert "privat/**" in capsys.readouterr().err
    assert not (tmp_path / "dist" / "current").exists()
    assert run(monkeypatch, tmp_path, "--redact") == 3
    assert "privat/" not in capsys.readouterr().err
