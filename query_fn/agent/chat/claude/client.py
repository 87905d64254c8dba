"""The SDK of Anthropic behind one call: a request goes in, what the model said comes out, and the purse knows of it.

The answer is streamed, so that a reader who left stops the spending at the next event. What may pass (too many
requests, an overloaded service, a broken connection) is tried again, twice at most, only before anything was said, and
only while there is time. Everything else has a name and ends the call.
"""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from query_fn.agent.chat.claude.reply import Said, Use, Words
from query_fn.agent.purse import Purse
from query_fn.errors import ModelFailed, Spent
from query_fn.prices import Usage
from query_fn.settings import ClaudeSettings

if TYPE_CHECKING:
    from anthropic import Anthropic, APIStatusError
    from anthropic.lib.bedrock import AnthropicBedrockMantle
    from anthropic.lib.streaming import MessageStream

    Sdk = Anthropic | AnthropicBedrockMantle

FATAL = {401: "key_refused", 402: "account_refused", 403: "key_refused", 404: "model_unknown", 413: "too_large"}
PASSING = (408, 409, 429)
LONGEST_PAUSE = 4.0  # seconds before a call is tried again
LOOK = 0.2  # seconds after which a silent stream is asked whether anybody still waits for it


class _Again(Exception):
    """What may pass; `after` is how many seconds the service asks to wait."""

    def __init__(self, code: str, after: float = 0.0) -> None:
        super().__init__(code)
        self.code, self.after = code, after


class _Stream(Struct):
    """What has arrived of one message."""

    blocks: list[list[Any]] = field(default_factory=list)  # [kind, name, text pieces, quotes]
    usage: Usage | None = None
    stop: str = ""
    begun: bool = False  # the service took the request, or may have: it is paid for then
    ended: bool = False  # and said what it used
    said: bool = False  # something of the answer has arrived

    def take(self, event: Any) -> None:
        """Add one event of the stream."""
        if event.type == "message_start":
            self.begun, self.usage = True, _usage(event.message.usage)
        elif event.type == "content_block_start":
            self.said = True
            block = event.content_block
            self.blocks.append([block.type, getattr(block, "name", ""), [getattr(block, "text", "") or ""], []])
        elif event.type == "content_block_delta" and self.blocks:
            self._delta(event.delta)
        elif event.type == "message_delta":
            self.stop = event.delta.stop_reason or self.stop
            self.usage, self.ended = _settled(self.usage or Usage(), event.usage), True

    def _delta(self, delta: Any) -> None:
        _, _, pieces, quotes = self.blocks[-1]
        if delta.type == "text_delta":
            pieces.append(delta.text)
        elif delta.type == "input_json_delta":
            pieces.append(delta.partial_json)
        elif delta.type == "citations_delta" and delta.citation.type == "search_result_location":
            quotes.append((delta.citation.source, delta.citation.cited_text.strip()))

    @property
    def so_far(self) -> Said:
        """The message as far as it has arrived; thoughts are left out."""
        found: list[Words | Use] = []
        for kind, name, pieces, quotes in self.blocks:
            if kind == "text":
                found.append(Words("".join(pieces), tuple(quotes)))
            elif kind == "tool_use":
                found.append(Use(name, "".join(pieces)))
        return Said(tuple(found), self.stop or "cut")


class Client:
    """One connection pool for all questions; the SDK is loaded by `prepare`, or by the first question."""

    def __init__(self, settings: ClaudeSettings) -> None:
        self.settings = settings
        self._lock = threading.Lock()
        self._sdk: Sdk | None = None

    def prepare(self) -> None:
        """Begin to load the SDK in a thread, while something else is done."""
        if self._sdk is None:
            threading.Thread(target=self._prepare, name="load-sdk", daemon=True).start()

    def ask(self, body: Mapping[str, Any], purse: Purse, worst: Usage) -> Said:
        """Return what the model said. Raises ModelFailed, with a name for what went wrong, or Spent."""
        sdk, code = self._connected(), "deadline"
        for attempt in range(self.settings.retries + 1):
            try:
                return self._once(sdk, body, purse, worst)
            except _Again as again:
                code = again.code
                if attempt == self.settings.retries or not _waited(purse, attempt, again.after):
                    break
        raise ModelFailed(code)

    def _once(self, sdk: Sdk, body: Mapping[str, Any], purse: Purse, worst: Usage) -> Said:
        """Make one attempt. Raises _Again for what may pass."""
        arrived, price = _Stream(), self.settings.price
        reserved = purse.reserve(worst, price)
        try:
            with self._named(arrived):
                _take(lambda: sdk.messages.stream(**body, timeout=self._silence(purse)), arrived, purse)
        finally:
            purse.settle(reserved, _charged(arrived, worst), price)
        if purse.gone():
            raise Spent("gone")
        if not purse.left and not arrived.said:
            raise Spent("deadline")
        if not arrived.stop and not arrived.said:
            raise _Again("cut")
        if arrived.stop == "pause_turn":
            raise _Again("paused")
        return arrived.so_far

    @contextmanager
    def _named(self, arrived: _Stream) -> Iterator[None]:
        """Give what the SDK raises a name; once something was said, what is there is kept and the rest is missing."""
        import anthropic
        import httpx2

        try:
            yield
        except anthropic.APIStatusError as error:
            if not arrived.said:
                raise _passing(error) from None
        except (anthropic.APITimeoutError, httpx2.TimeoutException):
            arrived.begun = True  # it may be at work on the answer
            if not arrived.said:
                raise _Again("silent") from None
        except (anthropic.APIError, httpx2.HTTPError) as error:
            arrived.begun |= not isinstance(error.__cause__, httpx2.ConnectError)
            if not arrived.said:
                raise _Again("unreachable") from None
        except ValueError:  # the SDK does not read the JSON of a tool call
            arrived.stop = arrived.stop or "tool_use"

    def _silence(self, purse: Purse) -> float:
        return max(0.1, min(self.settings.silence, purse.left))

    def _prepare(self) -> None:
        try:
            self._connected()
        except ModelFailed:
            return  # the question will be told

    def _connected(self) -> Sdk:
        with self._lock:
            if self._sdk is None:
                self._sdk = connected(self.settings)
            return self._sdk


