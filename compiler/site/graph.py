"""The graph of pages: articles and subjects, linked as their texts are. Laid out here, so that a browser only draws."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compiler.cache import Cache, Kind, digest_of
from compiler.model import Document, Local, LocalNode, SitePage
from compiler.site.communities import communities, neighbours
from compiler.site.layout import layout
from compiler.site.listing import encode
from compiler.site.words import fill, words
from compiler.wiki.entries import Entry
from query_fn.contract import ArticleRow

GRAPH_URL = "graph/"
GRAPH_DATA = "assets/graph.json"
MOST = 2_000  # nodes drawn: those with the most links
TABLE = 200  # rows of the table that says the same
AROUND = 12  # neighbours on a page's own small graph
RADIUS = 72  # of the small graph, in its own units
_PLACES = Kind("graph", list[tuple[int, int, int]])  # x, y, community


@dataclass(frozen=True, slots=True)
class Node:
    """A page of the graph, and how many pages it is linked with, drawn or not."""

    title: str
    url: str
    kind: str
    lang: str
    tags: tuple[str, ...]
    degree: int


@dataclass(frozen=True, slots=True)
class Graph:
    """Pages and the pairs of them that are linked, in either direction. `around` is the neighbours of each."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]
    around: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, articles: Sequence[ArticleRow], documents: Sequence[Document], entries: Sequence[Entry]) -> Graph:
        """Return the graph: an article is linked with what it links to and with the subjects that it speaks of."""
        subjects = [entry for entry in entries if entry.human is None]
        edges = sorted({(min(pair), max(pair)) for pair in _pairs(articles, documents, subjects)})
        count = len(articles) + len(subjects)
        around = tuple(tuple(sorted(found)) for found in neighbours(count, edges))
        pages = [(a.title, a.url, a.kind, a.lang, a.tags) for a in articles]
        pages += [(e.title, e.url, e.kind, e.lang, ()) for e in subjects]
        nodes = tuple(Node(*page, len(found)) for page, found in zip(pages, around, strict=True))
        return cls(nodes, tuple(edges), around)

    def shown(self) -> Graph:
        """Return the part that is drawn: of more than MOST nodes those with the most links."""
        ranked = sorted(range(len(self.nodes)), key=lambda n: (-self.nodes[n].degree, self.nodes[n].url))[:MOST]
        places = {node: n for n, node in enumerate(ranked)}
        edges = sorted((places[a], places[b]) for a, b in self.edges if a in places and b in places)
        around = tuple(tuple(sorted(found)) for found in neighbours(len(ranked), edges))
        return Graph(tuple(self.nodes[n] for n in ranked), tuple(edges), around)

    def local(self, n: int) -> Local | None:
        """Return the small graph around node `n`: its best linked neighbours on a ring, and the links among them."""
        best = sorted(self.around[n], key=lambda other: (-self.nodes[other].degree, self.nodes[other].url))[:AROUND]
        if len(best) < 2:
            return None  # one line says nothing that the list does not
        ring = sorted(best)
        places = {node: _on_ring(at, len(ring)) for at, node in enumerate(ring)}
        lines = tuple((*places[a], *places[b]) for a in ring for b in self.around[a] if a < b and b in places)
        dots = tuple(LocalNode(self.nodes[m].title, self.nodes[m].url, *places[m]) for m in ring)
        return Local(dots, lines, len(self.around[n]) - len(best))


def _pairs(
    articles: Sequence[ArticleRow], documents: Sequence[Document], subjects: Sequence[Entry]
) -> set[tuple[int, int]]:
    places = {row.id: n for n, row in enumerate(articles)}
    links = {(places[k.source], places[k.target]) for d in documents for k in d.links if k.target in places}
    human = len(articles)
    told = {(page, human + n) for n, entry in enumerate(subjects) for page in (*entry.pages, *entry.mentioned)}
    return {(a, b) for a, b in links | told if a != b}


def _on_ring(at: int, count: int) -> tuple[int, int]:
    angle = 2 * math.pi * at / count - math.pi / 2
    return round(RADIUS * math.cos(angle)), round(RADIUS * math.sin(angle))


def graph_page(graph: Graph, cache: Cache, *, lang: str) -> tuple[SitePage, str]:
    """Return the page of the whole graph, and the data that it draws."""
    shown, left = graph.shown(), max(0, len(graph.nodes) - MOST)
    t = words(lang)
    tags = sorted({tag for node in shown.nodes for tag in node.tags})
    kinds = sorted({node.kind for node in shown.nodes})
    html = fill(
        "graph.html",
        t=t,
        lang=lang,
        here=GRAPH_URL,
        rows=shown.nodes[:TABLE],
        counts=(len(shown.nodes), len(shown.edges)),
        left=left,
        kinds={kind: t.get(f"kind_{kind}", kind) for kind in kinds},
        tags=tags,
        data="../" + GRAPH_DATA,
    )
    return SitePage(GRAPH_URL, t["graph"], html, lang, "graph"), _data(shown, tags, _placed(shown, cache))


def _placed(graph: Graph, cache: Cache) -> list[tuple[int, int, int]]:
    """Return x, y and community of each node, made anew only when a page or a link comes or goes."""
    parts = (digest_of((tuple(node.url for node in graph.nodes), graph.edges)),)
    found = cache.find(_PLACES, parts)
    if found is None:
        groups = communities(len(graph.nodes), graph.edges)
        places = zip(layout(groups, graph.edges), groups, strict=True)
        found = [(x, y, group) for (x, y), group in places]
        cache.keep(_PLACES, parts, found)
    return found


def _data(graph: Graph, tags: Sequence[str], places: Sequence[tuple[int, int, int]]) -> str:
    """Return the data as JSON: ``nodes`` [title, URL, kind, x, y, community, degree, [tags]] and ``edges``, flat."""
    numbers: Mapping[str, int] = {tag: n for n, tag in enumerate(tags)}
    rows = [
        [node.title, encode(node.url), node.kind, x, y, group, node.degree, [numbers[tag] for tag in node.tags]]
        for node, (x, y, group) in zip(graph.nodes, places, strict=True)
    ]
    value = {"tags": list(tags), "nodes": rows, "edges": [end for edge in graph.edges for end in edge]}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
