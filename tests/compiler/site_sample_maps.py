"""The maps of the sample site: its graph and its tree of sections, made by the site's own room."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.cache import Cache
from compiler.model import NavNode, SitePage
from compiler.site.graph import GRAPH_DATA, Graph, graph_page
from compiler.site.listing import Listing
from compiler.site.outline import outline_page
from query_fn.contract import NodeRow
from tests.compiler.rows import linked
from tests.compiler.site_sample_wiki import ENTRIES, article_row


def graph(articles: Sequence[SitePage]) -> Graph:
    """Return the graph of the sample: its articles, linked as their backlinks say, and its subjects."""
    rows = [article_row(n, page) for n, page in enumerate(articles)]
    targets: dict[str, list[str]] = {row.url: [] for row in rows}
    for page in articles:
        for link in page.backlinks:
            targets[link.url].append(page.article_id)
    return Graph.of(rows, [linked(row, *targets[row.url]) for row in rows], ENTRIES)


def maps(
    articles: Sequence[SitePage], tree: Sequence[NavNode], listings: Sequence[Listing], *, lang: str
) -> tuple[tuple[SitePage, SitePage], dict[str, str]]:
    """Return the pages of both maps, and their data."""
    drawn, drawing = graph_page(graph(articles), Cache(None), lang=lang)
    nodes = {page.url: sections_of(page) for page in articles}
    whole, shards = outline_page(tree, listings, nodes, lang=lang)
    return (drawn, whole), {GRAPH_DATA: drawing, **shards}


def sections_of(page: SitePage) -> list[NodeRow]:
    """Return the sections of an article of the sample, in order."""
    row = article_row(0, page)
    entries = [one for entry in page.toc for one in ((entry, 2), *((child, 3) for child in entry.children))]
    return [
        NodeRow(
            n=n,
            id=f"{row.id}#{entry.anchor}",
            article_id=row.id,
            parent_id=None,
            ordinal=n,
            level=level,
            title=entry.title,
            path=(entry.title,),
            anchor=entry.anchor,
            summary=f"{entry.title}：这一节说了什么。",
            start=0,
            own_end=0,
            end=0,
            not_after=None,
            sources=(row.id,),
        )
        for n, (entry, level) in enumerate(entries)
    ]
