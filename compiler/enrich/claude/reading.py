"""The story of one article: its questions and sections beside what it says and of what, each from an answer of its own.

What an article is asked depends on that article alone, so a new article costs its own calls and no other's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from compiler.enrich.claude import checks
from compiler.enrich.claude.calls import NAMES, Asking, Call, Page
from compiler.enrich.claude.checks import Said
from compiler.enrich.claude.desk import Desk, Failure
from compiler.enrich.protocol import Candidate, Digest, Reading
from compiler.spending import EnrichSettings
from query_fn.contract import ChunkRow


@dataclass(slots=True)
class Found:
    """What the model gave for one article; what it did not is None or missing."""

    questions: dict[str, tuple[str, ...]] = field(default_factory=dict)  # by chunk
    sections: Mapping[str, str] | None = None  # by node
    digest: Digest | None = None
    candidates: tuple[Candidate, ...] | None = None
    said: list[tuple[Sequence[str], Said]] = field(default_factory=list)  # of these names


@dataclass(slots=True)
class Reader:
    """Reads articles, several at once, each within its time. `unlimited` leaves the pace to a door that batches."""

    desk: Desk
    asking: Asking
    settings: EnrichSettings
    count: int  # questions of a passage
    unlimited: bool = False
    stand_ins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # names by article, for a plan

    async def read(self, readings: Sequence[Reading], progress: Callable[[int, int], None]) -> list[Found]:
        """Return what was found of each article."""
        turn, found, done = asyncio.Semaphore(self.settings.articles), [Found() for _ in readings], 0

        async def one(reading: Reading, into: Found) -> None:
            nonlocal done
            async with turn:
                await self._in_time(reading, into)
            done += 1
            progress(done, len(readings))

        if self.unlimited:
            turn = asyncio.Semaphore(len(readings) + 1)
        try:
            await _together(one(*pair) for pair in zip(readings, found, strict=True))
        finally:
            if self.desk.door is not None:
                await self.desk.door.close()
        return found

    async def _in_time(self, reading: Reading, into: Found) -> None:
        """Read an article; what is found before its time is over is kept."""
        seconds = None if self.unlimited else self.settings.article_minutes * 60
        try:
            async with asyncio.timeout(seconds):
                await self._article(self.asking.page(reading), into)
        except TimeoutError:
            reason = f"the article took longer than {self.settings.article_minutes:g} minutes"
            self.desk.failures.append(Failure(reading.article.id, "article", "enrich-time", reason))

    async def _article(self, page: Page, into: Found) -> None:
        if len(page.passages) > self.settings.chunks_per_article:
            reason = f"only the first {self.settings.chunks_per_article} passages are asked about"
            self.desk.failures.append(Failure(page.reading.article.id, "questions", "enrich-long", reason))
        if page.passages:
            await _together([self._questions(page, into), self._sections(page, into), self._sheet(page, into)])

    async def _questions(self, page: Page, into: Found) -> None:
        async def batch(call: Call, passages: Mapping[str, ChunkRow]) -> None:
            check = partial(checks.questions, page=page, batch=passages, count=self.count)
            into.questions.update(await self.desk.get(call, check) or {})

        asked = self.asking.questions(page, self.count) if self.count else ()
        await _bounded([partial(batch, *each) for each in asked], self._limit(self.settings.question_batches))

    async def _sections(self, page: Page, into: Found) -> None:
        if call := self.asking.sections(page):
            into.sections = await self.desk.get(call, partial(checks.sections, page=page))

    async def _sheet(self, page: Page, into: Found) -> None:
        """Ask one after the other: the first call writes the article into the prompt cache, the others read it."""
        into.digest = await self.desk.get(self.asking.source(page), partial(checks.source, page=page))
        into.candidates = await self.desk.get(self.asking.subjects(page), partial(checks.subjects, page=page))
        names = tuple(candidate.name for candidate in into.candidates or ())
        await self._sayings(page, into, names or self.stand_ins.get(page.reading.article.id, ()))

    async def _sayings(self, page: Page, into: Found, names: Sequence[str]) -> None:
        async def few(listed: Sequence[str]) -> None:
            check = partial(checks.sayings, page=page, names=listed, everything=names)
            if said := await self.desk.get(self.asking.sayings(page, listed, names), check):
                into.said.append((listed, said))

        some = [names[at : at + NAMES] for at in range(0, len(names), NAMES)]
        await _bounded([partial(few, listed) for listed in some], self._limit(self.settings.page_batches))
        into.said.sort(key=lambda item: names.index(item[0][0]))  # answers come in any order

    def _limit(self, wanted: int) -> int:
        return 1 << 16 if self.unlimited else wanted


async def _bounded(jobs: Sequence[Callable[[], Coroutine[Any, Any, None]]], limit: int) -> None:
    """Run jobs, at most `limit` at once."""
    turn = asyncio.Semaphore(limit)

    async def one(job: Callable[[], Coroutine[Any, Any, None]]) -> None:
        async with turn:
            await job()

    await _together(one(job) for job in jobs)


async def _together(jobs: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run coroutines at once; when one fails the others are ended."""
    async with asyncio.TaskGroup() as group:
        for job in jobs:
            group.create_task(job)
