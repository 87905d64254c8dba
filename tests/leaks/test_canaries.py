"""Canaries: unique strings in every place of files that are not public, looked for in everything that is published."""

from __future__ import annotations

import base64
import binascii
import contextlib
import gzip
import html
import json
import re
import sqlite3
import struct
import urllib.parse
import zlib
from pathlib import Path

import pytest

from query_fn.text import tokenise
from tests.compiler.vault import PUBLIC, make

STATES = {
    "private": "share: private",
    "none": "title: {title}",
    "draft": "share: public\ndraft: true",
    "password": "share: password\npassword: env:CANARY",
    "expired": "share: public\nexpires: 2020-01-01",
    "broken": "share: public\nshare: public",
}
PLACES = (
    "body", "title", "key", "value", "alias", "tag", "heading", "code", "comment", "alt", "label", "url", "footnote", "math",
    "mermaid", "table", "filename", "folder", "attachment", "metadata",
)  # fmt: skip


def canary(state: str, place: str) -> str:
    """Return a word that occurs nowhere else: three rare tokens in one string."""
    mark = zlib.crc32(f"{state}/{place}".encode())
    return f"qz{mark:08x}kx"


def png(text: str) -> bytes:
    """Return a tiny PNG that carries a text chunk."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"tEXt", b"Author\0" + text.encode())
        + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
    )  # fmt: skip


def vault() -> dict[str, str | bytes]:
    """Return a vault of public pages that touch the others, and one file per state with a canary in every place."""
    files: dict[str, str | bytes] = {
        "index.md": PUBLIC + "# 首页\n\n公开的话。![图](pic.png)\n",
        "pic.png": png(canary("public", "metadata")),
    }
    links = []
    for state, marker in STATES.items():
        c = {place: canary(state, place) for place in PLACES}
        folder, name = f"{c['folder']}", f"{c['filename']}.md"
        files[f"{folder}/{name}"] = (
            f"---\n{marker.format(title=c['title'])}\n{'' if state == 'none' else 'title: ' + c['title']}\n"
            f"{c['key']}: {c['value']}\naliases: [{c['alias']}]\ntags: [{c['tag']}]\n---\n"
            f"# {c['heading']}\n\n{c['body']} [{c['label']}](https://{c['url']}.example) ![{c['alt']}]({c['attachment']}.csv)[^1]\n\n"
            f"```\n{c['code']}\n```\n\n%% {c['comment']} %%\n<!-- {c['comment']} -->\n\n$${c['math']}$$\n\n"
            f"```mermaid\ngraph TD; {c['mermaid']}\n```\n\n| a |\n|---|\n| {c['table']} |\n\n[^1]: {c['footnote']}\n[[首页]]\n"
        )
        files[f"{folder}/{c['attachment']}.csv"] = c["attachment"]
        links.append(f"[[{c['filename']}|看这里]] ![[{c['filename']}|嵌入]] [文]({urllib.parse.quote(folder)}/{name})")
    files["links.md"] = PUBLIC + "# 链接\n\n" + "\n".join(links) + "\n"
    return files


def views(data: bytes) -> list[bytes]:
    """Return a file's bytes as they are and in every decoding a curious reader would try."""
    text = data.decode("utf-8", errors="ignore")
    out = [data, html.unescape(text).encode(), urllib.parse.unquote(text).encode()]
    out += [data.decode(code, errors="ignore").encode() for code in ("utf-16-le", "utf-16-be")]
    if data[:2] == b"\x1f\x8b":
        out.append(gzip.decompress(data))
    for run in re.findall(rb"[A-Za-z0-9+/]{24,}={0,2}", data)[:2000]:
        with contextlib.suppress(binascii.Error):
            out.append(base64.b64decode(run + b"=" * (-len(run) % 4)))
    return out


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that is served; the password pages lie beside it, encrypted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEOSMIN_SECRET", canary("password", "secret") * 3)
        patch.setenv("CANARY", canary("password", "password") + " and five random words")
        current = make(tmp_path_factory.mktemp("leaks"), vault())[1]
    assert len(list((current.parent / "protected" / "p").iterdir())) == 1
    return current


def test_no_canary_is_published(published: Path) -> None:
    """No place of no state is found in any file of site or artifacts, in any decoding."""
    words = {canary(state, place): (state, place) for state in STATES for place in (*PLACES, "secret", "password")}
    hits = [
        (path.name, words[word])
        for path in sorted(published.parent.rglob("*"))
        if path.is_file()
        for view in views(path.read_bytes())
        for word in words
        if word.encode() in view or word[::-1].encode() in view
    ]
    assert hits == []


def test_no_file_name_is_published(published: Path) -> None:
    """No path below the output holds a canary."""
    words = [canary(state, place) for state in STATES for place in PLACES]
    names = [p.relative_to(published.parent).as_posix() for p in published.parent.rglob("*")]
    assert [(n, w) for n in names for w in words if w in n] == []


def test_no_index_knows_a_canary(published: Path) -> None:
    """The vocabulary of every index is made from public text only."""
    import tantivy

    for name in ("chunks", "questions", "nodes"):
        folder = published / "artifacts" / "lexical" / name
        index = tantivy.Index.open(str(folder))
        for state in STATES:
            for token in tokenise(canary(state, "body")):
                assert index.searcher().search(index.parse_query(f'"{token}"', ["body"]), 1).count == 0


def test_the_public_picture_lost_its_author(published: Path) -> None:
    """A published image keeps its pixels and no text chunk."""
    (picture,) = (published / "site" / "files").rglob("pic.png")
    assert canary("public", "metadata").encode() not in picture.read_bytes()
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_list_of_everything_names_no_private_page(published: Path) -> None:
    """llms.txt, the sitemap, the page list and the store hold the three public pages and no other."""
    db = sqlite3.connect(f"file:{published / 'artifacts' / 'knowledge.db'}?mode=ro&immutable=1", uri=True)
    assert [row[0] for row in db.execute("SELECT path FROM articles ORDER BY path")] == ["index.md", "links.md"]
    pages = next((published / "site").rglob("pages.json"))
    assert "qz" not in json.dumps(json.loads(pages.read_text("utf-8")), ensure_ascii=False)


def test_the_owners_output_in_ci_names_no_private_file(tmp_path: Path) -> None:
    """Redacted problems hold a tag, a code and a line."""
    from compiler.report import problem_line

    report, _ = make(tmp_path, vault())
    lines = [problem_line(p, b"key") for p in report.problems]
    assert any(line.startswith("file#") for line in lines)
    text = "\n".join(lines)
    words = [canary(s, p) for s in STATES for p in PLACES if p not in ("filename", "folder")]
    assert [w for w in words if w in text] == []
