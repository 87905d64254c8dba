"""Pages inside pages: what ``![[page]]``, ``![[page#heading]]`` and ``![[page#^block]]`` show.

An embed shows the tokens of its target with their own links, without ids. In the published text it is a link: the
words belong to their own page alone, so search finds them once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from markdown_it.token import Token

from compiler.model import Article, ArticleId
from compiler.parse.block_ids import named_block
from compiler.parse.links import Resolution
from compiler.parse.markdown import parser, walk
from compiler.parse.tags import addresses

MAX_DEPTH = 4  # pages inside one another
MAX_EMBEDS = 100  # embeds on one page, those of embedded pages included
MAX_EXPANSION = 500_000  # characters of HTML that embeds may add to one page


@dataclass(frozen=True, slots=True)
class Part:
    """A page or a part of it, as tokens whose links are resolved."""

    article: Article
    tokens: Sequence[Token]
    env: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Library:
    """The pages that may be embedded, each read when it is first asked for."""

    pages: Mapping[ArticleId, tuple[Article, tuple[Resolution, ...]]] = field(default_factory=dict)
    _read: dict[ArticleId, Part] = field(default_factory=dict)

    def part(self, found: Resolution) -> Part | None:
        """Return what an embed shows; None when it names a heading or block that is not there."""
        if found.article is None or not found.exact or found.article not in self.pages:
            return None
        if found.article not in self._read:
            article, resolutions = self.pages[found.article]
            env: dict[str, Any] = {}
            read = parser().parse(article.body, env)
            attach(read, resolutions)
            self._read[found.article] = Part(article, read, env)
        whole = self._read[found.article]
        tokens = _selected(whole.tokens, found.anchor)
        return Part(whole.article, tokens, whole.env) if tokens else None

    def reach(self, found: Sequence[Resolution], depth: int = MAX_DEPTH) -> Iterator[ArticleId]:
        """Yield every page that these resolutions of embeds can bring onto a page, once each, in order."""
        seen: set[ArticleId] = set()
        level = [r.article for r in found if r.article in self.pages and r.embeds]
        for _ in range(depth):
            fresh = [i for i in dict.fromkeys(level) if i is not None and i not in seen]
            seen.update(fresh)
            yield from fresh
            level = [r.article for i in fresh for r in self.pages[i][1] if r.article in self.pages and r.embeds]


def attach(tokens: Sequence[Token], found: Sequence[Resolution]) -> None:
    """Hand each token its resolution. Raw HTML takes as many as it has addresses."""
    left = iter(found)
    for _, token in walk(tokens):
        if token.type in ("html_block", "html_inline"):
            token.meta["resolutions"] = list(islice(left, len(addresses(token.content))))
        else:
            token.meta["resolution"] = next(left)


def embeds_of(tokens: Sequence[Token], index: int) -> list[Token]:
    """Return the embeds of pages in the paragraph that opens at `index`, when it holds nothing else."""
    if tokens[index].type != "paragraph_open":
        return []
    children = [t for t in tokens[index + 1].children or () if t.type not in ("softbreak", "hardbreak") and t.content]
    wanted = all(t.type == "wikilink" and t.meta["resolution"].embeds for t in children)
    return children if wanted else []


def _selected(tokens: Sequence[Token], anchor: str) -> Sequence[Token]:
    if not anchor:
        return tokens[: next((i for i, t in enumerate(tokens) if t.type == "footnote_block_open"), len(tokens))]
    if anchor.startswith("^"):
        return named_block(tokens, anchor)
    opening = next(
        (i for i, t in enumerate(tokens) if t.type == "heading_open" and not t.level and t.attrs["id"] == anchor), None
    )
    if opening is None:
        return ()
    level = tokens[opening].tag
    ends = (
        i
        for i in range(opening + 1, len(tokens))
        if tokens[i].level == 0 and (tokens[i].type == "footnote_block_open" or _closes(tokens[i], level))
    )
    return tokens[opening : next(ends, len(tokens))]


def _closes(token: Token, level: str) -> bool:
    return token.type == "heading_open" and token.tag <= level
