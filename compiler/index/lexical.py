"""BM25 indexes: tantivy over text that our own tokeniser has cut, with deterministic bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import tantivy

from compiler.errors import BuildError
from compiler.index.fold import fold_table
from compiler.index.rows import Fields
from query_fn.text import tokenise

FIELDS = ("title", "path", "body")
SEGMENT = "67656f73-6d69-6e30-8000-000000000001"  # tantivy draws a random id; a fixed one makes builds repeatable
_HEAP = 2_000_000_000  # bytes, an upper bound that is not allocated: one commit must give one segment


def write_lexical(fields: Sequence[Fields], folder: Path) -> None:
    """Write an index whose document ids are the positions in `fields`. Raises BuildError if tantivy splits it."""
    folder.mkdir(parents=True)
    index = tantivy.Index(_schema(), path=str(folder))
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    for item in fields:
        writer.add_document(tantivy.Document(title=_cut(item.title), path=_cut(item.path), body=_cut(item.body)))
    writer.commit()
    writer.wait_merging_threads()
    del writer, index
    _fix_names(folder)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in FIELDS:
        builder.add_text_field(name, stored=False, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _cut(text: str) -> str:
    return " ".join(tokenise(text, fold_table()))


def _fix_names(folder: Path) -> None:
    """Rename the random segment to SEGMENT and drop the lock files; nothing else in the index depends on the name."""
    meta = folder / "meta.json"
    data = json.loads(meta.read_text("utf-8"))
    if len(data["segments"]) > 1:
        raise BuildError(f"the lexical index {folder.name} has {len(data['segments'])} segments, expected one")
    for lock in folder.glob(".tantivy-*.lock"):
        lock.unlink()
    for segment in data["segments"]:
        random, segment["segment_id"] = segment["segment_id"].replace("-", ""), SEGMENT
        for path in sorted(folder.glob(f"{random}.*")):
            path.rename(folder / re.sub(r"^[0-9a-f]{32}", SEGMENT.replace("-", ""), path.name))
    meta.write_text(json.dumps(data, indent=2) + "\n", "utf-8")
    names = sorted(path.name for path in folder.iterdir() if path.name != ".managed.json")
    (folder / ".managed.json").write_text(json.dumps(names) + "\n", "utf-8")
