"""The story of the wiki: what pages could define, which subjects that makes, what every page says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from compiler.cache import Cache
from compiler.enrich.folding import forms_of, key_of
from compiler.enrich.mentions import mentions
from compiler.enrich.protocol import Candidate, Digest, Enricher, Mention, Reading, Statement
from compiler.guide import Guide, Term
from compiler.wiki.entries import Entry, Heard, entries
from compiler.wiki.names import forms, subjects


@dataclass(frozen=True, slots=True)
class Spoken:
    """A term of the glossary that pages use and none defines, and the first page that uses it."""

    term: Term
    page: int


@dataclass(frozen=True, slots=True)
class Wiki:
    """The pages of the wiki, the source page of each article in order, and terms without a page."""

    entries: tuple[Entry, ...] = ()
    digests: tuple[Digest, ...] = ()
    spoken: tuple[Spoken, ...] = ()


def compile_wiki(readings: Sequence[Reading], guide: Guide, *, enricher: Enricher, cache: Cache) -> Wiki:
    """Return the wiki of all public articles: a function of them, their order, the guide and the enricher alone."""
    looks = enricher.looks(readings, cache)
    candidates = [_with_own(reading, look.candidates) for reading, look in zip(readings, looks, strict=True)]
    found = subjects(candidates, guide)
    keys, terms = forms(found), _undefined(guide, forms(found))
    texts = [reading.article.text for reading in readings]
    everything = mentions(texts, {**dict.fromkeys(terms, ""), **keys}, cache)
    named = [[mention for mention in page if mention.key] for page in everything]
    sayings = enricher.statements(readings, named, cache)
    declared = {keys[form] for term in guide.terms if not term.ignore for form in forms_of(term.name) if form in keys}
    humans = {key_of(r.article.title): n for n, r in reversed(list(enumerate(readings))) if _is_human(r)}
    made = entries(found, Heard(readings, sayings, named), declared)
    pages = tuple(_human(entry, humans, readings) for entry in made)
    return Wiki(pages, tuple(look.digest for look in looks), tuple(_spoken(terms, everything, readings)))


def _is_human(reading: Reading) -> bool:
    return reading.article.kind != "article"


def _with_own(reading: Reading, found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return a page's candidates; what a person wrote a wiki page about is one, in that person's words."""
    article = reading.article
    if not _is_human(reading) or not reading.chunks:
        return tuple(found)
    words = reading.abstract or article.summary or article.title
    definition = Statement(words, reading.chunks[0].id, "", 1.0)
    others = (one for one in found if key_of(one.name) != key_of(article.title))
    return (Candidate(article.title, 10.0, True, False, definition, article.aliases), *others)


def _human(entry: Entry, humans: Mapping[str, int], readings: Sequence[Reading]) -> Entry:
    """Return an entry as the page that a person wrote about it, when there is one."""
    page = next((humans[key] for key in (entry.key, *map(key_of, entry.aliases)) if key in humans), None)
    if page is None:
        return entry
    article = readings[page].article
    return replace(entry, human=page, url=article.url, title=article.title, kind=article.kind, lang=article.lang)


def _undefined(guide: Guide, keys: Mapping[str, str]) -> dict[str, Term]:
    """Return the levelled forms of the glossary's terms that are names of no subject."""
    wanted = [term for term in guide.terms if not term.ignore and term.aliases]
    listed = ((form, term) for term in wanted for name in (term.name, *term.aliases) for form in forms_of(name))
    return {form: term for form, term in listed if form not in keys}


def _spoken(
    terms: Mapping[str, Term], found: Sequence[Sequence[Mention]], readings: Sequence[Reading]
) -> Iterator[Spoken]:
    """Yield each such term once, with the page that lasts longest of those that use it."""
    if not terms:
        return
    lasting = sorted(range(len(readings)), key=lambda n: (-(readings[n].article.not_after or 1 << 62), n))
    seen: dict[str, Spoken] = {}
    for n in lasting:
        text = readings[n].article.text
        for mention in found[n]:
            form = forms_of(text[mention.start : mention.end])[0]
            if not mention.key and form in terms:
                seen.setdefault(terms[form].name, Spoken(terms[form], n))
    yield from (seen[name] for name in sorted(seen))
