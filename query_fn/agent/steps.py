"""What a reader is told of a step: one quiet line, with counts and ids for the trace."""

from __future__ import annotations

from collections.abc import Sequence

from query_fn.agent.chat.base import (
    CollectionResult,
    DelegateResult,
    Finding,
    LinksResult,
    ListResult,
    Observation,
    OutlineResult,
    ReadResult,
    Result,
    ToolError,
)
from query_fn.agent.events import Step
from query_fn.agent.phrases import say
from query_fn.model import SearchResult


def step(seen: Sequence[Observation], lang: str, number: int) -> Step:
    """Describe the newest observation."""
    last = seen[-1]
    again = any(isinstance(o.result, SearchResult) for o in seen[:-1])
    text = _line(last.result, lang, again=again)
    return Step(number, last.call.tool, text, _detail(last.result), last.ms)


def _line(result: Result, lang: str, *, again: bool) -> str:
    match result:
        case SearchResult():
            return say("step.rewrite" if again else "step.search", lang, query=result.query)
        case ReadResult() if result.evidence:
            return _reading(result, lang)
        case OutlineResult():
            return say("step.outline", lang, titles=result.article.title)
        case CollectionResult():
            return say("step.outline", lang, titles=f"{result.folder}/")
        case LinksResult():
            return say("step.links", lang, titles=result.article.title)
        case ListResult():
            return say("step.list", lang)
        case DelegateResult():
            return say("step.delegate", lang, goals=" · ".join(finding.task.goal for finding in result.findings))
    return say("step.failed", lang)


def _reading(result: ReadResult, lang: str) -> str:
    titles, count = ", ".join(dict.fromkeys(e.title for e in result.evidence)), len(result.evidence)
    return say("step.read_several" if count > 1 else "step.read", lang, titles=titles, count=str(count))


def _task(finding: Finding) -> dict[str, object]:
    places = [place.chunk_id for place in finding.places]
    return {"goal": finding.task.goal, "steps": list(finding.steps), "places": places, "failed": finding.failed}


def _detail(result: Result) -> dict[str, object]:
    match result:
        case SearchResult():
            return {"candidates": len(result.candidates), "confidence": round(result.confidence, 3)}
        case ReadResult():
            return {"read": [e.locator for e in result.evidence], "missing": len(result.missing)}
        case OutlineResult():
            return {"nodes": len(result.nodes)}
        case CollectionResult():
            return {"pages": result.total, "folders": len(result.folders)}
        case LinksResult():
            return {"links": len(result.links)}
        case ListResult():
            return {"pages": result.total}
        case DelegateResult():
            return {"tasks": [_task(finding) for finding in result.findings]}
        case ToolError():
            return {"error": result.code}
