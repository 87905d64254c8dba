"""The fake behaves to the real SDK as the API does, on its good days and its bad ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anthropic
import pytest

from tests.fake_claude import Expired, FakeClaude, Hang, Status, Text, Tool, Turn, scripted
from tests.fake_claude.script import Reply

ASK: dict[str, Any] = {
    "model": "claude-haiku-5-5",
    "max_tokens": 64,
    "messages": [{"role": "user", "content": "雨后？"}],
}
RAIN = "雨后的气味叫作 petrichor，主角是 geosmin。"


@contextmanager
def client(*replies: Reply, **how: Any) -> Iterator[tuple[anthropic.Anthropic, FakeClaude]]:
    """Yield the real SDK against a fake with these replies."""
    with (
        FakeClaude(scripted(replies)) as fake,
        anthropic.Anthropic(api_key=fake.key, base_url=fake.url, max_retries=0, **how) as made,
    ):
        yield made, fake


def test_a_turn_arrives_whole() -> None:
    """A message of the fake is read by the SDK with its text, its end and its usage."""
    with client(Turn.says(RAIN, output_tokens=17)) as (made, _):
        got = made.messages.create(**ASK)
    assert (got.content[0].text, got.stop_reason, got.usage.output_tokens) == (RAIN, "end_turn", 17)


@pytest.mark.parametrize("pieces", [0, 1, 7])
def test_a_stream_in_any_pieces_is_one_text(pieces: int) -> None:
    """Events that are split within a character of UTF-8 still make the same text."""
    with client(Turn.says(RAIN, pieces=pieces)) as (made, _), made.messages.stream(**ASK) as stream:
        assert stream.get_final_text() == RAIN


def test_a_tool_call_is_streamed_with_its_arguments() -> None:
    """A tool call keeps its name and arguments through the stream."""
    with client(Turn.calls("search", q="气味")) as (made, _), made.messages.stream(**ASK) as stream:
        got = stream.get_final_message()
    assert [(b.name, b.input) for b in got.content if b.type == "tool_use"] == [("search", {"q": "气味"})]
    assert got.stop_reason == "tool_use"


def test_text_and_tools_stand_in_one_turn() -> None:
    """A turn may hold several blocks, and the last reply of a script is given for ever."""
    turn = Turn((Text("I search."), Tool("search", {"q": "a"}), Tool("read", {"id": "b"})))
    with client(turn) as (made, fake):
        kinds = [[b.type for b in made.messages.create(**ASK).content] for _ in range(3)]
    assert kinds == [["text", "tool_use", "tool_use"]] * 3
    assert len(fake.requests) == 3


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Status(400), anthropic.BadRequestError),
        (Status(401), anthropic.AuthenticationError),
        (Status(402), anthropic.PaymentRequiredError),
        (Status(403), anthropic.PermissionDeniedError),
        (Status(404), anthropic.NotFoundError),
        (Status(429, retry_after="1"), anthropic.RateLimitError),
        (Status(500), anthropic.InternalServerError),
        (Status(529), anthropic.OverloadedError),
        (Status(502, body=b"<html>bad gateway"), anthropic.InternalServerError),
        (Hang(0.2), anthropic.APIConnectionError),
        (Turn.says("late", pause=1.0), anthropic.APITimeoutError),
    ],
)
def test_a_fault_is_the_sdks_own_error(reply: Reply, error: type[Exception]) -> None:
    """Each fault arrives as the error that the SDK has for it."""
    with client(reply, timeout=0.5) as (made, _), pytest.raises(error):
        made.messages.create(**ASK)


def test_a_stream_may_fail_after_status_200() -> None:
    """An error event inside a stream is raised, with the type of the error."""
    turn = Turn.says(RAIN, error="overloaded_error", after=3)
    with (
        client(turn) as (made, _),
        pytest.raises(anthropic.APIStatusError) as caught,
        made.messages.stream(**ASK) as got,
    ):
        got.until_done()
    assert caught.value.type == "overloaded_error"


def test_a_cut_stream_is_a_transport_error() -> None:
    """A connection that closes in the middle of a message is never a finished message."""
    with (
        client(Turn.says(RAIN, cut=4)) as (made, _),
        pytest.raises(Exception) as caught,
        made.messages.stream(**ASK) as got,
    ):
        got.get_final_message()
    assert "incomplete" in str(caught.value) or isinstance(caught.value, anthropic.APIConnectionError)


@pytest.mark.parametrize("name", ["temperature", "top_p", "top_k"])
def test_what_the_api_version_does_not_have_is_refused(name: str) -> None:
    """Parameters of sampling do not exist in this version."""
    with client(Turn.says(RAIN)) as (made, _), pytest.raises(anthropic.BadRequestError, match=name):
        made.messages.create(**ASK, extra_body={name: 0})


def test_a_repeated_prefix_is_read_from_the_prompt_cache() -> None:
    """The second request with the same marked prefix reads what the first has written."""
    system = [{"type": "text", "text": "rules " * 400, "cache_control": {"type": "ephemeral"}}]
    with client(Turn.says(RAIN)) as (made, _):
        first, second = (made.messages.create(**ASK, system=system).usage for _ in range(2))
    assert first.cache_creation_input_tokens and not first.cache_read_input_tokens
    assert second.cache_read_input_tokens == first.cache_creation_input_tokens


def test_a_batch_ends_and_has_a_result_for_each_request() -> None:
    """A batch can be made, asked for, and read; each request has its own outcome."""
    with client(Turn.says("a"), Expired(), Status(400)) as (made, _):
        asked = [{"custom_id": f"r{n}", "params": ASK} for n in range(3)]
        name = made.messages.batches.create(requests=asked).id
        states = [made.messages.batches.retrieve(name).processing_status for _ in range(2)]
        results = {line.custom_id: line.result.type for line in made.messages.batches.results(name)}
    assert states == ["in_progress", "ended"]
    assert results == {"r0": "succeeded", "r1": "expired", "r2": "errored"}


def test_another_key_is_refused() -> None:
    """A wrong key is an authentication error."""
    with FakeClaude(scripted([Turn.says(RAIN)])) as fake:
        made = anthropic.Anthropic(api_key="other", base_url=fake.url, max_retries=0)
        with pytest.raises(anthropic.AuthenticationError):
            made.messages.create(**ASK)
