"""One engine over one base in a process of its own: ``python -m bench.engine ENGINE FOLDER``, for `bench.search`."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.asked import PROFILE, Asked, asked_of
from compiler.index.rows import Floats
from query_fn.retrieve.search import Searcher
from query_fn.store import open_store

Search = Callable[[int], object]  # for the i-th query
_LONG = 10_000  # characters of the long queries


def main(engine: str, folder: Path) -> None:
    """Print the figures of one engine as JSON, after one unmeasured round over a tenth of the queries."""
    asked = asked_of(folder)
    search, times, cpu = _engine(engine)(folder, asked), [], []
    for at in range(0, len(asked.texts), 10):
        search(at)
    for at in range(len(asked.texts)):
        began, busy = time.perf_counter(), time.process_time()
        search(at)
        times.append((time.perf_counter() - began) * 1000)
        cpu.append((time.process_time() - busy) * 1000)
    p99 = float(np.quantile(times, 0.99))
    medians = {"p50": statistics.median(times), "cpu": statistics.median(cpu)}
    print(json.dumps({**medians, "p99": p99, "resident": _memory("VmRSS"), "mapped": _memory("RssFile")}))


def _engine(name: str) -> Callable[[Path, Asked], Search]:
    if name in ("geosmin", "geosmin_long"):
        return _long if name == "geosmin_long" else _geosmin
    from bench import peers  # frameworks of seconds and hundreds of megabytes

    return peers.ENGINES[name]


def _geosmin(folder: Path, asked: Asked) -> Search:
    searcher = Searcher(open_store(folder / "artifacts"), Known(asked))
    return lambda at: searcher.search(asked.texts[at], now=0)


def _long(folder: Path, asked: Asked) -> Search:
    """Return a search for queries of 10,000 characters: each is a query again and again."""
    searcher = Searcher(open_store(folder / "artifacts"), Known(asked))
    texts = [(f"{text} " * (_LONG // len(text) + 1))[:_LONG] for text in asked.texts]
    return lambda at: searcher.search(texts[at], now=0)


class Known:
    """Gives each query its vector: the cost of the model is not measured here."""

    profile = PROFILE

    def __init__(self, asked: Asked) -> None:
        self._vectors: dict[str, Floats] = dict(zip(asked.texts, asked.vectors, strict=True))
        self._first: Floats = asked.vectors[0]

    def query(self, text: str) -> Floats:
        return self._vectors.get(text, self._first)


def _memory(kind: str) -> float:
    """Return memory of this process in MB as Linux counts it, RssFile being pages of files; 0.0 elsewhere."""
    status = Path("/proc/self/status")
    lines = status.read_text("utf-8").splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(kind)), 0.0)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
