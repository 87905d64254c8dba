"""The graph and the tree of sections: complete, the same everywhere, and quick."""

from __future__ import annotations

import json
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.cache import Cache
from compiler.model import NavNode
from compiler.site import graph as graphs
from compiler.site.communities import communities
from compiler.site.graph import Graph, graph_page
from compiler.site.layout import layout
from compiler.site.listing import Listing
from compiler.site.outline import PER_SHARD, outline_page
from tests.compiler.rows import article_row, linked
from tests.compiler.site_sample import articles
from tests.compiler.site_sample_maps import graph, maps, sections_of


def ring(count: int, *, chords: int = 0) -> list[tuple[int, int]]:
    """Return the edges of a ring with some chords, which spread over it without chance."""
    pairs = {(n, n + 1) for n in range(count - 1)} | {((n * 7919) % count, (n * 104729) % count) for n in range(chords)}
    return sorted((min(p), max(p)) for p in pairs if p[0] != p[1])


edges_of = st.integers(1, 40).flatmap(
    lambda n: st.tuples(
        st.just(n), st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] < p[1]))
    )
)


@given(edges_of)
@settings(max_examples=60, deadline=None)
def test_every_graph_can_be_laid_out(given: tuple[int, set[tuple[int, int]]]) -> None:
    """Whatever is linked with whatever: each node has a place, no two the same one, and the places repeat."""
    count, edges = given[0], sorted(given[1])
    places = layout(communities(count, edges), edges)
    assert len(set(places)) == count
    assert places == layout(communities(count, edges), edges)


def test_five_thousand_nodes_are_laid_out_in_three_seconds() -> None:
    """Communities and layout of 5,000 nodes and 15,000 links take at most three seconds of processor time."""
    edges, began = ring(5_000, chords=10_000), time.process_time()
    layout(communities(5_000, edges), edges)
    assert time.process_time() - began <= 3


def test_two_cliques_are_two_communities() -> None:
    """What is densely linked belongs together, though one link leads across."""
    cliques = [(a, b) for base in (0, 5) for a in range(base, base + 5) for b in range(a + 1, base + 5)]
    found = communities(10, [*cliques, (4, 5)])
    assert len(set(found[:5])) == len(set(found[5:])) == 1
    assert found[0] != found[9]


def test_an_article_lies_beside_what_it_speaks_of() -> None:
    """The sample's edges are its links and its contributions to subjects, each pair once."""
    found = graph(articles())
    pairs = {(found.nodes[a].title, found.nodes[b].title) for a, b in found.edges}
    assert ("雨后的气味从哪里来", "geosmin") in pairs
    assert len(found.edges) == len(set(found.edges))


def test_the_page_says_what_is_not_drawn() -> None:
    """Of too many pages those with the most links are drawn, and the page says how many are not."""
    rows = [article_row(f"{n}.md") for n in range(graphs.MOST + 3)]
    documents = [linked(rows[0], *(row.id for row in rows[1:-3])), *map(linked, rows[1:])]
    page, data = graph_page(Graph.of(rows, documents, ()), Cache(None), lang="en")
    assert "3 pages with fewer links are not drawn." in page.html
    assert len(json.loads(data)["nodes"]) == graphs.MOST
    assert {row.url for row in rows[-3:]}.isdisjoint(node[1] for node in json.loads(data)["nodes"])


def test_every_section_is_in_one_shard() -> None:
    """The shards together hold each article's sections once, in order, under the name that the page gives."""
    (_, page), data = maps(articles(), [NavNode(p.title, p.url) for p in articles()], (), lang="zh")
    found = {url: rows for path, text in data.items() if "/outline/" in path for url, rows in json.loads(text).items()}
    assert [row[1] for row in found["garden/smell/"]] == ["谁在制造它", "实验怎么做", "各地的土", "还不知道的"]
    assert 'data-url="garden/smell/" data-shard="0"' in page.html


def test_a_large_tree_is_cut_into_shards() -> None:
    """With many articles no shard holds more than a few times what it is meant to hold."""
    sections = sections_of(articles()[0])
    nodes = {f"{n}/": sections for n in range(400)}
    _, data = outline_page([NavNode(url, url) for url in nodes], [Listing(u, u, "zh") for u in nodes], nodes, lang="zh")
    assert max(len(json.loads(text)) for text in data.values()) <= 3 * PER_SHARD
