"""What the index stage is given, and the text of each row that is searched. Values and pure functions only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from query_fn.contract import (
    TABLES,
    ArticleRow,
    ChunkRow,
    ContributionRow,
    Embedding,
    FileEntry,
    LanguageCalibration,
    LinkRow,
    NodeRow,
    PageRow,
    QuestionRow,
    Readiness,
    RelationRow,
    Row,
    SynonymRow,
)
from query_fn.text import plain

MAX_INDEX_TEXT = 4_000  # characters that are embedded; e5 reads 510 tokens anyway
NODE_TEXT = 400  # characters of a node's own text that stand in for a missing summary

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rows:
    """Everything that goes into the artifacts, in table order: row `i` of each tuple has ``n == i``."""

    articles: tuple[ArticleRow, ...]
    chunks: tuple[ChunkRow, ...] = ()
    questions: tuple[QuestionRow, ...] = ()
    nodes: tuple[NodeRow, ...] = ()
    pages: tuple[PageRow, ...] = ()
    contributions: tuple[ContributionRow, ...] = ()
    links: tuple[LinkRow, ...] = ()
    relations: tuple[RelationRow, ...] = ()
    synonyms: tuple[SynonymRow, ...] = ()

    def tables(self) -> Iterator[tuple[type[Row], tuple[Row, ...]]]:
        """Yield each row class with its rows, in the order of the contract."""
        for row in TABLES:
            yield row, getattr(self, row.TABLE)


@dataclass(frozen=True, slots=True)
class VectorSet:
    """The embedded rows of one index: `keys` are their `n`, `vectors` their unit rows; `total` counts all rows."""

    keys: NDArray[np.int64]
    vectors: NDArray[np.float16] | Floats  # the index keeps f16
    total: int

    @property
    def readiness(self) -> Readiness:
        """How many rows are embedded."""
        return Readiness(len(self.keys), self.total)


@dataclass(frozen=True, slots=True)
class Vectors:
    """All vectors of a build, the profile that made them, and what was measured on them."""

    embedding: Embedding
    sets: Mapping[str, VectorSet]  # by the names in contract.VECTORS
    calibration: tuple[LanguageCalibration, ...] = ()
    fresh: int = 0  # embedded in this build; the rest came from the cache
    note: str = ""  # what became of the cache, if anything


@dataclass(frozen=True, slots=True)
class BuildMeta:
    """What the manifest says about the build as a whole."""

    build_id: str
    stamp: int  # UTC epoch seconds
    title: str
    languages: tuple[str, ...]
    base_path: str = "/"
    site_url: str = ""
    next_change: int | None = None
    degraded: tuple[str, ...] = ()
    site: Mapping[str, FileEntry] = field(default_factory=dict)
    model: Path | None = None  # the embedder's folder, when it ships with the build
    calibration: tuple[LanguageCalibration, ...] = ()  # used without vectors: thresholds on words alone


@dataclass(frozen=True, slots=True)
class Fields:
    """The three searched fields of a row, as display text."""

    title: str
    path: str
    body: str

    def joined(self) -> str:
        """Return the text that is embedded: title, path and body, each heading once."""
        return "\n".join(part for part in (self.title, self.path, self.body) if part)[:MAX_INDEX_TEXT]


def chunk_fields(chunk: ChunkRow, article: ArticleRow) -> Fields:
    """Return article title, heading path and body of a chunk; a heading counts in one field only."""
    path = _without(chunk.path, article.title)
    return Fields(article.title, " ".join(path), plain(_heading_free(chunk.text, {article.title, *path})))


def question_fields(question: QuestionRow, chunk: ChunkRow, article: ArticleRow) -> Fields:
    """Return article title, heading path and the question itself."""
    return Fields(article.title, " ".join(_without(chunk.path, article.title)), question.text)


def node_fields(node: NodeRow, article: ArticleRow) -> Fields:
    """Return a tree node's title, the path above it, and its summary (else the head of its own text)."""
    above = _without((article.title, *node.path[:-1]), node.title)
    return Fields(node.title, " ".join(above), node.summary or _own(node, article))


def _own(node: NodeRow, article: ArticleRow) -> str:
    return plain(_heading_free(article.text[node.start : node.own_end], {node.title}))[:NODE_TEXT]


def page_fields(page: PageRow) -> Fields:
    """Return a wiki page's title, summary and body."""
    return Fields(page.title, page.summary, plain(_heading_free(page.body, {page.title})))


def fields_of(rows: Rows) -> dict[str, list[Fields]]:
    """Return the searched fields of every row, by the names in contract.LEXICAL."""
    articles = {article.id: article for article in rows.articles}
    chunks = {chunk.id: chunk for chunk in rows.chunks}

    def question(row: QuestionRow) -> Fields:
        chunk = chunks[row.chunk_id]
        return question_fields(row, chunk, articles[chunk.article_id])

    return {
        "chunks": [chunk_fields(row, articles[row.article_id]) for row in rows.chunks],
        "questions": [question(row) for row in rows.questions],
        "pages": [page_fields(row) for row in rows.pages],
        "nodes": [node_fields(row, articles[row.article_id]) for row in rows.nodes],
    }


def rows_by_table(rows: Rows) -> dict[str, tuple[Any, ...]]:
    """Return the rows of each table by its name."""
    return {row.TABLE: found for row, found in rows.tables()}


def _without(path: tuple[str, ...], title: str) -> list[str]:
    """Return the distinct parts of a path that differ from the title."""
    return [part for part in dict.fromkeys(path) if part and part != title]


def _heading_free(text: str, titles: set[str]) -> str:
    """Return Markdown without the heading lines (ATX or setext) that only repeat `titles`."""
    lines, kept = text.split("\n"), []
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        setext = below.strip() and not below.strip().strip("=-")
        heading = line.lstrip().startswith("#") or setext
        if not (heading and plain(line) in titles):
            kept.append(line)
    return "\n".join(kept)
