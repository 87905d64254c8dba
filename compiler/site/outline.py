"""The tree of everything: folders, articles, and their sections with summaries, which a browser fetches when asked for.

The page itself holds folders and articles and so can be read without scripts. Sections lie in shards of JSON beside it,
by a hash of the article's address: opening an article fetches a few dozen articles' sections and never all of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compiler.model import NavNode, SitePage
from compiler.site.listing import Listing
from compiler.site.words import fill, words
from query_fn.contract import NodeRow

OUTLINE_URL = "outline/"
OUTLINE_DATA = "assets/outline/"
PER_SHARD = 32  # articles
LINE = 100  # characters of an article's summary on the page


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of the tree. `shard` names the file with an article's sections, "" when it has none."""

    title: str
    url: str
    lang: str
    summary: str
    shard: str
    children: tuple[Branch, ...]


def outline_page(
    tree: Sequence[NavNode], listings: Sequence[Listing], nodes: Mapping[str, Sequence[NodeRow]], *, lang: str
) -> tuple[SitePage, dict[str, str]]:
    """Return the page and its data by path; `nodes` are the sections of each article by its URL, in order."""
    shards = _shards({url: rows for url, found in nodes.items() if (rows := _sections(found))})
    holds = {url: name for name, found in shards.items() for url in found}
    known = {item.url: item for item in listings}
    branches = tuple(_branch(node, known, holds) for node in tree)
    t = words(lang)
    html = fill("outline.html", t=t, lang=lang, here=OUTLINE_URL, branches=branches, data="../" + OUTLINE_DATA)
    data = {
        f"{OUTLINE_DATA}{name}.json": json.dumps(found, ensure_ascii=False, separators=(",", ":")) + "\n"
        for name, found in shards.items()
    }
    return SitePage(OUTLINE_URL, t["outline"], html, lang, "outline"), data


def _branch(node: NavNode, known: Mapping[str, Listing], holds: Mapping[str, str]) -> Branch:
    item = known.get(node.url) if node.url else None
    children = tuple(_branch(child, known, holds) for child in node.children)
    return Branch(
        title=node.title,
        url=node.url,
        lang=item.lang if item else "",
        summary=_cut(item.summary) if item else "",
        shard=holds.get(node.url, "") if node.url else "",
        children=children,
    )


def _cut(text: str) -> str:
    return text if len(text) <= LINE else text[: LINE - 1].rstrip() + "…"


def _sections(nodes: Sequence[NodeRow]) -> list[list[int | str]]:
    """Return [level, title, anchor, summary] of an article's sections; its own title is no section of it."""
    return [[node.level, node.title, node.anchor, node.summary] for node in nodes if node.anchor and node.level > 1]


def _shards(sections: Mapping[str, list[list[int | str]]]) -> dict[str, dict[str, list[list[int | str]]]]:
    """Return the sections by shard and URL. The number of shards is a power of two, so it changes seldom."""
    count = 1
    while count * PER_SHARD < len(sections):
        count *= 2
    out: dict[str, dict[str, list[list[int | str]]]] = {}
    for url in sorted(sections):
        bucket = int.from_bytes(hashlib.sha256(url.encode()).digest()[:4]) % count
        out.setdefault(f"{bucket:x}", {})[url] = sections[url]
    return out
