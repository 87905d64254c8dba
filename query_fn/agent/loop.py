"""The loop: ask the model for a move, check the limits, run the tools, show it what they found; until it answers."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace

from query_fn.agent.chat.base import Call, ChatModel, Draft, Observation, OutlineResult, ReadResult, ToolError, View
from query_fn.agent.events import Step
from query_fn.agent.phrases import say
from query_fn.agent.tools import Tools
from query_fn.model import SearchResult

MAX_CALLS_PER_TURN = 4
_log = logging.getLogger("geosmin.agent")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one question may cost: tool calls, and seconds on the wall clock."""

    steps: int = 8
    seconds: float = 25.0


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: all observations, the draft, and the named limit that stopped it ("" = the model was done)."""

    seen: tuple[Observation, ...]
    draft: Draft
    stop: str


def run(
    view: View, tools: Tools, *, model: ChatModel, limits: Limits, clock: Callable[[], float] = time.monotonic
) -> Generator[Step, None, Ending]:
    """Yield a Step for each tool call and return the Ending. Limits are checked before each call is made."""
    seen: list[Observation] = []
    started = clock()
    while True:
        stop = _stop(seen, limits, clock() - started)
        move = model.next(replace(view, seen=tuple(seen), final=bool(stop)))
        if isinstance(move, Draft):
            return Ending(tuple(seen), move, stop)
        if stop:
            return Ending(tuple(seen), Draft(()), stop)
        for position, call in enumerate(move.calls):
            seen.append(_observe(call, tools, seen=seen, blocked=position >= MAX_CALLS_PER_TURN, clock=clock))
            yield _step(seen, view.lang)
            if _stop(seen, limits, clock() - started):
                break


def _stop(seen: list[Observation], limits: Limits, elapsed: float) -> str:
    """Return the name of the limit that is reached, "" for none."""
    errors = [o.result.code for o in seen if isinstance(o.result, ToolError)]
    if len(seen) >= limits.steps:
        return "steps"
    if elapsed >= limits.seconds:
        return "deadline"
    return next((code for code in ("unknown_tool", "repeated") if errors.count(code) >= 2), "")


def _observe(
    call: Call, tools: Tools, *, seen: list[Observation], blocked: bool, clock: Callable[[], float]
) -> Observation:
    """Run one call. A repeated one is not run again; a tool that breaks is an observation, not the end."""
    if blocked:
        return Observation(call, ToolError("too_many_calls", f"At most {MAX_CALLS_PER_TURN} calls a turn."), 0.0)
    if any(_same(call, o.call) for o in seen):
        return Observation(call, ToolError("repeated", "This call was made before; its result stands above."), 0.0)
    started = clock()
    try:
        result = tools.call(call)
    except Exception:  # noqa: BLE001 - the one edge where any fault of a tool becomes data
        _log.exception("tool %s failed", call.tool)
        result = ToolError("failed", "The tool failed; another way may work.")
    return Observation(call, result, (clock() - started) * 1000)


def _same(a: Call, b: Call) -> bool:
    return a.tool == b.tool and json.dumps(a.args, sort_keys=True) == json.dumps(b.args, sort_keys=True)


def _step(seen: list[Observation], lang: str) -> Step:
    """Describe the newest observation: one line for the reader, counts and ids for the trace."""
    last = seen[-1]
    detail: dict[str, object] = {}
    if isinstance(last.result, SearchResult):
        earlier = any(isinstance(o.result, SearchResult) for o in seen[:-1])
        text = say("step.rewrite" if earlier else "step.search", lang, query=last.result.query)
        detail = {"candidates": len(last.result.candidates), "confidence": round(last.result.confidence, 3)}
    elif isinstance(last.result, ReadResult):
        titles = dict.fromkeys(e.title for e in last.result.evidence)
        text = say("step.read", lang, titles=", ".join(titles)) if titles else say("step.failed", lang)
        detail = {"read": [e.locator for e in last.result.evidence], "missing": len(last.result.missing)}
    elif isinstance(last.result, OutlineResult):
        text = say("step.outline", lang, titles=last.result.article.title)
        detail = {"nodes": len(last.result.nodes)}
    else:
        text, detail = say("step.failed", lang), {"error": last.result.code}
    return Step(len(seen), last.call.tool, text, detail, last.ms)
