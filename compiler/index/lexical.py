"""BM25 indexes: tantivy over text that our own tokeniser has cut, with deterministic bytes."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import tantivy

from compiler.errors import BuildError
from compiler.index.rows import Fields

FIELDS = ("title", "path", "body")
SEGMENT = "67656f73-6d69-6e30-8000-000000000001"  # tantivy draws a random id; a fixed one makes builds repeatable
_HEAP = 2_000_000_000  # bytes, an upper bound that is not allocated: one commit must give one segment


def write_lexical(words: Sequence[Fields], folder: Path) -> None:
    """Write an index whose document ids are the positions in `words`. Raises BuildError if tantivy splits it."""
    with tempfile.TemporaryDirectory(prefix="geosmin-", ignore_cleanup_errors=True) as aside:
        _write(words, Path(aside))
        _take_over(Path(aside), folder)


def _write(words: Sequence[Fields], aside: Path) -> None:
    index = tantivy.Index(_schema(), path=str(aside))
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    for item in words:
        writer.add_document(tantivy.Document(title=item.title, path=item.path, body=item.body))
    writer.commit()
    writer.wait_merging_threads()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in FIELDS:
        builder.add_text_field(name, stored=False, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _take_over(aside: Path, folder: Path) -> None:
    """Copy the one segment under its fixed name, with lists of our own.

    A copy, because a thread of tantivy may still write its lock and its list of files into the folder it worked in.
    """
    data = json.loads((aside / "meta.json").read_text("utf-8"))
    if len(data["segments"]) > 1:
        raise BuildError(f"the lexical index {folder.name} has {len(data['segments'])} segments, expected one")
    folder.mkdir(parents=True)
    for segment in data["segments"]:
        random, segment["segment_id"] = segment["segment_id"].replace("-", ""), SEGMENT
        for path in sorted(aside.glob(f"{random}.*")):
            shutil.copyfile(path, folder / (SEGMENT.replace("-", "") + path.name[len(random) :]))
    (folder / "meta.json").write_text(json.dumps(data, indent=2) + "\n", "utf-8")
    names = sorted(path.name for path in folder.iterdir())
    (folder / ".managed.json").write_text(json.dumps(names) + "\n", "utf-8")
