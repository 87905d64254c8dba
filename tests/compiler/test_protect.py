"""Password pages: ciphertext in a folder of their own, opened by the documented format, and nothing anywhere else."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from compiler.lint.run import lint
from compiler.model import ProtectedPage, Severity, SourcePath, Url
from compiler.progress import Silent
from compiler.report import Report, problem_line
from compiler.settings import load
from compiler.site import protect

from .test_attachments import png
from .vault import NOON, PUBLIC, codes, digests, make, write

SECRET, PASSWORD = "s" * 40, "0123 correct horse battery staple"
CLUB = "---\nshare: password\npassword: env:CLUB\ntitle: Qzclubkx\n---\n"
BODY = "# Qzclubkx\n\n## Qzpartkx\n\nqzbodykx [[a]] [[hidden]] [[club#Qzpartkx]] [[missing]] ![](qzpictkx.png)\n"
VAULT: dict[str, str | bytes] = {
    "a.md": PUBLIC + "# a\n\n[[club]] ![[club]] [c](qzclubkx/club.md)\n",
    "hidden.md": "---\nshare: private\n---\n# hidden\n",
    "qzclubkx/club.md": CLUB + BODY,
    "qzclubkx/qzpictkx.png": png(),
}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEOSMIN_SECRET", SECRET)
    monkeypatch.setenv("CLUB", PASSWORD)


def unlock(folder: Path, password: str) -> dict:
    """Open one page as the format's description says, without any of our code."""
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    data = (folder / manifest["file"]).read_bytes()
    assert (len(data), hashlib.sha256(data).hexdigest()) == (manifest["size"], manifest["sha256"])
    kdf, cipher = manifest["kdf"], manifest["cipher"]
    assert (kdf["name"], kdf["hash"], cipher["name"], cipher["tagLength"]) == ("PBKDF2", "SHA-256", "AES-GCM", 128)
    salt, iv = base64.b64decode(kdf["salt"]), base64.b64decode(cipher["iv"])
    key = hashlib.pbkdf2_hmac("sha256", password.encode("utf-8"), salt, kdf["iterations"], cipher["length"] // 8)
    plain = AESGCM(key).decrypt(iv, data, f"{manifest['format']}:{manifest['id']}".encode())
    length = int.from_bytes(plain[:8], "big")
    assert set(plain[8 + length :]) <= {0}
    return json.loads(plain[8 : 8 + length])


def pages(current: Path) -> list[Path]:
    """Return the folder of every password page."""
    return sorted((current.parent / "protected" / "p").glob("*"))


def everything(out: Path) -> bytes:
    """Return every name and byte below the output."""
    found = sorted(out.rglob("*"))
    return b"\n".join(str(p.relative_to(out)).encode() + (p.read_bytes() if p.is_file() else b"") for p in found)


def test_a_page_opens_with_its_password_by_the_documented_format(tmp_path: Path) -> None:
    """Title, body, table of contents and picture come out; public links lead, links to what is hidden do not."""
    _, current = make(tmp_path, VAULT)
    (folder,) = pages(current)
    page = unlock(folder, PASSWORD)
    assert (page["title"], [h["title"] for h in page["toc"]]) == ("Qzclubkx", ["Qzclubkx", "Qzpartkx"])
    assert 'href="../../../a/"' in page["html"]
    assert page["html"].count('class="missing"') == 2
    assert f'href="#{page["toc"][1]["anchor"]}"' in page["html"]
    (file,) = page["attachments"]
    assert (f'src="{file["url"]}"' in page["html"], file["type"]) == (True, "image/png")
    assert b"IDAT" in base64.b64decode(file["data"])
    assert b"qzsecretkx" not in base64.b64decode(file["data"])


def test_a_link_of_the_page_that_leads_nowhere_is_told_to_the_owner_alone(tmp_path: Path) -> None:
    """Build and log name the link with its line; a redacted log and lint, which others read, hold nothing of it."""
    report, _ = make(tmp_path, VAULT)
    assert codes(report) == [("link-missing", "a.md", 6)] * 3 + [("link-missing", "qzclubkx/club.md", 10)] * 2
    own = [problem for problem in report.problems if problem.path == "qzclubkx/club.md"]
    assert [p.message for p in own] == ["link to nowhere: [[hidden]]", "link to nowhere: [[missing]]"]
    assert [redacted for p in own for redacted in ("[[", "hidden", "club") if redacted in problem_line(p, b"k")] == []
    settings = load(
        tmp_path / "a" / "content", tmp_path / "a" / "dist", tmp_path / "a" / "state", overrides=["embed.model=none"]
    )
    broken = [f.path for f in lint(settings, now=NOON, progress=Silent()).findings if f.code == "broken-link"]
    assert broken == ["a.md"] * 3


def test_what_the_site_says_for_the_author_is_said_inside_too(tmp_path: Path) -> None:
    """A callout without a title has one in the page's language, as on a public page."""
    club = CLUB.replace("title", "lang: zh\ntitle") + "> [!tip]\n> qz\n"
    _, current = make(tmp_path, VAULT | {"qzclubkx/club.md": club})
    assert ">提示</p>" in unlock(pages(current)[0], PASSWORD)["html"]


def test_another_password_opens_nothing(tmp_path: Path) -> None:
    """The ciphertext is authenticated; a wrong password is an error and not another text."""
    _, current = make(tmp_path, VAULT)
    with pytest.raises(InvalidTag):
        unlock(pages(current)[0], PASSWORD.lstrip("0"))


def test_nothing_of_a_page_is_anywhere_in_clear(tmp_path: Path) -> None:
    """No name, title, heading, text, picture or password is in any file or file name below the output."""
    _, current = make(tmp_path, VAULT)
    data = everything(current.parent).lower()
    words = (b"qzclubkx", b"qzpartkx", b"qzbodykx", b"qzpictkx", b"horse", SECRET.encode())
    assert [word for word in words if word in data] == []


def test_the_public_build_is_the_same_with_and_without(tmp_path: Path) -> None:
    """Deleting the page and its picture leaves every public byte as it was."""
    _, with_it = make(tmp_path, VAULT, name="a")
    _, without = make(tmp_path, {k: v for k, v in VAULT.items() if not k.startswith("qz")}, name="b")
    assert digests(with_it) == digests(without)
    assert not (without.parent / "protected").exists()


def test_a_build_repeats_byte_for_byte(tmp_path: Path) -> None:
    """Two builds in two places have the same ciphertext."""
    _, first = make(tmp_path, VAULT, name="a")
    _, second = make(tmp_path, VAULT, name="b")
    assert digests(first.parent / "protected" / "p") == digests(second.parent / "protected" / "p")


def test_new_content_has_a_new_iv_and_the_old_ciphertext_goes(tmp_path: Path) -> None:
    """The address stays, salt and IV change, and nothing of the old version is left."""
    _, current = make(tmp_path, VAULT)
    (folder,) = pages(current)
    before = json.loads((folder / "manifest.json").read_text("utf-8"))
    make(tmp_path, VAULT | {"qzclubkx/club.md": CLUB + "new\n"})
    after = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert before["cipher"]["iv"] != after["cipher"]["iv"]
    assert before["kdf"]["salt"] != after["kdf"]["salt"]
    assert len(list((current.parent / "protected" / "sets").iterdir())) == 1


def test_a_new_password_makes_a_new_ciphertext(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old password opens nothing after a build with another one."""
    make(tmp_path, VAULT)
    monkeypatch.setenv("CLUB", PASSWORD + "!")
    _, current = make(tmp_path, VAULT)
    assert unlock(pages(current)[0], PASSWORD + "!")["title"] == "Qzclubkx"


def test_an_unpublished_page_leaves_no_ciphertext(tmp_path: Path) -> None:
    """When the last password page goes, so does the folder."""
    _, current = make(tmp_path, VAULT)
    make(tmp_path, VAULT | {"qzclubkx/club.md": CLUB.replace("share: password", "share: private") + BODY})
    assert not (current.parent / "protected").exists()


def test_an_unchanged_page_is_not_encrypted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key costs a third of a second, so a second build derives none; a damaged ciphertext is made again."""
    _, current = make(tmp_path, VAULT)
    (folder,) = pages(current)
    good = (folder / "page.bin").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("compiler.site.protect.ITERATIONS", protect.ITERATIONS)
        patch.setattr("hashlib.pbkdf2_hmac", None)
        make(tmp_path, VAULT)
    (folder / "page.bin").write_bytes(good[:-1])
    make(tmp_path, VAULT)
    assert (folder / "page.bin").read_bytes() == good


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("GEOSMIN_SECRET", None, "secret-missing"),
        ("GEOSMIN_SECRET", "short", "secret-missing"),
        ("CLUB", None, "password-missing"),
        ("CLUB", "", "password-missing"),
        ("CLUB", "qzweakkx", "password-weak"),
        ("CLUB", "0123", "password-weak"),
        ("CLUB", "password1password1", "password-weak"),
    ],
)
def test_what_cannot_protect_publishes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str | None, code: str
) -> None:
    """A missing secret or a weak password is an error, a missing variable a warning, with line and fix and no value."""
    monkeypatch.delenv(name) if value is None else monkeypatch.setenv(name, value)
    report, current = make(tmp_path, VAULT)
    (problem,) = [p for p in report.problems if p.path == "qzclubkx/club.md"]
    assert (problem.code, problem.line, bool(problem.fix)) == (code, 3, True)
    assert (problem.severity is Severity.WARNING) == (code == "password-missing")
    assert not value or len(value) < 5 or value not in problem_line(problem)
    assert not (current.parent / "protected").exists()
    assert report.decisions[SourcePath("qzclubkx/club.md")].reason == code


