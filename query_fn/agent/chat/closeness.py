"""How close each piece of what was read is to the question: every token of the question seeks its like in the piece.

Late interaction (Khattab, Zaharia: ColBERT, 2020) over the token states of the embedder. A piece is read in context,
so "it" has taken on what it stands for. What the heading above says already need not be said by the piece; and tokens
that set the pieces apart weigh most.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from msgspec import Struct

from query_fn.retrieve.embed import Reader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NEAR = 0.3  # share of what the neighbours of a piece hold that counts as its own
WHOLE = 0.2  # what the mean of a piece counts beside its tokens
BEFORE = 0.5  # what the turn before counts in the order of the pieces
_CORES = min(4, os.cpu_count() or 1)
_LEAST = 1e-3  # weight of a token that sets no piece apart


class Passage(Struct, frozen=True):
    """What is read at once: the heading, and the pieces below it with whether each is a heading itself."""

    lang: str
    heading: str
    pieces: Sequence[tuple[str, bool]]


class Close(Struct, frozen=True):
    """One piece: `order` sorts the pieces read for one question; `level` can be compared between questions.

    Levels of XQuAD-zh, best piece of four passages: 0.36 where nothing answers, 0.60 where one does (medians).
    """

    order: float
    level: float


# The question, its language, what was read, and how many characters at the end of the question are new in a follow-up.
Closeness = Callable[[str, str, Sequence[Passage], int], list[list[Close]]]


def closeness(reader: Reader) -> Closeness:
    """Return the measure over one embedder. It raises RouteFailed when the model cannot be run.

    The model runs without the GIL, so all cores read. All questions share the threads: more of them at once would
    cost memory and no time less.
    """
    pool = ThreadPoolExecutor(_CORES, thread_name_prefix="read")

    def measure(question: str, lang: str, passages: Sequence[Passage], new: int) -> list[list[Close]]:
        import numpy as np

        asked = _unit(_less(reader.asked(question), reader.token_mean(lang, "query")))
        whole = _unit(asked.mean(axis=0, keepdims=True))[0]
        read = list(pool.map(lambda passage: _Read(reader, passage, asked, whole), passages))
        rows = [row for part in read for row in part.held()]
        if not rows:
            return [[] for _ in passages]
        table = np.stack(rows)
        weights = table.max(axis=0) - table.mean(axis=0) + _LEAST
        weights[: round(len(asked) * (1 - new / len(question)))] *= BEFORE
        orders = iter(table @ weights / weights.sum())
        return [part.judged(orders) for part in read]

    return measure


class _Read:
    """One passage against the question: `own` (pieces, tokens of the question) holds the best cosine of each token."""

    def __init__(self, reader: Reader, passage: Passage, asked: Floats, whole: Floats) -> None:
        import numpy as np

        heading, states = reader.read(passage.heading, [text for text, _ in passage.pieces])
        mean = reader.token_mean(passage.lang, "passage")
        mean = np.concatenate([heading, *states]).mean(axis=0) if mean is None else mean
        self._marks = [is_heading for _, is_heading in passage.pieces]
        self._above = _best(asked, heading, mean)
        self._own = [_best(asked, state, mean) for state in states]
        self._whole = [float(_unit((state - mean).mean(axis=0, keepdims=True))[0] @ whole) for state in states]

    def held(self) -> Iterator[Floats]:
        """Yield for each piece what it holds of every token: itself, partly its neighbours, and the headings above."""
        import numpy as np

        above = self._above
        for at, own in enumerate(self._own):
            if self._marks[at]:
                above = np.maximum(self._above, own)
            beside = [self._own[i] for i in (at - 1, at + 1) if 0 <= i < len(self._own)]
            lent = NEAR * np.max(beside, axis=0) + (1 - NEAR) * own if beside else own
            yield np.maximum(np.maximum(own, lent), above)

    def judged(self, orders: Iterator[float]) -> list[Close]:
        """Return the closeness of each piece; `orders` gives one value a piece."""
        return [
            Close(float(next(orders)) + WHOLE * whole, float(own.mean()))
            for own, whole in zip(self._own, self._whole, strict=True)
        ]


def _best(asked: Floats, states: Floats, mean: Floats) -> Floats:
    """Return the best cosine (tokens of the question,) with any token of the states, 0 without tokens."""
    import numpy as np

    if not len(states):
        return np.zeros(len(asked), np.float32)
    found: Floats = (asked @ _unit(states - mean).T).max(axis=1)
    return found


def _less(states: Floats, mean: Floats | None) -> Floats:
    return states if mean is None else states - mean


def _unit(vectors: Floats) -> Floats:
    import numpy as np

    unit: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit
