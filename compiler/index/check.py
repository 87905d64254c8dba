"""The artifact self-check: what a build must be before it may be served."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import tantivy
from usearch.index import Index

from compiler.errors import BuildError
from compiler.index.rows import Rows
from query_fn.contract import LEXICAL, MANIFEST, STORE, Manifest, ManifestError, damage, load_manifest


def check_rows(rows: Rows) -> None:
    """Raise BuildError that names the first row whose number, id or reference is wrong."""
    for problem in _row_problems(rows):
        raise BuildError(f"artifact self-check: {problem}")


def verify(folder: Path) -> Manifest:
    """Read `folder` again from disk, hash every file and compare the indexes with each other.

    Raises BuildError that names the file or index at fault; nothing may be switched then.
    """
    manifest = verify_bytes(folder)
    for problem in _index_problems(folder, manifest):
        raise BuildError(f"artifact self-check: {problem}")
    return manifest


def verify_bytes(folder: Path) -> Manifest:
    """Hash every file of `folder` and compare it with the manifest: enough for what was verified when it was written.

    Raises BuildError as `verify` does.
    """
    try:
        manifest = load_manifest((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ManifestError) as error:
        raise BuildError(f"artifact self-check: {error}") from error
    for problem in (*damage(folder, manifest), *_strays(folder, manifest)):
        raise BuildError(f"artifact self-check: {problem}")
    return manifest


def _row_problems(rows: Rows) -> Iterator[str]:
    for row, found in rows.tables():
        for at, item in enumerate(found):
            if item.n != at:
                yield f"{row.TABLE}[{at}] has n={item.n}"
        keys = [getattr(item, "id", None) or getattr(item, "key", None) or str(item.n) for item in found]
        yield from (f"{row.TABLE}: id {key!r} occurs twice" for key in _repeated(keys))
    articles = {article.id: article for article in rows.articles}
    chunks, pages = {chunk.id for chunk in rows.chunks}, {page.key for page in rows.pages}
    yield from _unknown("chunks", ((chunk.id, chunk.article_id) for chunk in rows.chunks), articles)
    yield from _unknown("nodes", ((node.id, node.article_id) for node in rows.nodes), articles)
    yield from _unknown("questions", ((question.id, question.chunk_id) for question in rows.questions), chunks)
    yield from _unknown("contributions", ((str(item.n), item.page_key) for item in rows.contributions), pages)
    ends = ((str(row.n), end) for row in rows.relations for end in (row.subject_key, row.object_key))
    yield from _unknown("relations", ends, pages)
    yield from _unknown(
        "links", ((str(link.n), end) for link in rows.links for end in (link.source_id, link.target_id)), articles
    )
    for chunk in rows.chunks:
        if (
            chunk.text[chunk.prefix : len(chunk.text) - chunk.suffix]
            != articles[chunk.article_id].text[chunk.start : chunk.end]
        ):
            yield f"chunk {chunk.id} is not the slice {chunk.start}:{chunk.end} of its article"


def _repeated(keys: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            yield key
        seen.add(key)


def _unknown(table: str, references: Iterable[tuple[str, str]], known: Iterable[str]) -> Iterator[str]:
    there = set(known)
    return (
        f"{table} {row!r} refers to {target!r}, which is not there" for row, target in references if target not in there
    )


def _strays(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Yield files that lie in the folder without standing in the manifest."""
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return (f"{name} is not in the manifest" for name in sorted(names - set(manifest.files) - {MANIFEST}))


def _index_problems(folder: Path, manifest: Manifest) -> Iterator[str]:
    with closing(sqlite3.connect(f"file:{folder / STORE}?mode=ro&immutable=1", uri=True)) as db:
        for table, count in manifest.counts.items():
            found = db.execute(f"SELECT count(*), coalesce(max(n), -1) FROM {table}").fetchone()  # noqa: S608
            if found != (count, count - 1):
                yield f"table {table} has {found[0]} rows up to n={found[1]}, the manifest says {count}"
    for name in LEXICAL:
        found = _documents(folder / "lexical" / name)
        if found != manifest.counts[name]:
            yield f"lexical/{name} has {found} documents, the table {manifest.counts[name]}"
    for name, ready in manifest.vectors.items():
        index = Index.restore(str(folder / f"vectors/{name}.usearch"), view=True)
        keys = set(np.asarray(index.keys).tolist()) if index else set()
        if len(keys) != ready.ready or not keys <= set(range(manifest.counts[name])):
            yield f"vectors/{name} holds {len(keys)} keys, the manifest says {ready.ready} of {manifest.counts[name]}"


def _documents(index: Path) -> int:
    """Count an index's documents. tantivy leaves a lock file where it opens, so it opens a folder of links."""
    with tempfile.TemporaryDirectory(prefix="geosmin-", ignore_cleanup_errors=True) as links:
        for path in index.iterdir():
            (Path(links) / path.name).symlink_to(path.resolve())
        return int(tantivy.Index.open(links).searcher().num_docs)
