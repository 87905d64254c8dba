"""What is searched of every row: the text as it is read and embedded, and the same text cut into words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from compiler.index.fold import fold_table
from compiler.index.rows import Fields, Rows, fields_of
from query_fn.contract import LEXICAL
from query_fn.text import tokenise


@dataclass(frozen=True, slots=True)
class Texts:
    """The searched fields of every row, by the names in contract.LEXICAL, in row order."""

    fields: Mapping[str, tuple[Fields, ...]]
    words: Mapping[str, tuple[Fields, ...]]  # the same fields as tokens with spaces between them


def texts_of(rows: Rows) -> Texts:
    """Return what is searched of all rows."""
    fields = {name: tuple(found) for name, found in fields_of(rows).items()}
    return Texts(fields, {name: tuple(map(cut, found)) for name, found in fields.items()})


def joined(parts: Sequence[Texts]) -> Texts:
    """Return the texts of several pages one after the other."""
    fields = {name: tuple(item for part in parts for item in part.fields[name]) for name in LEXICAL}
    words = {name: tuple(item for part in parts for item in part.words[name]) for name in LEXICAL}
    return Texts(fields, words)


def cut(fields: Fields) -> Fields:
    """Return the fields cut into tokens, for an index whose own tokeniser splits at spaces."""
    return Fields(_cut_again(fields.title), _cut_again(fields.path), _cut(fields.body))


def _cut(text: str) -> str:
    return " ".join(tokenise(text, fold_table()))


_cut_again = lru_cache(maxsize=256)(_cut)  # titles and paths: those of a chunk stand at each of its questions, too
