"""A published file in every reading that a curious person would try: decoded, unpacked, with and without markup."""

from __future__ import annotations

import base64
import binascii
import contextlib
import gzip
import html
import io
import re
import sqlite3
import urllib.parse
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing

MAX_DEPTH = 4  # a container in a container in a container
MAX_BYTES = 256_000_000  # of one container's contents; a build of ours holds nothing larger

BREAK = " | "  # punctuation: what stands on both sides of it does not belong together
SQLITE = b"SQLite format 3\0"

BOMS = (b"\xff\xfe", b"\xfe\xff")
MAX_UNKNOWN = 1_000_000  # bytes of a file in no known encoding that is read as UTF-16 too

_INLINE = re.compile(r"</?(?:a|abbr|b|code|em|i|mark|span|strong|sub|sup|wbr)\b[^<>]{0,10000}>")
_TAG = re.compile(r"<[^<>]{0,10000}>")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\ufffd]")
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{24,}={0,2}|[A-Za-z0-9_-]{24,}={0,2}")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


def readings(data: bytes, depth: int = 0) -> Iterator[str]:
    """Yield the texts that `data` holds: as it is, without markup and escapes, and of everything packed into it."""
    if not data.startswith(SQLITE):  # its cells touch each other; they are read one by one
        yield from _texts(data)
    if depth == MAX_DEPTH:
        return
    for inner in _inside(data):
        yield from readings(inner, depth + 1)


def is_packed(text: str) -> bool:
    """Tell whether a reading is of a binary file: there, what stands side by side does not belong together."""
    return _CONTROL.search(text) is not None


def _texts(data: bytes) -> Iterator[str]:
    text = data.decode("utf-8", errors="replace")
    yield text
    if b"\0" in data[:4096] or data[:2] in BOMS or (len(data) < MAX_UNKNOWN and "\ufffd" in text):
        yield from (data.decode(code, errors="replace") for code in ("utf-16-le", "utf-16-be"))
    for read in (_without_markup, _without_escapes):
        if (found := read(text)) != text:
            yield found


def _without_markup(text: str) -> str:
    return html.unescape(_TAG.sub(BREAK, _INLINE.sub("", text))) if "<" in text else text


def _without_escapes(text: str) -> str:
    """Return a text with HTML entities, percent signs and the escapes of JSON and JavaScript as characters."""
    if "\\" in text:
        found = _ESCAPE.sub(lambda m: chr(int(m[1], 16)), text).replace("\\n", "\n").replace('\\"', '"')
        text = found.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")  # joins surrogate pairs
    return urllib.parse.unquote(html.unescape(text))


def _inside(data: bytes) -> Iterator[bytes]:
    """Yield what is packed in `data`: a store's columns, compressed streams, members of an archive, base64 runs."""
    if data.startswith(SQLITE):
        yield BREAK.join(_columns(data)).encode()
    elif data.startswith(b"\x1f\x8b"):
        with contextlib.suppress(OSError, EOFError, zlib.error):
            yield gzip.GzipFile(fileobj=io.BytesIO(data)).read(MAX_BYTES)
    elif data.startswith(b"PK\x03\x04"):
        yield from _members(data)
    else:
        for run in _BASE64.findall(data):
            with contextlib.suppress(binascii.Error, ValueError):
                yield base64.b64decode(
                    run + b"=" * (-len(run) % 4), altchars=b"-_" if b"-" in run or b"_" in run else None
                )


def _members(data: bytes) -> Iterator[bytes]:
    with (
        contextlib.suppress(zipfile.BadZipFile, NotImplementedError, RuntimeError),
        zipfile.ZipFile(io.BytesIO(data)) as pack,
    ):
        for entry in pack.infolist():
            yield entry.filename.encode()
            with pack.open(entry) as member:
                yield member.read(MAX_BYTES)


def _columns(data: bytes) -> Iterator[str]:
    """Yield every text of every table: a long one lies in pieces in the file itself."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.deserialize(data)
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in db.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - a name from the store's own catalogue
                yield from (value for value in row if isinstance(value, str))
