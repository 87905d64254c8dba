"""Vectors of earlier builds, by what they were made from: an unchanged text is never embedded twice."""

from __future__ import annotations

import hashlib
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from query_fn.retrieve.embed import Embedder

BATCH = 64  # texts between two looks at the clock and two commits: about 3 s
AT_ONCE = 500  # keys of one query; SQLite takes at least 999
_SCHEMA = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, crc INTEGER NOT NULL, value BLOB NOT NULL)"

Floats = NDArray[np.float32]
Progress = Callable[[int, int], None]  # texts done, texts in all


class EmbedCache:
    """A SQLite file of f32 vectors. A corrupt file is set aside and begun anew; `damaged` then says where it went.

    With `anew` nothing is read, only replaced.
    """

    def __init__(self, path: Path, *, anew: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path, self.anew = path, anew
        self.damaged: Path | None = None
        self._db = sqlite3.connect(path)
        try:
            self._db.execute(_SCHEMA)
        except sqlite3.DatabaseError:
            self._begin_anew()

    def get(self, keys: Sequence[bytes], dimension: int) -> Iterator[tuple[list[bytes], Floats]]:
        """Yield some of the keys that have a vector, with a table of them; a damaged one counts as none."""
        for first in range(0, 0 if self.anew else len(keys), AT_ONCE):
            some = keys[first : first + AT_ONCE]
            marks = ",".join("?" * len(some))
            sql = f"SELECT key, crc, value FROM vectors WHERE key IN ({marks})"  # noqa: S608
            try:
                rows = self._db.execute(sql, some).fetchall()
            except sqlite3.OperationalError:  # the disk's fault or another program's
                raise
            except sqlite3.DatabaseError:
                self._begin_anew()
                return
            whole = [(k, value) for k, crc, value in rows if len(value) == 4 * dimension and zlib.crc32(value) == crc]
            table = np.frombuffer(b"".join(value for _, value in whole), "<f4")
            yield [key for key, _ in whole], table.reshape(-1, dimension)

    def put(self, items: Sequence[tuple[bytes, Floats]]) -> None:
        """Keep vectors, in one transaction: a killed build loses at most the batch it was in."""
        blobs = [(key, vector.astype("<f4").tobytes()) for key, vector in items]
        with self._db:
            rows = [(key, zlib.crc32(blob), blob) for key, blob in blobs]
            self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    @property
    def note(self) -> str:
        """What the owner should know: that a damaged file was set aside; "" when nothing happened."""
        kept = f"it is kept as {self.damaged.name}" if self.damaged else ""
        return f"the cache of vectors was damaged; {kept} and every text is embedded again" if kept else ""

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _begin_anew(self) -> None:
        """Set the file aside. Each vector has a checksum, so the file as a whole is not read beforehand."""
        self._db.close()
        self.damaged = self.path.with_name(f"{self.path.name}.damaged")
        self.path.replace(self.damaged)
        self._db = sqlite3.connect(self.path)
        self._db.execute(_SCHEMA)


@dataclass(frozen=True, slots=True)
class Embedded:
    """The result for a list of texts: `vectors` (n, dimension), zero where `ready` (n,) is False."""

    vectors: Floats
    ready: NDArray[np.bool_]
    fresh: int  # texts embedded now


@dataclass(frozen=True, slots=True)
class Clock:
    """When to stop embedding, whom to tell, on how many threads; `deadline` is on time.monotonic, None = no limit."""

    deadline: float | None = None
    progress: Progress | None = None
    threads: int = 2
    before: int = 0  # texts that earlier phases embedded
    after: int = 0  # texts that wait in later phases

    def over(self) -> bool:
        """Tell whether the budget is spent."""
        return self.deadline is not None and time.monotonic() >= self.deadline


@dataclass(frozen=True, slots=True)
class Wanted:
    """Texts to be embedded, and the vectors that are known already: `vectors` and `ready` as in Embedded."""

    texts: Sequence[str]
    kind: str  # "passage" or "query"
    keys: Sequence[bytes]
    vectors: Floats
    ready: NDArray[np.bool_]

    @property
    def missing(self) -> list[int]:
        """The places without a vector, in the order of the texts' hashes: a budget leaves a fair sample."""
        return sorted(np.flatnonzero(~self.ready).tolist(), key=lambda at: (self.keys[at], at))


def look_up(texts: Sequence[str], kind: str, embedder: Embedder, cache: EmbedCache | None) -> Wanted:
    """Return what the cache knows of the vectors of `texts`."""
    profile = embedder.profile
    head = f"{profile.sha256}\n{profile.query_prefix if kind == 'query' else profile.passage_prefix}"
    keys = [hashlib.sha256(f"{head}{text}".encode()).digest() for text in texts]
    vectors, ready = np.zeros((len(texts), profile.dimension), np.float32), np.zeros(len(texts), np.bool_)
    places = {key: at for at, key in enumerate(keys)}
    for some, table in cache.get(sorted(places), profile.dimension) if cache else ():  # in order: half the time
        rows = [places[key] for key in some]
        vectors[rows], ready[rows] = table, True
    for at, key in enumerate(keys) if len(places) < len(keys) else ():
        vectors[at], ready[at] = vectors[places[key]], ready[places[key]]
    return Wanted(texts, kind, keys, vectors, ready)


def embed_rows(
    wanted: Wanted, *, embedder: Embedder, cache: EmbedCache | None = None, clock: Clock | None = None
) -> Embedded:
    """Embed what is missing until the clock is over. `wanted` is filled in place; progress counts its missing texts."""
    clock, missing, fresh = clock or Clock(), wanted.missing, 0
    run = embedder.queries if wanted.kind == "query" else embedder.passages
    for first in range(0, len(missing), BATCH):
        if clock.over():
            break
        batch = missing[first : first + BATCH]
        wanted.vectors[batch] = run([wanted.texts[at] for at in batch], threads=clock.threads)
        wanted.ready[batch], fresh = True, fresh + len(batch)
        if cache:
            cache.put([(wanted.keys[at], wanted.vectors[at]) for at in batch])
        if clock.progress:
            clock.progress(clock.before + fresh, clock.before + len(missing) + clock.after)
    return Embedded(wanted.vectors, wanted.ready, fresh)
