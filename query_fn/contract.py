"""The artifact format: everything a build writes and the query function reads.

This module is the only owner of the format. The compiler writes through the row classes below and the function reads
through the same classes, so the two cannot disagree. It is a leaf: the standard library, and msgspec whose Structs cost
a cold start 13 µs each where a dataclass costs 600.

Layout of a build (all under ``--out``)::

    builds/<build id>/site/                    the browsable site
    builds/<build id>/artifacts/manifest.json  Manifest: written last, lists every other file with its SHA-256
                               /knowledge.db   SQLite, one table per row class in TABLES
                               /lexical/<name> tantivy: chunks, questions, pages, nodes
                               /exact/<name>.txt, .pieces  the text in which exact words are found
                               /vectors/<name>.usearch  f16 cosine: chunks, questions, nodes; none without embedder
                               /vectors/<name>.signs.npz  of those with SIGNS_FROM vectors and more
                               /fold.json      Traditional to Simplified character table
                               /model/         the embedder, when it ships with the build
    current                                    a symbolic link to builds/<build id>, switched by one rename
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
import types
import typing
from array import array
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec
from msgspec import Struct, field

SCHEMA = 6
CHUNKER = 3
STORE = "knowledge.db"
MANIFEST = "manifest.json"
FOLD = "fold.json"
EXACT = "exact"  # a folder with two pairs of files. <name>.txt: UTF-8, a line for each article, squeezed
PIECES = ".pieces"  # little-endian i8: the byte at which each piece of text begins, then the rows of their chunks
PUBLISHED, SHOWN = "published", "shown"  # the published text; what a reader sees, of articles in which that differs
LEXICAL = ("chunks", "questions", "pages", "nodes")
VECTORS = ("chunks", "questions", "nodes")
POINTER = "current"
SIGNS = ".signs.npz"  # keys (n,), signs (words, n) u64, mean (dimension,): see `query_fn.retrieve.signs`
SIGNS_FROM = 5_000  # vectors: from here a pass over their signs comes first; all cosines of 10k take 1 ms

# --- rows -------------------------------------------------------------------------------------------------------------
# Every row carries `not_after` (UTC epoch seconds: served while now < not_after; None = for ever) and `sources`
# (article ids it was derived from). `n` is dense from 0 in table order: the key in usearch, the document id in tantivy.


class ArticleRow(Struct, frozen=True):
    """One public article. `text` is the published Markdown: links resolved, comments gone; chunks and nodes slice."""

    TABLE: ClassVar[str] = "articles"
    n: int
    id: str
    path: str  # of the source, relative to content/; hidden folder segments are already opaque
    url: str  # site-relative, without a leading slash: "guide/start/"; the home page is ""
    title: str
    lang: str  # "zh" | "en" | other BCP 47 primary tags
    summary: str
    kind: str  # "article", or a human-written wiki kind
    folder: str  # "" at the top
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    created: str | None  # ISO date
    updated: str | None  # ISO date
    text: str
    not_after: int | None
    sources: tuple[str, ...]


class ChunkRow(Struct, frozen=True):
    """One passage: ``text == prefix + article.text[start:end] + suffix``.

    The prefix repeats a table header, reopens a fence or is the overlap with the previous window; the suffix closes a
    fence."""

    TABLE: ClassVar[str] = "chunks"
    n: int
    id: str  # "<article id>.<ordinal>"
    article_id: str
    ordinal: int
    title: str
    path: tuple[str, ...]  # heading titles from the top: ("安装", "Docker Compose", "HTTPS")
    anchor: str  # of the heading that names the chunk; "" = top of the page
    lang: str
    text: str
    prefix: int  # characters of `text` that repeat earlier text
    suffix: int  # characters at the end of `text` that are not the article's own
    start: int  # code-point offsets in the article's text
    end: int
    line: int  # first line in the source file, from 1
    not_after: int | None
    sources: tuple[str, ...]
    hollow: bool = False  # says the same over and over: found last


class QuestionRow(Struct, frozen=True):
    """A generated question: an alias that resolves to its chunk, never proof."""

    TABLE: ClassVar[str] = "questions"
    n: int
    id: str  # "<chunk id>.q<ordinal>"
    chunk_id: str
    text: str
    lang: str
    origin: str  # "local" | "claude"
    not_after: int | None
    sources: tuple[str, ...]


class NodeRow(Struct, frozen=True):
    """One node of an article's PageIndex tree. The root has level 0 and an empty anchor."""

    TABLE: ClassVar[str] = "nodes"
    n: int
    id: str  # "<article id>#<anchor>"
    article_id: str
    parent_id: str | None
    ordinal: int  # document order within the article
    level: int
    title: str
    path: tuple[str, ...]
    anchor: str
    summary: str
    start: int  # the node's own text in the article's text, up to its first child
    own_end: int
    end: int  # the whole subtree
    not_after: int | None
    sources: tuple[str, ...]


