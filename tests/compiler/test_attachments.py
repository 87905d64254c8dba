"""Attachments: told by content, published without metadata, or left out and then like a file that is not there."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from pathlib import Path

import pikepdf
import pytest

from compiler.errors import FileError
from compiler.model import Severity
from compiler.sources.clean import pictures
from compiler.sources.clean.kinds import cleaned, kind_of

from .vault import PUBLIC, digests, make

SECRET = b"qzsecretkx"
SVG_OPEN = b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'


def png(text: bytes = SECRET) -> bytes:
    """Return a tiny PNG with a text chunk, and with bytes behind its end."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    parts = (("IHDR", head), ("tEXt", text), ("eXIf", text), ("IDAT", zlib.compress(b"\0\0")), ("IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind.encode(), data) for kind, data in parts) + text


def jpeg(orientation: int = 6) -> bytes:
    """Return the frame of a JPEG with EXIF, XMP, a comment, two scans, and a second picture behind its end."""
    entry = (
        struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0)
        + struct.pack(">HHI", 0x010F, 2, len(SECRET))
        + b"\0\0\0\x26"
    )
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x02" + entry + b"\0\0\0\0" + SECRET

    def segment(marker: int, data: bytes) -> bytes:
        return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data

    scan = segment(0xDA, b"\x01\x01\x00\x00\x3f\x00") + b"\x12\xff\x00\x34\xff\xd0\x56"
    body = segment(0xE0, b"JFIF\0") + segment(0xE1, exif) + segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + SECRET)
    body += segment(0xFE, SECRET) + segment(0xDB, b"\0" * 65) + scan + segment(0xC4, b"\0" * 20) + scan
    return b"\xff\xd8" + body + b"\xff\xd9" + SECRET + b"\xff\xd9"


def pdf(**save: object) -> bytes:
    """Return a PDF that carries a secret in every place where a PDF can."""
    word = SECRET.decode()
    with pikepdf.new() as document:
        page = document.add_blank_page()
        document.docinfo["/Author"] = word
        document.Root.Metadata = document.make_stream(SECRET)
        document.attachments["a.txt"] = SECRET
        script = pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS=word)
        document.Root.OpenAction = script
        document.Root.Names.JavaScript = pikepdf.Dictionary(Names=pikepdf.Array([word, document.make_indirect(script)]))
        document.Root.PieceInfo = pikepdf.Dictionary(X=word)
        place = pikepdf.Array([0, 0, 9, 9])
        note = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Text, Rect=place, T=word, Contents=word)
        mark = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Highlight, Rect=place, T=word, Contents=word
        )
        run = pikepdf.Dictionary(S=pikepdf.Name.Launch, F=word)
        link = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Link, Rect=place, A=run)
        go = pikepdf.Dictionary(S=pikepdf.Name.URI, URI="https://example.org/kept", Next=script)
        kept = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Link, Rect=place, A=go)
        page.Annots = pikepdf.Array([document.make_indirect(x) for x in (note, mark, link, kept)])
        picture = document.make_stream(jpeg(), Subtype=pikepdf.Name.Image)
        picture.Filter = pikepdf.Name.DCTDecode
        page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Im0=picture))
        page.Contents = document.make_stream(b"q /Im0 Do Q")
        out = io.BytesIO()
        document.save(out, **save)
        return out.getvalue()


def test_a_picture_ends_at_its_end() -> None:
    """What stands behind the end of a PNG or JPEG, in its comments or in its EXIF block is gone."""
    assert SECRET not in pictures.png(png())
    assert SECRET not in pictures.jpeg(jpeg())


@pytest.mark.parametrize(("orientation", "kept"), [(1, False), (6, True), (8, True), (9, False)])
def test_a_photograph_stays_upright(orientation: int, kept: bool) -> None:
    """The EXIF block is gone, but the one tag in it that changes what is seen is kept."""
    clean = pictures.jpeg(jpeg(orientation))
    assert (b"Exif\0\0MM\0*" in clean) is kept
    assert (struct.pack(">HHIH", 0x0112, 3, 1, orientation) in clean) is kept


