"""A run written down for the owner: what was asked, every move of the model, what each call found, the answer.

The moves are enough to play the run again without a model (`Scripted`): the same build gives the same answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import to_builtins

from query_fn import schema
from query_fn.agent.chat.base import Call, Calls, DelegateResult, Draft, Move, Observation, Quoted, ReadResult
from query_fn.errors import BadRequest
from query_fn.model import Ask, Scope, SearchResult, Turn

VERSION = 1
Json = dict[str, Any]


def written(ask: Ask, *, build_id: str, now: int, moves: Sequence[Move]) -> Json:
    """Return what is needed to play a run again, as JSON values. `now` is in UTC epoch seconds."""
    return {
        "trace": VERSION,
        "build_id": build_id,
        "now": now,
        "ask": {
            "question": ask.question,
            "lang": ask.lang,
            "scope": to_builtins(ask.scope),
            "turns": [to_builtins(turn) for turn in ask.turns],
        },
        "moves": [_move(move) for move in moves],
    }


def observed(seen: Sequence[Observation]) -> list[Json]:
    """Return what each call found: places and the text that was read."""
    return [
        {"turn": o.turn, "tool": o.call.tool, "args": dict(o.call.args), "ms": round(o.ms, 1), "found": _found(o)}
        for o in seen
    ]


def question_of(trace: Mapping[str, Any]) -> Ask:
    """Return the question of a trace. Raises BadRequest for what is no trace of this version."""
    if trace.get("trace") != VERSION:
        raise BadRequest(f"This is no trace of version {VERSION}.", pointer="/trace")
    asked = schema.as_object(trace.get("ask"), "/ask", keys=("question", "lang", "scope", "turns"))
    try:
        scope: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in trace["ask"]["scope"].items()}
        turns = [Turn(**{**turn, "evidence": tuple(turn["evidence"])}) for turn in trace["ask"]["turns"]]
        lang = asked["lang"]
        return Ask(str(asked["question"]), str(lang) if lang else None, Scope(**scope), turns=tuple(turns))
    except (KeyError, TypeError, ValueError):
        raise BadRequest("The trace does not hold a question as one is written.", pointer="/ask") from None


def moves_of(trace: Mapping[str, Any]) -> tuple[Move, ...]:
    """Return the moves of a trace. Raises BadRequest."""
    try:
        return tuple(_read(move) for move in trace["moves"])
    except (KeyError, TypeError, ValueError):
        raise BadRequest("The trace does not hold moves as they are written.", pointer="/moves") from None


def _move(move: Move) -> Json:
    told: Json = to_builtins(move)
    return told


def _read(move: Mapping[str, Any]) -> Move:
    if "calls" in move:
        return Calls(tuple(Call(**call) for call in move["calls"]))
    sentences = tuple(
        Quoted(**{**sentence, "quotes": tuple((source, quote) for source, quote in sentence["quotes"])})
        for sentence in move["sentences"]
    )
    return Draft(**{**move, "sentences": sentences, "uncertainties": tuple(move["uncertainties"])})


def _found(observation: Observation) -> Json:
    result = observation.result
    if isinstance(result, SearchResult):
        return {"confidence": round(result.confidence, 3), "candidates": [c.chunk_id for c in result.candidates]}
    if isinstance(result, ReadResult):
        texts = [{"id": e.id, "locator": e.locator, "text": e.text} for e in result.evidence]
        return {"evidence": texts, "missing": list(result.missing)}
    if isinstance(result, DelegateResult):
        return {"findings": [to_builtins(finding) for finding in result.findings]}
    return {"kind": type(result).__name__, "code": getattr(result, "code", "")}