class PageRow(Struct, frozen=True):
    """One wiki page (generated or human). A generated page is navigation and is never cited."""

    TABLE: ClassVar[str] = "pages"
    n: int
    key: str
    kind: str  # entity | concept | source | comparison | guide | answer | index
    title: str
    url: str
    lang: str
    summary: str
    body: str
    generated: bool
    article_id: str | None  # of the human-written article, which can be cited
    not_after: int | None
    sources: tuple[str, ...]


class ContributionRow(Struct, frozen=True):
    """What one article adds to one wiki page."""

    TABLE: ClassVar[str] = "contributions"
    n: int
    page_key: str
    article_id: str
    text: str
    chunk_ids: tuple[str, ...]
    not_after: int | None
    sources: tuple[str, ...]


class LinkRow(Struct, frozen=True):
    """A resolved link between two public articles, with the sentence it stands in."""

    TABLE: ClassVar[str] = "links"
    n: int
    source_id: str
    source_anchor: str
    target_id: str
    target_anchor: str
    kind: str  # "wikilink" | "markdown" | "embed"
    label: str
    sentence: str
    not_after: int | None
    sources: tuple[str, ...]


class RelationRow(Struct, frozen=True):
    """A typed relation between the subjects of two wiki pages, as one passage states it."""

    TABLE: ClassVar[str] = "relations"
    n: int
    subject_key: str
    kind: str  # "is-a" | "part-of" | "uses" | … (compiler.enrich.protocol.RELATIONS)
    object_key: str
    chunk_id: str
    sentence: str
    not_after: int | None
    sources: tuple[str, ...]


class SynonymRow(Struct, frozen=True):
    """Names of one subject, from the pages and from the owner's glossary: a query with one of them means all."""

    TABLE: ClassVar[str] = "synonyms"
    n: int
    term: str
    aliases: tuple[str, ...]
    page_key: str | None  # of its wiki page, when some page says what it is
    not_after: int | None
    sources: tuple[str, ...]


Row = ArticleRow | ChunkRow | QuestionRow | NodeRow | PageRow | ContributionRow | LinkRow | RelationRow | SynonymRow
TABLES: tuple[type[Row], ...] = (
    ArticleRow,
    ChunkRow,
    QuestionRow,
    NodeRow,
    PageRow,
    ContributionRow,
    LinkRow,
    RelationRow,
    SynonymRow,
)
INDEXES: tuple[str, ...] = (
    "CREATE INDEX chunks_article ON chunks(article_id, ordinal)",
    "CREATE INDEX questions_chunk ON questions(chunk_id)",
    "CREATE INDEX nodes_article ON nodes(article_id, ordinal)",
    "CREATE INDEX links_source ON links(source_id)",
    "CREATE INDEX links_target ON links(target_id)",
    "CREATE INDEX contributions_page ON contributions(page_key)",
    "CREATE INDEX relations_subject ON relations(subject_key)",
    "CREATE INDEX relations_object ON relations(object_key)",
)

R = TypeVar("R", bound=Row)
_SQL = {str: "TEXT", int: "INTEGER", float: "REAL", bool: "INTEGER", tuple: "TEXT"}


_COLUMNS: dict[str, tuple[tuple[str, type, bool], ...]] = {}  # resolving the hints costs 60 µs, too much for each row


