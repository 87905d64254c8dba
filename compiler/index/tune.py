"""The mix of words and vectors and the refusal threshold, tried on questions that a model wrote about the base.

A question's passage is the truth; its own row cannot help it, because only the two main routes are asked, through the
function's own code over the written files. One half of the questions chooses, the other half must agree.

A generated question repeats words of its passage, so it finds it more easily than a reader's question would, and by
words. Those of the local enricher are cut from the passage itself: they say nothing about readers and are not asked
(figures: `bench/README.md`). What the others show counts with a guard:

- The mix changes only when it gains more than one standard error on the other half.
- The threshold is only ever lowered. Own questions are mostly 1.6 to 1.8 log-odds surer than those of readers (5 %
  quantile): raised by the one log-odds that would be allowed, the threshold would refuse 12 to 21 % of the readers'
  instead of 6 to 8 %. But where a base refuses even its own, readers fare no better. Hiding a passage gives no
  unanswerable question to learn from: its neighbours answer too.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compiler.index.calibrate import THRESHOLD
from query_fn.contract import Tuning
from query_fn.retrieve import confidence as sure
from query_fn.retrieve.catalog import Catalog, compared
from query_fn.retrieve.dense import calibration_for
from query_fn.retrieve.fuse import WORDS, RouteHits, fuse, mixed
from query_fn.retrieve.lexical import Hits, Lexical
from query_fn.retrieve.routes import Query, Routes, prepare
from query_fn.retrieve.select import RERANK, Cut, Item, covered, rerank, weigh
from query_fn.store import Store
from query_fn.text import script_lang, tokenise

SAMPLE = 200  # questions, drawn by hash; with 80 readers' questions the choice lost up to 0.9 points, with 200 0.1
ENOUGH = 80  # questions of one language, for its threshold
GRID = (WORDS, 0.6, 0.8, 0.5, 0.9)  # weights of the words; of equally good ones the first
REFUSED = 0.05  # of the base's own questions
STEP = 1.0  # log-odds that the threshold may fall
CUT = 10  # places that count
_MAIN = ("chunk_words", "chunk_vector")
_DIGITS = 6

Gains = NDArray[np.float64]  # (questions, weights of GRID): reciprocal rank of the passage


@dataclass(frozen=True, slots=True)
class Tuned:
    """What was found: for the manifest, and the refusal threshold of each language with enough questions."""

    tuning: Tuning
    thresholds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Question:
    n: int
    text: str
    origin: str
    truth: int  # row number of its chunk


@dataclass(frozen=True, slots=True)
class _Trial:
    """The function's own search over one store, as far as it is tuned."""

    store: Store
    catalog: Catalog
    lexical: Lexical
    routes: Routes


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one question found."""

    gains: tuple[float, ...]
    lang: str
    confidence: float


def tune(store: Store) -> Tuned | None:
    """Return what a model's questions say; None when there are fewer than SAMPLE or a vector is missing.

    The store's manifest needs no hashes yet. The same store gives the same result; a question takes 2 to 5 ms.
    """
    sample = _sample(store) if _complete(store) else []
    if len(sample) < SAMPLE:
        return None
    catalog, lexical = Catalog(store), Lexical(store)
    trial = _Trial(store, catalog, lexical, Routes(store, catalog, lexical))
    seen = [_ask(question, trial) for question in sample]
    confidences: defaultdict[str, list[float]] = defaultdict(list)
    for item in seen:
        confidences[item.lang].append(item.confidence)
    origin = sample[0].origin
    gains = np.array([item.gains for item in seen])
    refused = sum(item.confidence < THRESHOLD for item in seen) / len(seen)
    tuning = choose(gains, origin, refused=round(refused, _DIGITS))
    return Tuned(tuning, {lang: threshold(found) for lang, found in confidences.items()})


def choose(gains: Gains, origin: str, *, refused: float = 0.0) -> Tuning:
    """Return the mix for gains (questions, len(GRID)) in the order of the sample: chosen on every second question."""
    first, held = gains[::2], gains[1::2]
    best = int(np.argmax(np.round(first.mean(axis=0), _DIGITS)))
    difference = held[:, best] - held[:, 0]
    error = float(difference.std(ddof=1)) / math.sqrt(len(held))
    return Tuning(
        origin=origin,
        questions=len(gains),
        words=GRID[best] if float(difference.mean()) > error else WORDS,
        tried=GRID[best],
        default_mrr=round(float(held[:, 0].mean()), _DIGITS),
        tried_mrr=round(float(held[:, best].mean()), _DIGITS),
        error=round(error, _DIGITS),
        refused=refused,
    )


def threshold(confidences: Sequence[float]) -> float:
    """Return the threshold that refuses REFUSED of the first half, at most the default and at least STEP under it.

    The default stands for fewer than ENOUGH questions, and where it refuses no more of the other half.
    """
    first, held = sorted(confidences[::2]), confidences[1::2]
    if len(confidences) < ENOUGH or sum(c < THRESHOLD for c in held) <= REFUSED * len(held):
        return THRESHOLD
    lowest = 1.0 / (1.0 + (1.0 - THRESHOLD) / THRESHOLD * math.exp(STEP))
    return round(min(THRESHOLD, max(lowest, first[int(REFUSED * len(first))])), _DIGITS)


def _complete(store: Store) -> bool:
    ready = [store.manifest.vectors.get(name) for name in ("chunks", "questions")]
    return all(item is not None and item.ready == item.total for item in ready)


def _sample(store: Store) -> list[_Question]:
    """Return SAMPLE questions of a model in the order of their hash; fewer when there are no more."""
    sql = (
        "SELECT q.n, q.text, q.origin, c.n, q.id FROM questions q JOIN chunks c ON c.id = q.chunk_id "
        "WHERE q.origin != 'local'"
    )
    rows = sorted(store.rows(sql), key=lambda row: hashlib.sha256(f"{row[4]}\n{row[1]}".encode()).digest())
    return [_Question(*row[:4]) for row in rows[:SAMPLE]]


def _ask(question: _Question, trial: _Trial) -> _Seen:
    store, text, lang = trial.store, question.text, script_lang(question.text)
    index = store.vectors("questions")
    assert index is not None
    vector = np.asarray(index.get(question.n), np.float32)  # centred like a reader's
    query = prepare(text, store, vector, calibration_for(store.manifest, text))
    everything = {name: b"\x01" * len(table.group) for name, table in trial.catalog.tables.items()}
    lists = [call() for route, call in trial.routes.main(query, everything, wiki=False) if route in _MAIN]
    fused = [fuse(lists, lambda n: trial.catalog.foreign(n, lang), mixed(words)) for words in GRID]
    gains = tuple(_gain(question.truth, hits) for hits in fused)
    return _Seen(gains, lang, _confidence(query, lists, fused[0], trial))


def _gain(truth: int, fused: Hits) -> float:
    return next((1.0 / place for place, (n, _) in enumerate(fused[:CUT], 1) if n == truth), 0.0)


def _confidence(query: Query, lists: Sequence[RouteHits], fused: Hits, trial: _Trial) -> float:
    """Return how sure the function is of a question, without the aliases that its own row would bring."""
    store, lang = trial.store, script_lang(query.text)
    weights = weigh(tokenise(sure.asked_for(query.text), store.fold), trial.lexical.idf)
    chunks = store.chunks_by_n([n for n, _ in fused[:RERANK]])
    items = [
        Item(n, score, chunk.article_id, Cut(compared(store.articles_by_id[chunk.article_id], chunk), store.fold))
        for n, score in fused[:RERANK]
        for chunk in (chunks[n],)
    ]
    ranked = rerank(items, lambda item: covered(weights, item.terms), lambda item: trial.catalog.foreign(item.n, lang))
    nearest = [item.hits[0] for item in lists if item.route == "chunk_vector" and item.hits]
    row, cosine = nearest[0] if nearest else (-1, query.calibration.floor)
    z = (cosine - query.calibration.cosine_mean) / query.calibration.cosine_std
    foreign = row >= 0 and trial.catalog.chunk_langs[row] != lang
    return sure.confidence(sure.Signals(z, sure.coverage(weights, ranked), foreign))
