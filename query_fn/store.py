"""Opens one build's artifacts read-only: verified first, then lazily, with typed getters.

Order matters: manifest, profile, size and SHA-256 of every file, and only then SQLite, tantivy or usearch. A damaged
vector index would otherwise end the process when it is mapped.
"""

from __future__ import annotations

import mmap
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from query_fn.contract import (
    CHUNKER,
    FOLD,
    MANIFEST,
    SCHEMA,
    STORE,
    ArticleRow,
    ChunkRow,
    ContributionRow,
    Embedding,
    LinkRow,
    Manifest,
    ManifestError,
    NodeRow,
    PageRow,
    QuestionRow,
    Row,
    SynonymRow,
    columns,
    damage,
    from_sql,
    load_manifest,
)
from query_fn.errors import ArtifactDamaged, ArtifactMissing, ProfileMismatch
from query_fn.text import TOKENISERS, Analyser, Fold, fold_with

if TYPE_CHECKING:
    import tantivy
    from usearch.index import Index

R = TypeVar("R", bound=Row)


def open_store(artifacts: Path, *, model: Path | None = None) -> Store:
    """Return a verified store. `model` is the embedder's folder; None means ``artifacts/model`` if it is there.

    Raises ArtifactMissing (no manifest), ProfileMismatch (names the field and both values), ArtifactDamaged (names the
    file). Costs one SHA-256 pass over the files, about 1 s a gigabyte.
    """
    folder = artifacts.resolve()  # a later switch of the pointer must not mix two builds
    manifest = _read_manifest(folder)
    _check_profile(manifest)
    for problem in damage(folder, manifest):
        raise ArtifactDamaged(f"{problem}; build again or deploy the artifacts again")
    shipped = folder / "model"
    return Store(folder, manifest, model or (shipped if shipped.is_dir() else None))


def check_embedder(manifest: Manifest, found: Embedding) -> None:
    """Raise ProfileMismatch that names the first field in which an embedder differs from the build's."""
    built = manifest.profile.embedder
    if built is None:
        raise ProfileMismatch("profile.embedder: the build has no vectors, so no embedder fits it")
    for name in Embedding.__struct_fields__:
        _same(f"embedder.{name}", getattr(built, name), getattr(found, name))


