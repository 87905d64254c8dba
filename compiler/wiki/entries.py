"""The pages of the wiki as values: subjects with what each article says of them, kept apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from compiler.enrich.folding import key_of
from compiler.enrich.naming import script_of
from compiler.enrich.prose import lang_of
from compiler.enrich.protocol import Mention, Reading, Relation, Sayings, Statement
from compiler.sources.urls import slug
from compiler.wiki.names import Subject, forms

WIKI_URL = "wiki/"
STRUCTURAL, STRUCTURAL_SHARE = 4, 1.5  # pages with one heading, and the pages per heading that make it a subject
SHOWN = 12  # articles whose words a page shows; the others are named
_OWN_NAME = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}|\w[_.:]\w|\(\)$")


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one article (by its place in the list) says of one subject."""

    page: int
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Related:
    """A relation of an entry to another one, and the article that states it."""

    kind: str
    key: str
    page: int
    statement: Statement


@dataclass(frozen=True, slots=True)
class Entry:
    """One wiki page. The first contribution is that of the article which defines the subject."""

    key: str
    title: str
    kind: str  # entity | concept, or the kind that a person gave the page
    lang: str
    url: str
    aliases: tuple[str, ...]
    forms: tuple[str, ...]  # levelled: how texts write it
    definition: Statement
    contributions: tuple[Contribution, ...]
    mentioned: tuple[int, ...]  # further articles that name it
    relations: tuple[Related, ...]
    named_by: tuple[int, ...] = ()  # the articles that use its other names; at least the defining one
    human: int | None = None  # the article that is this page

    @property
    def written(self) -> bool:
        """Whether a model wrote any of its sentences."""
        said = (statement for part in self.contributions for statement in part.statements)
        return any(s.written for s in (self.definition, *said, *(r.statement for r in self.relations)))

    @property
    def pages(self) -> tuple[int, ...]:
        """Every article whose words the page shows, the defining one first."""
        words = (*(c.page for c in self.contributions), *(r.page for r in self.relations), *self.named_by)
        return tuple(dict.fromkeys(words))


@dataclass(frozen=True, slots=True)
class Heard:
    """All that was read: the pages, what each says, and where it names what."""

    readings: Sequence[Reading]
    sayings: Sequence[Sayings]
    mentions: Sequence[Sequence[Mention]]


def entries(subjects: Sequence[Subject], heard: Heard, declared: Iterable[str]) -> tuple[Entry, ...]:
    """Return the wiki's pages by key. A subject that one article alone names has none, unless the article is about it,
    or the glossary (`declared`, keys) has it.
    """
    wanted = set(declared)
    said = _by_key(heard.sayings)
    kept = [s for s in subjects if s.name.key in wanted or _earns_a_page(s, said.get(s.name.key, {}))]
    known = {subject.name.key for subject in kept}
    related, written = _relations(heard.sayings, known), _written(kept, heard)
    return tuple(_entry(one, said.get(one.name.key, {}), related.get(one.name.key, ()), written) for one in kept)


def _earns_a_page(subject: Subject, said: Iterable[int]) -> bool:
    """Tell whether enough pages say something of a subject; headings such as "Syntax" are hardly in any sentence."""
    pages = len({*said, *(definition.page for definition in subject.definitions)})
    structural = subject.headed >= STRUCTURAL and pages < STRUCTURAL_SHARE * subject.headed and not subject.sure
    return subject.titled or (pages > 1 and not structural)


def _entry(
    subject: Subject,
    said: Mapping[int, tuple[Statement, ...]],
    related: Sequence[Related],
    written: Mapping[str, Written],
) -> Entry:
    name, first = subject.name, subject.definitions[0]
    ranked = sorted((p for p in said if p != first.page), key=lambda p: (-_worth(said[p], p, subject), p))
    own = tuple(
        dict.fromkeys((first.statement, *(s for s in said.get(first.page, ()) if s.text not in first.statement.text)))
    )
    shown = tuple(Contribution(page, said[page]) for page in ranked[: SHOWN - 1])
    return Entry(
        key=name.key,
        title=name.title,
        kind="entity" if _is_entity(name.title, written[name.key].surfaces) else "concept",
        lang=lang_of(first.statement.text),
        url=written[name.key].url,
        aliases=_aliases(name.title, name.forms),
        forms=written[name.key].forms,
        definition=first.statement,
        contributions=(Contribution(first.page, own[:2]), *shown),
        mentioned=tuple(ranked[SHOWN - 1 :]),
        relations=tuple(related[:SHOWN]),
        named_by=_named_by(subject, first.page),
    )


