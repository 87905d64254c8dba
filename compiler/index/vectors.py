"""All vectors of a build, in phases: chunks, then questions, then tree nodes; then calibration and centring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from compiler.index.calibrate import Generic, calibrate, centred
from compiler.index.embed_cache import Clock, EmbedCache, Embedded, Wanted, embed_rows, look_up
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
    of all phases. The fixed questions of the calibration (0.8 s, then cached) are embedded whatever the budget is.
    """
    clock, fields = clock or Clock(), texts.fields if texts else fields_of(rows)

    def embed(lines: Sequence[str], kind: str) -> Embedded:
        return embed_rows(look_up(lines, kind, embedder, cache), embedder=embedder, cache=cache)

    fixed = {lang: tuple(embed(lines, kind) for kind in ("query", "passage")) for lang, lines in GENERIC.items()}
    generic = {lang: Generic(queries.vectors, passages.vectors) for lang, (queries, passages) in fixed.items()}
    phases = (
        look_up([item.joined() for item in fields["chunks"]], "passage", embedder, cache),
        look_up([row.text for row in rows.questions], "query", embedder, cache),
        look_up([item.joined() for item in fields["nodes"]], "passage", embedder, cache),
    )
    chunks, questions, nodes = _in_phases(phases, embedder, cache, clock)
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


def _in_phases(phases: Sequence[Wanted], embedder: Embedder, cache: EmbedCache | None, clock: Clock) -> list[Embedded]:
    """Embed one list after the other; progress counts the texts of all of them, so that its estimate holds."""
    sizes = [len(phase.missing) for phase in phases]
    clocks = (replace(clock, before=sum(sizes[:i]), after=sum(sizes[i + 1 :])) for i in range(len(sizes)))
    return [
        embed_rows(phase, embedder=embedder, cache=cache, clock=watch)
        for phase, watch in zip(phases, clocks, strict=True)
    ]


def _centre(found: Embedded, langs: Sequence[str], means: dict[str, str]) -> VectorSet:
    """Return the ready rows without what their language shares; a language without its own mean gets the first one.

    The rows are changed in place, and given as the index keeps them: a second copy of every vector would be the
    largest thing in memory.
    """
    ready = np.flatnonzero(found.ready)
    vectors = found.vectors if len(ready) == len(found.ready) else found.vectors[ready]
    of = np.array(langs, dtype=np.str_)[ready]
    fallback = next((mean for mean in means.values() if mean), "")
    for lang in sorted(set(of.tolist())):
        if mean := means.get(lang) or fallback:
            vectors[of == lang] = centred(vectors[of == lang], mean)
    return VectorSet(ready.astype(np.int64), vectors.astype(np.float16), len(found.ready))
