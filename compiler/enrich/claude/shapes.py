"""The forms a model fills in: types that give the JSON schema of a request and read the answer, so the two agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A form. Every field is required; lengths and counts are checked later: schemas of the API have none."""


class Point(Form, frozen=True):
    """A sentence, and the passage that says it."""

    text: str
    passage: str


class SubjectForm(Form, frozen=True):
    """Something the article is about."""

    name: str
    aliases: list[str]
    definition: str
    passage: str


class Saying(Form, frozen=True):
    """What the article says of a subject."""

    subject: str
    text: str
    passage: str


class RelationForm(Form, frozen=True):
    """How two subjects are related, and the sentence that states it."""

    subject: str
    kind: Literal[
        "is-a",
        "part-of",
        "has-part",
        "depends-on",
        "uses",
        "supports",
        "replaces",
        "stores-in",
        "configures",
        "differs-from",
    ]
    object: str
    text: str
    passage: str


class Sheet(Form, frozen=True):
    """All that is asked about a whole article. One form for all tasks: another one would lose the cached prompt."""

    summary: str
    points: list[Point]
    subjects: list[SubjectForm]
    sayings: list[Saying]
    relations: list[RelationForm]


class Asked(Form, frozen=True):
    """The questions of one passage."""

    passage: str
    questions: list[str]


class QuestionSheet(Form, frozen=True):
    """The questions of several passages."""

    passages: list[Asked]


class SectionForm(Form, frozen=True):
    """The summary of one section."""

    section: str
    summary: str


class SectionSheet(Form, frozen=True):
    """The summaries of all sections of an article."""

    sections: list[SectionForm]


def schema(form: type[Form]) -> Mapping[str, Any]:
    """Return the JSON schema of a form, its root in place and not behind a reference."""
    (root,), parts = msgspec.json.schema_components([form], ref_template="#/$defs/{name}")
    rest = {name: part for name, part in parts.items() if name != form.__name__}
    return {**parts[root["$ref"].rpartition("/")[2]], **({"$defs": rest} if rest else {})}
