"""Signed tokens: ``base64url(payload JSON) "." base64url(HMAC-SHA256)``, each for one purpose.

The client holds them and sends them back; what was not signed here does not exist.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any


def seal(payload: Mapping[str, object], secret: bytes, *, purpose: bytes) -> str:
    """Return a token that `opened` accepts for the same secret and purpose."""
    raw = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    return f"{_encode(raw)}.{_encode(mac(raw, secret, purpose=purpose))}"


def opened(token: str, secret: bytes, *, purpose: bytes, most: int) -> dict[str, Any] | None:
    """Return the payload when, and only when, its signature is ours; only then is it parsed.

    None for anything else, and for a token of more than `most` characters.
    """
    head, _, tail = token.partition(".")
    if len(token) > most or not token.isascii():
        return None
    try:
        raw, given = _decode(head), _decode(tail)
    except (binascii.Error, ValueError):
        return None
    if not hmac.compare_digest(given, mac(raw, secret, purpose=purpose)):
        return None
    payload: dict[str, Any] = json.loads(raw)
    return payload


def mac(raw: bytes, secret: bytes, *, purpose: bytes) -> bytes:
    """Return the HMAC-SHA256 of what is written for one purpose."""
    return hmac.new(secret, purpose + b"\x00" + raw, hashlib.sha256).digest()


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decode(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
