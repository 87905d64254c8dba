"""What may be seen at this instant: the one decision that every route and every tool asks.

A row is seen while the clock stands before its `not_after` and before that of each article it was derived from, and
only if all of those articles are in scope. A row that names no source, or an unknown one, is not seen.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from query_fn.contract import ArticleRow, Row
from query_fn.model import Scope


class Visibility(Struct, frozen=True):
    """The instant (UTC epoch seconds) and the scope of one request."""

    now: int
    scope: Scope = field(default_factory=Scope)

    def sees(self, row: Row, articles: Mapping[str, ArticleRow]) -> bool:
        """Tell whether `row` may be seen, given all published articles by id."""
        if isinstance(row, ArticleRow):
            return self._article(row)
        return self.allows(row.not_after, row.sources, articles)

    def allows(self, not_after: int | None, sources: tuple[str, ...], articles: Mapping[str, ArticleRow]) -> bool:
        """Tell the same from a row's `not_after` and `sources` alone, for callers that hold no full row."""
        if not self._in_time(not_after) or not sources:
            return False
        return all(source in articles and self._article(articles[source]) for source in sources)

    def _in_time(self, not_after: int | None) -> bool:
        return not_after is None or self.now < not_after

    def _article(self, article: ArticleRow) -> bool:
        scope = self.scope
        return (
            self._in_time(article.not_after)
            and (scope.articles is None or article.id in scope.articles)
            and (scope.langs is None or article.lang in scope.langs)
            and (scope.tags is None or not set(scope.tags).isdisjoint(article.tags))
            and (scope.folders is None or any(inside(article.folder, folder) for folder in scope.folders))
            and (scope.updated_since is None or (article.updated or "")[:10] >= scope.updated_since[:10])
        )


def inside(folder: str, wanted: str) -> bool:
    """Tell whether `folder` is `wanted` or lies below it; "" holds everything."""
    wanted = wanted.strip("/")
    return not wanted or folder == wanted or folder.startswith(wanted + "/")
