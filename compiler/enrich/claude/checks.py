"""What a model answered becomes values, or is Unusable as a whole. Nothing of an answer goes anywhere unchecked.

Texts are plain, of bounded length, hold no link and no number that the article does not have; passages, sections and
subjects are those that were given. What is kept from earlier builds goes through the same checks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from compiler.enrich.claude.calls import Page
from compiler.enrich.claude.shapes import Asked, Form, QuestionSheet, SectionSheet, Sheet
from compiler.enrich.folding import forms_of, key_of, level
from compiler.enrich.prose import lang_of
from compiler.enrich.protocol import Candidate, Digest, Statement
from query_fn.contract import ChunkRow
from query_fn.text import normalise, plain, script_lang, without_smuggled

SENTENCE, SUMMARY, QUESTION, SECTION, NAME = 400, 800, 200, 400, 80  # characters; twice what is asked for
MOST_POINTS, MOST_SUBJECTS, EACH = 12, 24, 2
DEFINES, SAYS = 0.85, 0.8  # scores of sentences: under a definition that makes any word a subject
_LINK = re.compile(
    r"\[\[[^\]\n]*(?:\]\])?|\]\([^)\n]*\)?|(?:[a-z][a-z0-9+.-]*://|www\.|mailto:|javascript:)[^\s，。、）)]*", re.I
)
_NUMBER = re.compile(r"\d{2,}(?:[.,]\d+)*")

CUT_OFF = "cut off at its longest"

Answer = TypeVar("Answer", bound=Form)


@dataclass(frozen=True, slots=True)
class Rest:
    """What of an answer can be used all the same: an answer that holds nothing else, and its value."""

    raw: bytes
    value: object


class Unusable(Exception):
    """An answer that can't be used, or not all of it. The message is one of ours and quotes nothing."""

    code = "enrich-unusable"

    def __init__(self, reason: str, rest: Rest | None = None) -> None:
        super().__init__(reason)
        self.rest = rest


@dataclass(frozen=True, slots=True)
class Related:
    """A relation between two names of one article."""

    subject: str
    kind: str
    object: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class Said:
    """What an article says of its own subjects, by name."""

    of: Mapping[str, tuple[Statement, ...]]
    relations: tuple[Related, ...] = ()


def questions(raw: bytes, page: Page, batch: Mapping[str, ChunkRow], count: int) -> dict[str, tuple[str, ...]]:
    """Return the questions by chunk id; each passage of the batch has some.

    Raises Unusable with those of the good passages when others are bad, missing, or not of the batch.
    """
    sheet = _read(raw, QuestionSheet)
    times = Counter(asked.passage for asked in sheet.passages)
    found: dict[str, tuple[str, ...]] = {}
    good, reasons = list[Asked](), list[str]()
    for asked in sheet.passages:
        try:
            if asked.passage not in batch or times[asked.passage] > 1:
                raise Unusable("other passages than asked for")
            found[batch[asked.passage].id] = _asked_of(asked, page, batch[asked.passage], count)
            good.append(asked)
        except Unusable as error:
            reasons.append(str(error))
    if reasons or len(found) < len(batch):
        rest = Rest(msgspec.json.encode(QuestionSheet(good)), found) if found else None
        raise Unusable(next(iter(reasons), "other passages than asked for"), rest)
    return found


def _asked_of(asked: Asked, page: Page, chunk: ChunkRow, count: int) -> tuple[str, ...]:
    """Return the questions of one passage that are in its language, distinct, and no echo of the title."""
    known, kept = "\n".join((page.reading.article.title, *chunk.path, chunk.text)), dict[str, str]()
    for text in (_text(one, QUESTION, known) for one in asked.questions):
        if _speaks(text, chunk.lang):
            kept.setdefault(normalise(text).rstrip("?？ "), text)
    kept.pop(normalise(page.reading.article.title).rstrip("?？ "), None)
    if not kept:
        raise Unusable("a passage without a question in its language")
    return tuple(kept.values())[:count]


def sections(raw: bytes, page: Page) -> dict[str, str]:
    """Return the summaries by node id."""
    sheet, text = _read(raw, SectionSheet), page.reading.article.text
    if not sheet.sections or any(one.section not in page.sections for one in sheet.sections):
        raise Unusable("other sections than asked for")
    return {page.sections[one.section].id: _text(one.summary, SECTION, text) for one in sheet.sections}


