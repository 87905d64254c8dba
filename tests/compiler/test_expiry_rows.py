"""Expiry goes with everything that is derived from a page, so that the function can drop each part in the same second."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from .vault import PUBLIC, make

END = 1_796_169_600  # the end of 2026-12-01, UTC
VAULT: dict[str, str | bytes] = {
    "a.md": PUBLIC + "# a\n\nA page that stays and leads to [[b]]. It says enough to be asked about.\n",
    "b.md": "---\nshare: public\nexpires: 2026-12-01\n---\n# b\n\n## part\n\nA page that goes and leads back to [[a]]. It says enough too.\n",
    "c.md": "---\nshare: private\nexpires: 2026-11-30T13:00\n---\n# c\n",
}


def test_every_row_of_an_expiring_page_carries_its_end(tmp_path: Path) -> None:
    """Articles, chunks, nodes, questions, and links in both directions end with the page; the others do not."""
    _, current = make(tmp_path, VAULT)
    db = sqlite3.connect(f"file:{current / 'artifacts' / 'knowledge.db'}?mode=ro&immutable=1", uri=True)
    (gone,) = db.execute("SELECT id FROM articles WHERE path = 'b.md'").fetchone()
    chunks = {row[0] for row in db.execute("SELECT id FROM chunks WHERE article_id = ?", (gone,))}
    wrong = []
    for table in ("articles", "chunks", "nodes", "questions", "links"):
        rows = db.execute(f"SELECT * FROM {table}")
        names = [column[0] for column in rows.description]
        found = [dict(zip(names, row, strict=True)) for row in rows]
        assert found, table
        for row in found:
            touches = gone in row.values() or row.get("chunk_id") in chunks
            wrong += [(table, row)] if row["not_after"] != (END if touches else None) else []
    assert wrong == []


def test_the_next_change_is_public_and_the_next_build_the_owners(tmp_path: Path) -> None:
    """The manifest tells when a public page ends; when a private one does, only the owner's report tells."""
    report, current = make(tmp_path, VAULT)
    manifest = json.loads((current / "artifacts" / "manifest.json").read_text("utf-8"))
    assert manifest["next_change"] == report.next_change == END
    assert report.next_build == 1_796_043_600
