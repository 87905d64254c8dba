"""What is asked: one Call per question to a model, made from an article, the guide and a prompt, and nothing else.

The article is JSON, so no text of it can end the place where it stands. Passages and sections have ids of their own
("p1", "s1"): a model can't give the id of another article, and moving an article asks for nothing anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compiler.cache import digest_of
from compiler.enrich.claude.prompts import prompt, system
from compiler.enrich.claude.shapes import Form, QuestionSheet, SectionSheet, Sheet, schema
from compiler.enrich.folding import forms_of, level
from compiler.enrich.protocol import Reading
from compiler.guide import Guide
from query_fn.contract import ChunkRow, NodeRow
from query_fn.text import without_smuggled

LONGEST = 72_000  # characters of an article that are read; of a longer one the head and the tail
HEAD = 0.62
MOST_SECTIONS = 40  # trees with more keep the summaries that are taken from their text
SECTION = 1200  # characters of a section that its summary is made from
BATCH, BATCH_LENGTH = 4, 4000  # passages and characters of one call for questions
NAMES = 4  # subjects of one call for what is said of them


@dataclass(frozen=True, slots=True)
class Call:
    """One question to a model."""

    stage: str
    article: str
    model: str
    system: tuple[str, ...]
    material: str  # the same for several calls when `shared`
    task: str
    form: type[Form]
    max_tokens: int
    expected: int  # tokens of a usual answer
    shared: bool = False

    @property
    def key(self) -> str:
        """What the answer is kept under: the prompt, its version, the model, the guide and the article's text."""
        return digest_of((self.stage, prompt(self.stage).version, self.model, self.system, self.material, self.task))


@dataclass(frozen=True, slots=True)
class Page:
    """An article as a model reads it."""

    reading: Reading
    passages: Mapping[str, ChunkRow]
    sections: Mapping[str, NodeRow]
    material: str


@dataclass(frozen=True, slots=True)
class Asking:
    """Makes the calls of an article."""

    question_model: str
    page_model: str
    guide: Guide
    most_chunks: int

    def page(self, reading: Reading) -> Page:
        """Return an article as it is read."""
        passages = {f"p{n}": chunk for n, chunk in enumerate(reading.chunks, 1)}
        sections = {f"s{n}": node for n, node in enumerate(reading.nodes, 1)}
        return Page(reading, passages, sections, _material(reading, passages, self.guide))

    def source(self, page: Page) -> Call:
        """Ask for the summary and the key points."""
        return self._sheet("source", page, "", max_tokens=3000, expected=600)

    def subjects(self, page: Page) -> Call:
        """Ask for what the article is about."""
        return self._sheet("subjects", page, "", max_tokens=5000, expected=900)

    def sayings(self, page: Page, names: Sequence[str], everything: Sequence[str]) -> Call:
        """Ask for what the article says of some of its subjects."""
        given = _json({"subjects": list(names), "names": list(everything)})
        return self._sheet("sayings", page, given, max_tokens=3000, expected=110 * len(names))

    def questions(self, page: Page, count: int) -> Iterator[tuple[Call, Mapping[str, ChunkRow]]]:
        """Yield a call for each batch of passages, and the batch."""
        for batch in _batches(dict(list(page.passages.items())[: self.most_chunks])):
            listed = [
                {"id": name, "language": c.lang, "section": list(c.path), "text": _clean(c.text)}
                for name, c in batch.items()
            ]
            material = _json({"title": page.reading.article.title, "count": count, "passages": listed})
            yield (
                Call(
                    stage="questions",
                    article=page.reading.article.id,
                    model=self.question_model,
                    system=system(self.guide.text),
                    material=material,
                    task=prompt("questions").text,
                    form=QuestionSheet,
                    max_tokens=500 + 120 * count * len(batch),
                    expected=40 + 30 * count * len(batch),
                ),
                batch,
            )

    def sections(self, page: Page) -> Call | None:
        """Ask for the summaries of sections; None for an article without a tree, or with too large a one."""
        text = page.reading.article.text
        told = {name: _clean(text[n.start : n.own_end][:SECTION]) for name, n in page.sections.items()}
        told = {name: body for name, body in told.items() if body.strip()}
        if len(page.sections) < 2 or not told or len(told) > MOST_SECTIONS:
            return None
        listed = [{"id": name, "title": page.sections[name].title, "text": body} for name, body in told.items()]
        return Call(
            stage="sections",
            article=page.reading.article.id,
            model=self.question_model,
            system=system(self.guide.text),
            material=_json({"title": page.reading.article.title, "sections": listed}),
            task=prompt("sections").text,
            form=SectionSheet,
            max_tokens=500 + 150 * len(told),
            expected=40 + 45 * len(told),
        )

    def _sheet(self, stage: str, page: Page, given: str, *, max_tokens: int, expected: int) -> Call:
        return Call(
            stage=stage,
            article=page.reading.article.id,
            model=self.page_model,
            system=system(self.guide.text),
            material=page.material,
            task="\n\n".join(filter(None, (prompt(stage).text, given))),
            form=Sheet,
            max_tokens=max_tokens,
            expected=expected,
            shared=True,
        )


