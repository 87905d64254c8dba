"""A content folder made from a table of path -> text, and one build of it. Used by every compiler test."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from compiler.build import How, build
from compiler.model import Site
from compiler.progress import Silent
from compiler.publish import Press
from compiler.report import Report
from compiler.settings import load
from compiler.site.listing import file_path
from compiler.site.pagefind import Finish, Leaf
from compiler.site.shelf import Shelf

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
    tmp: Path,
    files: dict[str, str | bytes],
    *sets: str,
    now: datetime = NOON,
    name: str = "a",
    how: How = How(),  # noqa: B008
) -> tuple[Report, Path]:
    """Build a vault without an embedder and return its report and the folder that is served."""
    content = write(tmp / name / "content", files)
    settings = load(content, tmp / name / "dist", tmp / name / "state", overrides=["embed.model=none", *sets])
    return build(settings, now=now, progress=Silent(), how=how), tmp / name / "dist" / "current"


def staged(site: Site, out: Path, *, shelf: Shelf, progress: Callable[[int, int], None]) -> tuple[str, ...]:
    """Write what MkDocs is given instead of what it makes of it: every value of the site and of its pages, as JSON."""
    values = dataclasses.asdict(site)
    for page in values.pop("pages"):
        _write(out / file_path(page["url"]), json.dumps(page, ensure_ascii=False).encode())
    for item in values.pop("attachments"):
        _write(out / item["url"], item["data"])
    values["theme"] = repr(site.theme)
    _write(out / "site.json", json.dumps(values, ensure_ascii=False).encode())
    return ()


def _write(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


@contextmanager
def unsearched(leaves: Sequence[Leaf], **_: object) -> Iterator[Finish]:
    """Write what Pagefind is given: the finished bodies."""

    def finish(out: Path, progress: Callable[[int, int], None]) -> tuple[str, ...]:
        bodies = [dataclasses.asdict(leaf) for leaf in leaves]
        _write(out / "leaves.json", json.dumps(bodies, ensure_ascii=False).encode())
        return ()

    yield finish


QUICK = How(
    press=Press(staged, unsearched)
)  # everything up to MkDocs and Pagefind, which are functions of public values


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file below a folder, by relative path."""
    files = (p for p in sorted(folder.resolve().rglob("*")) if p.is_file())
    return {p.relative_to(folder.resolve()).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def codes(report: Report) -> list[tuple[str, str, int | None]]:
    """Return (code, path, line) of each problem."""
    return [(p.code, p.path, p.line) for p in report.problems]
