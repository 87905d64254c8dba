"""Results by content hash and version, in the state folder. Losing the cache costs time, never a different output."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from compiler.parallel import Workers

SCHEMA = 2
FLUSH = 8_000_000  # bytes of new results that are held in memory before they are written
STAGES = ("parse", "derive", "embed", "site", "search")  # in order; from one of them on a build can be made anew
KINDS = {
    "front": "parse",
    "page": "parse",
    "structure": "parse",
    "near": "parse",
    "links": "parse",
    "document": "parse",
    "rows": "derive",
    "questions": "derive",
    "looks": "derive",
    "mentions": "derive",
    "statements": "derive",
    "texts": "derive",
    "pages": "derive",
    "subject": "site",
    "graph": "site",
    "wrapped": "site",
    "search": "search",
}  # kind of result -> the stage that makes it

Value = TypeVar("Value")
Item = TypeVar("Item")
Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kind(Generic[Value]):
    """One kind of result, and the type it is read back as."""

    name: str
    shape: type[Value]


@dataclass(frozen=True, slots=True)
class Recipe(Generic[Item, Value]):
    """How one kind of result is made from an item: by a module's own function, which other processes can call."""

    kind: Kind[Value]
    make: Callable[[Item], Value]
    load: Callable[[Sequence[Item]], object] | None = None
    """Loads what makes even one result slow, such as a dictionary. It is loaded once before a long list is begun; a
    short list is made beside the reading of the stored results instead, and loads it there."""


