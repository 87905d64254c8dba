"""Question sets: what is asked, what the right pages are, and what an answer must say. Read here, judged in `run`."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from compiler.errors import SettingsError

DOCS, QUERIES = "docs.jsonl", "queries.jsonl"
GOLDEN_KEYS = ("question", "page", "heading", "must_contain", "must_refuse", "previous", "type")


@dataclass(frozen=True, slots=True)
class Doc:
    """A document that is given apart from any content folder; it becomes an article of its own."""

    id: str
    title: str
    text: str  # Markdown


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its truth. Neither `relevant` nor `refuse`: nothing is known, and only its latency counts."""

    id: str
    text: str
    relevant: tuple[str, ...] = ()  # document ids, or paths of pages
    answers: tuple[str, ...] = ()  # one of them must stand in the answer
    must_contain: tuple[str, ...] = ()  # all of them must
    refuse: bool = False  # nothing in the base answers it
    previous: str = ""  # the question before, when this one leans on it
    type: str = ""
    heading: str = ""  # the section of the page that answers; "" = any


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions, and the documents they are asked of when those are given with them."""

    name: str
    questions: tuple[Question, ...]
    docs: tuple[Doc, ...] = ()


def read_set(folder: Path) -> QuestionSet:
    """Return the set of a folder with `docs.jsonl` and `queries.jsonl`. Raises SettingsError with file and line."""
    docs = [
        Doc(_string(item, "id"), _string(item, "title", ""), _string(item, "text")) for item in _lines(folder / DOCS)
    ]
    held = _distinct(docs, folder / DOCS)
    return QuestionSet(folder.resolve().name, read_queries(folder, pages=False), held)


def read_queries(folder: Path, *, pages: bool) -> tuple[Question, ...]:
    """Return the questions of a folder; with `pages` their truth is `relevant_files` instead of `relevant`."""
    truth = "relevant_files" if pages else "relevant"
    return tuple(_query(item, truth) for item in _lines(folder / QUERIES))


def mixed(first: QuestionSet, second: QuestionSet) -> QuestionSet:
    """Return a base of the even documents of one set and the odd ones of another, with the questions both still answer.

    Made for parallel sets in two languages: what is asked of an odd document then finds only its translation.
    """
    docs = (*first.docs[::2], *second.docs[1::2])
    if len({doc.id for doc in docs}) < len(docs):
        raise SettingsError(f"--mix: documents of {first.name} and {second.name} share an id; parallel sets are needed")
    held = ({doc.id for doc in first.docs[::2]}, {doc.id for doc in second.docs[1::2]})
    kept: dict[str, Question] = {}
    for found, ids in zip((first, second), held, strict=True):
        for question in found.questions:
            if ids.issuperset(question.relevant) and (question.relevant or found is first):
                kept.setdefault(question.id, question)
    return QuestionSet(f"{first.name}+{second.name}", tuple(kept.values()), docs)


def read_golden(path: Path) -> QuestionSet:
    """Return the golden questions of a YAML file. Raises SettingsError that names the question and what is accepted."""
    try:
        data = yaml.load(path.read_text("utf-8-sig"), Loader=yaml.BaseLoader)  # noqa: S506 - strings only
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"{path}: not readable as YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data, list) or not data:
        raise SettingsError(f"{path}: expected a list of questions, each with `question:` and what is true of it")
    return QuestionSet(path.stem, tuple(_golden(item, f"{path}: question {n}", n) for n, item in enumerate(data, 1)))


def _golden(item: Any, where: str, number: int) -> Question:
    if not isinstance(item, dict) or not item.get("question"):
        raise SettingsError(f"{where}: expected a mapping with `question:`")
    if unknown := [key for key in item if key not in GOLDEN_KEYS]:
        raise SettingsError(f"{where}: unknown key `{unknown[0]}`; known: {', '.join(GOLDEN_KEYS)}")
    question = Question(
        id=str(number),
        text=_string(item, "question", where=where),
        relevant=_strings(item, "page", where),
        must_contain=_strings(item, "must_contain", where),
        refuse=_flag(item, "must_refuse", where),
        previous=_string(item, "previous", "", where=where),
        type=_string(item, "type", "", where=where),
        heading=_string(item, "heading", "", where=where),
    )
    if question.refuse == bool(question.relevant or question.must_contain):
        raise SettingsError(f"{where}: give `page` or `must_contain`, or else `must_refuse: true`")
    if question.heading and not question.relevant:
        raise SettingsError(f"{where}: `heading` needs the `page` it stands on")
    return question


def located(
    questions: Collection[Question], pages: Mapping[str, str], where: str, *, key: Callable[[str], str] = str
) -> tuple[Question, ...]:
    """Return the questions with their truth as names of the base. `pages` maps what may be written to these names.

    Raises SettingsError for a page that is not in the base: a typing error would otherwise count as a miss for ever.
    """
    out = []
    for question in questions:
        if missing := [page for page in question.relevant if key(page) not in pages]:
            raise SettingsError(f"{where}: question {question.id}: no public page {missing[0]}")
        out.append(replace(question, relevant=tuple(dict.fromkeys(pages[key(p)] for p in question.relevant))))
    return tuple(out)


def below(questions: Collection[Question], sources: Collection[str]) -> str:
    """Return the folder below which most of the questions' pages lie, "" or one that ends with a slash.

    Question sets name pages from the root of a site; in a repository that root is often a folder further down.
    """
    wanted = {page for question in questions for page in question.relevant}
    held: dict[str, int] = {"": 0}
    for source in sorted(sources):
        parts = source.split("/")
        for at in range(len(parts)):
            head = "".join(f"{part}/" for part in parts[:at])
            held[head] = held.get(head, 0) + ("/".join(parts[at:]) in wanted)
    return max(held, key=lambda head: (held[head], -len(head), head))


def _query(item: Mapping[str, Any], truth: str) -> Question:
    return Question(
        id=_string(item, "id"),
        text=_string(item, "text"),
        relevant=_strings(item, truth, "queries.jsonl"),
        answers=_strings(item, "answers", "queries.jsonl"),
        refuse=item.get("answerable", True) is False,
        previous=_string(item, "context", ""),
        type=_string(item, "type", ""),
    )


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise SettingsError(f"{path}: no such file, or not UTF-8; expected {DOCS} and {QUERIES}") from None
    for number, line in enumerate(lines, 1):
        try:
            item = json.loads(line) if line.strip() else None
        except ValueError:
            raise SettingsError(f"{path}:{number}: not JSON") from None
        if item is not None and not isinstance(item, dict):
            raise SettingsError(f"{path}:{number}: expected an object")
        if item:
            yield item


def _distinct(docs: list[Doc], path: Path) -> tuple[Doc, ...]:
    if not docs or len({doc.id for doc in docs}) < len(docs):
        raise SettingsError(f"{path}: every document needs an id of its own, and there must be one")
    return tuple(docs)


def _string(item: Mapping[str, Any], key: str, default: str | None = None, *, where: str = "") -> str:
    value = item.get(key, default)
    if not isinstance(value, str):
        raise SettingsError(f"{where or item.get('id', 'a line')}: `{key}` should be text")
    return value


def _strings(item: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = item.get(key) or []
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise SettingsError(f"{where}: `{key}` should be text or a list of texts")
    return tuple(found)


def _flag(item: Mapping[str, Any], key: str, where: str) -> bool:
    if (value := item.get(key, "false")) not in ("true", "false"):
        raise SettingsError(f"{where}: `{key}` is true or false, not {value!r}")
    return bool(value == "true")
