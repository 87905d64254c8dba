"""Answers that all containers use again, in the DynamoDB table of the counters.

An item is the key's hash and the events as compressed JSON. It is not given after `until`, whenever the table deletes
it. With a secret an item is signed together with its key, which holds the build, and its end: whoever may write to the
table but has no secret can put no word before a reader. What cannot be fetched, kept, understood or believed is a miss,
named in the log.
"""

from __future__ import annotations

import hmac
import json
import logging
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from msgspec import Struct, to_builtins

from query_fn.agent.events import Done, Event, Sentence, Source, Step
from query_fn.guard.answers import Answers
from query_fn.guard.counters import StoreDown
from query_fn.guard.table import Table
from query_fn.guard.tokens import mac
from query_fn.model import Answer

MOST_BYTES = 256 * 1024  # of an answer's events as JSON; the largest of the handbook's has 40,000
_PURPOSE = b"geosmin answer 1"
_log = logging.getLogger("geosmin.answers")


class _Whole(Struct, frozen=True):
    """What is kept of Done: all but the owner's trace."""

    answer: Answer
    standalone: str


_KINDS = {"step": Step, "source": Source, "sentence": Sentence, "done": _Whole}


class SharedAnswers:
    """Answers in a table, behind those of this process: what is fetched once is not fetched again."""

    def __init__(
        self,
        table: Table,
        near: Answers,
        *,
        seconds: int,
        secret: bytes | None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._table = table
        self._near = near
        self._seconds = seconds  # for which an answer without an expiry is kept
        self._secret = secret  # None: whoever may write to the table is believed
        self._clock = clock

    def get(self, key: str, now: int) -> tuple[Event, ...]:
        """Return an answer that has not expired."""
        if near := self._near.get(key, now):
            return near
        try:
            events, until = self._fetch(key)
        except StoreDown as error:
            _log.warning("kept answers cannot be read: %s", error)
            return ()
        if now >= until:
            return ()
        self._near.put(key, events, until)
        return events

    def put(self, key: str, events: Sequence[Event], until: int | None) -> None:
        """Keep an answer here and in the table, no longer than it may be used."""
        self._near.put(key, events, until)
        raw, last = written(events), int(self._clock()) + self._seconds
        if len(raw) > MOST_BYTES:
            _log.warning("an answer of %d bytes is not shared", len(raw))
            return
        packed, ends = zlib.compress(raw), last if until is None else min(last, until)
        values = {":until": {"N": str(ends)}, ":events": {"B": packed}, ":mac": {"B": self._mac(key, ends, packed)}}
        try:
            self._keep(key, values)
        except StoreDown as error:
            _log.warning("an answer cannot be shared: %s", error)

    def _mac(self, key: str, until: int, packed: bytes) -> bytes:
        """Return the signature of an item, b"" where nobody signs."""
        return mac(f"{key} {until} ".encode() + packed, self._secret, purpose=_PURPOSE) if self._secret else b""

    def _keep(self, key: str, values: Mapping[str, object]) -> None:
        """Write an item, with the one right to write that the counters need too."""
        with self._table.asking():
            self._table.client.update_item(
                TableName=self._table.name,
                Key={"id": {"S": f"answer:{key}"}},
                UpdateExpression="SET #until = :until, events = :events, mac = :mac",
                ExpressionAttributeNames={"#until": "until"},
                ExpressionAttributeValues=values,
            )

    def _fetch(self, key: str) -> tuple[tuple[Event, ...], int]:
        with self._table.asking():
            found = self._table.client.get_item(TableName=self._table.name, Key={"id": {"S": f"answer:{key}"}})
        if "Item" not in found:
            return (), 0
        item = found["Item"]
        try:
            packed, until = item["events"]["B"], int(item["until"]["N"])
            if not hmac.compare_digest(item["mac"]["B"], self._mac(key, until, packed)):
                _log.error("a kept answer is not signed by this function and is not used")
                return (), 0
            return read(zlib.decompressobj().decompress(packed, MOST_BYTES)), until
        except (KeyError, ValueError, zlib.error) as error:
            _log.warning("a kept answer cannot be understood: %s", type(error).__name__)
            return (), 0


def written(events: Sequence[Event]) -> bytes:
    """Return events as JSON: pairs of a kind and its fields."""
    return json.dumps([_pair(event) for event in events], ensure_ascii=False, separators=(",", ":")).encode()


def read(raw: bytes) -> tuple[Event, ...]:
    """Return the events of `written`, every field of the type it has. Raises ValueError for anything else."""
    from msgspec import convert  # 19 ms

    pairs = convert(json.loads(raw), list[tuple[Literal["step", "source", "sentence", "done"], object]])
    found: list[Step | Source | Sentence | _Whole] = [convert(fields, _KINDS[kind]) for kind, fields in pairs]
    return tuple(Done(each.answer, each.standalone) if isinstance(each, _Whole) else each for each in found)


def _pair(event: Event) -> tuple[str, object]:
    kept = _Whole(event.answer, event.standalone) if isinstance(event, Done) else event
    kind = next(name for name, made in _KINDS.items() if isinstance(kept, made))
    return kind, to_builtins(kept)