def test_pages_of_like_length_have_one_size() -> None:
    """The plaintext is padded to a power of two, so its length says little."""
    sizes = {len(protect._padded(b"x" * length)) for length in (0, 1, 5_000, 16 * 1024 - 8)}
    assert sizes == {16 * 1024}
    assert len(protect._padded(b"x" * (16 * 1024 - 7))) == 32 * 1024


def test_an_expired_password_page_is_gone(tmp_path: Path) -> None:
    """After its last day the page is in no output; before, the page itself carries the instant."""
    dated = {"qzclubkx/club.md": CLUB.replace("title", "expires: 2026-12-01\ntitle") + BODY}
    report, current = make(tmp_path, VAULT | dated)
    assert unlock(pages(current)[0], PASSWORD)["not_after"] == report.next_build == 1796169600
    assert report.next_change is None
    _, current = make(tmp_path, VAULT | {"qzclubkx/club.md": str(dated["qzclubkx/club.md"]).replace("12-01", "11-01")})
    assert not (current.parent / "protected").exists()


def _page(title: str) -> ProtectedPage:
    return ProtectedPage(
        "0" * 32, Url(""), SourcePath("a.md"), b"s" * 32, PASSWORD, title, "en", "", (), None, None, ()
    )


def test_a_killed_build_leaves_the_served_pages(tmp_path: Path) -> None:
    """Until the pointer moves, the old set is served whole; the next build cleans up."""
    protect.switch(tmp_path, protect.stage(tmp_path, [_page("old")]))
    protect.stage(tmp_path, [_page("new")])
    assert unlock(tmp_path / "protected" / "p" / ("0" * 32), PASSWORD)["title"] == "old"
    protect.switch(tmp_path, protect.stage(tmp_path, [_page("old")]))
    assert len(list((tmp_path / "protected" / "sets").iterdir())) == 1


