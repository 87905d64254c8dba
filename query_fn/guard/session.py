"""The conversation token: earlier turns, vouched for by the server's own signature.

The client holds it and sends it back; nothing is stored. A token is bound to one site, expires, and is at most 16 KB.
A turn that was not signed here does not exist.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, to_builtins

from query_fn.guard.tokens import opened, seal
from query_fn.model import Turn

MAX_TURNS = 5
MAX_ANSWER_CHARS = 1_000
MAX_TOKEN_BYTES = 16 * 1024
_VERSION = 1
_PURPOSE = b"geosmin conversation 1"


class Binding(Struct, frozen=True):
    """What a token is valid for: a site, the build its evidence ids come from, and the time now (epoch seconds)."""

    site: str
    build_id: str
    now: int


class Conversation(Struct, frozen=True):
    """The turns that may be trusted, and the name of what was wrong with the token ("" = nothing)."""

    turns: tuple[Turn, ...] = ()
    note: str = ""


def sign(turns: Sequence[Turn], secret: bytes, *, binding: Binding, seconds: int) -> str:
    """Return a token for the last turns that fit into MAX_TOKEN_BYTES; it is valid for `seconds`."""
    kept = [_shorten(turn) for turn in turns[-MAX_TURNS:]]
    while True:
        payload = {
            "v": _VERSION,
            "site": binding.site,
            "build": binding.build_id,
            "exp": binding.now + seconds,
            "turns": [to_builtins(turn) for turn in kept],
        }
        token = seal(payload, secret, purpose=_PURPOSE)
        if len(token) <= MAX_TOKEN_BYTES or not kept:
            return token
        kept = kept[1:]


def open_token(token: str | None, secret: bytes | None, *, binding: Binding) -> Conversation:
    """Return the turns of a token. A bad one gives no turns and a name:

    ``conversation_off`` (no key here), ``conversation_invalid``, ``conversation_expired``, ``conversation_other_site``;
    ``conversation_other_build`` keeps the questions and drops the evidence ids.
    """
    if not token:
        return Conversation()
    if secret is None:
        return Conversation(note="conversation_off")
    payload = opened(token, secret, purpose=_PURPOSE, most=MAX_TOKEN_BYTES)
    if payload is None or payload.get("v") != _VERSION:
        return Conversation(note="conversation_invalid")
    if payload["site"] != binding.site:
        return Conversation(note="conversation_other_site")
    if payload["exp"] <= binding.now:
        return Conversation(note="conversation_expired")
    turns = tuple(Turn(**{**turn, "evidence": tuple(turn["evidence"])}) for turn in payload["turns"])
    if payload["build"] != binding.build_id:
        dropped = tuple(Turn(turn.question, turn.standalone, turn.answer, ()) for turn in turns)
        return Conversation(dropped, "conversation_other_build")
    return Conversation(turns)


def _shorten(turn: Turn) -> Turn:
    return Turn(turn.question, turn.standalone, turn.answer[:MAX_ANSWER_CHARS], turn.evidence)