def columns(row: type[Any]) -> tuple[tuple[str, type, bool], ...]:
    """Return ``(name, python type, nullable)`` of each column of a table, in order."""
    if row.TABLE in _COLUMNS:
        return _COLUMNS[row.TABLE]
    hints, out = typing.get_type_hints(row), []
    for name in row.__struct_fields__:
        hint, nullable = hints[name], False
        if isinstance(hint, types.UnionType):
            hint, nullable = next(a for a in typing.get_args(hint) if a is not type(None)), True
        out.append((name, typing.get_origin(hint) or hint, nullable))
    _COLUMNS[row.TABLE] = tuple(out)
    return _COLUMNS[row.TABLE]


def create_table(row: type[Row]) -> str:
    """Return the ``CREATE TABLE`` statement for a row class; `n` is the primary key, `id` and `key` are unique."""
    lines = []
    for name, kind, nullable in columns(row):
        extra = " PRIMARY KEY" if name == "n" else " UNIQUE" if name in ("id", "key") else ""
        lines.append(f"{name} {_SQL[kind]}{'' if nullable else ' NOT NULL'}{extra}")
    return f"CREATE TABLE {row.TABLE} ({', '.join(lines)})"


_JSON = json.JSONEncoder(ensure_ascii=False)
_TEXTS = msgspec.json.Decoder(tuple[str, ...])


def to_sql(row: Row) -> tuple[Any, ...]:
    """Return the column values of a row; tuples become JSON arrays."""
    read, tuples = _written(typing.cast(typing.Hashable, type(row)))
    values = list(read(row))
    for at in tuples:
        values[at] = _json(values[at])
    return tuple(values)


@functools.lru_cache(maxsize=1 << 10)  # rows of one page have the same sources and the same path
def _json(values: tuple[Any, ...]) -> str:
    return _JSON.encode(values)


@functools.cache
def _written(row: Any) -> tuple[Callable[[Row], tuple[Any, ...]], tuple[int, ...]]:
    """Return what reads all columns of a row at once, and which of them are tuples: half the time of one by one."""
    names, kinds = zip(*((name, kind) for name, kind, _ in columns(row)), strict=True)
    return attrgetter(*names), tuple(at for at, kind in enumerate(kinds) if kind is tuple)


def texts(column: str) -> tuple[str, ...]:
    """Return what a column of texts holds: a JSON array."""
    return _TEXTS.decode(column)


def from_sql(row: type[R], values: tuple[Any, ...]) -> R:
    """Return a row from the values of ``SELECT *``, in column order."""
    out = list(values)
    for at, kind in _converted(typing.cast(typing.Hashable, row)):
        if out[at] is not None:
            out[at] = texts(out[at]) if kind is tuple else bool(out[at])
    return row(*out)


@functools.cache
def _converted(row: Any) -> tuple[tuple[int, type], ...]:
    """Return the columns that SQLite holds in another form: few of many, and a search reads thirty rows."""
    return tuple((at, kind) for at, (_, kind, _) in enumerate(columns(row)) if kind in (tuple, bool))


# --- manifest ---------------------------------------------------------------------------------------------------------


class Embedding(Struct, frozen=True, forbid_unknown_fields=True):
    """What makes two vectors comparable. Any difference between build and function is refused by name."""

    model: str  # "multilingual-e5-small"
    quantisation: str  # "q4"
    script: str  # the named vocabulary cut: "latin+han+kana" | "all"
    dimension: int
    pooling: str  # "mean+l2"
    metric: str  # "cosine"
    query_prefix: str
    passage_prefix: str
    max_tokens: int
    sha256: str  # over the model folder's files


class Profile(Struct, frozen=True, forbid_unknown_fields=True):
    """The versions that build and function must agree on."""

    schema: int
    chunker: int
    tokeniser: str
    embedder: Embedding | None


class FileEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """Size in bytes and SHA-256 of one artifact file."""

    size: int
    sha256: str


class Readiness(Struct, frozen=True, forbid_unknown_fields=True):
    """How many of a vector index's rows are embedded; the rest waits for the next build."""

    ready: int
    total: int


