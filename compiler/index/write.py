"""Writes one build's artifacts into a folder of its own: indexes, store, and the manifest last."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec.structs import replace

from compiler.errors import BuildError
from compiler.index.check import check_rows, verify
from compiler.index.dense import write_dense
from compiler.index.fold import dump_fold
from compiler.index.lexical import write_lexical
from compiler.index.phrases import write_phrases
from compiler.index.rows import BuildMeta, Rows, Vectors
from compiler.index.store import write_store
from compiler.index.texts import Texts, texts_of
from compiler.index.tune import tune
from query_fn.contract import (
    CHUNKER,
    EXACT,
    FOLD,
    LEXICAL,
    MANIFEST,
    SCHEMA,
    STORE,
    VECTORS,
    FileEntry,
    Manifest,
    Profile,
    dump_manifest,
    file_entry,
)
from query_fn.store import Store
from query_fn.text import TOKENISERS, Analyser

__all__ = ["verify", "write_artifacts", "write_manifest"]


def write_artifacts(
    rows: Rows, folder: Path, *, meta: BuildMeta, vectors: Vectors | None = None, texts: Texts | None = None
) -> Manifest:
    """Write all artifacts into the new or empty `folder` and return their manifest, which is written last.

    `texts` are those of `rows`, when they are known already. Without `vectors` there are no dense routes and the
    manifest says ``no_embedder``. Raises BuildError for rows that contradict each other or a folder in use; OSError
    for a full disk. Nothing outside `folder` is touched.
    """
    check_rows(rows)
    if folder.exists() and any(folder.iterdir()):
        raise BuildError(f"{folder.name} is not empty; artifacts are written aside, never over a build")
    folder.mkdir(parents=True, exist_ok=True)
    texts = texts or texts_of(rows)
    with ThreadPoolExecutor(1) as beside:  # tantivy works without Python, so the others are written meanwhile
        lexical = [beside.submit(write_lexical, texts.words[name], folder / "lexical" / name) for name in LEXICAL]
        write_store(rows, folder / STORE)
        (folder / FOLD).write_text(dump_fold(), "utf-8")
        write_phrases(rows, texts.exact, folder / EXACT)
        _write_vectors(folder, vectors, meta)
        for written in lexical:
            written.result()
    manifest = _manifest(rows, folder, meta=meta, vectors=vectors, analyser=texts.analyser)
    return write_manifest(folder, _tuned(manifest, folder))


def _write_vectors(folder: Path, vectors: Vectors | None, meta: BuildMeta) -> None:
    if vectors:
        for name in VECTORS:
            write_dense(vectors.sets[name], folder / "vectors" / f"{name}.usearch", vectors.embedding.dimension)
        if meta.model:
            shutil.copytree(meta.model, folder / "model")


def _tuned(manifest: Manifest, folder: Path) -> Manifest:
    """Return the manifest with what the base's own questions say about it."""
    found = tune(Store(folder, manifest, None))
    if found is None:
        return manifest
    calibration = (replace(c, threshold=found.thresholds.get(c.lang, c.threshold)) for c in manifest.calibration)
    return replace(manifest, tuning=found.tuning, calibration=tuple(calibration))


def write_manifest(folder: Path, manifest: Manifest) -> Manifest:
    """Write `manifest.json` by rename, so that a half-written one is never there, and return it."""
    aside = folder / f".{MANIFEST}.part"
    with aside.open("w", encoding="utf-8") as handle:
        handle.write(dump_manifest(manifest))
        handle.flush()
        os.fsync(handle.fileno())
    aside.replace(folder / MANIFEST)
    return manifest


def _manifest(rows: Rows, folder: Path, *, meta: BuildMeta, vectors: Vectors | None, analyser: Analyser) -> Manifest:
    readiness = {name: vectors.sets[name].readiness for name in VECTORS} if vectors else {}
    waiting = any(item.ready < item.total for item in readiness.values())
    named = (*meta.degraded, *(() if vectors else ("no_embedder",)), *(("vectors_incomplete",) if waiting else ()))
    return Manifest(
        schema=SCHEMA,
        build_id=meta.build_id,
        stamp=meta.stamp,
        profile=Profile(SCHEMA, CHUNKER, TOKENISERS[analyser], vectors.embedding if vectors else None),
        title=meta.title,
        languages=meta.languages,
        base_path=meta.base_path,
        site_url=meta.site_url,
        counts={row.TABLE: len(found) for row, found in rows.tables()},
        files=_entries(folder),
        site=dict(sorted(meta.site.items())),
        vectors=readiness,
        calibration=vectors.calibration if vectors else meta.calibration,
        degraded=tuple(dict.fromkeys(named)),
        next_change=meta.next_change,
    )


def _entries(folder: Path) -> dict[str, FileEntry]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): file_entry(path) for path in paths}
