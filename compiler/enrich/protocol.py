"""What an enricher does and the values it gives. `local` needs no key and no network; one with a model does the same.

Each representation is a method of its own and asks for the whole list of pages: an enricher keeps its results, bounds
what runs at once and falls back item by item as it sees fit. The caller never learns how a result came about.

=============  =====================================  =========================================================
questions      by page and chunk                      how readers ask for what the chunk says
summaries      by page: node id -> summary            PageIndex nodes; a node that is not named keeps its own
looks          by page, seen alone                    its source page, and what it could have a wiki page for
statements     by page, with the names of the base    what the page says of each name, and how names are related
=============  =====================================  =========================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from compiler.cache import Cache
from query_fn.contract import ArticleRow, ChunkRow, NodeRow


@dataclass(frozen=True, slots=True)
class Reading:
    """One public article as an enricher reads it."""

    article: ArticleRow
    chunks: tuple[ChunkRow, ...]
    nodes: tuple[NodeRow, ...]
    abstract: str = ""  # the summary that its author gave the article


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a page, where it stands, and how good it is for what it was chosen for (0..1)."""

    text: str
    chunk_id: str
    anchor: str  # of the heading above it; "" = top of the page
    score: float
    written: bool = False  # in a model's words, not in the page's


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something one page is about or names. `definition` is its best sentence that says what the thing is."""

    name: str
    salience: float  # how much the page marks it: title, heading, bold, link, frequency
    titled: bool = False  # the page is about it
    headed: bool = False  # a section is about it
    definition: Statement | None = None
    aliases: tuple[str, ...] = ()  # other names that the page itself gives


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed relation between two names, and the sentence that states it."""

    subject: str  # keys of names
    kind: str  # one of RELATIONS
    object: str
    statement: Statement


RELATIONS = (
    "is-a",
    "part-of",
    "has-part",
    "depends-on",
    "uses",
    "supports",
    "replaces",
    "stores-in",
    "configures",
    "differs-from",
    "explained-by",  # the sentence that defines the subject needs the object
    "topic-of",  # the page about the object has a section about the subject
)


@dataclass(frozen=True, slots=True)
class Digest:
    """The source page of one article."""

    summary: str
    points: tuple[Statement, ...]  # 3 to 12 where the text allows


@dataclass(frozen=True, slots=True)
class Look:
    """What one page gives when it is seen alone; the candidates best first."""

    digest: Digest
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Name:
    """One subject of the base: its key, and every way to write it."""

    key: str
    title: str
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sayings:
    """What one page says: the best sentences by key, and relations."""

    of: Mapping[str, tuple[Statement, ...]]
    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in an article's text that names a key."""

    key: str
    start: int
    end: int


class Enricher(Protocol):
    """Derives all that is not written in so many words. `name` and `version` are part of every cache key."""

    @property
    def name(self) -> str:
        """Who derives: "local" or a model's provider."""

    @property
    def version(self) -> str:
        """Changes when the same input would give another result."""

    def questions(self, pages: Sequence[Reading], count: int, cache: Cache) -> list[tuple[tuple[str, ...], ...]]:
        """Return for each chunk of each page up to `count` distinct questions that the chunk alone answers."""

    def summaries(self, pages: Sequence[Reading], cache: Cache) -> list[dict[str, str]]:
        """Return for each page the summaries of nodes by id."""

    def looks(self, pages: Sequence[Reading], cache: Cache) -> list[Look]:
        """Return the source page of each article, and what it could have a wiki page for, best first."""

    def statements(
        self, pages: Sequence[Reading], mentions: Sequence[Sequence[Mention]], cache: Cache
    ) -> list[Sayings]:
        """Return what each page says of the keys that it mentions. No other key may occur in the result."""
