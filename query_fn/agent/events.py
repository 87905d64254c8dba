"""What a running answer tells the outside, in order: steps as they happen, sources, sentences, the whole answer."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from query_fn.agent.chat.base import Move, Observation
from query_fn.model import Answer, Citation, Evidence


class Step(Struct, frozen=True):
    """One finished tool call: its name, one quiet line for the reader, and details for the trace."""

    number: int
    name: str
    text: str
    detail: Mapping[str, object]
    ms: float


class Source(Struct, frozen=True):
    """A piece of evidence that the answer cites."""

    evidence: Evidence


class Sentence(Struct, frozen=True):
    """The next piece of the answer's text, verified. The pieces joined are the answer."""

    text: str
    citations: tuple[Citation, ...]


class Done(Struct, frozen=True):
    """The whole answer; `standalone` is what a follow-up may refer to, `seen` and `moves` are for the owner's trace."""

    answer: Answer
    standalone: str
    seen: tuple[Observation, ...] = ()
    moves: tuple[Move, ...] = ()


Event = Step | Source | Sentence | Done
