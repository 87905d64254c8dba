"""The loop: ask the model for a move, check the limits, run the tools, show it what they found; until it answers."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Generator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from query_fn.agent.chat.base import (
    Call,
    ChatModel,
    DelegateResult,
    Draft,
    Move,
    Observation,
    ReadResult,
    Result,
    ToolError,
    View,
)
from query_fn.agent.events import Step
from query_fn.agent.manual import DELEGATE
from query_fn.agent.purse import Purse
from query_fn.agent.steps import step
from query_fn.agent.tools import Tools
from query_fn.errors import ModelFailed
from query_fn.model import SearchResult

MAX_CALLS_PER_TURN = 4
MAX_ROUNDS = 3  # turns that search
FRUITLESS = 3  # turns in a row that bring nothing new, after which the model must answer
_log = logging.getLogger("geosmin.agent")


class Ending(Struct, frozen=True):
    """How a run ended: all observations, the draft, the named limit that stopped it ("" = the model was done), the
    model's moves, with which the run can be played again, and why the model gave up ("" = it did not)."""

    seen: tuple[Observation, ...]
    draft: Draft
    stop: str
    moves: tuple[Move, ...] = ()
    failed: str = ""


def run(
    view: View, tools: Tools, *, model: ChatModel, purse: Purse, clock: Callable[[], float] = time.monotonic
) -> Generator[Step, None, Ending]:
    """Yield a Step for each tool call and return the Ending. What `view` has seen already is carried on.

    Limits are checked before each call is made. Nobody is asked once the reader has left.
    """
    seen, moves = list(view.seen), list[Move]()
    while True:
        stop = purse.stop() or _stop(seen)
        if stop == "gone":
            return Ending(tuple(seen), Draft(()), stop, tuple(moves))
        try:
            move = model.next(replace(view, seen=tuple(seen), final=bool(stop)))
        except ModelFailed as failure:
            return Ending(tuple(seen), Draft(()), stop, tuple(moves), failure.code)
        moves.append(move)
        if isinstance(move, Draft):
            return Ending(tuple(seen), move, stop, tuple(moves))
        if stop:
            return Ending(tuple(seen), Draft(()), stop, tuple(moves))
        turn = seen[-1].turn + 1 if seen else 0
        for position, call in enumerate(move.calls):
            if why := _refused(position, purse):
                seen.append(Observation(call, ToolError("not_run", why), 0.0, turn))
                continue
            purse.step()
            began = clock()
            result = _result(call, tools, seen=seen, turn=turn)
            seen.append(Observation(call, result, (clock() - began) * 1000, turn))
            yield step(seen, view.lang, purse.steps)


def _refused(position: int, purse: Purse) -> str:
    """Return why the call at this position of its turn is not made, "" when it is."""
    if position >= MAX_CALLS_PER_TURN:
        return f"At most {MAX_CALLS_PER_TURN} calls a turn are made."
    return "The limit of this question is reached; answer now." if purse.stop() else ""


def _stop(seen: Sequence[Observation]) -> str:
    """Return why no tool may be used any more, "" when one may."""
    errors = [o.result.code for o in seen if isinstance(o.result, ToolError)]
    if repeated := next((code for code in ("unknown_tool", "repeated") if errors.count(code) >= 2), ""):
        return repeated
    last = seen[-1].turn if seen else -1
    return "no_progress" if last + 1 >= FRUITLESS and not _news(seen, last - FRUITLESS + 1) else ""


def _news(seen: Sequence[Observation], since: int) -> bool:
    """Say whether a turn from `since` on brought a place or a text that was not known before."""
    known: set[str] = set()
    for observation in seen:
        found = _brought(observation)
        if observation.turn >= since and found - known:
            return True
        known |= found
    return False


def _brought(observation: Observation) -> set[str]:
    result = observation.result
    if isinstance(result, SearchResult):
        return {candidate.chunk_id for candidate in result.candidates}
    if isinstance(result, ReadResult):
        return {f"read {evidence.locator}" for evidence in result.evidence}
    if isinstance(result, DelegateResult):
        return {place.chunk_id for finding in result.findings for place in finding.places}
    return set() if isinstance(result, ToolError) else {json.dumps(dict(observation.call.args), sort_keys=True)}


def _result(call: Call, tools: Tools, *, seen: Sequence[Observation], turn: int) -> Result:
    """Run one call. A repeated one is not run again; a tool that breaks is an observation, not the end."""
    if call.fault:
        return ToolError("bad_arguments", call.fault)
    if any(_same(call, o.call) for o in seen):
        return ToolError("repeated", "This call was made before; its result stands above.")
    if call.tool == "search" and len({o.turn for o in seen if o.call.tool == "search"} - {turn}) >= MAX_ROUNDS:
        return ToolError("searched", f"It was searched {MAX_ROUNDS} times; read what was found, or answer.")
    if call.tool == DELEGATE and any(isinstance(o.result, DelegateResult) for o in seen):
        return ToolError("delegated", "Sub-questions were delegated before; read what they found, or answer.")
    try:
        return tools.call(call)
    except Exception:  # noqa: BLE001 - the one edge where any fault of a tool becomes data
        _log.exception("tool %s failed", call.tool)
        return ToolError("failed", "The tool failed; another way may work.")


def _same(a: Call, b: Call) -> bool:
    return a.tool == b.tool and json.dumps(dict(a.args), sort_keys=True) == json.dumps(dict(b.args), sort_keys=True)