def test_a_jpeg_with_several_scans_keeps_them() -> None:
    """Picture data is copied byte for byte, tables between scans included."""
    assert pictures.jpeg(jpeg()).count(b"\x12\xff\x00\x34\xff\xd0\x56") == 2


def test_a_pdf_loses_everything_but_its_pages() -> None:
    """No author, note, script, attachment, private data or picture data is left; an ordinary link is."""
    clean, media = cleaned(pdf(), "a.pdf")
    with pikepdf.open(io.BytesIO(clean)) as document:
        plain = io.BytesIO()
        document.save(plain, compress_streams=False, object_stream_mode=pikepdf.ObjectStreamMode.disable, qdf=True)
        keys = {str(key) for item in document.objects if isinstance(item, pikepdf.Dictionary) for key in item.keys()}  # noqa: SIM118
    assert SECRET not in plain.getvalue()
    assert SECRET.decode().encode("utf-16-be") not in plain.getvalue()
    assert b"https://example.org/kept" in plain.getvalue()
    assert not keys & {"/JS", "/Metadata", "/EmbeddedFiles", "/Info", "/PieceInfo", "/OpenAction"}
    assert media == "application/pdf"


def test_a_clean_pdf_has_the_same_bytes_every_time() -> None:
    """Cleaning is a function of the file."""
    assert cleaned(pdf(static_id=True), "a.pdf") == cleaned(pdf(static_id=True), "a.pdf")


def test_a_pdf_that_needs_a_password_is_refused() -> None:
    """What can't be read can't be cleaned; restrictions without a password count too."""
    for user in ("x", ""):
        with pytest.raises(FileError) as caught:
            cleaned(pdf(encryption=pikepdf.Encryption(owner="o", user=user)), "a.pdf")
        assert caught.value.code == "attachment-encrypted"


@pytest.mark.parametrize(
    "inner",
    [
        b"<script>qzsecretkx</script>",
        b"<foreignObject><p>qzsecretkx</p></foreignObject>",
        b'<rect onload="qzsecretkx()"/>',
        b'<image href="https://qzsecretkx.example/a.png"/>',
        b'<image xlink:href="data:text/html,qzsecretkx"/>',
        b'<image href="data:image/svg+xml;base64,cXpzZWNyZXRreA=="/>',
        b'<use href="https://qzsecretkx.example/a.svg#x"/>',
        b'<a href="javascript:qzsecretkx"><rect/></a>',
        b"<style>@import 'https://qzsecretkx.example'</style>",
        b"<style>rect{fill:u\\72l(qzsecretkx)}</style>",
        b'<rect style="fill:url(https://qzsecretkx.example/x)"/>',
        b'<rect fill="url( https://qzsecretkx.example/x )"/>',
        b'<set attributeName="href" to="javascript:qzsecretkx"/>',
        b"<metadata>qzsecretkx</metadata>",
        b"<!-- qzsecretkx -->",
        b"<?php qzsecretkx ?>",
        b'<rect xmlns:i="http://www.inkscape.org/namespaces/inkscape" i:export-filename="qzsecretkx"/>',
        b'<i:view xmlns:i="urn:x">qzsecretkx</i:view>',
        b'<rect data-author="qzsecretkx"/>',
        b'<handler xmlns="http://www.w3.org/2001/xml-events">qzsecretkx</handler>',
    ],
)
def test_a_drawing_keeps_only_what_draws(inner: bytes) -> None:
    """Scripts, events, outside references and editor data are gone; the shapes beside them stay."""
    clean, _ = cleaned(SVG_OPEN + inner + b'<circle r="4" fill="url(#g)"/></svg>', "a.svg")
    assert SECRET not in clean
    assert b'<circle r="4" fill="url(#g)"/>' in clean


