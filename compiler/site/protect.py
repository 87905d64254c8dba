"""Password pages: the format that a browser opens, and the folder it is written to.

``<out>/protected/p/<id>/`` holds two files, and an ``index.html`` that leads to the site's ``unlock/#<id>``, where a
browser opens them. ``manifest.json`` is::

    {"format": "geosmin-protected-1", "id": "<32 hex digits>",
     "kdf": {"name": "PBKDF2", "hash": "SHA-256", "iterations": 600000, "salt": "<base64, 16 bytes>"},
     "cipher": {"name": "AES-GCM", "length": 256, "iv": "<base64, 12 bytes>", "tagLength": 128},
     "file": "page.bin", "size": <bytes>, "sha256": "<hex>"}

To open a page: key = PBKDF2(UTF-8 password, salt, iterations) of 256 bits; plaintext = AES-GCM decryption of
``page.bin`` (ciphertext, then the 16-byte tag, as WebCrypto has it) with `iv`, and with the UTF-8 bytes of ``format``,
a colon and ``id`` as additional data. The plaintext is the length of the payload (8 bytes, big-endian), the payload,
and zeros up to the next power of two, at least 16 KiB. The payload is JSON in UTF-8::

    {"title": str, "lang": str, "html": str, "toc": [{"level": int, "title": str, "anchor": str}],
     "updated": "YYYY-MM-DD" | null, "not_after": <epoch seconds> | null,
     "attachments": [{"url": str, "type": <media type>, "data": <base64>}]}

`html` is the sanitised body. Its relative links count from ``protected/p/<id>/`` below the site's base path. The `url`
of an attachment is the exact value of the ``src`` or ``href`` that shows it; no such file exists, the data stands in.
After `not_after` the page is not to be shown.

Id, salt and IV are HMACs of the owner's secret, so a build repeats byte for byte and an IV never serves two contents.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from compiler.model import ProtectedPage, Url
from compiler.site.body import spoken

FORMAT = "geosmin-protected-1"
ITERATIONS = 600_000  # OWASP Password Storage Cheat Sheet, PBKDF2 with HMAC-SHA-256
SMALLEST = 16 * 1024  # bytes of the smallest plaintext: most pages are alike in size
FOLDER, POINTER, SETS, PART = "protected", "p", "sets", ".part"
MANIFEST, CIPHERTEXT, DOOR = "manifest.json", "page.bin", "index.html"
_DOOR_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>-</title><meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0; url=../../../unlock/#{id}"></head>
<body><p><a href="../../../unlock/#{id}">unlock/#{id}</a></p></body></html>
"""
_SET = re.compile(r"[0-9a-f]{16}(?:-\d+)?(?:\.part)?")


@dataclass(frozen=True, slots=True)
class _Sealing:
    """One page before it is encrypted: what follows from the secret, its id, its content and its password."""

    id: str
    plaintext: bytes
    password: str
    salt: bytes
    iv: bytes


def page_id(secret: bytes, article_id: str) -> str:
    """Return the opaque id of a page: 32 hex digits that say nothing and stay when the page changes."""
    return _mac(secret, "id", article_id.encode())[:16].hex()


def page_url(opaque: str) -> Url:
    """Return the site-relative URL of a password page."""
    return Url(f"{FOLDER}/{POINTER}/{opaque}/")


def stage(out: Path, pages: Sequence[ProtectedPage]) -> str:
    """Write the ciphertext of all pages aside and return the name to switch to; "" when there are none.

    A page whose content and password are as before is copied, not encrypted again. Nothing that is served changes.
    """
    if not pages:
        return ""
    sealings = sorted((_sealing(page) for page in pages), key=lambda s: s.id)
    name = hashlib.sha256(b"".join(s.id.encode() + s.salt + s.iv for s in sealings)).hexdigest()[:16]
    served = _served(out)
    if served.partition("-")[0] == name and all(_existing(out / FOLDER / POINTER, s) for s in sealings):
        return served
    place = _free_place(out / FOLDER / SETS, name)
    aside = place.with_name(place.name + PART)
    shutil.rmtree(aside, ignore_errors=True)
    for sealing in sealings:
        data = _existing(out / FOLDER / POINTER, sealing) or _encrypt(sealing)
        folder = aside / sealing.id
        folder.mkdir(parents=True)
        (folder / CIPHERTEXT).write_bytes(data)
        (folder / MANIFEST).write_text(_manifest(sealing, data), encoding="utf-8")
        (folder / DOOR).write_text(_DOOR_PAGE.format(id=sealing.id), encoding="utf-8")
    aside.rename(place)
    return place.name


