"""The strict front matter reader: what it understands, and everything that makes a file private."""

from datetime import UTC, datetime

import pytest

from compiler.errors import FileError
from compiler.model import Share, SourcePath
from compiler.settings import SharingSettings
from compiler.sources.frontmatter import read_front_matter
from compiler.sources.sharing import Judge

JUDGE = Judge(SharingSettings(), datetime(2026, 11, 30, tzinfo=UTC))

UNDERSTOOD = {
    "share: public": Share.PUBLIC,
    "share:   public   ": Share.PUBLIC,
    '"share": "public"': Share.PUBLIC,
    "share: public # for all": Share.PUBLIC,
    "publish: true": Share.PUBLIC,
    "publish: false": Share.PRIVATE,
    "draft: true": Share.PRIVATE,
    "draft: false": Share.PRIVATE,
    "share: public\ndraft: false": Share.PUBLIC,
    "share: public\npublish: true": Share.PUBLIC,
    "share: private": Share.PRIVATE,
    "share: password\npassword: env:NOTES": Share.PASSWORD,
    "title: 只有标题": Share.PRIVATE,
    "# share: public": Share.PRIVATE,
    "": Share.PRIVATE,
    "menu:\n  main:\n    weight: 3\nshare: public": Share.PUBLIC,
}

REFUSED = {
    "frontmatter-yaml": [
        "title: 复盘: 甲\nshare: private",
        "title: x\n- stray\nshare: public",
        "share: [public",
        "share: 'public",
        "share : \tpublic\n\tdraft: true",
        "just a sentence",
        "- share: public",
        "title: x\nshare：public",
        "? [a, b]\n: c\nshare: public",
    ],
    "frontmatter-duplicate-key": ["share: private\nshare: public", "title: a\ntitle: b\nshare: public", "a: {b: 1, b: 2}\nshare: public"],
    "frontmatter-alias": [
        "a: &x [1]\nb: *x\nshare: public",
        "share: !!str public",
        "share: !custom public",
        "x: &bomb [a]\ny: [*bomb, *bomb]",
    ],
    "frontmatter-depth": ["a: " + "[" * 9 + "]" * 9],
    "frontmatter-too-large": ["summary: " + "字" * 30_000],
    "frontmatter-lookalike-key": [
        "Share: public",
        "SHARE: private",
        "ｓｈａｒｅ: private",
        "shаre: private",
        "sh\u200bare: private",
        "shares: private",
        "shre: private",
        "hsare: private",
        "Publish: false",
        "publsh: false",
        "Draft: true",
        "drafts: true",
        "expire: 2026-01-01",
        "Password: env:X",
    ],
    "frontmatter-hidden-key": [
        "title: a\n  share：private",
        "summary: |\n  share: private\nshare: public",
        "meta:\n  share: private\nshare: public",
    ],
    "sharing-unknown-value": [
        "share: Public",
        "share: PUBLIC",
        "share: ｐｕｂｌｉｃ",
        "share: publіc",
        "share: yes",
        "share: true",
        "share:",
        "share: [public]",
        "share: {a: public}",
        "share: public private",
        "share: pub\u200blic",
        "publish: yes",
        "publish: True",
        "draft: 1",
        "draft: no",
    ],
    "sharing-conflict": ["share: public\ndraft: true", "share: public\npublish: false", "publish: true\ndraft: true"],
    "password-literal": ["share: password\npassword: 0123", "share: password", "share: password\npassword: env:lower", "share: password\npassword: [env:A]"],
    "expires-invalid": [
        "share: public\nexpires: soon",
        "share: public\nexpires: 2026-13-45",
        "share: public\nexpires: 10:30:00",
        "share: public\nexpires: 2026-12-01T23:59:60Z",
        "share: public\nexpires: 20261201",
        "share: public\nexpires:",
        "share: public\nexpires: [2026-12-01]",
    ],
}  # fmt: skip


def decide(block: str) -> Share:
    return JUDGE.decide(SourcePath("a.md"), read_front_matter(f"---\n{block}\n---\n正文\n")).share


@pytest.mark.parametrize(("block", "share"), UNDERSTOOD.items())
def test_a_clear_marker_is_followed(block: str, share: Share) -> None:
    """A sharing key in its exact form decides, and its absence means private."""
    assert decide(block) is share


@pytest.mark.parametrize(("code", "block"), [(code, block) for code, blocks in REFUSED.items() for block in blocks])
def test_a_doubtful_marker_is_an_error_with_a_line_and_a_fix(code: str, block: str) -> None:
    """Whatever can be read two ways is a file error that names its line and what to do."""
    with pytest.raises(FileError) as caught:
        decide(block)
    assert (caught.value.code, caught.value.line is not None, bool(caught.value.fix)) == (code, True, True)


@pytest.mark.parametrize("before", ["\n", " ", "\u200b", "\n\n", "\u2060\n"])
def test_front_matter_that_is_not_first_is_an_error(before: str) -> None:
    """A block with a sharing key below a blank line or an invisible character was meant as front matter."""
    with pytest.raises(FileError, match="first byte"):
        read_front_matter(f"{before}---\nshare: private\n---\n秘密")


@pytest.mark.parametrize(
    ("text", "code"),
    [("---\nshare: public\n秘密", "frontmatter-unclosed"), ("+++\ndraft = true\n+++\n", "frontmatter-toml")],
)
def test_front_matter_without_an_end_or_in_toml_is_an_error(text: str, code: str) -> None:
    """A block that never closes and TOML front matter make the file private."""
    with pytest.raises(FileError) as caught:
        read_front_matter(text)
    assert caught.value.code == code


def test_a_password_is_never_quoted() -> None:
    """The message about a literal password does not repeat it."""
    with pytest.raises(FileError) as caught:
        decide("share: password\npassword: hunter2hunter2")
    assert "hunter2" not in f"{caught.value.message}{caught.value.fix}"


def test_a_second_block_is_body_text() -> None:
    """A later block between --- lines changes nothing."""
    front = read_front_matter("---\nshare: private\n---\n\n---\nshare: public\n---\n")
    assert front.values == {"share": "private"}


def test_values_stay_strings() -> None:
    """Dates, numbers and booleans keep the text the author wrote."""
    front = read_front_matter("---\ncreated: 2026-01-02\nn: 0123\nb: yes\nl: [1, 2_0]\n---\n")
    assert front.values == {"created": "2026-01-02", "n": "0123", "b": "yes", "l": ("1", "2_0")}
