"""Nested questions: what one hop finds leads to the next, over a real base without a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from compiler.evaluate.bases import Base, of_docs
from compiler.evaluate.sets import Doc
from compiler.index.embed_cache import EmbedCache
from compiler.progress import Clock, Silent
from compiler.settings import load
from query_fn import service
from query_fn.agent.chat.counted import Words
from query_fn.agent.chat.hops import Nested, nested
from query_fn.agent.events import Done
from query_fn.model import Answer, Ask

MANY = tuple(
    Doc(f"filler-{n}", f"Report {n}", f"# Report {n}\n\nVisitors of hall {n} asked about the shop and the weather.\n")
    for n in range(12)
)
DOCS = (
    *MANY,
    Doc("kiln", "The kiln", "# The kiln\n\nCracked bricks of the kiln are replaced by the Ember group every spring.\n"),
    Doc(
        "groups",
        "Groups",
        "# Groups\n\n| Group | Foreman |\n|---|---|\n| Ember | Ottilie Brandt |\n| Willow | Jonas Reed |\n",
    ),
    Doc("phones", "Telephones", "# Telephones\n\n- Jonas Reed: extension 31\n- Ottilie Brandt: extension 47\n"),
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Base]:
    """The documents above, through the product's own stages, without an embedder."""
    folder = tmp_path_factory.mktemp("hops")
    settings = load(folder / "content", folder / "out", folder / "state", overrides=["embed.model=none"])
    with closing(EmbedCache(folder / "vectors.db")) as vectors:
        yield of_docs(DOCS, settings, vectors=vectors, clock=Clock(Silent()))


def _answer(base: Base, question: str) -> Answer:
    return next(e.answer for e in service.answer(Ask(question), base.deps) if isinstance(e, Done))


def test_a_hop_leads_to_the_next(base: Base) -> None:
    """The name that the innermost clause leads to makes the next query, and what it finds is read."""
    answer = _answer(base, "Who is the foreman of the group that replaces cracked bricks of the kiln?")
    queries = [step["args"]["query"] for step in answer.diagnostics.steps if step["tool"] == "search"]
    assert queries[1] == "that replaces cracked bricks of the kiln"
    assert "Ember" in queries[2]
    assert "Ottilie Brandt" in answer.answer
    assert len(answer.diagnostics.steps) <= 8


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What is the port?", None),
        ("Which page tells about backups?", None),
        ("What is the name of the tool that repairs the big kiln?", None),
        (
            "What is the extension for the foreman who leads the group that repairs the big kiln?",
            Nested(
                "What is the extension for the foreman",
                "foreman",
                ("who leads the group",),
                ("that repairs the big kiln",),
            ),
        ),
        (
            "What is the title of the person responsible for the yearly fire drill?",
            Nested("What is the title of the person", "person", (), ("responsible for the yearly fire drill",)),
        ),
    ],
)
def test_what_is_nested(question: str, found: Nested | None) -> None:
    """A question is nested when a noun is told apart by a clause of its own."""
    assert nested(question, Words()) == found