@pytest.mark.parametrize("left", [["new"], []], ids=["other-pages", "no-pages"])
def test_what_the_owner_keeps_beside_the_sets_stays(tmp_path: Path, left: list[str]) -> None:
    """A stray file, folder or link among the sets is not touched and stops nothing; the old set still goes."""
    protect.switch(tmp_path, protect.stage(tmp_path, [_page("old")]))
    sets, mine = tmp_path / "protected" / "sets", write(tmp_path / "mine", {"kept.txt": "kept"})
    old = next(sets.iterdir())
    write(sets, {".DS_Store": "", "mine/kept.txt": "kept"})
    (sets / "0123456789abcdef").symlink_to(mine)
    protect.switch(tmp_path, protect.stage(tmp_path, [_page(title) for title in left]))
    assert not old.exists()
    assert {".DS_Store", "mine", "0123456789abcdef"} <= {p.name for p in sets.iterdir()}
    assert (mine / "kept.txt").is_file()


def test_two_pages_of_one_id_are_an_error(tmp_path: Path) -> None:
    """One address can't hold two pages; names in hidden folders are told apart."""
    rules = "sharing:\n  rules: [{path: x/**, share: private}, {path: y/**, share: private}]\n"
    same: dict[str, str | bytes] = {"geosmin.yml": rules, "x/a.md": CLUB, "y/a.md": CLUB}
    report, current = make(tmp_path, same)
    assert (codes(report), len(pages(current))) == ([], 2)
    named = {name: CLUB.replace("title", "id: one\ntitle") for name in ("x/a.md", "y/a.md")}
    report, current = make(tmp_path, same | named)
    assert ([c for c, _, _ in codes(report)], len(pages(current))) == (["id-twice"], 1)


def _lines(report: Report) -> str:
    return "\n".join(problem_line(p, b"key") for p in report.problems if p.path != "a.md")


def test_a_redacted_message_names_neither_page_nor_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a public log a refused password page is a tag, a line and a code."""
    monkeypatch.delenv("CLUB")
    report, _ = make(tmp_path, VAULT)
    assert "password-missing" in _lines(report)
    assert "qzclubkx" not in _lines(report)
    assert "CLUB" not in _lines(report)