def switch(out: Path, name: str) -> None:
    """Serve the set `name` by one rename and delete every other; "" serves none."""
    folder = out / FOLDER
    pointer, aside = folder / POINTER, folder / (POINTER + PART)
    if not name:
        pointer.unlink(missing_ok=True)
    elif _served(out) != name:
        os.sync()  # the set is on the disk before anything points to it
        aside.unlink(missing_ok=True)
        aside.symlink_to(Path(SETS) / name, target_is_directory=True)
        aside.replace(pointer)
    for other in _sets(out):
        if other.name != name:
            shutil.rmtree(other)
    with contextlib.suppress(OSError):  # they are not there, or hold a set or something of the owner's own
        (folder / SETS).rmdir()
        folder.rmdir()


def _sets(out: Path) -> list[Path]:
    """Return the folders that builds made; whatever else lies among them is the owner's."""
    sets = out / FOLDER / SETS
    found = sets.iterdir() if sets.is_dir() else ()
    return [path for path in found if _SET.fullmatch(path.name) and path.is_dir() and not path.is_symlink()]


def _served(out: Path) -> str:
    pointer = out / FOLDER / POINTER
    return pointer.readlink().name if pointer.is_symlink() else ""


def _free_place(sets: Path, name: str) -> Path:
    """Return a folder for a new set; a damaged one of the same name stays until the switch."""
    place, number = sets / name, 1
    while place.exists():
        place, number = sets / f"{name}-{number}", number + 1
    return place


def _sealing(page: ProtectedPage) -> _Sealing:
    plaintext = _padded(_payload(page))
    content = hashlib.sha256(plaintext).digest()
    parts = (page.id.encode(), content, page.password.encode())
    salt, iv = _mac(page.secret, "salt", *parts)[:16], _mac(page.secret, "iv", *parts)[:12]
    return _Sealing(page.id, plaintext, page.password, salt, iv)


def _payload(page: ProtectedPage) -> bytes:
    files = [{"url": f.url, "type": f.media, "data": base64.b64encode(f.data).decode()} for f in page.files]
    value = {
        "title": page.title,
        "lang": page.lang,
        "html": spoken(page.html, page.lang),
        "toc": [{"level": h.level, "title": h.title, "anchor": h.anchor} for h in page.headings],
        "updated": page.updated,
        "not_after": page.not_after,
        "attachments": files,
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _padded(payload: bytes) -> bytes:
    size = max(SMALLEST, 1 << (len(payload) + 7).bit_length())
    return (len(payload).to_bytes(8, "big") + payload).ljust(size, b"\0")


def _mac(secret: bytes, purpose: str, *parts: bytes) -> bytes:
    """Return an HMAC over parts of any length, each behind its length so that no two lists of parts are one text."""
    message = b"".join(len(part).to_bytes(8, "big") + part for part in (FORMAT.encode(), purpose.encode(), *parts))
    return hmac.new(secret, message, hashlib.sha256).digest()


def _encrypt(sealing: _Sealing) -> bytes:
    key = hashlib.pbkdf2_hmac("sha256", sealing.password.encode(), sealing.salt, ITERATIONS, dklen=32)
    return AESGCM(key).encrypt(sealing.iv, sealing.plaintext, f"{FORMAT}:{sealing.id}".encode())


def _manifest(sealing: _Sealing, data: bytes) -> str:
    salt, iv = (base64.b64encode(value).decode() for value in (sealing.salt, sealing.iv))
    value = {
        "format": FORMAT,
        "id": sealing.id,
        "kdf": {"name": "PBKDF2", "hash": "SHA-256", "iterations": ITERATIONS, "salt": salt},
        "cipher": {"name": "AES-GCM", "length": 256, "iv": iv, "tagLength": 128},
        "file": CIPHERTEXT,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    return json.dumps(value, indent=1) + "\n"


def _existing(folder: Path, sealing: _Sealing) -> bytes | None:
    """Return the ciphertext that an earlier build made of the same content and password, None when it is damaged."""
    try:
        data = (folder / sealing.id / CIPHERTEXT).read_bytes()
        found = [(folder / sealing.id / name).read_text(encoding="utf-8") for name in (MANIFEST, DOOR)]
    except (OSError, UnicodeDecodeError):
        return None
    return data if found == [_manifest(sealing, data), _DOOR_PAGE.format(id=sealing.id)] else None
