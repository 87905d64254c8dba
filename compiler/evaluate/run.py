"""The story of an evaluation: embed the questions, search for each, answer a sample of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from compiler.evaluate.asking import Found, Said, answer, as_searched, search
from compiler.evaluate.bases import Base
from compiler.evaluate.sets import QuestionSet
from compiler.index.embed_cache import Clock as EmbedClock
from compiler.progress import Clock

TIMED = 20  # questions that are embedded once more without the cache, for the latency

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class How:
    """What is done: `sample` questions are answered (None: all), drawn with `seed`."""

    sample: int | None = 200
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that was seen in one run."""

    name: str
    docs: int
    found: tuple[Found, ...]
    said: tuple[Said, ...]
    embed_ms: tuple[float, ...]  # of single questions, without the cache
    fresh: int  # texts embedded in this run
    seconds: Mapping[str, float]  # by stage
    degraded: tuple[str, ...]


def evaluate(asked: QuestionSet, base: Base, *, how: How, clock: Clock) -> Outcome:
    """Return what the base found and said. The same base, questions and seed give the same figures, times apart."""
    with clock.stage("embed"):
        embed_ms = _embedded([as_searched(question) for question in asked.questions], base, how.seed, clock)
    with clock.stage("questions"):
        found = tuple(_each(asked.questions, lambda question: search(question, base), clock))
    with clock.stage("answers"):
        drawn = _drawn(asked.questions, how.sample, how.seed)
        said = tuple(_each(drawn, lambda question: answer(question, base), clock))
    fresh = base.fresh + (base.embedder.fresh if base.embedder else 0)
    degraded = base.deps.store.manifest.degraded
    return Outcome(asked.name, len(base.names), found, said, embed_ms, fresh, clock.seconds, degraded)


def _embedded(texts: Sequence[str], base: Base, seed: int, clock: Clock) -> tuple[float, ...]:
    """Embed all questions on all cores, through the cache, and time a few without it."""
    if base.embedder is None:
        return ()
    base.embedder.prepare(texts, EmbedClock(progress=clock.progress.update))
    drawn = _drawn(texts, TIMED, seed)
    return tuple([base.embedder.timed(text) for text in (*drawn[:1], *drawn)][1:])  # the first one opens the model


def _drawn(items: Sequence[Item], count: int | None, seed: int) -> list[Item]:
    """Return `count` of the items in their order, drawn at random but the same with each run."""
    if count is None or count >= len(items):
        return list(items)
    return [items[at] for at in sorted(random.Random(seed).sample(range(len(items)), count))]  # noqa: S311 - no secret


def _each(items: Sequence[Item], do: Callable[[Item], Result], clock: Clock) -> Iterator[Result]:
    for done, item in enumerate(items, 1):
        yield do(item)
        clock.progress.update(done, len(items))
