"""A question in one language is said in the words of the other."""

from __future__ import annotations

import pytest

from query_fn.retrieve.bilingual import _PAIRS, translated
from query_fn.retrieve.catalog import _place
from query_fn.retrieve.confidence import asked_for


@pytest.mark.parametrize(
    ("question", "to", "text"),
    [
        ("SilverBullet 默认端口是多少？", "en", "silverbullet default port"),
        ("哪个环境变量设置端口？", "en", "environment variable configuration settings port"),
        ("如何切换 Vim 模式？", "en", "toggle switch vim mode"),
        ("How do I turn off TTL?", "zh", "禁用 停用 关闭 TTL"),
        ("Which environment variables are there?", "zh", "环境变量"),
    ],
)
def test_known_words(question: str, to: str, text: str) -> None:
    """The longest known term wins, every usual way to say it is given, names stay as they are."""
    found = translated(question, to, content=asked_for)
    assert found is not None
    assert found.text == text


@pytest.mark.parametrize(
    ("question", "to", "share"),
    [
        ("服务器的内存", "en", 5 / 6),
        ("如何腌制萝卜和服务器", "en", 3 / 8),
        ("How do I bake server bread?", "zh", 1 / 3),
    ],
)
def test_share(question: str, to: str, share: float) -> None:
    """What cannot be said lowers the share."""
    found = translated(question, to, content=asked_for)
    assert found is not None
    assert found.share == pytest.approx(share)


@pytest.mark.parametrize(
    ("question", "to"), [("怎样腌制萝卜？", "en"), ("How to bake bread?", "zh"), ("服务器", "zh"), ("服务器", "fr")]
)
def test_nothing_to_say(question: str, to: str) -> None:
    """Without a known word, into the same language or into a third one, there is no translation."""
    assert translated(question, to, content=asked_for) is None


def test_the_table_is_well_formed() -> None:
    """Every entry has Chinese terms of at most six characters and Latin ways to say them; no term stands twice."""
    entries = [entry.split("=") for line in _PAIRS.split("\n") for entry in line.split(";") if entry]
    terms = [term for chinese, _ in entries for term in chinese.split()]
    assert [term for term in terms if len(term) > 6 or term.isascii()] == []
    assert [english for _, english in entries if not english or not english.isascii()] == []
    assert sorted({term for term in terms if terms.count(term) > 1}) == []


@pytest.mark.parametrize(
    ("path", "lang", "place"),
    [
        ("zh/guide/a.md", "zh", "guide/a"),
        ("docs/en/guide/a.md", "en", "docs/guide/a"),
        ("zh-cn/a.md", "zh", "a"),
        ("guide/a.zh.md", "zh", "guide/a"),
        ("ZH/A.md", "zh", "a"),
        ("zh/guide/a.md", "en", "zh/guide/a"),
    ],
)
def test_translations_share_a_place(path: str, lang: str, place: str) -> None:
    """What names the language of a page is no part of its place."""
    assert _place(path, lang) == place
