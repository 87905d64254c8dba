"""The event log: what was built, proposed, merged and removed, one line of JSON each in the state folder.

It is the owner's and never published. A line is there only whole: one that a crash cut off is dropped before the next
is written. Events of a build are written down before its switch and logged after it, so that a crash between the two
neither loses one nor says one twice.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from compiler.index.switch import current_build

FILE = "events.jsonl"
INTENT = "events.next.json"


class What(StrEnum):
    """What can happen."""

    BUILT = "built"  # a build was switched to
    PROPOSED = "proposed"  # a conclusion waits for a person
    MERGED = "merged"  # a person took it over: it stands in its page
    REMOVED = "removed"  # a page is public no more, or a proposal was taken back


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `subject` is the id of a build or of a proposal, or the address of a page."""

    id: str
    at: str  # ISO, UTC, to the second
    what: What
    subject: str
    title: str


@dataclass(frozen=True, slots=True)
class History:
    """The events, oldest first, and how many lines could not be read."""

    events: tuple[Event, ...]
    unreadable: int = 0


def event(what: What, subject: str, title: str, *, now: datetime) -> Event:
    """Return a new event."""
    return Event(secrets.token_hex(6), now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), what, subject, title)


def history(state: Path) -> History:
    """Return everything that was logged. A last line without its end was never logged."""
    place = state / FILE
    lines = place.read_bytes().split(b"\n")[:-1] if place.is_file() else []
    read = [_event(line) for line in lines]
    return History(tuple(one for one in read if one), read.count(None))


def log(state: Path, events: Iterable[Event]) -> None:
    """Append events and flush them to the disk. Raises OSError."""
    lines = b"".join(json.dumps(asdict(one), ensure_ascii=False).encode() + b"\n" for one in events)
    if not lines:
        return
    _repair(state / FILE)
    handle = os.open(state / FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, lines)
        os.fsync(handle)
    finally:
        os.close(handle)


def intend(state: Path, out: Path, place: str, events: Sequence[Event]) -> None:
    """Write down what will have happened when ``out/current`` leads to the build `place`. Raises OSError."""
    intent = {"out": str(out.resolve()), "place": place, "events": [asdict(one) for one in events]}
    aside = state / f"{INTENT}.part"
    with aside.open("w", encoding="utf-8") as file:
        json.dump(intent, file, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(state / INTENT)


def settle(state: Path) -> None:
    """Log what was intended if it happened and is not logged yet; forget it if it did not. Raises OSError."""
    place = state / INTENT
    try:
        intent = json.loads(place.read_text("utf-8"))
    except FileNotFoundError:
        return
    if current_build(Path(intent["out"])) == intent["place"]:
        known = {one.id for one in history(state).events}
        log(state, [Event(**item) for item in intent["events"] if item["id"] not in known])
    place.unlink()


def _event(line: bytes) -> Event | None:
    try:
        data = json.loads(line)
        texts = [str(data[field.name]) for field in fields(Event)]
        return Event(texts[0], texts[1], What(texts[2]), texts[3], texts[4])
    except (ValueError, KeyError, TypeError):
        return None


def _repair(place: Path) -> None:
    """Cut off a last line that a crash left without its end."""
    data = place.read_bytes() if place.is_file() else b""
    if data and not data.endswith(b"\n"):
        os.truncate(place, data.rfind(b"\n") + 1)
