"""Calls in Message Batches: half the price, and an answer within a day. What is asked at the same time is one batch.

The ids of batches under way stand in the state folder: a build that was ended picks up what it has already paid for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from compiler.enrich.claude.calls import Call, parameters
from compiler.enrich.claude.checks import Unusable
from compiler.enrich.claude.client import (
    Again,
    Gone,
    Unanswered,
    connected,
    named,
    text_of,
    unavailable,
    usage_of,
    wait,
)
from compiler.enrich.claude.ledger import Ledger
from compiler.spending import EnrichSettings

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types.messages import MessageBatchIndividualResponse as Line

MOST = 10_000  # requests of one batch; the service takes ten times as many, of 256 MB
QUIET = 2.0  # seconds without a new call after which a batch is sent
PENDING = "batches.json"


@dataclass(slots=True)
class Waiting:
    """A call that waits for its batch."""

    name: str
    parameters: dict[str, Any]
    line: asyncio.Future[Line]


@dataclass(slots=True)
class Batched:
    """Gathers calls and asks for them together."""

    settings: EnrichSettings
    ledger: Ledger
    folder: Path
    waiting: list[Waiting] = field(default_factory=list)
    early: dict[str, Line] = field(default_factory=dict)  # of batches that an earlier build has sent
    done: list[str] = field(default_factory=list)  # batches whose results are here
    _sdk: AsyncAnthropic | None = None
    _work: asyncio.Task[None] | None = None
    _begun: asyncio.Task[None] | None = None

    async def ask(self, call: Call, *, note: str = "", longer: bool = False) -> bytes:
        """Return the text of an answer. Raises like every door."""
        await self._picked_up()
        if not note and (line := self.early.pop(call.key, None)):
            return await self._settled(call, 0.0, line)
        reserved = await self.ledger.reserve(call, longer=longer)
        try:
            line = await self._queued(call.key, parameters(call, note, longer=longer))
        except (Unanswered, asyncio.CancelledError):
            await self.ledger.release(reserved)
            raise
        return await self._settled(call, reserved, line)

    async def close(self) -> None:
        """Close the connections. Every answer is kept now, so the batches need not be remembered."""
        self._write([name for name in self._pending() if name not in self.done])
        if self._sdk is not None:
            await self._sdk.close()

    async def _settled(self, call: Call, reserved: float, line: Line) -> bytes:
        """Return the text of one result and pay for it."""
        result = line.result
        if result.type == "succeeded":
            await self.ledger.settle(call, reserved, usage_of(result.message))
            return text_of(result.message)
        await self.ledger.release(reserved)
        if result.type == "errored" and result.error.error.type == "invalid_request_error":
            raise Unusable("the service does not take the request")
        raise Unanswered(f"the batch gave no answer: {result.type}")

    async def _queued(self, name: str, given: dict[str, Any]) -> Line:
        self.waiting.append(Waiting(name, given, asyncio.get_running_loop().create_future()))
        mine = self.waiting[-1].line
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._send_all())
        return await mine

    async def _send_all(self) -> None:
        """Send what waits when nothing new has come for a while, until nothing waits."""
        while self.waiting:
            seen = -1
            while seen != len(self.waiting):
                seen = len(self.waiting)
                await asyncio.sleep(min(QUIET, self.settings.poll))
            some, self.waiting = self.waiting[:MOST], self.waiting[MOST:]
            try:
                await self._send(some)
            except Unanswered as error:
                for one in some:
                    one.line.set_exception(Unanswered(str(error)))

    async def _send(self, some: Sequence[Waiting]) -> None:
        sdk = self._connected()
        requests: Any = [{"custom_id": one.name, "params": one.parameters} for one in some]
        batch = await self._tried(lambda: sdk.messages.batches.create(requests=requests))
        self._remember(batch.id)
        lines = await self._results(batch.id)
        for one in some:
            if one.name in lines:
                one.line.set_result(lines[one.name])
            else:
                one.line.set_exception(Unanswered("the batch has no result"))

    async def _results(self, name: str) -> dict[str, Line]:
        """Return the results of a batch by call, once it has ended."""
        sdk = self._connected()

        async def lines() -> dict[str, Line]:
            return {line.custom_id: line async for line in await sdk.messages.batches.results(name)}

        while (await self._tried(lambda: sdk.messages.batches.retrieve(name))).processing_status != "ended":
            await asyncio.sleep(self.settings.poll)
        found: dict[str, Line] = await self._tried(lines)
        self.done.append(name)
        return found

    async def _picked_up(self) -> None:
        """Wait for the batches of an earlier build, once. Without them nothing is asked: it would be paid for twice."""
        if self._begun is None:
            self._begun = asyncio.create_task(self._pick_up())
        await asyncio.shield(self._begun)

    async def _pick_up(self) -> None:
        for name in self._pending():
            try:
                self.early |= await self._results(name)
            except Gone:
                self.done.append(name)

    async def _tried(self, attempt: Callable[[], Awaitable[Any]]) -> Any:
        """Return what a request to the service gives, tried a few times. Raises Unanswered."""
        import anthropic  # loaded by now
        import httpx2

        again = Again("")
        for number in range(self.settings.retries + 1):
            try:
                return await attempt()
            except anthropic.APIStatusError as error:
                found = named(error)
                if not isinstance(found, Again):
                    raise found if isinstance(found, Unanswered) else Unanswered(str(found)) from None
                again = found
            except (anthropic.APIError, httpx2.HTTPError, ValueError):
                again = Again("the connection broke")
            await asyncio.sleep(wait(number, self.settings.pause, again.after))
        raise Unanswered(again.reason)

    def _connected(self) -> AsyncAnthropic:
        if reason := unavailable(self.settings):
            raise Unanswered(reason)
        if self._sdk is None:
            made: Any = connected(self.settings)
            self._sdk = made
        return self._sdk

    def _pending(self) -> list[str]:
        try:
            return msgspec.json.decode((self.folder / PENDING).read_bytes(), type=list[str])
        except (OSError, msgspec.DecodeError):
            return []

    def _remember(self, name: str) -> None:
        self._write([*self._pending(), name])

    def _write(self, names: list[str]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / PENDING).write_bytes(msgspec.json.encode(names))
