"""Batches and Bedrock: other ways to the same model give the same base."""

from __future__ import annotations

import _thread
import json
import signal
import threading
import time
from pathlib import Path

import pytest

from compiler.errors import SettingsError
from tests.compiler.claude_bases import asking, derived, made
from tests.fake_claude import Expired, FakeClaude, Script, Status, Turn
from tests.fake_claude.author import author, stage_of
from tests.fake_claude.script import Reply


def test_batches_give_what_single_calls_give(tmp_path: Path) -> None:
    """The same answers make the same rows, at half the price and in a few batches."""
    alone, _ = made(tmp_path / "a", author)
    batched, fake = made(tmp_path / "b", author, batch=True)
    assert batched.problems == []
    assert batched.rows.rows == alone.rows.rows
    assert len(fake.state.batches) <= 4
    assert not any(body.get("stream") for body in fake.requests)


def _unlucky(reply: Reply) -> Script:
    return lambda body: reply if stage_of(body) == "questions" else author(body)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Expired(), "enrich-unanswered"),
        (Status(529), "enrich-unanswered"),
        (Status(400), "enrich-unusable"),
        (Turn.says("no"), "enrich-unusable"),
    ],
)
def test_a_batch_may_fail_in_part(reply: Reply, code: str, tmp_path: Path) -> None:
    """Requests of a batch that fail are local; the others are used."""
    got, _ = made(tmp_path, _unlucky(reply), batch=True)
    assert got.codes == {code}
    assert "The model read about" in repr(got.rows.rows.pages)


def test_a_batch_that_was_paid_for_is_picked_up(tmp_path: Path) -> None:
    """A build that ended while its batch was at work has the next one read the results, and send nothing again."""
    with FakeClaude(author, polls=10**6) as fake, asking(fake):
        with pytest.raises(KeyboardInterrupt):
            _interrupted(tmp_path, fake)
        sent = len(fake.requests)
        fake.state.polls = 0
        got = derived(tmp_path, batch=True)
    assert sent and got.problems == []
    questions = [body for body in fake.requests if stage_of(body) == "questions"]
    assert len(questions) == len({json.dumps(body) for body in questions})
    assert json.loads((tmp_path / "state" / "claude" / "batches.json").read_bytes()) == []


def _interrupted(tmp_path: Path, fake: FakeClaude) -> None:
    """Derive until the batch is at work, then end like a person does."""

    def end() -> None:
        while not fake.state.batches or not any(fake.state.asked.values()):
            time.sleep(0.01)
        _thread.interrupt_main()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a test worker ignores it
    try:
        threading.Thread(target=end, daemon=True).start()
        derived(tmp_path, batch=True)
    finally:
        signal.signal(signal.SIGINT, before)


def test_bedrock_speaks_the_same_language(tmp_path: Path) -> None:
    """Against Bedrock's address and token the same requests give the same rows."""
    own, _ = made(tmp_path / "a", author)
    with FakeClaude(author) as fake:
        bedrock = {
            "AWS_BEARER_TOKEN_BEDROCK": fake.key,
            "AWS_REGION": "eu-west-1",
            "ANTHROPIC_BEDROCK_MANTLE_BASE_URL": fake.url,
        }
        with asking(fake, ANTHROPIC_API_KEY="", ANTHROPIC_BASE_URL="", **bedrock):
            got = derived(tmp_path / "b", "enrich.provider=bedrock")
    assert got.problems == []
    assert got.rows.rows == own.rows.rows


def test_batches_on_bedrock_are_refused(tmp_path: Path) -> None:
    """A provider without batches is named before anything is done."""
    with pytest.raises(SettingsError, match="Bedrock"):
        derived(tmp_path, "enrich.provider=bedrock", batch=True)
