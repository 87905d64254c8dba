"""The conversation token: what the server signed counts, nothing else does."""

from __future__ import annotations

import pytest

from query_fn.guard.session import MAX_TOKEN_BYTES, Binding, Conversation, open_token, sign
from query_fn.model import Turn

SECRET = b"a secret of the owner, not short"
HERE = Binding("https://example.org/", "build-1", 1_000)
TURN = Turn("备份保留多久？", "备份保留多久？", "14 天。", ("backup.0",))


def _token(*turns: Turn, binding: Binding = HERE, seconds: int = 60) -> str:
    return sign(turns or (TURN,), SECRET, binding=binding, seconds=seconds)


def test_round_trip() -> None:
    """A token opened by the same site and build gives back its turns."""
    assert open_token(_token(), SECRET, binding=HERE) == Conversation((TURN,))


def test_no_token() -> None:
    """Without a token there are no turns and nothing to complain about."""
    assert open_token(None, SECRET, binding=HERE) == Conversation()


@pytest.mark.parametrize(
    ("binding", "note"),
    [
        (Binding("https://example.org/", "build-1", 1_060), "conversation_expired"),
        (Binding("https://other.example/", "build-1", 1_000), "conversation_other_site"),
    ],
)
def test_refused_elsewhere(binding: Binding, note: str) -> None:
    """A token that is too old or from another site gives no turns and is named."""
    assert open_token(_token(), SECRET, binding=binding) == Conversation(note=note)


def test_new_build_keeps_questions() -> None:
    """After a new build the evidence ids are dropped and the questions kept."""
    found = open_token(_token(), SECRET, binding=Binding("https://example.org/", "build-2", 1_000))
    assert found == Conversation((Turn(TURN.question, TURN.standalone, TURN.answer, ()),), "conversation_other_build")


@pytest.mark.parametrize("index", range(0, 200, 7))
def test_any_changed_character(index: int) -> None:
    """A token with any one character changed is invalid."""
    token = _token()
    index %= len(token)
    other = "A" if token[index] != "A" else "B"
    forged = token[:index] + other + token[index + 1 :]
    assert open_token(forged, SECRET, binding=HERE).turns == ()


@pytest.mark.parametrize("token", ["x", ".", "a.b", "é.é", "e30.e30", "==.==", "A" * (MAX_TOKEN_BYTES + 1)])
def test_rubbish(token: str) -> None:
    """Rubbish is an invalid token, never an exception."""
    assert open_token(token, SECRET, binding=HERE) == Conversation(note="conversation_invalid")


def test_other_key() -> None:
    """A token signed with another key is invalid."""
    assert open_token(_token(), b"another secret, also long", binding=HERE).note == "conversation_invalid"


def test_off_without_secret() -> None:
    """Without a key follow-ups are off, and that is named."""
    assert open_token(_token(), None, binding=HERE) == Conversation(note="conversation_off")


def test_last_five_turns() -> None:
    """Only the last five turns are kept, each answer cut to a thousand characters."""
    turns = tuple(Turn(str(n), str(n), "a" * 1_500, ()) for n in range(7))
    found = open_token(_token(*turns), SECRET, binding=HERE).turns
    assert [(t.question, len(t.answer)) for t in found] == [(str(n), 1_000) for n in range(2, 7)]


def test_fits_sixteen_kilobytes() -> None:
    """A token never exceeds 16 KB: the oldest turns go first and the newest stays."""
    turns = tuple(Turn(f"问{n}" * 500, f"问{n}" * 500, "答" * 1_000, ()) for n in range(5))
    token = _token(*turns)
    assert len(token) <= MAX_TOKEN_BYTES
    assert open_token(token, SECRET, binding=HERE).turns[-1].question == turns[-1].question
