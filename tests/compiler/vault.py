"""A content folder made from a table of path -> text, and one build of it. Used by every compiler test."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from compiler.build import build
from compiler.progress import Silent
from compiler.report import Report
from compiler.settings import load

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
PUBLIC = "---\nshare: public\n---\n"


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write files below `folder` and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def make(
    tmp: Path, files: dict[str, str | bytes], *sets: str, now: datetime = NOON, name: str = "a"
) -> tuple[Report, Path]:
    """Build a vault without an embedder and return its report and the folder that is served."""
    content = write(tmp / name / "content", files)
    settings = load(content, tmp / name / "dist", tmp / name / "state", overrides=["embed.model=none", *sets])
    return build(settings, now=now, progress=Silent()), tmp / name / "dist" / "current"


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file below a folder, by relative path."""
    files = (p for p in sorted(folder.resolve().rglob("*")) if p.is_file())
    return {p.relative_to(folder.resolve()).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def codes(report: Report) -> list[tuple[str, str, int | None]]:
    """Return (code, path, line) of each problem."""
    return [(p.code, p.path, p.line) for p in report.problems]