class LanguageCalibration(Struct, frozen=True, forbid_unknown_fields=True):
    """Measured at build on one language of this base. Means are base64 little-endian f32, "" = not centred."""

    lang: str
    chunk_mean: str  # taken from the passages of this language when the index was written
    query_mean: str
    cosine_mean: float  # of the best chunk for everyday questions that are not about this base: the "unrelated" level
    cosine_std: float
    floor: float  # dense hits under it are no hits; scores are scaled from here to 1
    threshold: float  # confidence below it: refuse
    passage_mean: str = ""  # to be taken from every passage that a question of this language finds


class Tuning(Struct, frozen=True, forbid_unknown_fields=True):
    """What the base's own generated questions said about the mix of words and vectors. Figures: the held-out half."""

    origin: str  # of the questions: "local" | "claude"
    questions: int  # both halves
    words: float  # in use: the weight of a chunk's words; its vector has the rest of 1
    tried: float  # the best weight on the other half
    default_mrr: float  # MRR@10 of the built-in mix
    tried_mrr: float
    error: float  # standard error of the difference of the two, question by question
    refused: float  # share of all questions under the built-in threshold


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """`manifest.json`. A build is complete exactly when this file is there and every entry verifies."""

    schema: int
    build_id: str
    stamp: int  # SOURCE_DATE_EPOCH, or the newest `updated` of the public pages; UTC epoch seconds
    profile: Profile
    title: str
    languages: tuple[str, ...]
    base_path: str  # "/" or "/repo/"
    site_url: str
    counts: dict[str, int]  # rows per table
    files: dict[str, FileEntry]  # path relative to artifacts/, POSIX, sorted
    site: dict[str, FileEntry] = field(default_factory=dict)  # path relative to site/
    vectors: dict[str, Readiness] = field(default_factory=dict)
    calibration: tuple[LanguageCalibration, ...] = ()
    tuning: Tuning | None = None  # None: too few questions or vectors, the built-in mix stands
    degraded: tuple[str, ...] = ()  # named fallbacks of the build, e.g. "no_embedder"
    next_change: int | None = None  # the earliest not_after of a public item
    signature: str | None = None  # Ed25519 over the file without this field, when a key is set


class ManifestError(ValueError):
    """The manifest is not one this version understands; the message names the field."""


def dump_manifest(manifest: Manifest) -> str:
    """Return the manifest as stable JSON: sorted keys, two-space indent, one trailing newline."""
    return json.dumps(msgspec.to_builtins(manifest), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


@functools.lru_cache(maxsize=2)  # a build reads the served one four times
def load_manifest(text: str) -> Manifest:
    """Parse `manifest.json`. Raises ManifestError that names what is missing, unknown or of another schema."""
    try:
        schema = msgspec.json.decode(text, type=_Schema).schema
        if schema != SCHEMA:
            raise ManifestError(f"manifest schema {schema!r}, this function reads {SCHEMA}; build again")
        return msgspec.json.decode(text, type=Manifest)
    except msgspec.ValidationError as error:
        raise ManifestError(f"manifest: {error}") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise ManifestError(f"manifest is not JSON: {error}") from None


class _Schema(Struct):
    """The one field that every version has."""

    schema: Any = None


def packed(numbers: array[int]) -> bytes:
    """Return integers as little-endian i8, whatever the processor."""
    return _little(numbers[:]).tobytes()


def unpacked(data: bytes) -> array[int]:
    """Return the integers of `packed`."""
    return _little(array("q", data))


def _little(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def file_entry(path: Path) -> FileEntry:
    """Return size and SHA-256 of a file, read in 1 MB blocks."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as handle:
        while block := handle.read(1 << 20):
            digest.update(block)
            size += len(block)
    return FileEntry(size, digest.hexdigest())


def damage(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Yield what is wrong with the artifact files in `folder`: missing, of another size, or of another SHA-256.

    Both sides ask this before any native library opens a file: a damaged vector index ends the process when mapped.
    """
    for name, entry in manifest.files.items():
        path = folder / name
        if not path.is_file():
            yield f"{name} is missing"
        elif path.stat().st_size != entry.size:
            yield f"{name} has {path.stat().st_size} bytes, the manifest says {entry.size}"
        elif file_entry(path).sha256 != entry.sha256:
            yield f"{name} differs from its SHA-256 in the manifest"
