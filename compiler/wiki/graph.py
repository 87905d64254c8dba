"""Links between public articles: rows for the artifacts, backlinks for the pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from compiler.model import ArticleId, Backlink, Document
from query_fn.contract import LinkRow


def link_rows(documents: Sequence[Document]) -> tuple[LinkRow, ...]:
    """Return one row per resolved link between two different articles, in page order, repeats dropped."""
    ends = {d.article.id: d.article.not_after for d in documents}
    rows: dict[tuple[str, ...], LinkRow] = {}
    for document in documents:
        for link in document.links:
            if link.target is None or link.target == link.source:
                continue
            key = (link.source, link.source_anchor, link.target, link.target_anchor, link.label)
            moments = [m for m in (ends[link.source], ends[link.target]) if m is not None]
            rows.setdefault(
                key,
                LinkRow(
                    n=len(rows),
                    source_id=link.source,
                    source_anchor=link.source_anchor,
                    target_id=link.target,
                    target_anchor=link.target_anchor,
                    kind=link.kind,
                    label=link.label,
                    sentence=link.sentence,
                    not_after=min(moments, default=None),
                    sources=tuple(dict.fromkeys((link.source, link.target))),
                ),
            )
    return tuple(rows.values())


def backlinks(documents: Sequence[Document], rows: Sequence[LinkRow]) -> Mapping[ArticleId, tuple[Backlink, ...]]:
    """Return for each article the pages that link to it, one entry per page, with the first sentence that does."""
    pages = {d.article.id: d.article for d in documents}
    found: dict[ArticleId, dict[str, Backlink]] = defaultdict(dict)
    for row in rows:
        source = pages[ArticleId(row.source_id)]
        url = source.url + (f"#{row.source_anchor}" if row.source_anchor else "")
        entry = Backlink(source.title, url, row.sentence, row.label)
        found[ArticleId(row.target_id)].setdefault(row.source_id, entry)
    return {target: tuple(entries.values()) for target, entries in found.items()}
