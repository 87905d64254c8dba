"""Markers that an author wrote in the wrong place or in another tool's words: with a public default they still count."""

from datetime import UTC, datetime

import pytest

from compiler.errors import FileError
from compiler.model import Share, SourcePath
from compiler.settings import SharingSettings
from compiler.sources.frontmatter import read_front_matter
from compiler.sources.sharing import Judge

OPEN = Judge(SharingSettings(default=Share.PUBLIC), datetime(2026, 11, 30, tzinfo=UTC))

LATE = [
    "# Title\n\n---\nshare: private\n---\n\ntext",
    "\n--- # notes\nshare: private\n---\ntext",
    "----\nshare: private\n----\ntext",
    "  ---\n  share: private\n  ---\ntext",
    "# 标题\n\n---\ntitle: 甲\ntags:\n  - 乙\n# note\nＳhare：private\n---\n",
    "# T\n\n---\nshаre: private\n---\n",
    "---\ntitle: a\n---\n\n---\nshare: private\n---\ntext",
    '{\n  "title": "a",\n  "share": "private"\n}\ntext',
    '{"share": "private"}\ntext',
    "~~~\nshare: private\n~~~\ntext",
    "  +++\nshare = 'private'\n+++\ntext",
    "---\r".strip() + " \nshare: private\n",
]
TEXT = [
    "# T\n\n---\n\nDraft: this sentence is prose.\nAnd it goes on without a colon\n\n---\n",
    "# T\n\n```yaml\n---\nshare: private\n---\n```\n",
    "# T\n\n---\nAuthor: me\nPlace: here\n---\n",
    "# T\n\n---\n" + "k: v\n" * 31 + "share: private\n---\n",
    "{{ include }}\n\ntext",
    "text\n" * 60 + "---\nshare: private\n---\n",
]


@pytest.mark.parametrize("text", LATE)
def test_a_marker_in_a_block_that_is_no_front_matter_is_a_file_error(text: str) -> None:
    """The author meant front matter, so the page is private until it is one."""
    with pytest.raises(FileError):
        read_front_matter(text)


@pytest.mark.parametrize("text", TEXT)
def test_text_between_two_breaks_is_text(text: str) -> None:
    """Prose, code, long lists and what stands far down are no front matter."""
    assert read_front_matter(text).values == {}


@pytest.mark.parametrize(
    "block",
    [
        "password: env:NOTES",
        "share: public\npassword: env:NOTES",
        "private: true",
        "Hidden: yes",
        "unlisted: 1",
        "unpublish: true",
        "published: false",
        "dg-publish: false",
        "public: no",
        "listed: off",
        "visibility: friends",
        "status: draft",
        "status: [active, private]",
        "sharing: team",
        "access: internal",
        "expiryDate: 2026-01-01",
        "expiry: 2026-01-01",
        "私密: 是",
        "公开: 否",
        "分享: 朋友",
        "草稿: true",
    ],
)
def test_another_tool_s_privacy_key_is_never_ignored(block: str) -> None:
    """A page whose author asked for less than public is refused where it would be public."""
    with pytest.raises(FileError):
        OPEN.decide(SourcePath("a.md"), read_front_matter(f"---\n{block}\n---\n"))


@pytest.mark.parametrize(
    "block",
    [
        "private: false",
        "published: true",
        "published: 2024-01-01",
        "dg-publish: true",
        "visibility: public",
        "status: Complete",
        "status: Active",
        "公开: 是",
        "草稿: 否",
        "private: true\nshare: public",
        "weight: 3",
    ],
)
def test_keys_that_ask_for_nothing_less_change_nothing(block: str) -> None:
    """Values that agree with public, and pages that say `share` themselves, stay public."""
    assert OPEN.decide(SourcePath("a.md"), read_front_matter(f"---\n{block}\n---\n")).share is Share.PUBLIC
