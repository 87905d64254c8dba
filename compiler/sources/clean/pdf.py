"""PDF without author data, attachments and actions: rewritten by qpdf from what the pages need."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from typing import Any

import pikepdf

from compiler.sources.clean import pictures

_ROOT_KEPT = frozenset(
    "/Type /Version /Pages /PageLabels /Names /Dests /ViewerPreferences /PageLayout /PageMode /Outlines /MarkInfo "
    "/StructTreeRoot /Lang /OCProperties /OutputIntents /AcroForm".split()
)
_DROPPED = (
    "/Metadata /PieceInfo /LastModified /AA /AF /JS /Thumb /CreatorInfo /Next /XFA /SigFlags /Threads /B /OpenAction"
).split()
_ACTIONS = frozenset({"/URI", "/GoTo", "/Named"})
_SEEN = frozenset(  # annotations that are part of what a page shows
    "/Link /Widget /FreeText /Highlight /Underline /StrikeOut /Squiggly /Ink /Line /Square /Circle /Polygon /PolyLine "
    "/Stamp /Caret /Watermark".split()
)
_SAID = ("/T", "/RC", "/M", "/NM", "/CreationDate", "/Subj", "/Popup", "/Contents")  # who wrote a mark, when, and why
MAX_DEPTH = 100


class EncryptedPdf(Exception):
    """The file can't be read without a password, or says what readers may do with it."""


def pdf(data: bytes) -> bytes:
    """Return the PDF's pages, outline and links, the same bytes every time.

    Gone are the info dictionary, XMP, embedded files, scripts and other actions, form data streams, thumbnails, notes,
    the earlier versions that an editor keeps, and the EXIF data of pictures. Raises EncryptedPdf, or ValueError for a
    damaged file.
    """
    try:
        with pikepdf.open(io.BytesIO(data)) as document:
            if document.is_encrypted:
                raise EncryptedPdf
            _clean(document)
            out = io.BytesIO()
            document.save(
                out,
                deterministic_id=True,
                fix_metadata_version=False,
                object_stream_mode=pikepdf.ObjectStreamMode.generate,
            )
            return out.getvalue()
    except pikepdf.PasswordError:
        raise EncryptedPdf from None
    except (pikepdf.PdfError, RecursionError, zlib.error, TypeError, KeyError, IndexError) as error:
        raise ValueError("not a sound PDF") from error


def _clean(document: pikepdf.Pdf) -> None:
    for key in [k for k in document.trailer.keys() if k not in ("/Root", "/Size", "/ID")]:  # noqa: SIM118 - no iterator
        del document.trailer[key]
    root = document.Root
    for key in [k for k in root.keys() if k not in _ROOT_KEPT]:  # noqa: SIM118
        del root[key]
    if "/Names" in root:
        for key in [k for k in root.Names.keys() if k != "/Dests"]:  # noqa: SIM118
            del root.Names[key]
    for page in document.pages:
        if "/Annots" in page:
            page.Annots = pikepdf.Array([a for a in page.Annots if str(a.get("/Subtype")) in _SEEN])
    for item in document.objects:
        for part in _dictionaries(item):
            _clean_dictionary(part)
        if isinstance(item, pikepdf.Stream):
            _clean_picture(item)


def _dictionaries(item: Any, depth: int = 0) -> Iterator[Any]:
    """Yield a dictionary or stream and those directly within it; indirect ones come on their own."""
    if depth > MAX_DEPTH:
        raise ValueError("too deep")
    if isinstance(item, pikepdf.Dictionary | pikepdf.Stream):
        yield item
        inner = [item[key] for key in item.keys()]  # noqa: SIM118
    else:
        inner = list(item) if isinstance(item, pikepdf.Array) else []
    for value in inner:
        if isinstance(value, pikepdf.Object) and not value.is_indirect:
            yield from _dictionaries(value, depth + 1)


def _clean_dictionary(item: Any) -> None:
    gone = [key for key in _DROPPED if key in item]
    if "/A" in item and isinstance(item["/A"], pikepdf.Dictionary) and str(item["/A"].get("/S")) not in _ACTIONS:
        gone.append("/A")
    kind = str(item.get("/Subtype"))
    if kind in _SEEN and "/Rect" in item and kind != "/Widget":
        gone += [key for key in _SAID if key in item and not (kind == "/FreeText" and key == "/Contents")]
    for key in gone:
        del item[key]


def _clean_picture(item: pikepdf.Stream) -> None:
    named: Any = item.get("/Filter", [])
    filters = [str(f) for f in named] if isinstance(named, pikepdf.Array) else [str(named)]
    if "/DCTDecode" not in filters:
        return
    raw = item.read_raw_bytes()
    for name in filters[: filters.index("/DCTDecode")]:
        if name != "/FlateDecode":
            raise ValueError("a picture in a filter that is not read here")
        raw = zlib.decompress(raw)
    item.write(pictures.jpeg(raw), filter=pikepdf.Name.DCTDecode)
