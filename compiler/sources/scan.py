"""Finds every file under content/: what may be an article, what may be an attachment, what cannot be trusted."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import hashlib
import os
import re
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from compiler.errors import FileError
from compiler.guide import GLOSSARY_NAME, GUIDE_NAME
from compiler.model import Problem, Severity, SourceFile, SourcePath
from compiler.settings import CONFIG_NAME, LimitSettings
from compiler.theme import FOLDER as THEME

MARKDOWN = (".md", ".markdown")
CONFIGURATION = frozenset({CONFIG_NAME, GUIDE_NAME, GLOSSARY_NAME})
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_UNNAMEABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
    "\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]"
)


@dataclass(frozen=True, slots=True)
class Scan:
    """What a content folder holds, sorted by path."""

    files: tuple[SourceFile, ...]
    others: dict[SourcePath, Path]  # possible attachments
    links: dict[SourcePath, SourcePath]  # symbolic links among them, and what they lead to
    problems: tuple[Problem, ...]


def scan(content: Path, limits: LimitSettings) -> Scan:
    """Return every Markdown file with its text, and every other regular file.

    Folders that begin with a dot are not content. Links to folders are never followed; a link that leaves the content
    folder or leads to a file of another kind, a device, a pipe, and what cannot be read or named are file errors. Two
    Markdown files whose names are equal after NFC have one path; `select` decides between them, because only a public
    one may matter.
    """
    files: list[SourceFile] = []
    others: dict[SourcePath, Path] = {}
    targets: dict[SourcePath, SourcePath] = {}
    problems: list[Problem] = []
    links: Counter[tuple[int, int]] = Counter()
    places = sorted(_walk(content, content, problems), key=lambda p: p.as_posix())
    for place in places:
        with contextlib.suppress(OSError):
            links[_identity(place)] += 1
    root = content.resolve()
    for place in places:
        path = source_path(place.relative_to(content))
        try:
            target = _check_place(place, place.relative_to(content), root=root, links=links)
            if _is_markdown(place):
                files.append(dataclasses.replace(read(place, path, limits), target=target))
            elif path in others:
                raise FileError("name-twice", "two files have this name in two Unicode forms", fix="rename one of them")
            elif str(path) not in CONFIGURATION:
                others[path] = place
                targets |= {path: target} if target else {}
        except OSError as error:
            problems.append(_unreadable(path, error))
        except FileError as error:
            problems.append(Problem(Severity.ERROR, error.code, path, error.line, error.message, error.fix))
    twice = {p.path for p in problems if p.code == "name-twice"}
    kept = tuple(f for f in sorted(files, key=lambda f: f.path) if str(f.path) not in CONFIGURATION)
    return Scan(kept, {path: place for path, place in others.items() if path not in twice}, targets, tuple(problems))


def source_path(relative: Path) -> SourcePath:
    """Return the NFC, POSIX form of a path under the content folder; other bytes are shown as ``\\xff``."""
    shown = os.fsencode(relative).decode("utf-8", errors="backslashreplace")
    return SourcePath(unicodedata.normalize("NFC", shown))


def read(place: Path, path: SourcePath, limits: LimitSettings) -> SourceFile:
    """Return a Markdown file's text with line ends as LF and without a BOM. Raises FileError with the byte offset."""
    size = place.stat().st_size
    if size > limits.file_bytes:
        raise FileError("too-large", f"{size:,} bytes; the limit is {limits.file_bytes:,}", fix="split the page")
    data = place.read_bytes()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FileError("not-utf8", "the file is UTF-16: byte 0 begins its mark", line=1, fix="save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError("not-utf8", f"byte {error.start} is not UTF-8", line=line, fix="save it as UTF-8") from None
    if found := _CONTROL.search(text):
        raise _control_character(text, found, bom=data.startswith(b"\xef\xbb\xbf"))
    return SourceFile(path, place, text.replace("\r\n", "\n").replace("\r", "\n"), hashlib.sha256(data).hexdigest())


def _control_character(text: str, found: re.Match[str], *, bom: bool) -> FileError:
    before = text[: found.start()]
    offset = len(before.encode()) + 3 * bom
    line = len(re.findall(r"\r\n|\r|\n", before)) + 1
    message = f"control character U+{ord(found[0]):04X} at byte {offset}"
    return FileError("control-character", message, line=line, fix="delete it")


def _walk(folder: Path, content: Path, problems: list[Problem]) -> Iterator[Path]:
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except OSError as error:
        problems.append(_unreadable(source_path(folder.relative_to(content)), error))
        return
    for entry in entries:
        if _is_skipped(entry.name) or (entry.name == THEME and folder == content):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), content, problems)
        else:
            yield Path(entry.path)


def _is_skipped(name: str) -> bool:
    return name.startswith(".") or name in SKIPPED_FOLDERS


def _identity(place: Path) -> tuple[int, int]:
    found = place.lstat()
    return found.st_dev, found.st_ino


def _unreadable(path: SourcePath, error: OSError) -> Problem:
    reason = errno.errorcode.get(error.errno or 0, "unknown error")
    return Problem(Severity.ERROR, "unreadable", path, None, f"cannot be read ({reason})", "check its permissions")


def _check_place(place: Path, relative: Path, *, root: Path, links: Mapping[tuple[int, int], int]) -> SourcePath | None:
    """Return what a symbolic link leads to, None for any other file. Raises FileError for no file of this folder alone.

    `links` counts the names of each file in the folder.
    """
    if _UNNAMEABLE.search(str(relative)):
        raise FileError("name-unsafe", "the name holds a character that can't be seen or isn't UTF-8", fix="rename it")
    target = _target(place, root) if place.is_symlink() else None
    found = place.stat()
    if not stat.S_ISREG(found.st_mode):
        raise FileError("not-a-file", "not a regular file", fix="move it out of the content folder")
    if target is None and found.st_nlink > links[_identity(place)]:
        message = "a hard link: the file has another name outside the content folder"
        raise FileError("hard-link-outside", message, fix="copy the file instead")
    return target


def _target(place: Path, root: Path) -> SourcePath:
    """Return what a symbolic link leads to. A page shown as a file, or the configuration, would escape its rules."""
    fix = "copy the file instead"
    try:
        target = place.resolve(strict=True)
    except (OSError, RuntimeError):
        raise FileError("symlink-broken", "a link that leads nowhere", fix="delete the link") from None
    if not target.is_relative_to(root) or target.is_dir():
        raise FileError("symlink-outside", "a link that leaves the content folder", fix=fix)
    relative = target.relative_to(root)
    if any(_is_skipped(part) for part in relative.parts):
        raise FileError("symlink-outside", "a link into a folder that is never read", fix=fix)
    path = source_path(relative)
    if path in CONFIGURATION or _is_markdown(target) != _is_markdown(place):
        raise FileError("symlink-kind", "a link to a file of another kind", fix=fix)
    return path


def _is_markdown(place: Path) -> bool:
    return place.suffix.lower() in MARKDOWN
