"""Finished pages of the served build: a page whose inputs are as before is taken over instead of wrapped again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from compiler.cache import Cache, Kind
from query_fn.contract import FileEntry, file_entry

_WRAPPED = Kind("wrapped", str)  # the SHA-256 of the page that these inputs make


@dataclass(frozen=True, slots=True)
class Shelf:
    """The served site with the hashes that its manifest vouches for, and what the cache knows of its pages."""

    cache: Cache = field(default_factory=lambda: Cache(None))
    folder: Path = Path()
    entries: Mapping[str, FileEntry] = field(default_factory=dict)

    def has(self, path: str, parts: tuple[str, ...]) -> bool:
        """Tell whether the served file at `path` is what `parts` make; its bytes are hashed again."""
        wanted, entry = self.cache.find(_WRAPPED, parts), self.entries.get(path)
        if entry is None or wanted != entry.sha256:
            return False
        place = self.folder / path
        return place.is_file() and file_entry(place) == entry

    def take(self, path: str, out: Path) -> None:
        """Put the served file into the new site `out`: as a second name of the same bytes where the disk can."""
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(self.folder / path, target)
        except OSError:
            shutil.copyfile(self.folder / path, target)

    def put(self, path: str, parts: tuple[str, ...], out: Path) -> None:
        """Remember what `parts` made."""
        self.cache.keep(_WRAPPED, parts, file_entry(out / path).sha256)
