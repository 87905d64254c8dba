"""Which subjects have a wiki page: a pure function of what the public pages say, their order, and the glossary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from compiler.enrich.aliases import acronym_of
from compiler.enrich.definitions import ENOUGH
from compiler.enrich.folding import forms_of, key_of
from compiler.enrich.naming import script_of
from compiler.enrich.protocol import Candidate, Name, Statement
from compiler.enrich.terms import is_common
from compiler.guide import Guide

SURE = 0.9  # a definition that makes even a common word a subject


@dataclass(frozen=True, slots=True)
class Said:
    """A definition, and the page (by its place in the list) that gives it."""

    page: int
    statement: Statement
    titled: bool


@dataclass(frozen=True, slots=True)
class Subject:
    """A name of the base, the sentences that define it, best first, and the first page to use each of its names."""

    name: Name
    definitions: tuple[Said, ...]
    named_by: tuple[int, ...]
    titled: bool
    salience: Mapping[int, float]  # by page
    headed: int  # pages that have a section named so
    sure: bool  # its definition would make even a word of every text a subject


@dataclass(slots=True)
class _Group:
    """All candidates with one key."""

    forms: Counter[str] = field(default_factory=Counter)
    said: list[Said] = field(default_factory=list)
    salience: dict[int, float] = field(default_factory=dict)
    titled: int = 0
    headed: int = 0


def subjects(pages: Sequence[Sequence[Candidate]], guide: Guide) -> tuple[Subject, ...]:
    """Return the subjects that some page defines, by key. No two of them share a form of their names."""
    groups = _grouped(pages)
    ignored = {key_of(form) for term in guide.terms if term.ignore for form in (term.name, *term.aliases)}
    clusters = _clusters(groups, _aliases(pages, groups), guide)
    made = (_subject(keys, groups, guide) for keys in clusters if not ignored & keys.keys())
    return tuple(sorted((one for one in made if one), key=lambda one: one.name.key))


def _grouped(pages: Sequence[Sequence[Candidate]]) -> dict[str, _Group]:
    groups: dict[str, _Group] = {}
    for n, found in enumerate(pages):
        for candidate in found:
            group = groups.setdefault(key_of(candidate.name), _Group())
            group.forms[candidate.name] += 5 if candidate.titled else 2 if candidate.headed else 1
            group.salience[n] = max(candidate.salience, group.salience.get(n, 0.0))
            group.titled += candidate.titled
            group.headed += candidate.headed
            if candidate.definition:
                group.said.append(Said(n, candidate.definition, candidate.titled))
    return groups


def _aliases(pages: Sequence[Sequence[Candidate]], groups: Mapping[str, _Group]) -> Counter[tuple[str, str]]:
    """Count how many pages say that two keys are one subject. What is said of several names none."""
    counted: Counter[tuple[str, str]] = Counter()
    for found in pages:
        for candidate in found:
            for alias in candidate.aliases:
                counted[key_of(candidate.name), key_of(alias)] += 1
    owners = Counter(alias for _, alias in counted)
    return Counter({pair: n for pair, n in counted.items() if owners[pair[1]] == 1 or _is_acronym(*pair)})


def _clusters(groups: Mapping[str, _Group], pairs: Counter[tuple[str, str]], guide: Guide) -> Iterator[dict[str, None]]:
    """Yield the keys of each subject. Pages may join names, but never two titles, nor two full names of one script."""
    owner = {key: {key: None} for key in groups}
    for term in guide.terms:
        for alias in term.aliases if not term.ignore else ():
            _join(owner, key_of(term.name), key_of(alias))
    for (first, second), n in sorted(pairs.items(), key=lambda item: (-item[1], item[0])):
        one, other = owner.get(first, {first: None}), owner.get(second, {second: None})
        if one is not other and (_is_acronym(first, second) or _may_join([*one, *other], groups, n)):
            _join(owner, first, second)
    seen: set[int] = set()
    for keys in owner.values():
        if id(keys) not in seen:
            seen.add(id(keys))
            yield keys


def _join(owner: dict[str, dict[str, None]], first: str, second: str) -> None:
    one, other = owner.setdefault(first, {first: None}), owner.setdefault(second, {second: None})
    if one is not other:
        one |= other
        owner |= dict.fromkeys(other, one)


def _may_join(keys: Iterable[str], groups: Mapping[str, _Group], support: int) -> bool:
    """Tell whether names may be one subject: what one page alone says does not join two that are both defined."""
    listed = list(keys)
    if support < 2 and sum(key in groups and len(groups[key].said) > 0 for key in listed) > 1:
        return False
    titled = sum(key in groups and groups[key].titled + groups[key].headed > 0 for key in listed)
    full = Counter(script_of(key) for key in listed if " " in key or script_of(key) == "han")
    return titled <= 1 and all(n <= 1 for n in full.values()) and len(listed) <= 5


def _is_acronym(first: str, second: str) -> bool:
    return any(acronym_of(short.upper(), full) == full for short, full in ((first, second), (second, first)))


def _subject(keys: Mapping[str, None], groups: Mapping[str, _Group], guide: Guide) -> Subject | None:
    """Return the subject of a cluster, None when nothing says what it is."""
    own = [groups[key] for key in keys if key in groups]
    said = sorted(
        (s for group in own for s in group.said if s.statement.score >= ENOUGH),
        key=lambda s: (-s.statement.score - 0.2 * s.titled, s.page, s.statement.text),
    )
    if not said or (said[0].statement.score < SURE and _is_of_every_text(own)):
        return None
    title = _title(keys, groups, guide)
    forms = dict.fromkeys((title, *(form for group in own for form in sorted(group.forms)), *_declared(keys, guide)))
    salience: dict[int, float] = {}
    for group in own:
        for page, value in group.salience.items():
            salience[page] = max(value, salience.get(page, 0.0))
    named_by = tuple(sorted({min(group.salience) for group in own}))
    name = Name(key_of(title), title, tuple(forms))
    titled, headed = any(group.titled for group in own), sum(group.headed for group in own)
    return Subject(name, tuple(said), named_by, titled, salience, headed, said[0].statement.score >= SURE)


def _is_of_every_text(own: Sequence[_Group]) -> bool:
    """Tell whether a name is a word that texts about anything use, and no page is about it."""
    return not any(group.titled for group in own) and all(is_common(form) for group in own for form in group.forms)


def _title(keys: Mapping[str, None], groups: Mapping[str, _Group], guide: Guide) -> str:
    """Return how the subject is called: as the glossary does, else as titles and headings do, else as most pages do."""
    for term in guide.terms:
        if key_of(term.name) in keys:
            return term.name
    counted: Counter[str] = Counter()
    for key in keys:
        if key in groups:
            bonus = 100 * (groups[key].titled > 0)
            counted.update({form: n + bonus for form, n in groups[key].forms.items()})
    return min(counted, key=lambda form: (-counted[form], form))


def _declared(keys: Mapping[str, None], guide: Guide) -> Iterator[str]:
    for term in guide.terms:
        if key_of(term.name) in keys:
            yield from term.aliases


def forms(found: Iterable[Subject]) -> dict[str, str]:
    """Return the key of every levelled form; of two subjects that share a form the one with that key has it."""
    listed = list(found)
    out = {form: one.name.key for one in reversed(listed) for name in one.name.forms for form in forms_of(name)}
    return out | {one.name.key: one.name.key for one in listed}
