"""Attachments under private rules, pages with errors, reserved addresses, settings that say two things."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.errors import SettingsError
from compiler.settings import load

from .vault import PUBLIC, codes, digests, make, write

RULES = "sharing:\n  rules:\n    - {path: private/**, share: private}\n"


def test_a_private_rule_covers_attachments(tmp_path: Path) -> None:
    """A public page that names a file under a private rule gets what it gets for a file that is not there."""
    page = {
        "geosmin.yml": RULES,
        "open/a.md": PUBLIC + "# a\n\n![[p.txt]] [x](../private/p.txt)\n",
        "private/n.md": "# n\n",
    }
    _, with_it = make(tmp_path, page | {"private/p.txt": "secret"}, name="a")
    _, without = make(tmp_path, page, name="b")
    assert digests(with_it) == digests(without)
    assert not (with_it / "site" / "files").exists()


def test_a_file_that_cannot_be_cleaned_is_like_one_that_is_not_there(tmp_path: Path) -> None:
    """A link to a PDF tells nothing about whether the PDF exists."""
    page = {"a.md": PUBLIC + "# a\n\n[doc](secret.pdf)\n"}
    _, with_it = make(tmp_path, page | {"secret.pdf": b"%PDF-1.7"}, name="a")
    _, without = make(tmp_path, page, name="b")
    assert digests(with_it) == digests(without)


def test_a_page_with_an_error_moves_no_other(tmp_path: Path) -> None:
    """A malformed page takes no part in who gets which address."""
    page = {"a.md": PUBLIC + "# a\n"}
    broken = "---\nshare: public\nlang: '??'\n---\n# b\n"
    report, with_it = make(tmp_path, page | {"a/index.md": broken}, name="a")
    _, without = make(tmp_path, page, name="b")
    assert [code for code, _, _ in codes(report)] == ["lang-invalid"]
    assert digests(with_it) == digests(without)


@pytest.mark.parametrize(
    "name", ["articles.md", "tags.md", "llms.txt.md", "404.html.md", "sitemap.xml.md", "ask.js.md"]
)
def test_the_sites_own_addresses_are_kept(tmp_path: Path, name: str) -> None:
    """A page that wants an address of the site gets a suffix, and the build goes on."""
    report, current = make(tmp_path, {name: "---\nshare: public\ntags: [x]\n---\n# p\n"})
    assert [code for code, _, _ in codes(report)] == ["url-collision"]
    assert report.counts["articles"] == 1
    assert (current / "site" / f"{name.removesuffix('.md')}-page" / "index.html").is_file()


def test_no_page_redirect_or_tag_takes_the_place_of_a_file_of_the_site(tmp_path: Path) -> None:
    """Whatever lies at the top of a site, pages and folders that are named like it stand elsewhere."""
    page = "---\nshare: public\ntags: [x, x/index.html, x/index.md]\naliases: [/{name}, /{name}/z]\n---\n![[pot.txt]]\n"
    files: dict[str, str | bytes] = {"a.md": page.format(name="old"), "pot.txt": "pot"}
    _, current = make(tmp_path, files)
    own = {path.name: path.is_dir() for path in (current / "site").iterdir() if path.name not in ("a", "old")}
    wanted: dict[str, str | bytes] = {
        path: page.format(name=name) for name in own for path in (f"{name}.md", f"{name}/y.md")
    }
    report, current = make(tmp_path, files | wanted)
    assert report.counts["articles"] == 1 + 2 * len(own)
    assert own.items() <= {path.name: path.is_dir() for path in (current / "site").iterdir()}.items()
    assert all((current / "site" / "tags" / "x" / name).is_file() for name in ("index.html", "index-html/index.html"))


@pytest.mark.parametrize("value", ["9999-12-31", "0001-01-01", "9999-12-31T23:59:59-12:00"])
def test_an_instant_outside_time_is_a_file_error(tmp_path: Path, value: str) -> None:
    """A date that cannot be an instant costs its own page only."""
    report, _ = make(tmp_path, {"a.md": f"---\nshare: public\nexpires: {value}\n---\n# a\n", "b.md": PUBLIC + "# b\n"})
    assert [(code, path) for code, path, _ in codes(report)] == [("expires-invalid", "a.md")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sharing:\n  default: private\nsharing:\n  default: public\n", "geosmin.yml:3: `sharing` stands twice"),
        ("sharing:\n  default: private\n  default: public\n", "geosmin.yml:3: `default` stands twice"),
        ("sharing:\n  rules:\n    - {path: a}\n", "needs `share`"),
    ],
)
def test_settings_that_say_two_things_are_refused(tmp_path: Path, text: str, words: str) -> None:
    """A key that stands twice or a rule that says half is named with its place."""
    content = write(tmp_path / "content", {"geosmin.yml": text})
    with pytest.raises(SettingsError) as caught:
        load(content, tmp_path / "dist", tmp_path / "state")
    assert words in str(caught.value)
