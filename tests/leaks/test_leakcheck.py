"""`geosmin leakcheck`: what it must find in any wrapping, and what it must not cry about."""

from __future__ import annotations

import base64
import gzip
import html
import io
import json
import shutil
import sqlite3
import urllib.parse
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from compiler.cli import app
from compiler.leakcheck.scan import LeakReport, leakcheck, told
from compiler.settings import load
from tests.compiler.vault import NOON, PUBLIC, make

PRIVATE = "---\nshare: private\n---\n"
SECRETS = {
    "passage": "the quarterly figures are twice what the board was told",
    "han": "董事会其实早就知道季度数字翻了一倍",
    "name": "裁员计划",
    "word": "Zephyrquill",
    "code": "ORCHID-7731-x",
}
FILES: dict[str, str | bytes] = {
    "index.md": PUBLIC + "# 首页\n\n公开的话。A public sentence that both notes share word for word, every one of them.\n",
    "人事/裁员计划.md": PRIVATE + "# 裁员计划\n\n" + "\n\n".join(SECRETS.values())
    + "\n\nA public sentence that both notes share word for word, every one of them.\n",
    "人事/表.csv": b"name,wage\nx,1\n",
}  # fmt: skip


def zipped(text: str) -> bytes:
    """Return an archive whose member holds a text."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as pack:
        pack.writestr("a.txt", text)
    return buffer.getvalue()


def stored(text: str) -> bytes:
    """Return a database that holds a text longer than one of its pages."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE t (a TEXT)")
    db.execute("INSERT INTO t VALUES (?)", ("x " * 3000 + text + " y" * 3000,))
    db.commit()
    return db.serialize()


WRAPPINGS: dict[str, Callable[[str], bytes]] = {
    "plain": lambda t: t.encode(),
    "other case and width": lambda t: t.upper().replace(" ", "　").encode(),
    "markup": lambda t: "".join(f"<b>{c}</b>" for c in t).encode(),
    "entities": lambda t: "".join(f"&#{ord(c)};" for c in t).encode(),
    "attribute": lambda t: f'<p title="{html.escape(t)}">'.encode(),
    "percent": lambda t: urllib.parse.quote(t).encode(),
    "json": lambda t: json.dumps({"k": t}).encode(),
    "utf-16": lambda t: t.encode("utf-16"),
    "gzip": lambda t: gzip.compress(t.encode()),
    "zip": zipped,
    "base64": lambda t: b"data:text/plain;base64," + base64.b64encode(f"some words before {t}".encode()),
    "base64 of gzip": lambda t: base64.b64encode(gzip.compress(t.encode())),
    "database": stored,
    "soft-wrapped": lambda t: t.replace(" ", "\n").encode(),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of one clean build."""
    make(folder := tmp_path_factory.mktemp("leakcheck"), FILES)
    return folder / "a"


def look(place: Path) -> LeakReport:
    """Search the build in a folder."""
    settings = load(place / "content", place / "dist", place / "state", overrides=["embed.model=none"])
    return leakcheck(settings, now=NOON, progress=lambda _done, _total: None)


def planted(place: Path, files: dict[str, bytes]) -> LeakReport:
    """Search the build with more files in its site."""
    site = place / "dist" / "current" / "site"
    for name, data in files.items():
        (site / name).write_bytes(data)
    try:
        return look(place)
    finally:
        for name in files:
            (site / name).unlink()


def test_a_sound_build_holds_nothing(place: Path) -> None:
    """Nothing is found in a clean build, and a sentence that a public page holds too is no leak."""
    report = look(place)
    assert report.hits == ()
    assert report.marks > len(SECRETS)
    assert report.files > 10


@pytest.mark.parametrize("secret", SECRETS)
def test_a_leak_is_found_in_every_wrapping(place: Path, secret: str) -> None:
    """A sentence, a title, a word and a code of a private page are found however they are wrapped."""
    report = planted(place, {f"{number}.bin": wrap(SECRETS[secret]) for number, wrap in enumerate(WRAPPINGS.values())})
    found = {hit.published.removeprefix("current/site/").removesuffix(".bin") for hit in report.hits}
    assert [name for number, name in enumerate(WRAPPINGS) if str(number) not in found] == []
    assert {hit.source for hit in report.hits} == {"人事/裁员计划.md"}


def test_a_leaked_file_name_is_found(place: Path) -> None:
    """The path of a published file is searched like its content."""
    assert [hit.kind for hit in planted(place, {"裁员计划.html": b""}).hits] == ["name"]


def test_a_leaked_attachment_is_found(place: Path) -> None:
    """The bytes of a file that no public page references are known, whatever they are called."""
    (hit,) = planted(place, {"x.dat": b"name,wage\nx,1\n"}).hits
    assert (hit.kind, hit.source) == ("file", "人事/表.csv")


def test_a_comment_of_a_public_page_is_private(tmp_path: Path) -> None:
    """What an author commented out is looked for like a private page."""
    secret = "%% nobody outside this house may ever read this line %%"
    make(tmp_path, {"index.md": PUBLIC + f"# 首页\n\n公开。\n\n{secret}\n"})
    assert look(tmp_path / "a").hits == ()
    assert planted(tmp_path / "a", {"x.txt": secret.encode()}).hits[0].source == "index.md"


def test_an_index_that_knows_a_private_word_is_found(tmp_path: Path) -> None:
    """A word is a leak also where an index keeps only its stem."""
    make(tmp_path, FILES)
    make(tmp_path, {"index.md": PUBLIC + "# 首页\n\nZephyrquill.\n"}, name="other")
    current = (tmp_path / "a" / "dist" / "current").resolve()
    other = (tmp_path / "other" / "dist" / "current").resolve()
    shutil.rmtree(current / "artifacts")
    shutil.copytree(other / "artifacts", current / "artifacts")
    found = {hit.published for hit in look(tmp_path / "a").hits if hit.kind == "word"}
    assert "current/artifacts/lexical/chunks" in found


def test_redacted_hits_tell_nothing(place: Path) -> None:
    """In CI a hit names the published file, and of the private one only a tag; a path that is the leak is a tag too."""
    report = planted(place, {"裁员计划.html": SECRETS["passage"].encode()})
    text = repr(told(report, redact_with=b"key"))
    assert report.hits
    assert "file#" in text
    assert [secret for secret in SECRETS.values() if secret in text] == []


def test_the_command_fails_on_a_leak(place: Path) -> None:
    """`geosmin leakcheck` exits 0 on a sound build and 1 on a leak, and prints JSON alone when asked."""
    where = [
        f"--{name}={place / folder}" for name, folder in (("content", "content"), ("out", "dist"), ("state", "state"))
    ]
    command = ["leakcheck", *where, f"--now={NOON.isoformat()}", "--json", "--no-redact"]
    assert CliRunner().invoke(app, command).exit_code == 0
    target = place / "dist" / "current" / "site" / "x.txt"
    target.write_text(SECRETS["passage"], "utf-8")
    try:
        result = CliRunner().invoke(app, command)
    finally:
        target.unlink()
    assert result.exit_code == 1
    assert json.loads(result.stdout)["hits"][0]["source"] == "人事/裁员计划.md"
