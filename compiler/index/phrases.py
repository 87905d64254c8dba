"""The text that exact words are looked for in: see `query_fn/retrieve/phrases.py`, which reads it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from compiler.index.rows import Rows
from query_fn.contract import PIECES, PUBLISHED, SHOWN, ChunkRow, packed
from query_fn.text import Fold, plain, squeezed


@dataclass(frozen=True, slots=True)
class Exact:
    """The own text of one chunk as it is compared: as it was published, and as a reader sees it."""

    published: str
    shown: str


Piece = tuple[int, str]  # chunk row, text
Line = list[Piece]


def exact(chunk: ChunkRow, fold: Fold) -> Exact:
    """Return the text of a chunk without what it repeats of its neighbours."""
    own = chunk.text[chunk.prefix : len(chunk.text) - chunk.suffix]
    return Exact(squeezed(own, fold), squeezed(plain(own), fold))


def write_phrases(rows: Rows, texts: Sequence[Exact], folder: Path) -> None:
    """Write the published lines of all articles, the lines that read otherwise, and where each chunk begins in them."""
    folder.mkdir(parents=True)
    own = [list(group) for _, group in groupby(rows.chunks, key=lambda chunk: chunk.article_id)]
    published = [[(chunk.n, texts[chunk.n].published) for chunk in group] for group in own]
    shown = [[(chunk.n, texts[chunk.n].shown) for chunk in group] for group in own]
    _write(published, folder / PUBLISHED)
    _write([line for line, other in zip(shown, published, strict=True) if line != other], folder / SHOWN)


def _write(lines: Sequence[Line], path: Path) -> None:
    """Write the lines as UTF-8, and beside them the byte at which each piece begins with the row of its chunk."""
    size, starts, chunks, parts = 0, array("q"), array("q"), []
    for line in lines:
        for n, text in (*line, (line[-1][0], "\n")):
            data = text.encode()
            starts.append(size)
            chunks.append(n)
            parts.append(data)
            size += len(data)
    path.with_suffix(".txt").write_bytes(b"".join(parts))
    path.with_suffix(PIECES).write_bytes(packed(starts) + packed(chunks))
