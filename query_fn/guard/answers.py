"""Answers that were given already. One is used again for the same question, in the same build, until a page expires."""

from __future__ import annotations

import hashlib
import json
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

from msgspec import to_builtins
from msgspec.structs import replace

from query_fn.agent.events import Done, Event
from query_fn.contract import Manifest
from query_fn.model import Ask, Status

KEPT = (Status.COMPLETED, Status.NO_ANSWER)  # what failed in part may go better the next time


class Answers(Protocol):
    """A cache of answers as the events they were made of."""

    def get(self, key: str, now: int) -> tuple[Event, ...]:
        """Return the events of an answer that is still good, () for none."""
        ...

    def put(self, key: str, events: Sequence[Event], until: int | None) -> None:
        """Keep an answer; `until` is in UTC epoch seconds, None means for ever."""
        ...


class MemoryAnswers:
    """The last answers of one process."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[tuple[Event, ...], int | None]] = OrderedDict()

    def get(self, key: str, now: int) -> tuple[Event, ...]:
        """Return an answer that has not expired."""
        with self._lock:
            events, until = self._kept.get(key, ((), None))
            if until is not None and now >= until:
                del self._kept[key]
                return ()
            return events

    def put(self, key: str, events: Sequence[Event], until: int | None) -> None:
        """Keep an answer, and forget the oldest."""
        with self._lock:
            self._kept[key] = (tuple(events), until)
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


def key_of(ask: Ask, manifest: Manifest, made_with: Sequence[str]) -> str:
    """Return what an answer depends on, as a hash; "" for a question of a conversation, which is never kept.

    `made_with` is the model and the named fallbacks.
    """
    if ask.turns:
        return ""
    parts = [
        manifest.build_id,
        unicodedata.normalize("NFC", ask.question),
        ask.lang,
        to_builtins(ask.scope),
        *made_with,
    ]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def worth_keeping(events: Sequence[Event], manifest: Manifest, now: int) -> bool:
    """Say whether an answer may be used again: whole, and made while everything of the build was still valid."""
    last = events[-1] if events else None
    expired = manifest.next_change is not None and now >= manifest.next_change
    return isinstance(last, Done) and last.answer.status in KEPT and not expired


def slim(event: Event) -> Event:
    """Return an event without what only the owner's trace needs."""
    return replace(event, seen=(), moves=()) if isinstance(event, Done) else event
