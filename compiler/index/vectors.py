"""All vectors of a build, in phases: chunks, then questions, then tree nodes; then calibration and centring."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from compiler.index.calibrate import Probes, calibrate, centred
from compiler.index.embed_cache import Clock, EmbedCache, Embedded, Progress, embed_rows
from compiler.index.rows import Floats, Rows, Vectors, VectorSet, fields_of
from query_fn.contract import ChunkRow, LanguageCalibration
from query_fn.retrieve.embed import Embedder
from query_fn.text import plain, sentences

PROBES = 200  # questions a language is measured with
_PROBE_CHARS = 80


def embed_all(
    rows: Rows,
    embedder: Embedder,
    *,
    cache: EmbedCache | None = None,
    budget_seconds: float | None = None,
    progress: Progress | None = None,
) -> Vectors:
    """Return the vectors of chunks, questions and nodes; what the budget leaves out waits for the next build.

    Questions are embedded as queries: they are compared with questions. `progress` gets (done, total) of each phase.
    """
    deadline = None if budget_seconds is None else time.monotonic() + budget_seconds
    clock, fields = Clock(deadline, progress), fields_of(rows)

    def passages(name: str) -> Embedded:
        texts = [item.joined() for item in fields[name]]
        return embed_rows(texts, "passage", embedder=embedder, cache=cache, clock=clock)

    def queries(texts: Sequence[str]) -> Embedded:
        return embed_rows(texts, "query", embedder=embedder, cache=cache, clock=clock)

    chunks = passages("chunks")
    questions = queries([row.text for row in rows.questions])
    asked = _probe_texts(rows)
    probes = queries([text for text, _ in asked])
    nodes = passages("nodes")
    langs = [row.lang for row in rows.chunks]
    calibration = calibrate(chunks, langs, _probes(asked, probes, rows))
    article_langs = {row.id: row.lang for row in rows.articles}
    sets = {
        "chunks": _centre(chunks, langs, calibration, "chunk"),
        "questions": _centre(questions, [row.lang for row in rows.questions], calibration, "query"),
        "nodes": _centre(nodes, [article_langs[row.article_id] for row in rows.nodes], calibration, "chunk"),
    }
    fresh = sum(part.fresh for part in (chunks, questions, probes, nodes))
    return Vectors(embedder.profile, sets, calibration, fresh)


def _centre(
    found: Embedded, langs: Sequence[str], calibration: tuple[LanguageCalibration, ...], side: str
) -> VectorSet:
    ready = np.flatnonzero(found.ready)
    vectors = found.vectors[ready].copy()
    of = np.array(langs, dtype=np.str_)[ready]
    for item in calibration:
        mean = item.chunk_mean if side == "chunk" else item.query_mean
        vectors[of == item.lang] = centred(vectors[of == item.lang], mean)
    return VectorSet(ready.astype(np.int64), vectors, len(found.ready))


def _probe_texts(rows: Rows) -> list[tuple[str, ChunkRow]]:
    """Return what a language is measured with: a sentence of each of up to PROBES chunks a language, evenly spread.

    Sentences and not the generated questions: those differ by enricher, and the measure should not.
    """
    out: list[tuple[str, ChunkRow]] = []
    for lang in sorted({chunk.lang for chunk in rows.chunks}):
        chunks = [chunk for chunk in rows.chunks if chunk.lang == lang]
        step = max(1, len(chunks) // PROBES)
        out += [(text, chunk) for chunk in chunks[::step][:PROBES] if (text := _sentence(chunk))]
    return out


def _sentence(chunk: ChunkRow) -> str:
    """Return the chunk's middle sentence among those of some length, cut to a question's length."""
    texts = [plain(chunk.text[a:b]) for a, b in sentences(chunk.text) if not chunk.text[a:b].startswith(("#", "`"))]
    texts = [text for text in texts if len(text) >= 12]
    return texts[len(texts) // 2][:_PROBE_CHARS] if texts else ""


def _probes(asked: Sequence[tuple[str, ChunkRow]], found: Embedded, rows: Rows) -> Probes:
    """Return the embedded probes with the rows of their own article, which are no unrelated answers."""
    ready = [at for at in range(len(asked)) if found.ready[at]]
    spans: dict[str, list[int]] = {}
    for chunk in rows.chunks:
        spans.setdefault(chunk.article_id, []).append(chunk.n)
    vectors: Floats = found.vectors[ready]
    own = [np.array(spans[asked[at][1].article_id]) for at in ready]
    return Probes(vectors, [asked[at][1].lang for at in ready], own)
