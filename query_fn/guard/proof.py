"""A price in work before the first question: cheap for a reader, dear for who wants to ask thousands.

The function hands out a challenge, the client finds a nonce so that SHA-256 of ``challenge.nonce`` begins with enough
zero bits (Back, "Hashcash: a denial of service counter-measure", 2002), and gets a session for the next questions.
Challenge and session are signed, short-lived, and good for one site and one visitor.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from collections.abc import Callable
from typing import Any, Protocol

from msgspec import Struct

from query_fn.errors import ProofNeeded
from query_fn.guard.counters import Counters, MemoryCounters, StoreDown
from query_fn.guard.tokens import opened, seal

HEADER = "x-geosmin-pass"
MOST_BITS = 24  # a minute or more in a browser; nobody waits longer
CHALLENGE_SECONDS = 120
SESSION_SECONDS = 30 * 60
SESSION_QUESTIONS = 20
MAX_PASS_CHARS = 2_000
_CHALLENGE, _SESSION = b"geosmin challenge 1", b"geosmin session 1"
_log = logging.getLogger("geosmin.proof")


class Holder(Struct, frozen=True):
    """Whom a challenge and a session are for: the reader of a site, by the hash of an address."""

    site: str
    visitor: str


class Challenge(Struct, frozen=True):
    """What a client has to work on, and for how many seconds it may."""

    token: str
    bits: int
    seconds: int


class Proof(Protocol):
    """What a client must show before it may ask."""

    def challenge(self, holder: Holder) -> Challenge:
        """Return a new challenge."""
        ...

    def admit(self, given: str, holder: Holder) -> str:
        """Return the session that is to be sent with the next questions. Raises ProofNeeded."""
        ...


class WorkProof:
    """Work of 2^bits hashes on average. What was used is counted in the process, and by `shared` counters too."""

    def __init__(
        self,
        bits: int,
        secret: bytes,
        *,
        shared: Counters | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._bits = bits
        self._secret = secret
        self._near = MemoryCounters(clock=clock)
        self._shared = shared
        self._clock = clock

    def challenge(self, holder: Holder) -> Challenge:
        """Return a challenge that nobody has seen."""
        return Challenge(self._token(_CHALLENGE, holder, CHALLENGE_SECONDS), self._bits, CHALLENGE_SECONDS)

    def admit(self, given: str, holder: Holder) -> str:
        """Return the session that was given, or a new one for a challenge that was solved."""
        token, _, nonce = given.rpartition(".") if given.count(".") == 2 else (given, "", "")
        purpose, uses = (_CHALLENGE, 1) if nonce else (_SESSION, SESSION_QUESTIONS)
        payload = opened(token, self._secret, purpose=purpose, most=MAX_PASS_CHARS)
        sound = payload is not None and self._fits(payload, holder) and (not nonce or self._solved(given))
        if payload is None or not sound or not self._used(payload, uses):
            raise ProofNeeded(
                "Get api/public/session, find a nonce (decimal digits) so that the SHA-256 of `challenge.nonce` begins "
                f"with `bits` zero bits, and send `challenge.nonce` as {HEADER}. The reply's {HEADER} is good for more."
            )
        return self._token(_SESSION, holder, SESSION_SECONDS) if nonce else token

    def _token(self, purpose: bytes, holder: Holder, seconds: int) -> str:
        ends = int(self._clock()) + seconds
        payload = {"id": secrets.token_urlsafe(12), "site": holder.site, "who": holder.visitor, "exp": ends}
        return seal({**payload, "bits": self._bits}, self._secret, purpose=purpose)

    def _fits(self, payload: dict[str, Any], holder: Holder) -> bool:
        same = (payload["site"], payload["who"], payload["bits"]) == (holder.site, holder.visitor, self._bits)
        return same and self._clock() < payload["exp"]

    def _solved(self, given: str) -> bool:
        digits = given.rpartition(".")[2]
        found = int.from_bytes(hashlib.sha256(given.encode()).digest())
        return digits.isascii() and digits.isdigit() and len(digits) <= 20 and found >> (256 - self._bits) == 0

    def _used(self, payload: dict[str, Any], uses: int) -> bool:
        """Count one use; False when there were enough."""
        key, until = f"pass:{payload['id']}", payload["exp"]
        if not self._near.take(key, (1,), limits=(uses,), until=until):
            return False
        try:
            return self._shared is None or self._shared.take(key, (1,), limits=(uses,), until=until)
        except StoreDown as error:
            _log.warning("passes are counted in this process alone: %s", error)
            return True
