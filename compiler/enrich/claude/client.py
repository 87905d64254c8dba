"""The model at the other end: the SDK of Anthropic, behind one method. What goes wrong there has a name here.

A call is streamed, so that a long answer does not look like silence. Too many requests, an overloaded service, broken
connections and silence are tried again a few times, later each time; what is wrong with the key, the account or the
model is not, and nothing more is asked in that build.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from compiler.enrich.claude.calls import Call, parameters
from compiler.enrich.claude.checks import CUT_OFF, Unusable
from compiler.enrich.claude.ledger import Ledger
from compiler.spending import EnrichSettings, Provider
from query_fn.prices import Usage

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic
    from anthropic.lib.bedrock import AsyncAnthropicBedrockMantle
    from anthropic.types import Message

    Sdk = AsyncAnthropic | AsyncAnthropicBedrockMantle

LONGEST_PAUSE = 60.0  # seconds before a call is tried again
GIVE_UP = 5  # calls in a row that found nobody, after which no other is tried
FATAL = (401, 402, 403, 404)
_MANTLE_URL = "ANTHROPIC_BEDROCK_MANTLE_BASE_URL"


class Unanswered(Exception):
    """Nobody answers, or nobody may be asked. The message says why in our words."""

    code = "enrich-unanswered"


class Door(Protocol):
    """Where calls are answered."""

    async def ask(self, call: Call, *, note: str = "", longer: bool = False) -> bytes:
        """Return the text of an answer. Raises Unusable for one that is not whole, Unanswered, or Overspent."""

    async def close(self) -> None:
        """Close the connections."""


@dataclass(slots=True)
class Direct:
    """Asks for each answer by itself. The SDK is loaded when there is something to ask, once for all calls."""

    settings: EnrichSettings
    ledger: Ledger
    closed: str = ""  # why nothing more is asked
    lost: int = 0  # calls in a row that found nobody
    _limit: asyncio.Semaphore | None = None
    _sdk: Sdk | None = None

    async def ask(self, call: Call, *, note: str = "", longer: bool = False) -> bytes:
        """Return the text of an answer."""
        self._limit = self._limit or asyncio.Semaphore(self.settings.calls)
        async with self._limit:
            for attempt in range(self.settings.retries + 1):
                try:
                    message = await self._once(call, parameters(call, note, longer=longer), longer=longer)
                except Again as again:
                    self._count(again.reason, last=attempt == self.settings.retries)
                    await asyncio.sleep(wait(attempt, self.settings.pause, again.after))
                    continue
                except Refused as refused:
                    self.closed = str(refused)
                    raise
                self.lost = 0
                return text_of(message)
        raise Unanswered(self.closed or "nobody answered")

    async def _once(self, call: Call, given: Mapping[str, Any], *, longer: bool) -> Message:
        """Make one attempt. Raises Again for what may pass, Unanswered and Unusable for what will not."""
        sdk = self._connected()
        import anthropic
        import httpx2

        reserved, answered, usage = await self.ledger.reserve(call, longer=longer), False, None
        try:
            async with sdk.messages.stream(**given) as stream:
                answered = True
                message = await stream.get_final_message()
            if message.stop_reason is None:
                raise Again("cut off")
            usage = usage_of(message)
            return message
        except anthropic.APIStatusError as error:
            raise named(error) from None
        except (anthropic.APIError, httpx2.HTTPError, ValueError, AssertionError) as error:  # the last two: no events
            answered = answered or isinstance(error, anthropic.APITimeoutError)
            raise Again("the connection broke") from None
        except asyncio.CancelledError:
            answered = True  # it may be at work on the answer
            raise
        finally:
            if answered:
                await self.ledger.settle(call, reserved, usage)
            else:
                await self.ledger.release(reserved)

    async def close(self) -> None:
        """Close the connections."""
        if self._sdk is not None:
            await self._sdk.close()

    def _connected(self) -> Sdk:
        """Return the SDK's client. Raises Unanswered when there is none, or nothing more is asked."""
        if not self.closed and self._sdk is None:
            self.closed = unavailable(self.settings)
        if self.closed:
            raise Unanswered(self.closed)
        self._sdk = self._sdk or connected(self.settings)
        return self._sdk

    def _count(self, reason: str, *, last: bool) -> None:
        """Close the door when several calls in a row found nobody: a dead service must not hold up the build."""
        if last:
            self.lost += 1
            if self.lost >= GIVE_UP:
                self.closed = f"gave up after {GIVE_UP} calls: {reason}"


