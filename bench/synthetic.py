"""A synthetic base for search benchmarks: half Chinese, half English, words drawn by Zipf, seeded unit vectors."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.asked import DIMENSION, PROFILE
from compiler.index.rows import BuildMeta, Floats, Rows, Vectors, VectorSet
from compiler.index.write import write_artifacts
from query_fn.contract import ArticleRow, ChunkRow, LanguageCalibration, QuestionRow

PER_ARTICLE, PER_CHUNK, QUERIES, SEED = 10, 3, 200, 7
_CALIBRATION = tuple(LanguageCalibration(lang, "", "", 0.2, 0.05, 0.05, 0.5) for lang in ("en", "zh"))


def make(folder: Path, count: int) -> None:
    """Write artifacts of so many chunks, the chunks' texts and vectors as they are for the peers, and the queries."""
    rng, dice = random.Random(SEED), np.random.default_rng(SEED)
    rows, unit = _rows(rng, count), _unit(dice.standard_normal((count, DIMENSION), np.float32))
    asked = [_query(rng, rows.chunks[n]) for n in rng.sample(range(count), QUERIES)]
    meta = BuildMeta("bench", 0, "bench", ("en", "zh"))
    write_artifacts(rows, folder / "artifacts", meta=meta, vectors=_vectors(unit, dice))
    (folder / "texts.json").write_text(json.dumps([chunk.text for chunk in rows.chunks]), "utf-8")
    (folder / "asked.json").write_text(json.dumps([text for _, text in asked]), "utf-8")
    np.save(folder / "unit.npy", unit)
    np.save(folder / "asked.npy", _near(unit[[n for n, _ in asked]], dice))


def _rows(rng: random.Random, count: int) -> Rows:
    english = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(20_000)]
    chinese = ["".join(chr(rng.randint(0x4E00, 0x62FF)) for _ in range(2)) for _ in range(20_000)]
    ranks = [1 / rank for rank in range(1, 20_001)]
    articles: list[ArticleRow] = []
    chunks: list[ChunkRow] = []
    for a in range(count // PER_ARTICLE):
        lang, words, glue = ("en", english, " ") if a % 2 else ("zh", chinese, "")
        texts = [glue.join(rng.choices(words, ranks, k=180 if a % 2 else 300)) + "\n\n" for _ in range(PER_ARTICLE)]
        name, title, start = f"a{a}", glue.join(rng.choices(words, k=3)), 0
        for at, text in enumerate(texts):
            row = (len(chunks), f"{name}.{at}", name, at, title, (title,), "", lang, text, 0, 0, start)
            chunks.append(ChunkRow(*row, start + len(text), 1, None, (name,)))
            start += len(text)
        head = (a, name, f"{name}.md", f"{name}/", title, lang, "", "article", "", (), (), None, None)
        articles.append(ArticleRow(*head, "".join(texts), None, (name,)))
    return Rows(tuple(articles), tuple(chunks), _questions(chunks))


def _questions(chunks: Sequence[ChunkRow]) -> tuple[QuestionRow, ...]:
    drawn = ((c, at, c.text[10 + 30 * at : 40 + 30 * at]) for c in chunks for at in range(PER_CHUNK))
    return tuple(
        QuestionRow(n, f"{c.id}.q{at}", c.id, text, c.lang, "local", None, c.sources)
        for n, (c, at, text) in enumerate(drawn)
    )


def _query(rng: random.Random, chunk: ChunkRow) -> tuple[int, str]:
    if chunk.lang == "en":
        return chunk.n, " ".join(rng.sample(chunk.text.split(), 8))
    at = rng.randrange(len(chunk.text) - 40)
    return chunk.n, chunk.text[at : at + 14].strip()


def _vectors(unit: Floats, dice: np.random.Generator) -> Vectors:
    count, asked = len(unit), len(unit) * PER_CHUNK
    near = _near(np.repeat(unit, PER_CHUNK, axis=0), dice)
    sets = {
        "chunks": VectorSet(np.arange(count), unit, count),
        "questions": VectorSet(np.arange(asked), near, asked),
        "nodes": VectorSet(np.arange(0), unit[:0], 0),
    }
    return Vectors(PROFILE, sets, _CALIBRATION)


def _near(vectors: Floats, dice: np.random.Generator) -> Floats:
    return _unit(vectors + 0.03 * dice.standard_normal(vectors.shape, np.float32))


def _unit(vectors: Floats) -> Floats:
    out: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return out