def parameters(call: Call, note: str = "", *, longer: bool = False) -> dict[str, Any]:
    """Return a call as the Messages API takes it; `note` tells why the first answer could not be used."""
    *rules, last = ({"type": "text", "text": part} for part in call.system)
    cached = {"cache_control": {"type": "ephemeral"}}
    content = [{"type": "text", "text": call.material, **(cached if call.shared else {})}]
    content += [{"type": "text", "text": text} for text in (call.task, note) if text]
    return {
        "model": call.model,
        "max_tokens": call.max_tokens * (2 if longer else 1),
        "system": [*rules, last | cached],
        "messages": [{"role": "user", "content": content}],
        "output_config": {"format": {"type": "json_schema", "schema": schema(call.form)}},
        "thinking": {"type": "disabled"},
    }


def _material(reading: Reading, passages: Mapping[str, ChunkRow], guide: Guide) -> str:
    """Return an article as JSON, with the glossary's terms that it uses: the others are nobody's business here."""
    article, levelled = reading.article, level(reading.article.text)
    used = [t for t in guide.terms if any(form in levelled for n in (t.name, *t.aliases) for form in forms_of(n))]
    listed: list[Mapping[str, object]] = [
        {"id": name, "section": list(chunk.path), "text": _clean(chunk.text)} for name, chunk in passages.items()
    ]
    return _json(
        {
            "title": article.title,
            "language": article.lang,
            "updated": article.updated,
            "terms": [{"name": t.name, "aliases": list(t.aliases)} for t in used if not t.ignore],
            "ignore": [t.name for t in used if t.ignore],
            "passages": _shortened(listed),
        }
    )


def _shortened(passages: list[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """Return the passages of a long article without those in its middle, and how many are left out in their place."""
    sizes = [len(str(passage["text"])) for passage in passages]
    if sum(sizes) <= LONGEST:
        return passages
    first = _fitting(sizes, int(LONGEST * HEAD))
    last = len(passages) - _fitting(sizes[::-1], LONGEST - sum(sizes[:first]))
    return [*passages[:first], {"omitted": last - first}, *passages[last:]]


def _fitting(sizes: Sequence[int], room: int) -> int:
    """Return how many of the first sizes fit."""
    total = 0
    for n, size in enumerate(sizes):
        total += size
        if total > room:
            return n
    return len(sizes)


def _batches(passages: Mapping[str, ChunkRow]) -> Iterator[dict[str, ChunkRow]]:
    """Yield passages in order, a few at a time."""
    batch: dict[str, ChunkRow] = {}
    for name, chunk in passages.items():
        if batch and (len(batch) == BATCH or sum(len(c.text) for c in batch.values()) + len(chunk.text) > BATCH_LENGTH):
            yield batch
            batch = {}
        batch[name] = chunk
    if batch:
        yield batch


def _clean(text: str) -> str:
    """Return a text without what hides from a reader and not from a model."""
    return without_smuggled(text)[0]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
