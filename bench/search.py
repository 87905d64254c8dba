"""Warm search over 10,000 chunks on one thread, without the query embedding: ``python -m bench.search``.

The base is synthetic and seeded: half Chinese, half English, words drawn by Zipf, random unit vectors. The peer is
SQLite FTS5's BM25 over the same tokens with the same queries in the same process. Target: p50 ≤ 10 ms.
"""

from __future__ import annotations

import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from compiler.index.fold import fold_of
from compiler.index.rows import BuildMeta, Floats, Rows, Vectors, VectorSet
from compiler.index.write import write_artifacts
from query_fn.contract import ArticleRow, ChunkRow, Embedding, LanguageCalibration, QuestionRow
from query_fn.retrieve.search import Searcher
from query_fn.store import open_store
from query_fn.text import Analyser, tokenise

CHUNKS, PER_ARTICLE, QUERIES, SEED, DIMENSION = 10_000, 10, 200, 7, 384
_PROFILE = Embedding("synthetic", "f32", "all", DIMENSION, "mean+l2", "cosine", "", "", 510, "0" * 64)


class _Synthetic:
    """Gives each query a vector near that of its own chunk: the cost of the model is not measured here."""

    profile = _PROFILE

    def __init__(self, vectors: dict[str, Floats]) -> None:
        self._vectors = vectors

    def query(self, text: str) -> Floats:
        return self._vectors[text]


def main() -> None:
    """Build the base, run both engines, print milliseconds and ratios."""
    rng, dice = random.Random(SEED), np.random.default_rng(SEED)
    rows = _rows(rng)
    unit = dice.standard_normal((CHUNKS, DIMENSION)).astype(np.float32)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    asked = [_question(rng, rows.chunks[n]) for n in rng.sample(range(CHUNKS), QUERIES)]
    near: dict[str, Floats] = {text: _near(unit[n], dice) for n, text in asked}
    texts = [text for _, text in asked]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "artifacts"
        began = time.perf_counter()
        meta = BuildMeta("bench", 0, "bench", ("en", "zh"))
        write_artifacts(rows, place, meta=meta, vectors=_vectors(unit))
        print(
            f"artifacts of {CHUNKS:,} chunks and {len(rows.questions):,} questions: {time.perf_counter() - began:.1f} s"
        )
        began = time.perf_counter()
        searcher = Searcher(open_store(place), _Synthetic(near))
        searcher.search(texts[0], now=0)
        print(f"open, verify and first search: {(time.perf_counter() - began) * 1000:.0f} ms")
        ours = _measure(lambda text: searcher.search(text, now=0), texts)
    peer = _fts5(rows)
    theirs = _measure(lambda text: _match(peer, text), texts)
    _line("geosmin, all five routes", ours)
    _line("SQLite FTS5 BM25 alone", theirs)
    print(f"ratio of the medians: {statistics.median(ours) / statistics.median(theirs):.2f}")


def _rows(rng: random.Random) -> Rows:
    english = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(20_000)]
    chinese = ["".join(chr(rng.randint(0x4E00, 0x62FF)) for _ in range(2)) for _ in range(20_000)]
    ranks = [1 / rank for rank in range(1, 20_001)]
    articles: list[ArticleRow] = []
    chunks: list[ChunkRow] = []
    questions: list[QuestionRow] = []
    for a in range(CHUNKS // PER_ARTICLE):
        lang, words, glue = ("en", english, " ") if a % 2 else ("zh", chinese, "")
        texts = [glue.join(rng.choices(words, ranks, k=180 if a % 2 else 300)) + "\n\n" for _ in range(PER_ARTICLE)]
        name, title, start = f"a{a}", glue.join(rng.choices(words, k=3)), 0
        for at, text in enumerate(texts):
            row = (len(chunks), f"{name}.{at}", name, at, title, (title,), "", lang, text, 0, 0, start)
            chunks.append(ChunkRow(*row, start + len(text), 1, None, (name,)))
            start += len(text)
            question = text[10:40]
            questions.append(
                QuestionRow(len(questions), f"{name}.{at}.q0", f"{name}.{at}", question, lang, "local", None, (name,))
            )
        head = (a, name, f"{name}.md", f"{name}/", title, lang, "", "article", "", (), (), None, None)
        articles.append(ArticleRow(*head, "".join(texts), None, (name,)))
    return Rows(tuple(articles), tuple(chunks), tuple(questions))


def _question(rng: random.Random, chunk: ChunkRow) -> tuple[int, str]:
    """Return words of one chunk in the size of a question."""
    if chunk.lang == "en":
        return chunk.n, " ".join(rng.sample(chunk.text.split(), 8))
    at = rng.randrange(len(chunk.text) - 40)
    return chunk.n, chunk.text[at : at + 14].strip()


def _near(vector: Floats, dice: np.random.Generator) -> Floats:
    moved = vector + 0.03 * dice.standard_normal(DIMENSION).astype(np.float32)
    out: Floats = (moved / np.linalg.norm(moved)).astype(np.float32)
    return out


def _vectors(unit: Floats) -> Vectors:
    full = VectorSet(np.arange(CHUNKS), unit, CHUNKS)
    empty = VectorSet(np.arange(0), unit[:0], 0)
    calibration = tuple(LanguageCalibration(lang, "", "", 0.2, 0.05, 0.05, 0.5) for lang in ("en", "zh"))
    return Vectors(_PROFILE, {"chunks": full, "questions": full, "nodes": empty}, calibration)


def _fts5(rows: Rows) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE chunks USING fts5(body, content='')")
    fold = fold_of(Analyser.BIGRAM)
    tokens = ((row.n, " ".join(tokenise(row.text, fold))) for row in rows.chunks)
    db.executemany("INSERT INTO chunks(rowid, body) VALUES (?, ?)", tokens)
    return db


def _match(db: sqlite3.Connection, text: str) -> list[tuple[int]]:
    query = " OR ".join(f'"{token}"' for token in dict.fromkeys(tokenise(text, fold_of(Analyser.BIGRAM))))
    return db.execute("SELECT rowid FROM chunks WHERE chunks MATCH ? ORDER BY rank LIMIT 20", (query,)).fetchall()


def _measure(run: Callable[[str], object], texts: Sequence[str]) -> list[float]:
    """Return milliseconds for each text, after one unmeasured round over a tenth of them."""
    for text in texts[::10]:
        run(text)
    times = []
    for text in texts:
        began = time.perf_counter()
        run(text)
        times.append((time.perf_counter() - began) * 1000)
    return times


def _line(name: str, times: Sequence[float]) -> None:
    p99 = statistics.quantiles(times, n=100)[98]
    print(f"{name:<28} p50 {statistics.median(times):7.2f} ms   p99 {p99:7.2f} ms")


if __name__ == "__main__":
    main()