def test_a_picture_inside_a_drawing_is_cleaned() -> None:
    """A PNG in a data address keeps its pixels and loses its text."""
    data = base64.b64encode(png())
    clean, _ = cleaned(SVG_OPEN + b'<image href="data:image/png;base64,' + data + b'"/></svg>', "a.svg")
    assert base64.b64encode(pictures.png(png())) in clean


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.svg", b'<!DOCTYPE svg [<!ENTITY a "x">]>' + SVG_OPEN + b"<text>&a;</text></svg>", "attachment-damaged"),
        ("a.svg", b"<svg><rect/></svg>", "attachment-damaged"),
        ("a.svg", SVG_OPEN, "attachment-damaged"),
        ("a.png", png()[:40], "attachment-damaged"),
        ("a.jpg", jpeg()[:60], "attachment-damaged"),
        ("a.gif", b"GIF89a\1\0\1\0\0\0\0\x99", "attachment-damaged"),
        ("a.pdf", b"%PDF-1.7\nnothing", "attachment-damaged"),
        ("a.txt", pdf(), "attachment-misnamed"),
        ("a.csv", SVG_OPEN + b"</svg>", "attachment-misnamed"),
        ("a.html", b"<p>text</p>", "attachment-misnamed"),
        ("a.js", b"alert(1)", "attachment-misnamed"),
        ("a.docx", b"PK\x03\x04word", "attachment-unsupported"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1", "attachment-unsupported"),
        ("a.avif", b"\0\0\0\x1cftypavif", "attachment-unsupported"),
        ("a.heic", b"\0\0\0\x1cftypheic", "attachment-unsupported"),
        ("a.mp4", b"\0\0\0\x1cftypisom", "attachment-unsupported"),
        ("a.mp3", b"ID3\4", "attachment-unsupported"),
        ("a.webm", b"\x1a\x45\xdf\xa3", "attachment-unsupported"),
        ("a.png", b"PK\x03\x04", "attachment-unsupported"),
        ("a.txt", b"a\0b", "attachment-unsupported"),
    ],
)
def test_what_cannot_be_cleaned_is_refused(name: str, data: bytes, code: str) -> None:
    """A damaged file, an unknown kind and a name that says another kind each have their own message."""
    with pytest.raises(FileError) as caught:
        cleaned(data, name)
    assert (caught.value.code, bool(caught.value.fix)) == (code, True)


def test_a_picture_may_have_the_name_of_another_kind_of_picture() -> None:
    """The content decides: a PNG that is called .jpg is cleaned as a PNG."""
    assert cleaned(png(), "a.jpg") == (pictures.png(png()), "image/png")
    assert kind_of(png()).name == "PNG"


@pytest.mark.parametrize("name", ["pic.png", "doc.docx"])
def test_a_file_that_is_left_out_is_like_one_that_is_not_there(tmp_path: Path, name: str) -> None:
    """A damaged picture and an office document resolve as missing, and are told once."""
    page = {"a.md": PUBLIC + f"# a\n\n![x]({name}) [[{name}]]\n"}
    report, with_it = make(tmp_path, page | {name: b"PK\x03\x04"}, name="a")
    _, without = make(tmp_path, page, name="b")
    assert digests(with_it) == digests(without)
    assert [(p.code, p.path) for p in report.problems] == [("attachment-unsupported", name)]


def test_two_files_for_one_address_are_an_error_that_names_both(tmp_path: Path) -> None:
    """Names that differ in case alone are one file on many disks: the first stays, nothing is overwritten."""
    page = PUBLIC + "# a\n\n![x](Pic.png) ![y](pic.png)\n"
    report, current = make(tmp_path, {"a.md": page, "Pic.png": png(), "pic.png": png(b"other")})
    (problem,) = report.problems
    assert (problem.code, problem.path, problem.severity) == ("attachment-twice", "pic.png", Severity.ERROR)
    assert "Pic.png" in problem.message
    assert [p.name for p in (current / "site" / "files").iterdir()] == ["Pic.png"]


def test_a_page_and_a_file_for_one_address_do_not_stop_the_build(tmp_path: Path) -> None:
    """A page below /files/ keeps its address, and the file that wants it is left out."""
    files = {"a.md": PUBLIC + "![x](pic.png)\n", "files/pic.png.md": PUBLIC + "# p\n", "pic.png": png()}
    report, current = make(tmp_path, files)
    assert [(p.code, p.path) for p in report.problems] == [("attachment-twice", "pic.png")]
    assert (current / "site" / "files" / "pic.png" / "index.html").is_file()
