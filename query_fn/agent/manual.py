"""What each tool does and takes: read by the model as JSON schemas, and by `tools.py` before anything is run.

A leaf of the agent: one owner for the names, the arguments and their bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from query_fn import schema

MAX_READ = 4  # locators of one read
DELEGATE = "delegate"
MAX_TASKS = 2  # sub-questions of one question


class Argument(Struct, frozen=True):
    """One argument. `many` is the most strings of a list; 0 = a single string of at most `longest` characters."""

    name: str
    about: str
    longest: int = 300
    many: int = 0
    needed: bool = False

    @property
    def json(self) -> dict[str, object]:
        """The argument as a JSON schema. Bounds stand in words: strict schemas have no keywords for them."""
        kind: dict[str, object] = {"type": "array", "items": {"type": "string"}} if self.many else {"type": "string"}
        return {**kind, "description": self.about}

    def read(self, value: object) -> str | tuple[str, ...]:
        """Return the value as its type. Raises BadRequest."""
        pointer = f"/{self.name}"
        if self.many:
            return schema.as_texts(value, pointer, most=self.many)
        return schema.as_text(value, pointer, most=self.longest)


class Manual(Struct, frozen=True):
    """One tool."""

    name: str
    about: str
    arguments: tuple[Argument, ...]

    @property
    def json(self) -> dict[str, object]:
        """The tool as the Messages API takes it."""
        return {
            "name": self.name,
            "description": self.about,
            "strict": True,
            "input_schema": {
                "type": "object",
                "properties": {a.name: a.json for a in self.arguments},
                "required": [a.name for a in self.arguments if a.needed],
                "additionalProperties": False,
            },
        }

    def read(self, args: Mapping[str, object]) -> Arguments:
        """Return the checked arguments. Raises BadRequest for an unknown, missing or wrong one."""
        given = schema.as_object(dict(args), "", keys=[a.name for a in self.arguments])
        wanted = [a for a in self.arguments if a.needed or given.get(a.name) is not None]
        return Arguments({a.name: a.read(given.get(a.name)) for a in wanted})


class Arguments(Struct, frozen=True):
    """Checked arguments of one call."""

    values: Mapping[str, str | tuple[str, ...]]

    def text(self, name: str) -> str:
        """Return a string, "" when it was not given."""
        found = self.values.get(name, "")
        assert isinstance(found, str)
        return found

    def optional(self, name: str) -> str | None:
        """Return a string, None when it was not given."""
        return self.text(name) if name in self.values else None

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list, empty when it was not given."""
        found = self.values.get(name, ())
        assert isinstance(found, tuple)
        return found


_ARTICLE = "Id, address, path or title of a page."
MANUALS: tuple[Manual, ...] = (
    Manual(
        "search",
        "Finds places worth reading for a question or some keywords. Returns locators, titles and summaries, never the "
        "text of a page: read before you answer. Search again in other words when the grade is weak.",
        (
            Argument(
                "query", "The question or keywords, in the language of the pages if you know it.", 4_000, needed=True
            ),
            Argument("queries", "Up to 3 other ways to say it.", many=3),
            Argument("article", f"Search only in this page. {_ARTICLE}"),
        ),
    ),
    Manual(
        "find",
        "Finds where exact words stand, letter by letter: names, identifiers, error messages. Returns locators.",
        (
            Argument(
                "phrase",
                "The words, at most 200 characters. `*` stands for any characters of a line.",
                200,
                needed=True,
            ),
            Argument("article", f"Look only in this page. {_ARTICLE}"),
        ),
    ),
    Manual(
        "outline",
        "Returns the headings of one page as a tree with locators and what each says: for questions about its "
        "structure, or to choose a part of a long page. Of a folder, or without a name of everything, it returns the "
        "folders and pages in it with their chapters.",
        (Argument("article", f"{_ARTICLE} Or a folder."),),
    ),
    Manual(
        "read",
        "Returns the text behind locators. Only what was read can be cited. A text that is cut ends with the locator "
        "under which it goes on.",
        (
            Argument(
                "locators",
                "One or two locators, four for a question with several parts: a passage, a heading (page#anchor, with "
                "everything below it), a whole page, or where a text goes on.",
                many=MAX_READ,
                needed=True,
            ),
        ),
    ),
    Manual(
        "links",
        "Returns the pages that a page links to and those that link to it, each with the sentence of the link: to "
        "follow a question from one page to the next.",
        (Argument("article", _ARTICLE, needed=True),),
    ),
    Manual(
        "list",
        "Returns pages by their place: for questions about which pages there are. Without arguments it lists folders.",
        (
            Argument("pattern", "Part of a title or path; `*` stands for any characters.", 200),
            Argument("folder", "Pages in this folder and below it."),
            Argument("tag", "Pages with this tag."),
            Argument("updated_since", "Pages changed on or after this date, such as 2026-01-31."),
        ),
    ),
    Manual(
        DELEGATE,
        "Hands one or two sub-questions of a complex question (the sides of a comparison, its parts, one inside the "
        "other) to helpers that look at the same time. Once a question, and out of what it may cost. Returns places "
        "and what is said there: read a place before you cite it. Never for a simple question.",
        (
            Argument("goals", "One or two questions, each understandable alone.", many=MAX_TASKS, needed=True),
            Argument("inputs", "What is known already and matters to them.", 1_000),
            Argument("sources", "Pages or folders to look at first.", many=MAX_READ),
            Argument("expected", "What each must bring, such as: a number with its unit."),
        ),
    ),
)
NAMES = tuple(manual.name for manual in MANUALS)
BY_NAME = {manual.name: manual for manual in MANUALS}


def offered(off: Sequence[str]) -> list[dict[str, object]]:
    """Return the tools that the owner has not switched off, as the Messages API takes them."""
    return [manual.json for manual in MANUALS if manual.name not in off]
