"""What is searched of every row: the text as it is read and embedded, and the same text cut into words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from compiler.index.fold import fold_of
from compiler.index.phrases import Exact, exact
from compiler.index.rows import Fields, Rows, fields_of
from query_fn.contract import LEXICAL
from query_fn.text import Analyser, tokenise


@dataclass(frozen=True, slots=True)
class Texts:
    """The searched fields of every row, by the names in contract.LEXICAL, in row order."""

    fields: Mapping[str, tuple[Fields, ...]]
    words: Mapping[str, tuple[Fields, ...]]  # the same fields as tokens with spaces between them
    exact: tuple[Exact, ...]  # of the chunks
    analyser: Analyser


def texts_of(rows: Rows, analyser: Analyser = Analyser.BIGRAM) -> Texts:
    """Return what is searched of all rows."""
    fields = {name: tuple(found) for name, found in fields_of(rows).items()}
    words = {name: tuple(map(partial(cut, analyser=analyser), found)) for name, found in fields.items()}
    return Texts(fields, words, tuple(exact(chunk, fold_of(analyser)) for chunk in rows.chunks), analyser)


def joined(parts: Sequence[Texts], analyser: Analyser) -> Texts:
    """Return the texts of several pages one after the other; all were cut by the one analyser."""
    fields = {name: tuple(item for part in parts for item in part.fields[name]) for name in LEXICAL}
    words = {name: tuple(item for part in parts for item in part.words[name]) for name in LEXICAL}
    return Texts(fields, words, tuple(item for part in parts for item in part.exact), analyser)


def cut(fields: Fields, analyser: Analyser) -> Fields:
    """Return the fields cut into tokens, for an index whose own tokeniser splits at spaces."""
    head, path = (_cut_again(text, analyser) for text in (fields.title, fields.path))
    return Fields(head, path, _cut(fields.body, analyser))


def _cut(text: str, analyser: Analyser) -> str:
    return " ".join(tokenise(text, fold_of(analyser)))


_cut_again = lru_cache(maxsize=256)(_cut)  # titles and paths: those of a chunk stand at each of its questions, too
