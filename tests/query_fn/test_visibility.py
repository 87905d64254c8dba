"""One decision says what may be seen."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from query_fn.model import Scope
from query_fn.visibility import Visibility
from tests.artifacts import NOW, SOON, make_rows

ROWS = make_rows()
ARTICLES = {article.id: article for article in ROWS.articles}


def _seen(scope: Scope, now: int = NOW) -> set[str]:
    visibility = Visibility(now, scope)
    return {article.id for article in ROWS.articles if visibility.sees(article, ARTICLES)}


def test_everything_is_seen_without_a_scope_before_expiry() -> None:
    """No filter shows all articles."""
    assert _seen(Scope()) == set(ARTICLES)


def test_an_article_is_gone_from_the_second_it_expires() -> None:
    """not_after is the first second at which it is no longer served."""
    assert "临时通知" in _seen(Scope(), SOON - 1)
    assert "临时通知" not in _seen(Scope(), SOON)


@pytest.mark.parametrize("field", ["articles", "folders", "tags", "langs"])
def test_an_empty_filter_means_nothing(field: str) -> None:
    """An empty tuple shows nothing, never everything."""
    assert _seen(replace(Scope(), **{field: ()})) == set()


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(articles=("茶", "nope")), {"茶"}),
        (Scope(folders=("guide",)), {"install", "backup"}),
        (Scope(folders=("gui",)), set()),
        (Scope(tags=("setup",)), {"install", "安装"}),
        (Scope(langs=("zh",), folders=("生活",)), {"茶"}),
        (Scope(updated_since="2026-07-01"), {"temporary-notice", "临时通知"}),
    ],
)
def test_scope(scope: Scope, expected: set[str]) -> None:
    """Each filter narrows, and filters combine."""
    assert _seen(scope) == expected


def test_a_row_needs_all_of_its_sources() -> None:
    """A page derived from an article out of scope, unknown or expired is not seen."""
    page = replace(ROWS.pages[0], sources=("install", "茶"))
    assert Visibility(NOW).sees(page, ARTICLES)
    assert not Visibility(NOW, Scope(articles=("install",))).sees(page, ARTICLES)
    assert not Visibility(NOW).sees(replace(page, sources=("install", "gone")), ARTICLES)
    assert not Visibility(SOON).sees(replace(page, sources=("install", "临时通知")), ARTICLES)
    assert not Visibility(NOW).sees(replace(page, sources=()), ARTICLES)
