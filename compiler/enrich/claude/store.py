"""Answers that were paid for, kept in the state folder under what was asked. They outlive every version of the code.

Each is one small JSON file: a bucket, a branch or a cache of the CI can hold the folder, and two folders can be merged.
What is read passes the same checks as a fresh answer, so a damaged or foreign file is asked for again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from compiler.enrich.claude.calls import Call


class Kept(msgspec.Struct, frozen=True):
    """One answer, and what it is about."""

    article: str
    stage: str
    model: str
    answer: str
    failure: str = ""  # why no answer to this could be used; it is not asked again by itself


@dataclass(slots=True)
class Store:
    """The answers of all builds. `note` says when one could not be written."""

    folder: Path
    used: set[str]
    note: str = ""

    @classmethod
    def at(cls, folder: Path) -> Store:
        """Return the store in a folder, which need not exist."""
        return cls(folder, set())

    def find(self, call: Call) -> Kept | None:
        """Return what was kept for a call."""
        self.used.add(call.key)
        try:
            return _read(self._place(call.key))
        except (OSError, msgspec.DecodeError):
            return None

    def keep(self, call: Call, answer: bytes, failure: str = "") -> None:
        """Keep an answer, or why there is none. A full disk costs the next build the price of it, and says so."""
        place = self._place(call.key)
        kept = Kept(call.article, call.stage, call.model, answer.decode(), failure)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            aside = place.with_suffix(".part")
            aside.write_bytes(msgspec.json.encode(kept))
            aside.replace(place)
        except OSError as error:
            self.note = f"answers of the model could not be kept ({error.strerror}); the next build pays for them again"

    def forget(self, public: Collection[str]) -> None:
        """Drop the answers about articles that are no longer public; older texts of the others stay."""
        for place in self._all():
            if place.stem in self.used:
                continue
            with contextlib.suppress(OSError, msgspec.DecodeError):
                if _read(place).article not in public:
                    place.unlink()

    def _all(self) -> Iterator[Path]:
        yield from self.folder.glob("??/*.json")

    def _place(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def _read(place: Path) -> Kept:
    return msgspec.json.decode(place.read_bytes(), type=Kept)
