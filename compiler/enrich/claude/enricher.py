"""The enricher `claude`: what a model found of each article, and what the local enricher finds where it did not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from compiler.cache import Cache
from compiler.enrich.claude.checks import Said
from compiler.enrich.claude.reading import Found, Reader
from compiler.enrich.folding import key_of
from compiler.enrich.local import Asked, LocalEnricher
from compiler.enrich.protocol import Candidate, Look, Mention, Reading, Relation, Sayings, Statement

PLANNED_NAMES = 12  # subjects of an article that nobody was asked about yet


@dataclass(slots=True)
class ClaudeEnricher:
    """Results of a model, item by item, with local ones in their place where there are none.

    All articles are read at the first question about any, so that everything of one article is asked within minutes:
    the prompt cache of the service forgets.
    """

    reader: Reader
    progress: Callable[[int, int], None]
    local: LocalEnricher = field(default_factory=LocalEnricher)
    name: str = "claude"
    version: str = "1"
    _found: dict[str, Found] = field(default_factory=dict)

    def questions(self, pages: Sequence[Reading], count: int, cache: Cache) -> list[Asked]:
        """Return the model's questions of each chunk, the local ones where it has none."""
        found = self._read(pages, cache)
        lacking = [len(one.questions) < len(page.chunks) for page, one in zip(pages, found, strict=True)]
        local = iter(self.local.questions(_chosen(pages, lacking), count, cache))
        out = []
        for page, one, lacks in zip(pages, found, lacking, strict=True):
            spare = next(local) if lacks else ((),) * len(page.chunks)
            out.append(tuple(one.questions.get(c.id, own) for c, own in zip(page.chunks, spare, strict=True)))
        return out

    def summaries(self, pages: Sequence[Reading], cache: Cache) -> list[dict[str, str]]:
        """Return the model's summaries of nodes; a node without one keeps its own."""
        return [dict(one.sections or {}) for one in self._read(pages, cache)]

    def looks(self, pages: Sequence[Reading], cache: Cache) -> list[Look]:
        """Return the source page of each article, and what it could have a wiki page for, best first."""
        found = self._read(pages, cache)
        lacking = [one.digest is None or one.candidates is None for one in found]
        local = iter(self.local.looks(_chosen(pages, lacking), cache))
        return [_look(one, next(local) if lacks else None) for one, lacks in zip(found, lacking, strict=True)]

    def statements(
        self, pages: Sequence[Reading], mentions: Sequence[Sequence[Mention]], cache: Cache
    ) -> list[Sayings]:
        """Return what each page says of the keys it mentions: in the model's words where it was about them."""
        own = self.local.statements(pages, mentions, cache)
        found = self._read(pages, cache)
        return [_joined(*each) for each in zip(pages, mentions, own, found, strict=True)]

    def _read(self, pages: Sequence[Reading], cache: Cache) -> list[Found]:
        new = [page for page in pages if page.article.id not in self._found]
        if new:
            if self.reader.desk.door is None:
                looks = self.local.looks(new, cache)
                self.reader.stand_ins = {p.article.id: _names(o.candidates) for p, o in zip(new, looks, strict=True)}
            made = asyncio.run(self.reader.read(new, self.progress))
            self._found |= {page.article.id: one for page, one in zip(new, made, strict=True)}
        return [self._found[page.article.id] for page in pages]


def _names(found: Sequence[Candidate]) -> tuple[str, ...]:
    return tuple(candidate.name for candidate in found[:PLANNED_NAMES])


def _chosen(pages: Sequence[Reading], lacking: Sequence[bool]) -> list[Reading]:
    return [page for page, lacks in zip(pages, lacking, strict=True) if lacks]


def _look(found: Found, local: Look | None) -> Look:
    """Return what the model found of a page, with what was found locally in place of what is missing."""
    if local is None:
        assert found.digest is not None and found.candidates is not None
        return Look(found.digest, found.candidates)
    digest = local.digest if found.digest is None else found.digest
    return Look(digest, local.candidates if found.candidates is None else found.candidates)


def _joined(page: Reading, mentions: Sequence[Mention], own: Sayings, found: Found) -> Sayings:
    """Return what was extracted, with what the model says of a key in its place. Names that have no key are dropped."""
    text = page.article.text
    keys = {key_of(text[mention.start : mention.end]): mention.key for mention in mentions}
    of: dict[str, tuple[Statement, ...]] = dict(own.of)
    related = {(r.subject, r.kind, r.object): r for r in own.relations}
    for _, said in found.said:
        of |= {keys[key_of(name)]: statements for name, statements in said.of.items() if key_of(name) in keys}
        related |= {(r.subject, r.kind, r.object): r for r in _relations(said, keys)}
    return Sayings(dict(sorted(of.items())), tuple(related.values()))


def _relations(said: Said, keys: Mapping[str, str]) -> Iterator[Relation]:
    """Yield the relations between two different keys."""
    for one in said.relations:
        subject, other = _key(one.subject, keys), _key(one.object, keys)
        if subject and other and subject != other:
            yield Relation(subject, one.kind, other, one.statement)


def _key(name: str, keys: Mapping[str, str]) -> str:
    return keys.get(key_of(name), "")
