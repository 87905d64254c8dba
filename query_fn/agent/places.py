"""Pages by their place: what links to what, and which pages there are. Only what the request may see."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from query_fn import schema
from query_fn.agent.chat.base import Link, LinksResult, ListResult
from query_fn.agent.manual import Arguments
from query_fn.contract import ArticleRow, LinkRow
from query_fn.errors import BadRequest
from query_fn.regex import regex
from query_fn.store import Store
from query_fn.visibility import Visibility, inside

MOST_LINKS = 40
MOST_PAGES = 40
_ISO_DATE = regex(r"\d{4}-\d{2}-\d{2}")


class Asked(Struct, frozen=True):
    """Which pages are wanted; "" and None ask for nothing in particular."""

    pattern: str = ""
    folder: str | None = None
    tag: str = ""
    since: str = ""


def asked(args: Arguments) -> Asked:
    """Return what a call asks for. Raises BadRequest for a date that is none."""
    since = args.text("updated_since")
    if since and not _ISO_DATE.fullmatch(since):
        raise BadRequest("Expected a date such as 2026-01-31.", pointer="/updated_since")
    return Asked(schema.as_text(args.text("pattern"), "/pattern"), args.optional("folder"), args.text("tag"), since)


def links(article: ArticleRow, store: Store, visibility: Visibility) -> LinksResult:
    """Return the links of an article, out first, each page once in each direction."""
    out = _ends(store.links_from(article.id), store, visibility, inward=False)
    back = _ends(store.links_to(article.id), store, visibility, inward=True)
    return LinksResult(article, (*out[:MOST_LINKS], *back[:MOST_LINKS]))


def _ends(rows: tuple[LinkRow, ...], store: Store, visibility: Visibility, *, inward: bool) -> list[Link]:
    """Return the links that may be seen, with the page at their other end."""
    articles, found = store.articles_by_id, dict[str, Link]()
    for row in rows:
        other = articles.get(row.source_id if inward else row.target_id)
        if other is not None and visibility.sees(other, articles) and visibility.sees(row, articles):
            found.setdefault(other.id, Link(row, other, inward))
    return list(found.values())


def pages(wanted: Asked, store: Store, visibility: Visibility) -> ListResult:
    """Return the pages that fit; with nothing asked for, the folders and how many pages each holds."""
    articles = store.articles_by_id
    seen = sorted((a for a in store.articles() if visibility.sees(a, articles)), key=lambda a: a.path)
    if wanted == Asked():
        counted = Counter(a.folder for a in seen)
        return ListResult(tuple(seen[:MOST_PAGES]), len(seen), tuple(sorted(counted.items())))
    found = [a for a in seen if _fits(a, wanted)]
    return ListResult(tuple(found[:MOST_PAGES]), len(found))


def _fits(article: ArticleRow, wanted: Asked) -> bool:
    return (
        (wanted.folder is None or inside(article.folder, wanted.folder))
        and (not wanted.tag or wanted.tag in article.tags)
        and (not wanted.since or (article.updated or "")[:10] >= wanted.since)
        and any(holds(name, wanted.pattern) for name in (article.title, article.path, *article.aliases))
    )


def holds(text: str, pattern: str) -> bool:
    """Say whether a text holds a pattern in which `*` stands for any characters; case does not matter.

    The first place of each part after the one before decides, so it takes one pass over the text.
    """
    text, at = text.casefold(), 0
    for part in pattern.casefold().split("*"):
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True
