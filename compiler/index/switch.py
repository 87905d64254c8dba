"""The pointer `current`: moved by one rename, after everything it points to is on disk."""

from __future__ import annotations

import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compiler.errors import BuildError
from query_fn.contract import MANIFEST, POINTER

BUILDS = "builds"
REMOVERS = 8  # threads; 3,600 files of a busy disk: 6.2 s with one, 0.4 s with eight
_NAME = re.compile(r"[0-9a-f]{16}(?:-\d+)?(?:\.part)?")


def current_build(out: Path) -> str | None:
    """Return the id of the build that is served, or None when there is no pointer."""
    pointer = out / POINTER
    return pointer.readlink().name if pointer.is_symlink() else None


def switch(out: Path, build_id: str, *, durable: bool = True) -> None:
    """Point `current` at ``builds/<build_id>``. A kill at any moment leaves the old or the new pointer, never none.

    When it is `durable`, everything is flushed to the disk first, so a power cut leaves a whole build too.

    Raises BuildError when that build has no manifest, or when `current` exists and is not a symbolic link.
    """
    if not (out / BUILDS / build_id / "artifacts" / MANIFEST).is_file():
        raise BuildError(f"build {build_id} has no manifest and cannot be switched to")
    pointer, aside = out / POINTER, out / f".{POINTER}.part"
    if pointer.exists() and not pointer.is_symlink():
        raise BuildError(f"{pointer.name} is not a symbolic link; move it away, it was not made by a build")
    if durable:
        os.sync()  # one call: an fsync per page of a large site takes longer than the build
    aside.unlink(missing_ok=True)
    aside.symlink_to(Path(BUILDS) / build_id, target_is_directory=True)
    aside.replace(pointer)
    _sync_folder(out)


def remove_superseded(out: Path) -> tuple[str, ...]:
    """Delete every build but the current one, and what a killed build left; return the names. No pointer: nothing."""
    keep = current_build(out)
    if keep is None:
        return ()
    gone = sorted(path for path in ours(out) if path.name != keep)
    for path in gone:
        _remove(path)
    return tuple(path.name for path in gone)


def _remove(build: Path) -> None:
    """Delete a build, its pages from several threads: each file waits for the disk on its own."""
    site = build / "site"
    parts = [path for path in site.iterdir() if path.is_dir() and not path.is_symlink()] if site.is_dir() else []
    with ThreadPoolExecutor(REMOVERS) as pool:
        list(pool.map(shutil.rmtree, parts))
    shutil.rmtree(build)


def ours(out: Path) -> list[Path]:
    """Return the folders below ``builds`` that a build made; whatever else lies there is the owner's."""
    builds = out / BUILDS
    found = builds.iterdir() if builds.is_dir() else ()
    return [path for path in found if _NAME.fullmatch(path.name) and path.is_dir() and not path.is_symlink()]


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