class Again(Exception):
    """What may pass; `after` is how many seconds the service asks to wait."""

    def __init__(self, reason: str, after: float = 0.0) -> None:
        super().__init__(reason)
        self.reason, self.after = reason, after


class Refused(Unanswered):
    """The key, the account or the model is wrong: nothing more is asked."""


class Gone(Refused):
    """What was asked for is not there."""


def named(error: APIStatusError) -> Exception:
    """Return an error of the service as one of ours."""
    status, kind = error.status_code, error.type or error.status_code
    if status in FATAL:
        return (Gone if status == 404 else Refused)(f"the service refuses: {kind}")
    if status == 200 or status in (408, 409, 429) or status >= 500:
        return Again(f"the service says {kind}", _seconds(error.response.headers.get("retry-after")))
    return Unusable(f"the service does not take the request: {kind}")


def wait(attempt: int, pause: float, after: float) -> float:
    """Return the seconds before the next attempt: doubled each time, with jitter, at least what the service asks."""
    longest = min(LONGEST_PAUSE, pause * 2.0**attempt)
    return max(min(after, LONGEST_PAUSE), longest * random.uniform(0.5, 1.0))  # noqa: S311 - spreads load


def text_of(message: Message) -> bytes:
    """Return the text of a whole answer. Raises Unusable for any other."""
    if message.stop_reason == "max_tokens":
        raise Unusable(CUT_OFF)
    if message.stop_reason == "refusal":
        raise Unusable("refused")
    if message.stop_reason != "end_turn":
        raise Unusable("not finished")
    return "".join(block.text for block in message.content if block.type == "text").encode()


def usage_of(message: Message) -> Usage:
    """Return what an answer used."""
    used = message.usage
    return Usage(
        used.input_tokens, used.cache_creation_input_tokens or 0, used.cache_read_input_tokens or 0, used.output_tokens
    )


def unavailable(settings: EnrichSettings) -> str:
    """Return why a provider can't be asked: its package, key or region is missing; "" when it can."""
    if find_spec("anthropic") is None:
        return "the SDK is not installed: pip install 'geosmin[claude]'"
    if settings.provider is Provider.BEDROCK:
        missing = not any(os.environ.get(name) for name in ("AWS_REGION", "AWS_DEFAULT_REGION", _MANTLE_URL))
        return "AWS_REGION is not set" if missing else ""
    missing = not any(os.environ.get(name) for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"))
    return "ANTHROPIC_API_KEY is not set" if missing else ""


def connected(settings: EnrichSettings) -> Sdk:
    """Return the SDK's client; it reads keys, region and address from the environment."""
    import anthropic  # 1.3 s
    from anthropic.lib.bedrock import AsyncAnthropicBedrockMantle

    try:
        if settings.provider is Provider.BEDROCK:
            return AsyncAnthropicBedrockMantle(max_retries=0, timeout=settings.silence)
        return anthropic.AsyncAnthropic(max_retries=0, timeout=settings.silence)
    except (anthropic.AnthropicError, ValueError):
        raise Unanswered("the SDK finds no credentials") from None


def _seconds(value: str | None) -> float:
    """Return the seconds that a service asks to wait, 0 when it does not say."""
    try:
        return max(0.0, float(value or 0))
    except ValueError:
        return 0.0
