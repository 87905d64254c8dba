"""Files that public pages reference. They are published without their metadata, or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from compiler.errors import FileError
from compiler.model import Attachment, Problem, Severity, SourcePath
from compiler.settings import LimitSettings
from compiler.sources.clean.kinds import cleaned

_FILE = "file "  # marks an address that is a file, so that no folder can stand there


def collect(
    wanted: Sequence[SourcePath],
    others: Mapping[SourcePath, Path],
    urls: Mapping[SourcePath, str],
    *,
    limits: LimitSettings,
    pages: Collection[str] = (),
) -> tuple[tuple[Attachment, ...], list[Problem]]:
    """Return the wanted files with their clean bytes' hash, and a problem for each that is left out.

    Left out are files that can't be read or cleaned, and one whose address another file or a page in `pages` has: a
    site may lie on a disk that knows no case. A link to what is left out is a link to nothing; the caller sees to it.
    """
    out: list[Attachment] = []
    problems: list[Problem] = []
    taken = {folder.casefold(): f"the folder /{folder}/" for url in pages for folder in _folders(url)}
    for path in wanted:
        try:
            _claim(urls[path], path, taken)
            data, _ = read_clean(path, others[path], limits)
        except FileError as error:
            severity = Severity.ERROR if error.code == "attachment-twice" else Severity.WARNING
            problems.append(Problem(severity, error.code, path, None, error.message, error.fix, True))
            continue
        out.append(Attachment(path, data, urls[path], hashlib.sha256(data).hexdigest()))
    return tuple(out), problems


def read_clean(path: SourcePath, place: Path, limits: LimitSettings) -> tuple[bytes, str]:
    """Return a file's bytes without metadata and its media type. Raises FileError when it can't be read or cleaned."""
    try:
        size = place.stat().st_size
        if size > limits.attachment_bytes:
            raise FileError("attachment-too-large", f"it is larger than {limits.attachment_bytes:,} bytes")
        return cleaned(place.read_bytes(), path)
    except OSError:
        raise FileError("attachment-unreadable", "it can't be read", fix="check its permissions") from None


def _claim(url: str, path: SourcePath, taken: dict[str, str]) -> None:
    """Take an address on the site. Raises FileError when a file or folder of another owner already stands there."""
    place = url.casefold()
    above = _folders(place)
    owner = taken.get(place) or next((taken[p] for p in above if taken.get(p, "").startswith(_FILE)), "")
    if owner:
        message = f"its address /{url} is also that of {owner.removeprefix(_FILE)}"
        raise FileError("attachment-twice", message, fix="rename one of them")
    taken.update({p: f"the folder /{p}/" for p in above if p not in taken})
    taken[place] = f"{_FILE}{path}"


def _folders(url: str) -> list[str]:
    parts = url.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