def _read_manifest(folder: Path) -> Manifest:
    try:
        return load_manifest((folder / MANIFEST).read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise ArtifactMissing(f"no {MANIFEST} in {folder.parent.name}/{folder.name}; run a build first") from None
    except UnicodeDecodeError as error:
        raise ArtifactDamaged(f"{MANIFEST} is not UTF-8: {error.reason}") from None
    except ManifestError as error:
        raise (ProfileMismatch if "schema" in str(error) else ArtifactDamaged)(str(error)) from None


def _check_profile(manifest: Manifest) -> None:
    _same("schema", manifest.profile.schema, SCHEMA)
    _same("chunker", manifest.profile.chunker, CHUNKER)
    if _analyser(manifest) is Analyser.JIEBA and find_spec("rjieba") is None:
        raise ProfileMismatch("profile.tokeniser: the build was cut by rjieba, which is not installed here")


def _analyser(manifest: Manifest) -> Analyser:
    """Return how the build's text was cut. Raises ProfileMismatch for a way that this version does not know."""
    for analyser, name in TOKENISERS.items():
        if name == manifest.profile.tokeniser:
            return analyser
    raise _mismatch("tokeniser", manifest.profile.tokeniser, " or ".join(TOKENISERS.values()))


def _same(name: str, built: object, here: object) -> None:
    if built != here:
        raise _mismatch(name, built, here)


def _mismatch(name: str, built: object, here: object) -> ProfileMismatch:
    return ProfileMismatch(f"profile.{name}: the build has {built!r}, this function {here!r}; build again")


class Store:
    """One verified build. Safe for parallel use: the database is serialised, the indexes are immutable."""

    def __init__(self, folder: Path, manifest: Manifest, model: Path | None) -> None:
        self.folder = folder
        self.manifest = manifest
        self.model = model
        self._lock = Lock()
        self._lexical: dict[str, tantivy.Index] = {}
        self._vectors: dict[str, tuple[Index, mmap.mmap]] = {}  # each with the memory that it views
        self._links: list[tempfile.TemporaryDirectory[str]] = []

    # --- rows -------------------------------------------------------------------------------------------------------

    def article(self, article_id: str) -> ArticleRow | None:
        """Return an article with its text."""
        return self._one(ArticleRow, "id = ?", article_id)

    def article_by_path(self, path: str) -> ArticleRow | None:
        """Return the article whose source has this path."""
        return self._one(ArticleRow, "path = ?", path)

    def article_by_url(self, url: str) -> ArticleRow | None:
        """Return the article at this site-relative URL; a leading slash is allowed."""
        return self._one(ArticleRow, "url = ?", url.lstrip("/"))

    def articles(self) -> tuple[ArticleRow, ...]:
        """Return all articles in order, with empty `text`: `article` reads it."""
        return tuple(self.articles_by_id.values())

    @cached_property
    def articles_by_id(self) -> Mapping[str, ArticleRow]:
        """All articles by id, with empty `text`: what the visibility decision needs."""
        names = ", ".join("'' AS text" if name == "text" else name for name, _, _ in columns(ArticleRow))
        rows = self.rows(f"SELECT {names} FROM articles ORDER BY n")  # noqa: S608 - column names of the contract
        return {row.id: row for row in (from_sql(ArticleRow, values) for values in rows)}

    def chunk(self, chunk_id: str) -> ChunkRow | None:
        """Return one chunk."""
        return self._one(ChunkRow, "id = ?", chunk_id)

    def chunk_by_n(self, n: int) -> ChunkRow | None:
        """Return the chunk with this row number."""
        return self._one(ChunkRow, "n = ?", n)

    def chunks_by_n(self, rows: Sequence[int]) -> dict[int, ChunkRow]:
        """Return the chunks with these row numbers, by number."""
        marks = ", ".join("?" * len(rows))
        return {chunk.n: chunk for chunk in self._all(ChunkRow, f"n IN ({marks})", *rows)}

    def chunks_of(self, article_id: str) -> tuple[ChunkRow, ...]:
        """Return an article's chunks in order."""
        return self._all(ChunkRow, "article_id = ? ORDER BY ordinal", article_id)

    def nodes_of(self, article_id: str) -> tuple[NodeRow, ...]:
        """Return an article's PageIndex nodes in document order."""
        return self._all(NodeRow, "article_id = ? ORDER BY ordinal", article_id)

    def node(self, node_id: str) -> NodeRow | None:
        """Return one PageIndex node."""
        return self._one(NodeRow, "id = ?", node_id)

    def node_by_n(self, n: int) -> NodeRow | None:
        """Return the node with this row number."""
        return self._one(NodeRow, "n = ?", n)

    def synonyms(self) -> tuple[SynonymRow, ...]:
        """Return the names of subjects that have several, in the order of the base."""
        return self._all(SynonymRow, "1 ORDER BY n")

    def questions_of(self, article_id: str) -> tuple[QuestionRow, ...]:
        """Return the generated questions of an article's chunks."""
        where = "chunk_id IN (SELECT id FROM chunks WHERE article_id = ?) ORDER BY n"
        return self._all(QuestionRow, where, article_id)

    def aliases_of(self, chunk_id: str) -> list[tuple[int, str]]:
        """Return row number and text of the generated questions of one chunk."""
        return self.rows("SELECT n, text FROM questions WHERE chunk_id = ? ORDER BY n", chunk_id)

    def pages(self) -> tuple[PageRow, ...]:
        """Return all wiki pages."""
        return self._all(PageRow, "1 ORDER BY n")

    def page(self, key: str) -> PageRow | None:
        """Return one wiki page."""
        return self._one(PageRow, "key = ?", key)

    def page_by_n(self, n: int) -> PageRow | None:
        """Return the wiki page with this row number."""
        return self._one(PageRow, "n = ?", n)

    def contributions_of(self, key: str) -> tuple[ContributionRow, ...]:
        """Return what each article adds to a wiki page."""
        return self._all(ContributionRow, "page_key = ? ORDER BY n", key)

    def links_from(self, article_id: str) -> tuple[LinkRow, ...]:
        """Return an article's outgoing links."""
        return self._all(LinkRow, "source_id = ? ORDER BY n", article_id)

    def links_to(self, article_id: str) -> tuple[LinkRow, ...]:
        """Return the links that point to an article."""
        return self._all(LinkRow, "target_id = ? ORDER BY n", article_id)

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows of one read-only statement. One connection, one statement at a time: 20–50 µs each."""
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    def _all(self, row: type[R], where: str, *values: object) -> tuple[R, ...]:
        found = self.rows(f"SELECT * FROM {row.TABLE} WHERE {where}", *values)  # noqa: S608 - our own clauses
        return tuple(from_sql(row, item) for item in found)

    def _one(self, row: type[R], where: str, *values: object) -> R | None:
        found = self._all(row, f"{where} LIMIT 1", *values)
        return found[0] if found else None

    @cached_property
    def _db(self) -> sqlite3.Connection:
        uri = f"{(self.folder / STORE).absolute().as_uri()}?mode=ro&immutable=1"
        return sqlite3.connect(uri, uri=True, check_same_thread=False)

    # --- indexes ----------------------------------------------------------------------------------------------------

    @cached_property
    def fold(self) -> Fold:
        """How this build's text is folded into tokens."""
        table = msgspec.json.decode((self.folder / FOLD).read_bytes(), type=dict[str, str])
        return fold_with(table, _analyser(self.manifest))

    def lexical(self, name: str) -> tantivy.Index:
        """Return a BM25 index. tantivy wants to write a lock file, so it gets a temporary folder of links."""
        import tantivy  # 10 ms

        with self._lock:
            if name not in self._lexical:
                links = tempfile.TemporaryDirectory(
                    prefix="geosmin-", ignore_cleanup_errors=True
                )  # tantivy may still write
                for path in (self.folder / "lexical" / name).iterdir():
                    (Path(links.name) / path.name).symlink_to(path)
                self._links.append(links)
                self._lexical[name] = tantivy.Index.open(links.name)
            return self._lexical[name]

    def vectors(self, name: str) -> Index | None:
        """Return a memory-mapped vector index, or None when the build has none.

        The file is mapped here: usearch would ask the system not to note the access, which only its owner may.
        """
        if name not in self.manifest.vectors:
            return None
        from usearch.index import Index  # 120 ms with numpy

        with self._lock:
            if name not in self._vectors:
                with (self.folder / "vectors" / f"{name}.usearch").open("rb") as file:
                    held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                index = Index.restore(memoryview(held), view=True)
                if index is None:
                    raise ArtifactDamaged(f"vectors/{name}.usearch cannot be opened")
                self._vectors[name] = (index, held)
            return self._vectors[name][0]