def connected(settings: ClaudeSettings) -> Sdk:
    """Return the SDK's client. Raises ModelFailed when it is not installed or finds no credentials."""
    if find_spec("anthropic") is None:
        raise ModelFailed("sdk_missing")
    import anthropic  # 1.3 s
    from anthropic.lib.bedrock import AnthropicBedrockMantle

    try:
        if settings.provider == "bedrock":
            return AnthropicBedrockMantle(max_retries=0)
        return anthropic.Anthropic(api_key=settings.key, base_url=settings.base_url, max_retries=0)
    except (anthropic.AnthropicError, ValueError):
        raise ModelFailed("key_missing") from None


def _take(opened: Callable[[], AbstractContextManager[MessageStream[Any]]], arrived: _Stream, purse: Purse) -> None:
    """Take the events of a stream until it ends, the reader leaves, or the time is up; a silent one is left too.

    The stream is read in a thread of its own, because nothing wakes a read that waits for its next byte. Whoever leaves
    shuts the connection down, so that the service stops working on an answer that nobody will see.
    """
    events: SimpleQueue[Any] = SimpleQueue()
    connection: list[MessageStream[Any]] = []

    def read() -> None:
        try:
            with opened() as stream:
                connection.append(stream)
                for event in stream:
                    events.put(event)
        finally:
            events.put(None)

    pool = ThreadPoolExecutor(1, thread_name_prefix="claude")
    reading = pool.submit(read)
    pool.shutdown(wait=False)
    while not purse.gone() and purse.left:
        try:
            event = events.get(timeout=min(LOOK, purse.left))
        except Empty:
            continue
        if event is None:
            reading.result()
            return
        arrived.take(event)
    arrived.begun = True  # whoever leaves before the first word is billed for the question all the same
    for stream in connection:
        _shut(stream)


def _shut(stream: MessageStream[Any]) -> None:
    """End a connection that another thread reads from; closing it would not wake that thread."""
    wire = stream.response.extensions.get("network_stream")
    line = wire.get_extra_info("socket") if wire is not None else None
    if line is not None:
        with suppress(OSError):  # it has ended by itself
            line.shutdown(socket.SHUT_RDWR)


def _waited(purse: Purse, attempt: int, after: float) -> bool:
    """Wait before another attempt, longer each time and never in step with others; False when there is no time."""
    pause = max(after, min(LONGEST_PAUSE, 0.25 * 2.0**attempt) * random.uniform(0.5, 1.0))  # noqa: S311 - spreads load
    if pause >= purse.left or purse.gone():
        return False
    time.sleep(pause)
    return True


def _passing(error: APIStatusError) -> Exception:
    """Return an error of the service as one of ours; one that arrives in a stream has status 200."""
    status = error.status_code
    if status == 200 or status in PASSING or status >= 500:
        code = "overloaded" if error.type == "overloaded_error" or status in (429, 529) else "failing"
        return _Again(code, _seconds(error.response.headers.get("retry-after")))
    return ModelFailed(FATAL.get(status, "request_refused"))


def _seconds(value: str | None) -> float:
    """Return the seconds that a service asks to wait, 0 when it does not say."""
    try:
        return max(0.0, float(value or 0))
    except ValueError:
        return 0.0


def _charged(arrived: _Stream, worst: Usage) -> Usage:
    """Return what a call is charged with: its usage when it ended, nothing when nobody took it, else its worst."""
    if arrived.ended and arrived.usage is not None:
        return arrived.usage
    return worst if arrived.begun else Usage()


def _usage(used: Any) -> Usage:
    return Usage(
        used.input_tokens, used.cache_creation_input_tokens or 0, used.cache_read_input_tokens or 0, used.output_tokens
    )


def _settled(before: Usage, used: Any) -> Usage:
    """Return the usage at the end of a stream; what its last event leaves out is as its first one said."""

    def latest(value: int | None, known: int) -> int:
        return known if value is None else value

    return Usage(
        latest(used.input_tokens, before.input),
        latest(used.cache_creation_input_tokens, before.cache_write),
        latest(used.cache_read_input_tokens, before.cache_read),
        used.output_tokens,
    )
