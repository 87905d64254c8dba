"""PNG, JPEG, GIF and WebP without author, place and device data, chunk by chunk: no pixel is touched.

Each function returns the clean bytes and raises ValueError, IndexError or struct.error for a damaged file.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator

_PNG_KEPT = frozenset(
    {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"sRGB", b"cHRM", b"acTL", b"fcTL", b"fdAT"}
)
_JPEG_APP0, _JPEG_ADOBE = 0xE0, 0xEE
_JPEG_MARK = re.compile(rb"\xff+[^\x00\xd0-\xd7\xff]")  # ends a run of picture data (ITU-T T.81, B.1.1.2)
_ORIENTATION = 0x0112  # the one EXIF tag that changes what is seen


def png(data: bytes) -> bytes:
    """Return a PNG with its picture, palette, colour and animation chunks only, each with a checked sum."""
    return data[:8] + b"".join(_png_chunks(data))


def _png_chunks(data: bytes) -> Iterator[bytes]:
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


def jpeg(data: bytes) -> bytes:
    """Return a JPEG without comments and application data, but with its orientation; nothing follows its end mark."""
    out, turned = bytearray(b"\xff\xd8"), b""
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
            continue
        if marker == 0xD9:
            return bytes(out[:2]) + turned + bytes(out[2:]) + b"\xff\xd9"
        (size,) = struct.unpack(">H", data[at + 2 : at + 4])
        end = at + 2 + size
        if size < 2 or end > len(data):
            raise ValueError("segment")
        if marker == 0xDA:
            end = _picture_end(data, end)
        if marker == 0xE1 and data[at + 4 : at + 10] == b"Exif\0\0":
            turned = turned or _orientation(data[at + 10 : end])
        if marker != 0xFE and (marker == _JPEG_ADOBE or not _JPEG_APP0 < marker <= 0xEF):
            out += data[at:end]
        at = end
    raise ValueError("marker")


def _picture_end(data: bytes, start: int) -> int:
    match = _JPEG_MARK.search(data, start)
    if match is None:
        raise ValueError("no end")
    return match.start()


def _orientation(tiff: bytes) -> bytes:
    """Return an EXIF segment that holds the orientation and nothing else, or nothing when the picture is upright."""
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None:
        return b""
    try:
        (first,) = struct.unpack(order + "I", tiff[4:8])
        (count,) = struct.unpack(order + "H", tiff[first : first + 2])
        for at in range(first + 2, first + 2 + 12 * min(count, 200), 12):
            tag, kind, _, value = struct.unpack(order + "HHIH", tiff[at : at + 10])
            if tag == _ORIENTATION and kind == 3 and 2 <= value <= 8:
                body = b"Exif\0\0MM\0*\0\0\0\x08\0\x01" + struct.pack(">HHIHHI", _ORIENTATION, 3, 1, value, 0, 0)
                return b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body
    except struct.error:
        return b""
    return b""


def gif(data: bytes) -> bytes:
    """Return a GIF without comment and application blocks, except the one that says how often it repeats."""
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


def webp(data: bytes) -> bytes:
    """Return a WebP without EXIF, XMP and colour profile chunks; nothing follows the length it declares."""
    out = bytearray()
    at, last = 12, 8 + struct.unpack("<I", data[4:8])[0]
    if last > len(data) + 1:
        raise ValueError("length")
    while at < min(last, len(data)):
        kind, (size,) = data[at : at + 4], struct.unpack("<I", data[at + 4 : at + 8])
        end = at + 8 + size + (size & 1)
        if end > len(data) + 1:
            raise ValueError("chunk")
        if kind == b"VP8X":
            out += data[at : at + 8] + bytes([data[at + 8] & ~0x2C]) + data[at + 9 : end]
        elif kind in (b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ANMF"):
            out += data[at:end]
        at = end
    if not out:
        raise ValueError("empty")
    return b"RIFF" + struct.pack("<I", len(out) + 4) + b"WEBP" + bytes(out)
