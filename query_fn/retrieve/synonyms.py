"""Other names of what a question asks about: from the owner's glossary, and from pages that say so themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from query_fn.contract import SynonymRow
from query_fn.regex import regex
from query_fn.store import Store
from query_fn.text import Fold, squeezed
from query_fn.visibility import Visibility

MOST = 2  # names that are replaced in one question
_LETTER = regex(r"[a-z0-9_]")


class _Names(Struct, frozen=True):
    """The names of one subject, as written and as compared."""

    row: SynonymRow
    written: tuple[str, ...]
    compared: tuple[str, ...]


class Synonyms:
    """Says a question with the other names of what it names."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def _subjects(self) -> list[_Names]:
        return [_names(row, self._store.fold) for row in self._store.synonyms()]

    def said(self, question: str, seen: Visibility) -> str:
        """Return the question with names replaced by their first other one, "" when it holds none that may be seen."""
        text = said = squeezed(question, self._store.fold)
        for other, name in self._found(text, seen):
            said = said.replace(name, other, 1)
        return said if said != text else ""

    def _found(self, text: str, seen: Visibility) -> Iterator[tuple[str, str]]:
        """Yield what to put in place of which name, the longest names first, each subject once."""
        held = [(name, names) for names in self._subjects for name in names.compared if _stands(name, text)]
        used: list[_Names] = []
        articles = self._store.articles_by_id
        for name, names in sorted(held, key=lambda pair: -len(pair[0])):
            others = [o for o, c in zip(names.written, names.compared, strict=True) if not _stands(c, text)]
            if names not in used and others and seen.sees(names.row, articles) and len(used) < MOST:
                used.append(names)
                yield others[0], name


def _names(row: SynonymRow, fold: Fold | None) -> _Names:
    written: Sequence[str] = (row.term, *row.aliases)
    return _Names(row, tuple(written), tuple(squeezed(name, fold).strip() for name in written))


def _stands(name: str, text: str) -> bool:
    """Say whether a name stands in a text, not as a part of a longer Latin word."""
    at = text.find(name) if name else -1
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
        starts = not (_LETTER.match(name[0]) and before and _LETTER.match(before))
        ends = not (_LETTER.match(name[-1]) and after and _LETTER.match(after))
        if starts and ends:
            return True
        at = text.find(name, at + 1)
    return False
