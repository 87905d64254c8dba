"""From what was seen to figures: one JSON-shaped value that the table, the page and the gate all read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from compiler.evaluate.asking import STEPS, Found, Said
from compiler.evaluate.metrics import (
    CUT,
    auc,
    calibration_error,
    contains,
    figures,
    mean,
    percentile,
    rejected,
    reliability,
)
from compiler.evaluate.run import Outcome

CUTS = (150, 300)  # characters of an answer that a reader takes in at a glance, and in a paragraph
SILENT = ("refusal", "page", "sentence", "length")  # why an answer lacks the gold: no or another page, part, place
RESULTS = ("fused", "selected")  # the order of fusion, and what the reader gets
LOST = ("routes", "fusion", "selection")  # where a relevant document can go missing, in order

Json = dict[str, Any]
Item = TypeVar("Item", Found, Said)


def report(seen: Outcome) -> Json:
    """Return all figures. Shares and scores are 0..1 and None where the set cannot tell; times are milliseconds.

    `latency_ms` and `run` differ from run to run, everything else is the same for the same base, questions and seed.
    """
    judged = [found for found in seen.found if found.question.relevant]
    names = dict.fromkeys(name for found in seen.found for name in found.lists if name not in STEPS)
    found = {
        "set": seen.name,
        "docs": seen.docs,
        "queries": len(seen.found),
        "judged": len(judged),
        "routes": {name: _route(judged, name) for name in names},
        "steps": {step: _figures(judged, step) for step in STEPS if step not in RESULTS},
        **{step: _figures(judged, step) for step in RESULTS},
        "by_type": _split(judged, lambda found: found.question.type),
        "by_lang": _split(judged, lambda found: found.lang),
        "lost": {f"@{k}": _lost(judged, k) for k in (1, CUT)},
        "answer": _answers(seen.said),
        "answers_by_type": _answers_by_type(seen.said),
        "refusal": _refusals(seen.found, seen.said),
        "confidence": _confidence(seen.found),
        "latency_ms": _latency(seen),
        "run": {"embedded": seen.fresh, "seconds": dict(seen.seconds)},
        "degraded": list(seen.degraded),
        "misses": [_miss(found) for found in judged if lost_at(found, CUT)],
        "wrong_answers": [
            {"id": said.question.id, "question": said.question.text, "lost": why}
            for said in seen.said
            if (why := _wrong(said))
        ],
    }
    return {name: _rounded(value) for name, value in found.items()}


def ranked_rows(report: Mapping[str, Any]) -> Json:
    """Return the figures of routes, baselines and steps in the order in which a question meets them."""
    steps = report["steps"]
    before = {name: steps[name] for name in ("words_fused", "rrf60")}
    product = {"fused": report["fused"], "reranked": steps["reranked"], "selected": report["selected"]}
    return {**report["routes"], **before, **product}


def lost_at(found: Found, k: int) -> str:
    """Return the step after which no relevant document is among the first `k`, "" when the reader gets one."""
    if _held(found, ["selected"], k):
        return ""
    if not _held(found, [name for name in found.lists if name not in STEPS], k):
        return "routes"
    return "selection" if _held(found, ["fused"], k) else "fusion"


def _held(found: Found, lists: Iterable[str], k: int) -> bool:
    relevant = set(found.question.relevant)
    return any(not relevant.isdisjoint(found.lists.get(name, ())[:k]) for name in lists)


def _route(judged: Sequence[Found], name: str) -> Json:
    """Return the figures of a route over all questions, so that routes compare, and how many of them took it."""
    return {"queries": sum(name in found.lists for found in judged), **_figures(judged, name)}


def _figures(judged: Sequence[Found], name: str) -> dict[str, float | None]:
    return figures([(found.lists.get(name, ()), found.question.relevant) for found in judged])


def _lost(judged: Sequence[Found], k: int) -> dict[str, float | None]:
    where = [lost_at(found, k) for found in judged]
    return {name: mean(place == name for place in where) for name in LOST}


def _split(judged: Sequence[Found], key: Callable[[Found], str]) -> Json:
    """Return for each kind of question how many there are, the figures of the fused order, and of the selected."""
    kinds = sorted({key(found) for found in judged} - {""})
    own = {kind: [found for found in judged if key(found) == kind] for kind in kinds}
    return {
        kind: {"queries": len(held), **_figures(held, "fused"), "selected": _figures(held, "selected")}
        for kind, held in own.items()
    }


def _answers(said: Sequence[Said]) -> Json:
    """Return containment and citation precision over the sampled questions that have an answer here."""
    asked = [item for item in said if not item.question.refuse]
    gold = [item for item in asked if _has_gold(item)]
    cited = [right for item in asked if item.question.relevant for right in item.cited]
    return {
        "asked": len(asked),
        **{f"contains_gold@{cut}": mean(_contains(item, cut) for item in gold) for cut in CUTS},
        "contains_gold": mean(_contains(item, None) for item in gold),
        "citation_precision": mean(cited),
        "lost": {step: mean(_silent_at(item) == step for item in gold) for step in SILENT},
    }


def _answers_by_type(said: Sequence[Said]) -> Json:
    """Return for each kind of question how many were answered, how many of them right, and how many were refused."""
    kinds = sorted({item.question.type for item in said} - {""})
    own = {kind: [item for item in said if item.question.type == kind] for kind in kinds}
    return {
        kind: {
            "asked": len(held),
            **{f"right@{cut}": mean(_contains(item, cut) for item in held if _has_gold(item)) for cut in CUTS},
            "right": mean(_contains(item, None) for item in held if _has_gold(item)),
            "refused": mean(item.refused for item in held),
        }
        for kind, held in own.items()
    }


def _has_gold(said: Said) -> bool:
    return not said.question.refuse and bool(said.question.answers or said.question.must_contain)


def _wrong(said: Said) -> str:
    """Return why an answer is wrong, "" when it is right or cannot be judged."""
    if said.question.refuse:
        return "" if said.refused else "not refused"
    return _silent_at(said) if _has_gold(said) else ""


def _silent_at(said: Said) -> str:
    """Return why the first CUTS[0] characters lack the gold answer, "" when they hold it."""
    if said.refused:
        return "refusal"
    if _contains(said, CUTS[0]):
        return ""
    if _contains(said, None):
        return "length"
    return "sentence" if any(said.cited) or not said.question.relevant else "page"


def _contains(said: Said, cut: int | None) -> bool:
    return not said.refused and contains(said.text, said.question.answers, said.question.must_contain, cut=cut)


def _refusals(found: Sequence[Found], said: Sequence[Said]) -> Json:
    """Return how well confidence tells the unanswerable apart, and what the calibrated threshold makes of it."""
    known = [item for item in found if _is_answerable(item)] + [item for item in found if item.question.refuse]
    sure = [item.confidence for item in known if not item.question.refuse]
    others = [item.confidence for item in known if item.question.refuse]
    refused = [item for item in known if not item.answerable]
    return {
        "auc": auc(sure, others),
        "rejected_at_5pct": rejected(sure, others),
        "precision": mean(item.question.refuse for item in refused) if others else None,
        "recall": mean(not item.answerable for item in known if item.question.refuse),
        "false_refusals": mean(not item.answerable for item in known if not item.question.refuse),
        "answers_refused": mean(item.refused for item in said if item.question.refuse),
        "answers_refused_wrongly": mean(item.refused for item in said if _is_answerable(item)),
    }


def _is_answerable(item: Item) -> bool:
    question = item.question
    return not question.refuse and bool(question.relevant or question.answers or question.must_contain)


def _confidence(found: Sequence[Found]) -> Json:
    """Return the reliability of the confidence: right is a question whose first candidate is a relevant page."""
    known = [item for item in found if item.question.relevant or item.question.refuse]
    bins = reliability([(item.confidence, _held(item, ["selected"], 1)) for item in known])
    return {"ece": calibration_error(bins), "bins": [asdict(item) for item in bins]}


def _latency(seen: Outcome) -> Json:
    """Return the search's time without the embedding, its parts at the median, the embedding and the answer."""
    stages = sorted({name for found in seen.found for name in found.stages})
    return {
        **_percentiles([found.ms for found in seen.found]),
        "split": {name: percentile([found.stages.get(name, 0.0) for found in seen.found], 0.5) for name in stages},
        "embedding": _percentiles(seen.embed_ms),
        "answer": _percentiles([said.ms for said in seen.said]),
    }


def _percentiles(values: Collection[float]) -> dict[str, float | None]:
    return {"p50": percentile(values, 0.5), "p99": percentile(values, 0.99)}


def _miss(found: Found) -> Json:
    question = found.question
    got = found.lists["selected"][:1]
    return {
        "id": question.id,
        "question": question.text,
        "lost": lost_at(found, CUT),
        "expected": list(question.relevant),
        "got": list(got),
    }


def _rounded(value: Any) -> Any:
    """Return the value with numbers of six digits: what differs beyond them is the order of a sum."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return round(value, 6) if isinstance(value, float) else value
