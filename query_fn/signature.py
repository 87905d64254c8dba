"""The owner's signature under a manifest: Ed25519 over the file without the signature itself.

The manifest holds the SHA-256 of every artifact, so whoever may write the files but has no key can change no answer.
"""

from __future__ import annotations

import base64
import binascii

from msgspec.structs import replace

from query_fn.contract import Manifest, dump_manifest
from query_fn.errors import ArtifactUnsigned

KEY_BYTES = 32  # of both keys, see RFC 8032


def message(manifest: Manifest) -> bytes:
    """Return the bytes that are signed."""
    return dump_manifest(replace(manifest, signature=None)).encode()


def key_from(text: str) -> bytes | None:
    """Return a key of base64, None when it is none."""
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if len(key) == KEY_BYTES else None


def check(manifest: Manifest, key: bytes) -> None:
    """Raise ArtifactUnsigned unless the manifest was signed by the owner of the public key."""
    from cryptography.exceptions import InvalidSignature  # 40 ms
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        signature = base64.b64decode(manifest.signature or "", validate=True)
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message(manifest))
    except (binascii.Error, ValueError, InvalidSignature):
        raise ArtifactUnsigned("the manifest is not signed with the owner's key") from None
