"""`knowledge.db`: the contract's rows in SQLite, with deterministic bytes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from compiler.index.rows import Rows
from query_fn.contract import INDEXES, SCHEMA, columns, create_table, to_sql

APPLICATION_ID = 0x47454F53  # "GEOS"
_VERSION_BYTES = slice(96, 100)  # SQLite stamps its own version here: the only bytes that differ between machines


def write_store(rows: Rows, path: Path) -> None:
    """Write every table in row order, then compact the file and blank SQLite's own version number."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for pragma in ("page_size=4096", "journal_mode=OFF", "synchronous=OFF", "encoding='UTF-8'"):
            db.execute(f"PRAGMA {pragma}")
        db.execute(f"PRAGMA application_id={APPLICATION_ID}")
        db.execute(f"PRAGMA user_version={SCHEMA}")
        db.execute("BEGIN")
        for row, found in rows.tables():
            db.execute(create_table(row))
            marks = ",".join("?" * len(columns(row)))
            db.executemany(f"INSERT INTO {row.TABLE} VALUES ({marks})", map(to_sql, found))  # noqa: S608 - own names
        for statement in INDEXES:
            db.execute(statement)
        db.execute("COMMIT")
        db.execute("VACUUM")
    with path.open("r+b") as handle:
        handle.seek(_VERSION_BYTES.start)
        handle.write(bytes(_VERSION_BYTES.stop - _VERSION_BYTES.start))