class Cache:
    """A key-value store, in memory without a path. Every entry carries the compiler's version and a hash of its bytes.

    What does not verify is made again. A file that is no database is set aside; `note` then says so. Results of a
    stage in `anew` are not read, only replaced.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        version: str = "",
        anew: Collection[str] = (),
        workers: Workers | None = None,
    ) -> None:
        self.note = ""
        self.made: Counter[str] = Counter()  # by kind: what was not in the cache
        self.workers = workers or Workers()
        self.version, self.anew = version, frozenset(anew)
        self.early = False  # set by a build that ends before it asked for everything: then nothing is dropped
        self._fresh: list[tuple[bytes, bytes, bytes]] = []
        self._waiting = 0
        self._used: set[bytes] = set()
        self._db = self._connect(path) if path else _open(":memory:")

    def _connect(self, path: Path) -> sqlite3.Connection:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return _open(path)
        except sqlite3.DatabaseError:
            aside = path.with_suffix(".damaged")
            path.replace(aside)
            self.note = f"the cache was damaged; it is kept as {aside.name} and everything is computed again"
            return _open(path)

    def all(
        self,
        recipe: Recipe[Item, Value],
        wanted: Sequence[tuple[Parts, Item]],
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Value]:
        """Return the result of each (parts, item) in order; parts are content hashes and versions.

        What is not stored is made on all cores. `progress` gets (done, total) of all, the stored ones first.
        """
        kind, make = recipe.kind, partial(_encoded, recipe.make)
        keys = [self._key(kind, parts) for parts, _ in wanted]
        absent = dict.fromkeys(at for at, key in enumerate(keys) if not self._has(kind, key))
        beside = recipe.load is not None and len(absent) < len(keys)
        begun = self.workers.map(make, [wanted[at][1] for at in absent], load=recipe.load, beside=beside)
        found = [None if at in absent else self._read(kind, key) for at, key in enumerate(keys)]
        damaged = [at for at, value in enumerate(found) if value is None and at not in absent]
        missing, made = [*absent, *damaged], chain(begun, (make(wanted[at][1]) for at in damaged))
        self.made[kind.name] += len(missing)
        for done, (at, data) in enumerate(zip(missing, made, strict=True), len(keys) - len(missing) + 1):
            self._keep(keys[at], data)
            found[at] = _decoded(kind, data)
            if progress:
                progress(done, len(keys))
        return [value for value in found if value is not None]

    def find(self, kind: Kind[Value], parts: Parts) -> Value | None:
        """Return the stored result for `parts`, None when there is none."""
        return self._read(kind, self._key(kind, parts))

    def keep(self, kind: Kind[Value], parts: Parts, value: Value) -> None:
        """Store a result that was made elsewhere."""
        self.made[kind.name] += 1
        self._keep(self._key(kind, parts), msgspec.msgpack.encode(value))

    def save(self, *, prune: bool = True) -> None:
        """Write the new results, and drop what this build did not use."""
        self._flush()
        if not prune or self.early:
            return
        with contextlib.suppress(sqlite3.DatabaseError), self._db:
            gone = [(key,) for (key,) in self._db.execute("SELECT key FROM results") if key not in self._used]
            self._db.executemany("DELETE FROM results WHERE key = ?", gone)

    def close(self) -> None:
        """Close the file and end the workers."""
        self.workers.close()
        self._db.close()

    def _key(self, kind: Kind[Any], parts: Parts) -> bytes:
        key = cache_key(self.version, kind.name, parts)
        self._used.add(key)
        return key

    def _has(self, kind: Kind[Any], key: bytes) -> bool:
        """Tell whether there is a result; only reading it shows whether it is whole."""
        if KINDS[kind.name] in self.anew:
            return False
        with contextlib.suppress(sqlite3.DatabaseError):
            return self._db.execute("SELECT 1 FROM results WHERE key = ?", (key,)).fetchone() is not None
        return False

    def _read(self, kind: Kind[Value], key: bytes) -> Value | None:
        if KINDS[kind.name] in self.anew:
            return None
        try:
            found = self._db.execute("SELECT digest, value FROM results WHERE key = ?", (key,)).fetchone()
            return _decoded(kind, found[1]) if found and found[0] == _digest(key, found[1]) else None
        except (sqlite3.DatabaseError, msgspec.DecodeError):
            self.note = self.note or "a part of the cache was damaged and is computed again"
            return None

    def _keep(self, key: bytes, data: bytes) -> None:
        self._fresh.append((key, _digest(key, data), data))
        self._waiting += len(data)
        if self._waiting > FLUSH:
            self._flush()

    def _flush(self) -> None:
        """Write what waits in one transaction. A full disk or a damaged page costs the next build its time."""
        try:
            with self._db:
                self._db.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", self._fresh)
        except sqlite3.DatabaseError as error:
            self.note = f"the cache could not be written ({error}); the next build computes again"
        self._fresh, self._waiting = [], 0


@contextlib.contextmanager
def opened(path: Path, *, version: str = "", anew: Collection[str] = ()) -> Iterator[Cache]:
    """Yield the cache at `path`; what was computed is kept even when the build fails later."""
    cache = Cache(path, version=version, anew=anew)
    done = False
    try:
        yield cache
        done = True
    finally:
        cache.save(prune=done)
        cache.close()


def cache_key(version: str, kind: str, parts: Parts) -> bytes:
    """Return the key of a result: SHA-256 over version, kind and parts, unambiguously joined."""
    return hashlib.sha256(msgspec.msgpack.encode([version, kind, *parts])).digest()


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a value made of dataclasses, strings, numbers and lists, as a part of a key."""
    return hashlib.sha256(msgspec.msgpack.encode(value)).hexdigest()


def _encoded(make: Callable[[Item], Any], item: Item) -> bytes:
    """Return a result as bytes: what travels between processes is what is stored."""
    return msgspec.msgpack.encode(make(item))


def _decoded(kind: Kind[Value], data: bytes) -> Value:
    return msgspec.msgpack.decode(data, type=kind.shape)


def _digest(key: bytes, data: bytes) -> bytes:
    return hashlib.blake2b(data, key=key, digest_size=16).digest()


def _open(path: Path | str) -> sqlite3.Connection:
    db = sqlite3.connect(path)
    if db.execute("PRAGMA user_version").fetchone()[0] != SCHEMA:
        db.execute("DROP TABLE IF EXISTS results")
        db.execute(f"PRAGMA user_version = {SCHEMA}")
    db.execute("CREATE TABLE IF NOT EXISTS results (key BLOB PRIMARY KEY, digest BLOB NOT NULL, value BLOB NOT NULL)")
    db.execute("SELECT count(*) FROM (SELECT 1 FROM results LIMIT 1)").fetchone()
    return db
