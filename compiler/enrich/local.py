"""The enricher without a key: deterministic and extractive. Every sentence it gives stands in a public page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiler.cache import Cache, Kind, Recipe, digest_of
from compiler.enrich.candidates import candidates
from compiler.enrich.prose import prose_of
from compiler.enrich.protocol import Look, Mention, Reading, Sayings
from compiler.enrich.questions import questions
from compiler.enrich.source_page import digest
from compiler.enrich.statements import sayings
from compiler.enrich.terms import load_words

Asked = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class LocalEnricher:
    """Results by page, from the cache or made on all cores."""

    name: str = "local"
    version: str = "7"

    def questions(self, pages: Sequence[Reading], count: int, cache: Cache) -> list[Asked]:
        """Return for each chunk of each page up to `count` questions that the chunk answers."""
        return cache.all(QUESTIONS, [((*self._parts(page), str(count)), (page, count)) for page in pages])

    def summaries(self, pages: Sequence[Reading], cache: Cache) -> list[dict[str, str]]:
        """Return nothing: the first sentences of a node, which it has already, are the best extract."""
        return [{} for _ in pages]

    def looks(self, pages: Sequence[Reading], cache: Cache) -> list[Look]:
        """Return the source page of each article, and what it could have a wiki page for, best first."""
        return cache.all(LOOK, [(self._parts(page), page) for page in pages])

    def statements(
        self, pages: Sequence[Reading], mentions: Sequence[Sequence[Mention]], cache: Cache
    ) -> list[Sayings]:
        """Return what each page says of the keys that it mentions."""
        items = [(page, tuple(found)) for page, found in zip(pages, mentions, strict=True)]
        return cache.all(SAYINGS, [((*self._parts(page), digest_of(found)), (page, found)) for page, found in items])

    def _parts(self, page: Reading) -> tuple[str, ...]:
        return self.name, self.version, digest_of(page)


def _questions(item: tuple[Reading, int]) -> Asked:
    page, count = item
    return tuple(questions(page.article, chunk, count) for chunk in page.chunks)


def _look(page: Reading) -> Look:
    prose = prose_of(page)
    return Look(digest(prose), candidates(prose))


def _sayings(item: tuple[Reading, tuple[Mention, ...]]) -> Sayings:
    page, found = item
    return sayings(prose_of(page), found)


def _load_for_questions(items: Sequence[tuple[Reading, int]]) -> None:
    _load([page for page, _ in items])


def _load(pages: Sequence[Reading]) -> None:
    if any(page.article.lang == "zh" for page in pages):
        load_words()


QUESTIONS = Recipe(Kind("questions", Asked), _questions, _load_for_questions)
LOOK = Recipe(Kind("looks", Look), _look, _load)
SAYINGS = Recipe(Kind("statements", Sayings), _sayings)
