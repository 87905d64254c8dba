"""What kind a file is, told by its content, and its bytes without metadata."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from compiler.errors import FileError
from compiler.sources.clean import pictures
from compiler.sources.clean.pdf import EncryptedPdf, pdf
from compiler.sources.clean.svg import svg

PICTURES = frozenset({"png", "jpg", "jpeg", "jfif", "gif", "webp"})
TEXTS = frozenset({"txt", "csv", "tsv", "json", "yml", "yaml", "toml", "log"})
_ADVICE = "use PNG, JPEG, GIF, WebP, SVG, PDF or plain text"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: the names it may have on the site, and how it is cleaned (None: it can't be)."""

    name: str
    suffixes: frozenset[str]
    clean: Callable[[bytes], bytes] | None = None
    media: str = ""  # "" = by suffix


_PNG, _JPEG = Kind("PNG", PICTURES, pictures.png, "image/png"), Kind("JPEG", PICTURES, pictures.jpeg, "image/jpeg")
_GIF, _WEBP = Kind("GIF", PICTURES, pictures.gif, "image/gif"), Kind("WebP", PICTURES, pictures.webp, "image/webp")
_PDF, _SVG = (
    Kind("PDF", frozenset({"pdf"}), pdf, "application/pdf"),
    Kind("SVG", frozenset({"svg"}), svg, "image/svg+xml"),
)
_TEXT = Kind("plain text", TEXTS, bytes, "text/plain; charset=utf-8")
_STARTS: Mapping[bytes, Kind] = {
    b"\x89PNG\r\n\x1a\n": _PNG,
    b"\xff\xd8\xff": _JPEG,
    b"GIF87a": _GIF,
    b"GIF89a": _GIF,
    b"%PDF-": _PDF,
    b"PK\x03\x04": Kind("an archive or office document", frozenset()),
    b"\xd0\xcf\x11\xe0": Kind("an office document", frozenset()),
    b"ID3": Kind("sound", frozenset()),
    b"\xff\xfb": Kind("sound", frozenset()),
    b"OggS": Kind("sound or video", frozenset()),
    b"fLaC": Kind("sound", frozenset()),
    b"\x1a\x45\xdf\xa3": Kind("video", frozenset()),
}
_ROOT = re.compile(rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>\s*)*<svg[\s>]", re.S)


def kind_of(data: bytes) -> Kind:
    """Return the kind that a file's content shows; the name plays no part."""
    for start, kind in _STARTS.items():
        if data.startswith(start):
            return kind
    if data[:4] == b"RIFF":
        return _WEBP if data[8:12] == b"WEBP" else Kind("sound or video", frozenset())
    if data[4:8] == b"ftyp":
        picture = data[8:12] in (b"avif", b"avis", b"heic", b"heix", b"mif1", b"msf1")
        return Kind("an AVIF or HEIC picture" if picture else "video", frozenset())
    if _ROOT.match(data[:4096].removeprefix(b"\xef\xbb\xbf")):
        return _SVG
    return Kind("unknown", frozenset()) if b"\0" in data else _TEXT


def cleaned(data: bytes, name: str) -> tuple[bytes, str]:
    """Return a file's bytes without author, place or device data, and its media type.

    Raises FileError for a kind that can't be cleaned, a damaged file, and a name that says another kind.
    """
    kind = kind_of(data)
    suffix = name.rpartition(".")[2].lower()
    if kind.clean is None:
        reason = f"{kind.name} may carry author data that can't be removed here, so it was left out"
        raise FileError("attachment-unsupported", reason, fix=_ADVICE)
    if suffix not in kind.suffixes:
        raise FileError("attachment-misnamed", f"its content is {kind.name}, its name says .{suffix[:8]}", fix=_ADVICE)
    try:
        return kind.clean(data), kind.media
    except EncryptedPdf:
        raise FileError(
            "attachment-encrypted", "an encrypted PDF can't be cleaned", fix="save it unprotected"
        ) from None
    except (IndexError, struct.error, ValueError):
        raise FileError("attachment-damaged", "it is damaged and was left out", fix="save it again") from None
