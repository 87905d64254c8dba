"""What a fake model says: turns, and faults on request. Nothing here knows HTTP.

A script is a function from a request's JSON body to a reply. `scripted` makes one of a list; a test with an opinion on
every request writes its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Text:
    """A text block; `citations` are as the API writes them (`reading.cited` makes them)."""

    text: str
    citations: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool call; `input` may be the JSON text itself, broken if a test wants it so."""

    name: str
    input: dict[str, Any] | str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Thought:
    """A thinking block: nothing that a reader is told."""

    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the model, and how its stream misbehaves."""

    blocks: tuple[Text | Tool | Thought, ...]
    stop_reason: str = ""  # "" = tool_use when a tool is called, else end_turn
    output_tokens: int | None = None  # None = counted from the text
    category: str | None = None  # of a refusal
    pieces: int = 0  # bytes per write; 0 = an event per write
    cut: int | None = None  # the connection is closed after so many events
    error: str = ""  # an error event instead of what follows `after` events
    after: int = 1
    pause: float = 0.0  # seconds of silence after the first event

    @classmethod
    def says(cls, text: str, **how: Any) -> Turn:
        """Return a turn of one text block."""
        return cls((Text(text),), **how)

    @classmethod
    def calls(cls, name: str, /, **arguments: Any) -> Turn:
        """Return a turn of one tool call."""
        return cls((Tool(name, arguments),))


@dataclass(frozen=True, slots=True)
class Status:
    """An HTTP error."""

    code: int
    kind: str = ""  # "" = the API's own type for that code
    retry_after: str = ""
    body: bytes | None = None  # instead of the API's JSON


@dataclass(frozen=True, slots=True)
class Hang:
    """Silence before the first byte, then a closed connection."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Expired:
    """A request of a batch that was not done in its 24 hours."""


Reply = Turn | Status | Hang | Expired
Script = Callable[[dict[str, Any]], Reply]

KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def scripted(replies: Sequence[Reply]) -> Script:
    """Return a script that gives replies in order, the last one for ever: one tool call makes an endless loop."""
    left, lock = list(replies), threading.Lock()

    def script(_: dict[str, Any]) -> Reply:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return script
