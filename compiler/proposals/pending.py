"""What waits for a person: one file per proposal in the state folder, until the conclusion stands in its page.

The file is there while a proposal is pending; the event log says what became of it. Each step is done in an order in
which a crash leaves something that `settle` finishes: a file without its event is logged, one whose end is logged goes.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from compiler.errors import ProposalError
from compiler.events import What, event, history, log
from compiler.model import SourcePath
from compiler.proposals.conclusion import Conclusion
from compiler.proposals.page import has

FOLDER = "proposals"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A conclusion that waits, and since when (ISO, UTC)."""

    id: str
    at: str
    conclusion: Conclusion


def pending(state: Path) -> tuple[Proposal, ...]:
    """Return what waits, oldest first. A file that can't be read is passed over."""
    found = filter(None, map(_read, (state / FOLDER).glob("*.json")))
    return tuple(sorted(found, key=lambda proposal: (proposal.at, proposal.id)))


def add(state: Path, conclusion: Conclusion, now: datetime) -> Proposal:
    """Keep a conclusion as pending; one that waits already is the same proposal. Raises OSError."""
    for one in pending(state):
        if one.conclusion == conclusion:
            return one
    made = Proposal(secrets.token_hex(4), now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), conclusion)
    place = _place(state, made.id)
    place.parent.mkdir(mode=0o700, exist_ok=True)
    aside = place.with_suffix(".part")
    with aside.open("w", encoding="utf-8") as file:
        json.dump(asdict(made), file, ensure_ascii=False, indent=2)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(place)
    _say(state, What.PROPOSED, made, now)
    return made


def find(state: Path, name: str) -> Proposal | None:
    """Return the pending proposal with this id."""
    return next((one for one in pending(state) if one.id == name), None)


def drop(state: Path, name: str, now: datetime) -> Proposal:
    """Take a proposal back. Raises ProposalError when none of this id waits."""
    found = find(state, name)
    if found is None:
        raise ProposalError(f"no proposal {name} is waiting; `geosmin propose --list` shows those that are")
    _end(state, What.REMOVED, found, now)
    return found


def notice(state: Path, content: Path, now: datetime) -> tuple[Proposal, ...]:
    """Log and return the proposals whose conclusion stands in its page now."""
    merged = tuple(_merged(state, content))
    for one in merged:
        _end(state, What.MERGED, one, now)
    return merged


def settle(state: Path, now: datetime) -> None:
    """Finish what a crash left half done."""
    waiting = pending(state)
    said = {one.subject: one.what for one in history(state).events} if waiting else {}
    for one in waiting:
        if one.id not in said:
            _say(state, What.PROPOSED, one, now)
        elif said[one.id] is not What.PROPOSED:
            _place(state, one.id).unlink()


def _merged(state: Path, content: Path) -> Iterator[Proposal]:
    for one in pending(state):
        place = content / one.conclusion.page
        if place.is_file() and has(place.read_text("utf-8", errors="replace"), one.conclusion.body):
            yield one


def _end(state: Path, what: What, proposal: Proposal, now: datetime) -> None:
    _say(state, what, proposal, now)
    _place(state, proposal.id).unlink()


def _say(state: Path, what: What, proposal: Proposal, now: datetime) -> None:
    log(state, [event(what, proposal.id, f"{proposal.conclusion.page}: {proposal.conclusion.title}", now=now)])


def _place(state: Path, name: str) -> Path:
    return state / FOLDER / f"{name}.json"


def _read(place: Path) -> Proposal | None:
    try:
        data = json.loads(place.read_text("utf-8"))
        fields = {**data["conclusion"], "page": SourcePath(data["conclusion"]["page"])}
        return Proposal(str(data["id"]), str(data["at"]), Conclusion(**fields))
    except (OSError, ValueError, KeyError, TypeError):
        return None