def source(raw: bytes, page: Page) -> Digest:
    """Return the source page: the summary, and up to 12 key points."""
    sheet, text = _read(raw, Sheet), page.reading.article.text
    points = [_statement(page, point.text, point.passage, SAYS) for point in sheet.points]
    if not points:
        raise Unusable("no key points")
    distinct = {normalise(point.text): point for point in reversed(points)}
    return Digest(_text(sheet.summary, SUMMARY, text), tuple(reversed(distinct.values()))[:MOST_POINTS])


def subjects(raw: bytes, page: Page) -> tuple[Candidate, ...]:
    """Return what the article is about, best first: names that stand in its text, the model's other names are none."""
    sheet, levelled = _read(raw, Sheet), level(page.reading.article.text)
    title, headings = key_of(page.reading.article.title), {key_of(n.title) for n in page.reading.nodes[1:]}
    found: dict[str, Candidate] = {}
    for rank, one in enumerate(sheet.subjects[:MOST_SUBJECTS]):
        names = [_text(name, NAME, page.reading.article.text) for name in (one.name, *filter(None, one.aliases))]
        stated = [name for name in names if any(form in levelled for form in forms_of(name))]
        definition = _definition(page, one.definition, one.passage, stated)
        if not stated or stated[0] != names[0]:
            continue
        key = key_of(stated[0])
        salience, aliases = round(5.0 - 0.15 * rank, 2), tuple(dict.fromkeys(stated[1:]))
        made = Candidate(stated[0], salience, key == title, key in headings, definition, aliases)
        found.setdefault(key, made)
    if not found:
        raise Unusable("no subject that stands in the text")
    return tuple(found.values())


def sayings(raw: bytes, page: Page, names: Sequence[str], everything: Sequence[str]) -> Said:
    """Return what the article says of `names`, and relations from them to any of its subjects."""
    sheet = _read(raw, Sheet)
    if any(one.subject not in names for one in sheet.sayings):
        raise Unusable("a subject that was not asked for")
    if any(one.subject not in names or one.object not in everything for one in sheet.relations):
        raise Unusable("a relation to something that was not given")
    of: dict[str, tuple[Statement, ...]] = {}
    for one in sheet.sayings:
        said = of.get(one.subject, ())
        of[one.subject] = (*said, _statement(page, one.text, one.passage, SAYS - 0.1 * len(said)))[:EACH]
    if not of:
        raise Unusable("nothing said of any subject")
    related = (
        Related(one.subject, one.kind, one.object, _statement(page, one.text, one.passage, SAYS))
        for one in sheet.relations
        if one.subject != one.object
    )
    return Said(of, tuple(related))


def _read(raw: bytes, form: type[Answer]) -> Answer:
    try:
        return msgspec.json.decode(raw, type=form)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise Unusable("not the JSON that was asked for") from None


def _speaks(text: str, lang: str) -> bool:
    """Tell whether a question may be in a language: a Chinese one has Chinese characters, an English one few."""
    if lang == "zh":
        return lang_of(text) == "zh"
    return lang != "en" or script_lang(text) != "zh"


def _definition(page: Page, text: str, passage: str, names: Sequence[str]) -> Statement | None:
    """Return a definition that names what it defines; without a text there is none."""
    if not text.strip():
        _passage(page, passage)
        return None
    made = _statement(page, text, passage, DEFINES)
    return made if any(form in level(made.text) for name in names for form in forms_of(name)) else None


def _statement(page: Page, text: str, passage: str, score: float) -> Statement:
    chunk = _passage(page, passage)
    starts = [node.start for node in page.reading.nodes]
    node = max(0, bisect_right(starts, chunk.start) - 1)
    anchor = chunk.anchor or (page.reading.nodes[node].anchor if node else "")
    return Statement(_text(text, SENTENCE, page.reading.article.text), chunk.id, anchor, round(score, 4), True)


def _passage(page: Page, name: str) -> ChunkRow:
    if name not in page.passages:
        raise Unusable("a passage that does not exist")
    return page.passages[name]


def _text(text: str, longest: int, article: str) -> str:
    """Return a text in one line. Raises Unusable for one that is empty, long, links, or gives numbers of its own."""
    if reason := next(_faults(text, longest, article), ""):
        raise Unusable(reason)
    return " ".join(plain(without_smuggled(text)[0]).split())


def _faults(text: str, longest: int, article: str) -> Iterator[str]:
    if not re.search(r"\w", text):
        yield "an empty text"
    if len(text) > longest:
        yield "a text that is far too long"
    if any(link[0] not in article for link in _LINK.finditer(text)):
        yield "a link that the article does not have"
    if any(number[0] not in article for number in _NUMBER.finditer(text)):
        yield "a number that the article does not have"
    if any(ord(char) < 32 and char not in "\n\t" for char in text):
        yield "control characters"
