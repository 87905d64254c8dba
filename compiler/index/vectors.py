"""All vectors of a build, in phases: chunks, then questions, then tree nodes; then calibration and centring."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from compiler.index.calibrate import Generic, calibrate, centred
from compiler.index.embed_cache import Clock, EmbedCache, Embedded, embed_rows
from compiler.index.probes import GENERIC
from compiler.index.rows import Rows, Vectors, VectorSet, fields_of
from compiler.index.texts import Texts
from query_fn.retrieve.embed import Embedder


def embed_all(
    rows: Rows,
    embedder: Embedder,
    *,
    cache: EmbedCache | None = None,
    clock: Clock | None = None,
    texts: Texts | None = None,
) -> Vectors:
    """Return the vectors of chunks, questions and nodes; what the budget leaves out waits for the next build.

    Questions are embedded as queries, because they are compared with questions. The clock's progress gets (done, total)
    of each phase. The fixed questions of the calibration (0.8 s, then cached) are embedded whatever the budget is.
    """
    clock, fields = clock or Clock(), texts.fields if texts else fields_of(rows)

    def embed(texts: Sequence[str], kind: str, watch: Clock) -> Embedded:
        return embed_rows(texts, kind, embedder=embedder, cache=cache, clock=watch)

    fixed = {
        lang: tuple(embed(texts, kind, Clock()) for kind in ("query", "passage")) for lang, texts in GENERIC.items()
    }
    generic = {lang: Generic(queries.vectors, passages.vectors) for lang, (queries, passages) in fixed.items()}
    chunks = embed([item.joined() for item in fields["chunks"]], "passage", clock)
    questions = embed([row.text for row in rows.questions], "query", clock)
    nodes = embed([item.joined() for item in fields["nodes"]], "passage", clock)
    langs = tuple(row.lang for row in rows.chunks)
    calibration = calibrate(chunks, langs, generic)
    query_means = {item.lang: item.query_mean for item in calibration if item.chunk_mean}
    chunk_means = {item.lang: item.chunk_mean for item in calibration}
    of_article = {row.id: row.lang for row in rows.articles}
    sets = {
        "chunks": _centre(chunks, langs, chunk_means),
        "questions": _centre(questions, [row.lang for row in rows.questions], query_means),
        "nodes": _centre(nodes, [of_article[row.article_id] for row in rows.nodes], chunk_means),
    }
    parts = (chunks, questions, nodes, *(part for pair in fixed.values() for part in pair))
    return Vectors(embedder.profile, sets, calibration, sum(part.fresh for part in parts))


def _centre(found: Embedded, langs: Sequence[str], means: dict[str, str]) -> VectorSet:
    """Return the ready rows without what their language shares; a language without its own mean gets the first one."""
    ready = np.flatnonzero(found.ready)
    vectors, of = found.vectors[ready].copy(), np.array(langs, dtype=np.str_)[ready]
    fallback = next((mean for mean in means.values() if mean), "")
    for lang in sorted(set(of.tolist())):
        vectors[of == lang] = centred(vectors[of == lang], means.get(lang) or fallback)
    return VectorSet(ready.astype(np.int64), vectors, len(found.ready))
