"""Pages about the same things. What two pages share counts the more, the fewer pages have it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiler.model import Document, Neighbour
from compiler.site.pages import tag_url
from compiler.wiki.compile import Wiki
from query_fn.contract import ArticleRow

MOST = 5  # pages listed
COMMON = 40  # pages from which a thing is too common to relate two of them; it keeps the work linear
NAMED = 3  # shared things that are named
LEAST = 0.1  # one thing that eleven pages have


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that several articles have (by their place in the list): a tag, a subject, a page they link to."""

    name: str
    pages: tuple[int, ...]

    @property
    def weight(self) -> float:
        """How much it says that two pages share it."""
        return 1 / (len(self.pages) - 1)


def related(
    articles: Sequence[ArticleRow], documents: Sequence[Document], wiki: Wiki
) -> Mapping[str, tuple[Neighbour, ...]]:
    """Return for each article id the articles of its language that share most with it and are not linked with it."""
    linked = _linked(documents)
    scores: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    shared: dict[tuple[int, int], list[Thing]] = defaultdict(list)
    for thing in _things(articles, documents, wiki):
        for a in thing.pages:
            for b in thing.pages:
                if a != b and articles[a].lang == articles[b].lang and b not in linked[a]:
                    scores[a][b] += thing.weight
                    shared[a, b].append(thing)
    out = {}
    for a, found in scores.items():
        best = sorted(found, key=lambda b: (-round(found[b], 6), articles[b].url))[:MOST]
        out[articles[a].id] = tuple(
            Neighbour(articles[b].title, articles[b].url, _names(shared[a, b])) for b in best if found[b] >= LEAST
        )
    return out


def _names(things: Sequence[Thing]) -> tuple[str, ...]:
    rarest = sorted(things, key=lambda thing: (-thing.weight, thing.name))
    return tuple(dict.fromkeys(thing.name for thing in rarest))[:NAMED]


def _things(articles: Sequence[ArticleRow], documents: Sequence[Document], wiki: Wiki) -> Iterator[Thing]:
    """Yield tags, subjects and link targets that some, but not too many, articles have."""
    places = {row.id: n for n, row in enumerate(articles)}
    tagged: dict[str, dict[int, str]] = defaultdict(dict)
    linking: dict[str, dict[int, None]] = defaultdict(dict)
    for n, (row, document) in enumerate(zip(articles, documents, strict=True)):
        for tag in row.tags:
            tagged[tag_url(tag)].setdefault(n, tag)
        for link in document.links:
            if link.target is not None and link.target != link.source:
                linking[link.target][n] = None
    found = [Thing(f"#{min(pages.values())}", tuple(pages)) for _, pages in sorted(tagged.items())]
    found += [Thing(entry.title, tuple(dict.fromkeys((*entry.pages, *entry.mentioned)))) for entry in wiki.entries]
    found += [Thing(articles[places[target]].title, tuple(pages)) for target, pages in sorted(linking.items())]
    return (thing for thing in found if 1 < len(thing.pages) <= COMMON)


def _linked(documents: Sequence[Document]) -> list[set[int]]:
    """Return for each article those that link to it or are linked from it."""
    places = {document.article.id: n for n, document in enumerate(documents)}
    out: list[set[int]] = [set() for _ in documents]
    for n, document in enumerate(documents):
        for target in (places[link.target] for link in document.links if link.target in places):
            out[n].add(target)
            out[target].add(n)
    return out
