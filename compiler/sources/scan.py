"""Finds every file under content/: what may be an article, what may be an attachment, what cannot be trusted."""

from __future__ import annotations

import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from compiler.errors import FileError
from compiler.model import Problem, Severity, SourceFile, SourcePath
from compiler.settings import CONFIG_NAME, GLOSSARY_NAME, GUIDE_NAME, LimitSettings

MARKDOWN = (".md", ".markdown")
CONFIGURATION = frozenset({CONFIG_NAME, GUIDE_NAME, GLOSSARY_NAME})
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})
CONTROLS = frozenset(range(0x20)) - {0x09, 0x0A, 0x0C, 0x0D} | {0x7F}


@dataclass(frozen=True, slots=True)
class Scan:
    """What a content folder holds, sorted by path."""

    files: tuple[SourceFile, ...]
    others: dict[SourcePath, Path]  # possible attachments
    problems: tuple[Problem, ...]


def scan(content: Path, limits: LimitSettings) -> Scan:
    """Return every Markdown file with its text, and every other regular file.

    Folders that begin with a dot are not content. Links to folders are never followed; a link that leaves the content
    folder, a device or a pipe is a file error. Two names that are equal after NFC are a file error for both.
    """
    root = content.resolve()
    files: list[SourceFile] = []
    others: dict[SourcePath, Path] = {}
    problems: list[Problem] = []
    seen: dict[SourcePath, Path] = {}
    for place in sorted(_walk(content), key=lambda p: p.as_posix()):
        path = source_path(place.relative_to(content))
        try:
            _check_place(place, root)
            if path in seen:
                raise FileError("name-twice", f"another file has the same name after Unicode normalisation: {path}")
            seen[path] = place
            if place.suffix.lower() in MARKDOWN:
                files.append(read(place, path, limits))
            elif str(path) not in CONFIGURATION:
                others[path] = place
        except FileError as error:
            problems.append(Problem(Severity.ERROR, error.code, path, error.line, error.message, error.fix))
    kept = tuple(f for f in sorted(files, key=lambda f: f.path) if str(f.path) not in CONFIGURATION)
    return Scan(kept, others, tuple(problems))


def source_path(relative: Path) -> SourcePath:
    """Return the NFC, POSIX form of a path under the content folder."""
    return SourcePath(unicodedata.normalize("NFC", relative.as_posix()))


def read(place: Path, path: SourcePath, limits: LimitSettings) -> SourceFile:
    """Return a Markdown file's text with line ends as LF and without a BOM. Raises FileError with the byte offset."""
    data = place.read_bytes()
    if len(data) > limits.file_bytes:
        raise FileError("too-large", f"{len(data):,} bytes; the limit is {limits.file_bytes:,}", fix="split the page")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FileError("not-utf8", "the file is UTF-16", line=1, fix="save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError("not-utf8", f"byte {error.start} is not UTF-8", line=line, fix="save it as UTF-8") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for offset, char in enumerate(text):
        if ord(char) in CONTROLS:
            line = text.count("\n", 0, offset) + 1
            raise FileError("control-character", f"control character U+{ord(char):04X}", line=line, fix="delete it")
    return SourceFile(path, place, text, hashlib.sha256(data).hexdigest())


def _walk(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name in SKIPPED_FOLDERS:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(Path(entry.path))
            else:
                yield Path(entry.path)


def _check_place(place: Path, root: Path) -> None:
    if place.is_symlink():
        try:
            target = place.resolve(strict=True)
        except (OSError, RuntimeError):
            raise FileError("symlink-broken", "a link that leads nowhere", fix="delete the link") from None
        if not target.is_relative_to(root) or target.is_dir():
            raise FileError("symlink-outside", "a link that leaves the content folder", fix="copy the file instead")
    if not stat.S_ISREG(place.stat().st_mode):
        raise FileError("not-a-file", "not a regular file", fix="move it out of the content folder")
