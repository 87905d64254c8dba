"""One question through the product: what each route and step found, and what the reader was told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from compiler.evaluate.bases import Base
from compiler.evaluate.metrics import reciprocal_rank_fusion
from compiler.evaluate.sets import Question
from query_fn import service
from query_fn.agent.events import Done
from query_fn.agent.router import standalone
from query_fn.contract import ChunkRow
from query_fn.model import Answer, Ask, SearchResult, Status, Turn
from query_fn.text import normalise, script_lang

LIMIT = 10  # candidates a reader gets
REWRITTEN = "+rewritten"  # a route's hits for the translated question and for its clauses
STEPS = ("words_fused", "rrf60", "fused", "reranked", "selected")  # two baselines, then the product's own in order

Ranking = tuple[str, ...]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Found:
    """What the search did with one question: a ranking of names for each route and step."""

    question: Question
    lang: str  # of the question, and of its document when that is another: "zh", "zh→en"
    lists: Mapping[str, Ranking]
    confidence: float
    answerable: bool
    ms: float  # without the embedding
    stages: Mapping[str, float]  # milliseconds


@dataclass(frozen=True, slots=True)
class Said:
    """What was answered: `cited` tells of each citation whether it stands on a relevant page."""

    question: Question
    text: str
    refused: bool
    cited: tuple[bool, ...]
    ms: float  # without the embedding


def as_searched(question: Question) -> str:
    """Return the question as the product searches for it, with the previous turn in front when it leans on it."""
    return standalone(question.text, question.previous or None)


def search(question: Question, base: Base) -> Found:
    """Return what a question finds, route by route and step by step."""
    text, now = as_searched(question), base.deps.clock()
    result, ms, embedding = _timed(base, lambda: base.deps.searcher.search(text, now=now, limit=LIMIT))
    stages = dict(result.diagnostics.timings_ms)
    stages["prepare"] = max(0.0, stages["prepare"] - embedding)
    words = base.words.search(text, now=now, limit=LIMIT)
    chunks = _routes(result)
    places = [report.hits for report in result.diagnostics.routes]
    best = sorted(result.candidates, key=lambda candidate: -candidate.score)
    chunks |= {
        "words_fused": words.diagnostics.fused,
        "rrf60": reciprocal_rank_fusion([chunk for chunk, _ in hits] for hits in places),
        "fused": result.diagnostics.fused,
        "reranked": [candidate.chunk_id for candidate in best],
        "selected": [candidate.chunk_id for candidate in result.candidates],
    }
    return Found(
        question,
        _lang(question, base),
        {name: _named(found, question, base) for name, found in chunks.items()},
        result.confidence,
        result.answerable,
        ms,
        stages,
    )


def answer(question: Question, base: Base) -> Said:
    """Return what a reader is told; a previous turn is answered first, as it was in the conversation."""
    turns: tuple[Turn, ...] = ()
    if question.previous:
        before = _done(Ask(question.previous), base)
        evidence = tuple(item.locator for item in before.answer.evidence)
        turns = (Turn(question.previous, before.standalone, before.answer.answer, evidence),)
    done, ms, _ = _timed(base, lambda: _done(Ask(question.text, turns=turns), base))
    refused = done.answer.status in (Status.NO_ANSWER, Status.REFUSED)
    return Said(question, "" if refused else done.answer.answer, refused, _citations(done.answer, question, base), ms)


def _done(ask: Ask, base: Base) -> Done:
    return next(event for event in service.answer(ask, base.deps) if isinstance(event, Done))


def _timed(base: Base, do: Callable[[], Value]) -> tuple[Value, float, float]:
    """Return a result, its milliseconds without the embedder, and those of the embedder (mostly cache look-ups)."""
    before, began = base.embedder.seconds if base.embedder else 0.0, time.perf_counter()
    value = do()
    total = time.perf_counter() - began
    embedding = base.embedder.seconds - before if base.embedder else 0.0
    return value, (total - embedding) * 1000, embedding * 1000


def _routes(result: SearchResult) -> dict[str, Iterable[str]]:
    """Return the chunks of each route; those of rewritten queries apart, each at its best place."""
    own: dict[str, list[tuple[int, str]]] = {}
    for report in result.diagnostics.routes:
        name = report.route if report.query == result.query else report.route + REWRITTEN
        own.setdefault(name, []).extend((place, chunk) for place, (chunk, _) in enumerate(report.hits))
    return {name: [chunk for _, chunk in sorted(places, key=lambda hit: hit[0])] for name, places in own.items()}


def _named(chunks: Iterable[str], question: Question, base: Base) -> Ranking:
    """Return chunks as what the set calls their documents, each once."""
    rows = (base.deps.store.chunk(chunk) for chunk in chunks)
    return tuple(dict.fromkeys(_name(row, question, base) for row in rows if row))


def _name(chunk: ChunkRow, question: Question, base: Base) -> str:
    """Return the name of a chunk's document; a chunk that lacks the heading which was asked for is only itself."""
    found = not question.heading or normalise(question.heading).strip() in _headings(chunk)
    return base.names[chunk.article_id] if found else chunk.id


def _headings(chunk: ChunkRow) -> set[str]:
    """Return the headings a chunk stands below and those that stand in it."""
    inside = (line.lstrip("#").strip() for line in chunk.text.splitlines() if line.startswith("#"))
    return {normalise(heading).strip() for heading in (*chunk.path, *inside)}


def _citations(given: Answer, question: Question, base: Base) -> tuple[bool, ...]:
    names = {item.id: base.names[item.article_id] for item in given.evidence}
    return tuple(names[citation.evidence] in question.relevant for citation in given.citations)


def _lang(question: Question, base: Base) -> str:
    mine, theirs = script_lang(question.text), next((base.langs[name] for name in question.relevant), None)
    return mine if theirs in (None, mine) else f"{mine}→{theirs}"