def _named_by(subject: Subject, defining: int) -> tuple[int, ...]:
    """Return for each name of a subject the first article that uses it: without them it would not be known here."""
    return tuple(sorted({defining, *subject.named_by}))


def _worth(statements: Sequence[Statement], page: int, subject: Subject) -> float:
    return max(s.score for s in statements) + 0.1 * min(5.0, subject.salience.get(page, 0.0))


def _by_key(sayings: Sequence[Sayings]) -> dict[str, dict[int, tuple[Statement, ...]]]:
    out: dict[str, dict[int, tuple[Statement, ...]]] = {}
    for page, said in enumerate(sayings):
        for key, statements in said.of.items():
            out.setdefault(key, {})[page] = statements
    return out


def _relations(sayings: Sequence[Sayings], known: set[str]) -> dict[str, list[Related]]:
    """Return the relations of each subject, those that several articles state first, each pair and kind once."""
    found: dict[tuple[str, str, str], list[tuple[int, Relation]]] = {}
    for page, said in enumerate(sayings):
        for relation in said.relations:
            if relation.subject in known and relation.object in known:
                found.setdefault((relation.subject, relation.kind, relation.object), []).append((page, relation))
    out: dict[str, list[Related]] = {}
    for (subject, kind, other), stated in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        page, relation = stated[0]
        out.setdefault(subject, []).append(Related(kind, other, page, relation.statement))
    return out


@dataclass(frozen=True, slots=True)
class Written:
    """How a subject is written: its forms, levelled; how often texts write it how; and its address."""

    forms: tuple[str, ...]
    surfaces: Counter[str]
    url: str


def _written(kept: Sequence[Subject], heard: Heard) -> dict[str, Written]:
    """Return how each subject is written. Of two with one address, the first by key has it."""
    taken = {reading.article.url.casefold() for reading in heard.readings}
    surfaces, by_key = _surfaces(heard), dict[str, list[str]]()
    for form, key in forms(kept).items():
        by_key.setdefault(key, []).append(form)
    out = {}
    for subject in kept:
        key, wanted = subject.name.key, WIKI_URL + slug(subject.name.title.replace("/", "-"))
        out[key] = Written(tuple(by_key[key]), surfaces.get(key, Counter()), _free(wanted, taken))
    return out


def _surfaces(heard: Heard) -> dict[str, Counter[str]]:
    """Count how each subject is written where it is named."""
    out: dict[str, Counter[str]] = {}
    for reading, found in zip(heard.readings, heard.mentions, strict=True):
        text = reading.article.text
        for mention in found:
            out.setdefault(mention.key, Counter())[text[mention.start : mention.end]] += 1
    return out


def _is_entity(title: str, surfaces: Counter[str]) -> bool:
    """Tell whether a subject has a name of its own: an identifier, or words that texts write with capitals."""
    if _OWN_NAME.search(title):
        return True
    if script_of(title) == "han":
        return False
    lower = sum(n for form, n in surfaces.items() if form[:1].islower())
    return lower * 4 < surfaces.total()


def _aliases(title: str, forms: Iterable[str]) -> tuple[str, ...]:
    """Return the other names of a subject, spellings of one name once."""
    found = {key_of(form): form for form in reversed(list(forms))}
    found.pop(key_of(title), None)
    return tuple(found[key] for key in sorted(found))


def _free(url: str, taken: set[str]) -> str:
    """Return an address that nobody has, and take it."""
    final, number = url + "/", 1
    while final.casefold() in taken:
        number += 1
        final = f"{url}-{number}/"
    taken.add(final.casefold())
    return final
