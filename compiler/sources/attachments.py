"""Files that public pages reference. They are published without their metadata, or not at all."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from compiler.errors import FileError
from compiler.model import Attachment, Problem, Severity, SourcePath
from compiler.settings import LimitSettings

PLAIN = frozenset({"txt", "csv", "tsv", "json", "yml", "yaml", "toml", "log"})
PICTURES = frozenset({"png", "jpg", "jpeg", "gif", "webp"})
_PNG_KEPT = frozenset(
    {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"sRGB", b"cHRM", b"acTL", b"fcTL", b"fdAT"}
)
_JPEG_APP0, _JPEG_ADOBE = 0xE0, 0xEE


def collect(
    wanted: Sequence[SourcePath],
    others: Mapping[SourcePath, Path],
    urls: Mapping[SourcePath, str],
    *,
    limits: LimitSettings,
) -> tuple[tuple[Attachment, ...], list[Problem]]:
    """Return the wanted files with their clean bytes' hash; a file that cannot be cleaned is left out and a problem."""
    out: list[Attachment] = []
    problems: list[Problem] = []
    for path in wanted:
        try:
            data = clean(path, others[path].read_bytes(), limits)
        except FileError as error:
            problems.append(Problem(Severity.WARNING, error.code, path, None, error.message, error.fix, True))
            continue
        out.append(Attachment(path, data, urls[path], hashlib.sha256(data).hexdigest()))
    return tuple(out), problems


def is_cleanable(path: SourcePath) -> bool:
    """Tell whether files of this kind can be published without metadata."""
    return path.rsplit(".", 1)[-1].lower() in PLAIN | PICTURES


def clean(path: SourcePath, data: bytes, limits: LimitSettings) -> bytes:
    """Return a file's bytes without author, place or device data. Raises FileError for a kind that cannot be cleaned.

    PNG, JPEG, GIF and WebP are rewritten chunk by chunk without their pixels being touched; plain text has no metadata.
    """
    if len(data) > limits.attachment_bytes:
        raise FileError("attachment-too-large", f"{path} is larger than {limits.attachment_bytes:,} bytes")
    suffix = path.rsplit(".", 1)[-1].lower()
    try:
        if data[:8] == b"\x89PNG\r\n\x1a\n":
            return data[:8] + b"".join(_png(data))
        if data[:2] == b"\xff\xd8":
            return b"\xff\xd8" + b"".join(_jpeg(data))
        if data[:6] in (b"GIF87a", b"GIF89a"):
            return _gif(data)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp(data)
    except (IndexError, struct.error, ValueError):
        raise FileError(
            "attachment-damaged", f"{path} is damaged and was left out", fix="save the image again"
        ) from None
    if suffix in PLAIN and b"\0" not in data:
        return data
    raise FileError(
        "attachment-unsupported",
        f"{path} was left out: this kind of file may carry author data that can't be removed here",
        fix="use PNG, JPEG, GIF, WebP or plain text",
    )


def _png(data: bytes) -> Iterator[bytes]:
    at = 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, end = data[at + 4 : at + 8], at + 12 + size
        if end > len(data) or zlib.crc32(data[at + 4 : end - 4]) != struct.unpack(">I", data[end - 4 : end])[0]:
            raise ValueError("chunk")
        if kind in _PNG_KEPT:
            yield data[at:end]
        if kind == b"IEND":
            return
        at = end
    raise ValueError("no end")


def _jpeg(data: bytes) -> Iterator[bytes]:
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xDA:  # the picture itself, to the end mark
            end = data.rindex(b"\xff\xd9") + 2
            yield data[at:end]
            return
        (size,) = struct.unpack(">H", data[at + 2 : at + 4])
        application = _JPEG_APP0 < marker <= 0xEF and marker != _JPEG_ADOBE
        if not application and marker != 0xFE:
            yield data[at : at + 2 + size]
        at += 2 + size
    raise ValueError("marker")


def _gif(data: bytes) -> bytes:
    """Drop comment and application blocks, but keep the one that says how often an animation repeats."""
    out = bytearray()
    flags = data[10]
    at = 13 + (3 << ((flags & 7) + 1) if flags & 0x80 else 0)
    out += data[:at]
    while data[at] != 0x3B:
        start = at
        if data[at] == 0x21:
            label, at = data[at + 1], at + 2
        elif data[at] == 0x2C:
            label, packed = 0, data[at + 9]
            at += 10 + (3 << ((packed & 7) + 1) if packed & 0x80 else 0) + 1
        else:
            raise ValueError("block")
        while data[at]:
            at += data[at] + 1
        at += 1
        if label in (0, 0xF9) or data[start + 3 : start + 14] in (b"NETSCAPE2.0", b"ANIMEXTS1.0"):
            out += data[start:at]
    return bytes(out) + b"\x3b"


def _webp(data: bytes) -> bytes:
    out = bytearray()
    at = 12
    while at < len(data):
        kind, (size,) = data[at : at + 4], struct.unpack("<I", data[at + 4 : at + 8])
        end = at + 8 + size + (size & 1)
        if end > len(data) + 1:
            raise ValueError("chunk")
        if kind == b"VP8X":
            out += data[at : at + 8] + bytes([data[at + 8] & ~0x2C]) + data[at + 9 : end]
        elif kind not in (b"EXIF", b"XMP ", b"ICCP"):
            out += data[at:end]
        at = end
    return b"RIFF" + struct.pack("<I", len(out) + 4) + b"WEBP" + bytes(out)
