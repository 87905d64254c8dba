"""Results by content hash and version, in the state folder. Losing the cache costs time, never a different output."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SCHEMA = 1


class Cache:
    """A key-value store of JSON results, in memory without a path. A damaged file is set aside; `note` then says so."""

    def __init__(self, path: Path | None) -> None:
        self.note = ""
        self.made: Counter[str] = Counter()  # by kind: what was not in the cache
        self._fresh: dict[str, str] = {}
        self._used: set[str] = set()
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

    def get_or_make(self, kind: str, parts: tuple[str, ...], make: Callable[[], Any]) -> Any:
        """Return the stored result for `kind` and `parts` (content hashes and versions), else make and keep it."""
        key = cache_key(kind, parts)
        self._used.add(key)
        found = self._db.execute("SELECT value FROM results WHERE key = ?", (key,)).fetchone()
        if found:
            return json.loads(found[0])
        self.made[kind] += 1
        value = make()
        self._fresh[key] = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return value

    def save(self, *, prune: bool = True) -> None:
        """Write the new results in one transaction, and drop what this build did not use."""
        with contextlib.suppress(sqlite3.OperationalError), self._db:
            self._db.executemany("INSERT OR REPLACE INTO results VALUES (?, ?)", sorted(self._fresh.items()))
            if prune:
                gone = [(k,) for (k,) in self._db.execute("SELECT key FROM results") if k not in self._used]
                self._db.executemany("DELETE FROM results WHERE key = ?", gone)
        self._fresh.clear()

    def close(self) -> None:
        """Close the file."""
        self._db.close()


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Cache]:
    """Yield the cache at `path`; what was computed is kept even when the build fails later."""
    cache = Cache(path)
    done = False
    try:
        yield cache
        done = True
    finally:
        cache.save(prune=done)
        cache.close()


def cache_key(kind: str, parts: tuple[str, ...]) -> str:
    """Return the key of a result: SHA-256 over the kind and the parts, unambiguously joined."""
    return kind + ":" + hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def _open(path: Path | str) -> sqlite3.Connection:
    db = sqlite3.connect(path)
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, SCHEMA):
        db.execute("DROP TABLE IF EXISTS results")
    db.execute(f"PRAGMA user_version = {SCHEMA}")
    db.execute("CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
    db.execute("SELECT count(*) FROM (SELECT 1 FROM results LIMIT 1)").fetchone()
    return db
