"""A lint as SARIF 2.1.0, which code scanning reads. What concerns a wiki page is told at the content folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compiler.lint.findings import Finding, Level, Lint

_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}


def sarif(found: Lint, content: Path) -> dict[str, Any]:
    """Return the log; paths are relative to the working folder where `content` is."""
    codes = sorted({finding.code for finding in found.findings})
    driver = {"name": "geosmin lint", "rules": [{"id": code} for code in codes]}
    results = [_result(finding, content) for finding in found.findings]
    run = {"tool": {"driver": driver}, "results": results, "properties": {"score": found.score}}
    return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}


def _result(finding: Finding, content: Path) -> dict[str, Any]:
    is_file = not finding.path.startswith("wiki:")
    place = (content / finding.path if is_file else content).as_posix()
    location: dict[str, Any] = {"artifactLocation": {"uri": place}}
    if finding.line is not None:
        location["region"] = {"startLine": finding.line}
    text = finding.message if is_file else f"{finding.path}: {finding.message}"
    return {
        "ruleId": finding.code,
        "level": _LEVELS[finding.level],
        "message": {"text": text},
        "locations": [{"physicalLocation": location}],
    }
