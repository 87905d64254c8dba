"""Comparisons: each side is told by what it says of what is asked, over a real base without a model."""

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
from query_fn.agent.chat.sides import compared
from query_fn.agent.events import Done
from query_fn.model import Answer, Ask, Status, Turn
from query_fn.retrieve.rewrite import sides

DOCS = (
    Doc(
        "ovens",
        "Ovens",
        "# Ovens\n\n| Oven | Heat |\n|---|---|\n| clay-oven | 400 degrees |\n| tin-oven | 250 degrees |\n",
    ),
    Doc("rye", "Rye", "# Rye\n\nRye dough rests for nine hours. Farmers like rye because it grows on poor soil.\n"),
    Doc("wheat", "Wheat", "# Wheat\n\nWheat is sold at the market. Wheat dough rests for two hours.\n"),
    Doc("flour", "Flour", "# Flour\n\nFlour is kept dry. The market opens on Monday and sells flour in bags.\n"),
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Base]:
    """The documents above, through the product's own stages, without an embedder."""
    folder = tmp_path_factory.mktemp("sides")
    settings = load(folder / "content", folder / "out", folder / "state", overrides=["embed.model=none"])
    with closing(EmbedCache(folder / "vectors.db")) as vectors:
        yield of_docs(DOCS, settings, vectors=vectors, clock=Clock(Silent()))


def _answer(base: Base, question: str) -> Answer:
    return next(e.answer for e in service.answer(Ask(question), base.deps) if isinstance(e, Done))


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What is the difference between rye and wheat?", ["rye", "wheat"]),
        ("Rye or wheat: how long does the dough of each rest?", ["Rye", "wheat"]),
        ("How do clay-oven and tin-oven differ in heat?", ["clay-oven", "tin-oven"]),
        ("What sets a clay oven apart from a tin oven?", ["clay oven", "tin oven"]),
        ("How long is the rest of rye dough and of wheat dough?", ["rye dough", "wheat dough"]),
        ("Tin versus clay: which heats faster?", ["Tin", "clay"]),
        ("黑麦和小麦各要醒多久？", ["黑麦", "小麦"]),
        ("选炉子的时候，clay-oven 和 tin-oven 有什么区别？", ["clay-oven", "tin-oven"]),
        ("Bread and butter, please: where is it?", []),
        ("不同步的时候怎么办？", []),
    ],
)
def test_sides(question: str, named: list[str]) -> None:
    """The two things that a comparison names are found in both languages, and none where nothing is compared."""
    assert sides(question) == named


def test_each_side_is_asked_about_alone() -> None:
    """The question about one side has its name in the place of both."""
    both = compared("How do rye and wheat differ in price?", Words())
    assert both is not None
    assert [side.question for side in both] == ["How do rye differ in price?", "How do wheat differ in price?"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Rye and wheat: for how many hours does the dough of each rest?", ["nine hours", "two hours"]),
        ("clay-oven and tin-oven: which heat does each of them reach?", ["400 degrees", "250 degrees"]),
    ],
)
def test_both_sides_are_told(base: Base, question: str, told: list[str]) -> None:
    """Each side is told from its own page or row, by the sentence about what is asked."""
    answer = _answer(base, question)
    assert all(fact in answer.answer for fact in told)


def test_a_side_that_is_not_there(base: Base) -> None:
    """A comparison with what no page mentions invents no second side."""
    assert "spelt" not in _answer(base, "What is the difference between rye and spelt?").answer.lower()


@pytest.mark.parametrize(
    ("asked", "status"),
    [("How heavy are elephants?", Status.NO_ANSWER), ("How long does wheat dough rest?", Status.COMPLETED)],
)
def test_a_follow_up_about_something_else(base: Base, asked: str, status: Status) -> None:
    """What no page knows is refused after an answered question as it is alone; what a page knows is answered."""
    before = next(e for e in service.answer(Ask("How long does rye dough rest?"), base.deps) if isinstance(e, Done))
    turn = Turn(
        "How long does rye dough rest?",
        before.standalone,
        before.answer.answer,
        tuple(e.locator for e in before.answer.evidence),
    )
    after = next(e for e in service.answer(Ask(asked, turns=(turn,)), base.deps) if isinstance(e, Done))
    assert before.answer.status is Status.COMPLETED
    assert after.answer.status is status
