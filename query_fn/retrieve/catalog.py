"""Which rows one request may see, a byte for each: the visibility decision applied to whole tables at once."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from operator import and_
from sys import intern
from types import MappingProxyType

from msgspec import Struct

from query_fn.contract import ArticleRow, ChunkRow, texts
from query_fn.model import Scope
from query_fn.regex import regex
from query_fn.store import Store
from query_fn.text import normalise, squeezed
from query_fn.visibility import Visibility

_WORDY = regex(r"[^\W\d_]{3}|[\u3400-\u9fff]")
Mask = bytes  # a byte for each row, 1 where it may be seen: numpy would cost every cold start 60 ms
KEPT = 16  # decisions by scope and instant; one takes 1.5 ms over 10,000 chunks of 1,000 articles


class Table(Struct, frozen=True):
    """The visibility keys of one table: `group[n]` points to a distinct pair of not_after and sources."""

    group: tuple[int, ...]
    pairs: tuple[tuple[int | None, tuple[str, ...]], ...]

    def mask(self, visibility: Visibility, store: Store) -> Mask:
        """Return for each row whether it may be seen; each distinct pair is decided once."""
        articles = store.articles_by_id
        seen = [visibility.allows(not_after, sources, articles) for not_after, sources in self.pairs]
        return bytes(map(seen.__getitem__, self.group))


class Catalog:
    """Row numbers, ids and visibility keys of a store, read once at the first search: 5 ms for 10,000 chunks."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[tuple[Scope, int], Mapping[str, Mask]] = {}

    @cached_property
    def chunk_ids(self) -> tuple[str, ...]:
        """Chunk ids by row number."""
        return tuple(row[0] for row in self._store.rows("SELECT id FROM chunks ORDER BY n"))

    @cached_property
    def chunk_numbers(self) -> dict[str, int]:
        """Row numbers by chunk id."""
        return {chunk_id: n for n, chunk_id in enumerate(self.chunk_ids)}

    @cached_property
    def chunk_articles(self) -> tuple[str, ...]:
        """Article ids by the row number of their chunks."""
        return tuple(intern(row[0]) for row in self._store.rows("SELECT article_id FROM chunks ORDER BY n"))

    @cached_property
    def chunk_langs(self) -> tuple[str, ...]:
        """Languages by chunk row number."""
        return tuple(intern(row[0]) for row in self._store.rows("SELECT lang FROM chunks ORDER BY n"))

    @cached_property
    def translated(self) -> tuple[frozenset[str], ...]:
        """By chunk row number, the other languages in which its page stands too: in the same place of their folders."""
        own = {row.id: (_place(row.path, row.lang), row.lang) for row in self._store.articles()}
        langs: dict[str, set[str]] = {}
        for place, lang in own.values():
            langs.setdefault(place, set()).add(lang)
        others = {article: frozenset(langs[place] - {lang}) for article, (place, lang) in own.items()}
        return tuple(others[article] for article in self.chunk_articles)

    def foreign(self, n: int, lang: str) -> bool:
        """Say whether a chunk is in another language and may be what answers; a translated page speaks for itself."""
        return self.chunk_langs[n] != lang and lang not in self.translated[n]

    @cached_property
    def _languages(self) -> Counter[str]:
        return Counter(self.chunk_langs)

    def lang_share(self, lang: str) -> float:
        """Return the share of the passages in a language, in 0..1."""
        return self._languages[lang] / (self._languages.total() or 1)

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """Normalised titles by chunk row number: the article's for its first chunk, else the section's."""
        sql = "SELECT CASE c.ordinal WHEN 0 THEN a.title ELSE c.title END FROM chunks c JOIN articles a"
        rows = self._store.rows(f"{sql} ON a.id = c.article_id ORDER BY c.n")
        return tuple(intern(normalise(row[0], self._store.fold).strip()) for row in rows)

    @cached_property
    def named(self) -> Mapping[str, tuple[int, ...]]:
        """The first chunk rows of the articles with a squeezed title or alias."""
        names: dict[str, list[int]] = {}
        for article in self._store.articles():
            for name in (article.title, *article.aliases) if article.id in self._first_chunk else ():
                names.setdefault(squeezed(name, self._store.fold).strip(), []).append(self._first_chunk[article.id])
        return {name: tuple(dict.fromkeys(rows)) for name, rows in names.items()}

    @cached_property
    def page_chunks(self) -> tuple[tuple[int, ...], ...]:
        """Chunk rows by wiki page row: those its contributions cite, else the first chunks of its sources."""
        cited: dict[str, list[int]] = {}
        for key, ids in self._store.rows("SELECT page_key, chunk_ids FROM contributions ORDER BY n"):
            known = (self.chunk_numbers.get(chunk_id) for chunk_id in texts(ids))
            cited.setdefault(key, []).extend(n for n in known if n is not None)
        pages = self._store.rows("SELECT key, sources FROM pages ORDER BY n")
        return tuple(tuple(dict.fromkeys(cited.get(key) or self._firsts(sources))) for key, sources in pages)

    @cached_property
    def node_chunks(self) -> tuple[tuple[int, ...], ...]:
        """Chunk rows by tree node row: the chunk in which the node's own text begins."""
        spans: dict[str, list[tuple[int, int]]] = {}
        for n, article, start in self._store.rows("SELECT n, article_id, start FROM chunks ORDER BY n"):
            spans.setdefault(article, []).append((start, n))
        nodes = self._store.rows("SELECT article_id, start FROM nodes ORDER BY n")
        return tuple(_holding(spans.get(article, []), start) for article, start in nodes)

    def _firsts(self, sources: str) -> list[int]:
        return [self._first_chunk[article] for article in texts(sources) if article in self._first_chunk]

    @cached_property
    def _first_chunk(self) -> dict[str, int]:
        return {article: n for n, article in reversed(list(enumerate(self.chunk_articles)))}

    @cached_property
    def question_chunks(self) -> tuple[int, ...]:
        """The chunk's row number for each question."""
        sql = "SELECT c.n FROM questions q JOIN chunks c ON c.id = q.chunk_id ORDER BY q.n"
        return tuple(row[0] for row in self._store.rows(sql))

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The visibility keys of every searched table."""
        return {name: self._table(name) for name in ("chunks", "questions", "pages", "nodes")}

    def masks(self, visibility: Visibility) -> Mapping[str, Mask]:
        """Return what a request may see, by table. A question is seen only with its chunk.

        The answer changes only with the scope and when an expiry passes, so the last few are kept.
        """
        key = (visibility.scope, bisect_right(self._expiries, visibility.now))
        if key not in self._kept:
            if len(self._kept) >= KEPT:
                self._kept = {}
            self._kept[key] = self._decide(visibility)
        return self._kept.get(key) or self._decide(visibility)

    def _decide(self, visibility: Visibility) -> Mapping[str, Mask]:
        masks = {name: table.mask(visibility, self._store) for name, table in self.tables.items()}
        chunks = map(masks["chunks"].__getitem__, self.question_chunks)
        masks["questions"] = bytes(map(and_, masks["questions"], chunks))
        return MappingProxyType(masks)

    @cached_property
    def _expiries(self) -> list[int]:
        """Every instant at which something stops being served, in order."""
        rows = {pair[0] for table in self.tables.values() for pair in table.pairs}
        articles = {article.not_after for article in self._store.articles()}
        return sorted(instant for instant in rows | articles if instant is not None)

    def _table(self, name: str) -> Table:
        pairs: dict[tuple[int | None, str], int] = {}
        rows = self._store.rows(f"SELECT not_after, sources FROM {name} ORDER BY n")  # noqa: S608 - own names
        group = tuple(pairs.setdefault(row, len(pairs)) for row in rows)
        return Table(group, tuple((not_after, texts(sources)) for not_after, sources in pairs))


def _place(path: str, lang: str) -> str:
    """Return a page's path without what names its language: ``zh/a.md`` and ``en/a.md`` share one."""
    parts = (part for part in path.lower().removesuffix(".md").split("/") if part.partition("-")[0] != lang)
    return "/".join(parts).removesuffix(f".{lang}")


def file_name(path: str) -> str:
    """Return the name of an article's file without its ending: in many vaults it is the title.

    A name without a word in it, such as ``2024-01`` or ``a-12``, is "": its numbers would meet those of any question.
    """
    name = path.rpartition("/")[2].rpartition(".")[0]
    return name if _WORDY.search(name) else ""


def compared(article: ArticleRow, chunk: ChunkRow) -> str:
    """Return what a question's words are looked for in: the names of a chunk's page, its headings and its text."""
    return "\n".join((article.title, file_name(article.path), *article.aliases, *chunk.path, chunk.text))


def _holding(spans: list[tuple[int, int]], start: int) -> tuple[int, ...]:
    """Return the last chunk that begins at or before `start`, as a tuple of none or one."""
    at = bisect_right(spans, start, key=lambda span: span[0])
    return (spans[at - 1][1],) if at else ()
