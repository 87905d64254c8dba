"""A follow-up about another thing: it takes the place of its like in the question before, or nothing does."""

from __future__ import annotations

import pytest

from query_fn.agent.parallel import is_parallel, put_in_place
from query_fn.agent.router import standalone


@pytest.mark.parametrize(
    ("said", "previous", "asked"),
    [
        ("And 2?", "What does exit code 1 mean?", "What does exit code 2 mean?"),
        ("那 405 呢？", "接口返回 404 是什么意思？", "接口返回 405 是什么意思？"),
        ("那 open 呢？", "状态是 closed 说明什么？", "状态是 open 说明什么？"),
        ("retry_after 呢？", "客户端的 max_age 默认是多少？", "客户端的 retry_after 默认是多少？"),
        ("And too-late, further down?", "What does the error too-early mean?", "What does the error too-late mean?"),
        ("What about Willow?", "Who leads the group Ember?", "Who leads the group Willow?"),
        ("And the evening shift?", "When does the morning shift begin?", "When does the evening shift begin?"),
        ("And the roof?", "Who painted the door?", "Who painted the roof?"),
        ("红茶呢？", "绿茶用多热的水泡？", "红茶用多热的水泡？"),
    ],
)
def test_the_other_thing_takes_the_place_of_its_like(said: str, previous: str, asked: str) -> None:
    """A number for a number, an identifier for an identifier, a name for a name, a noun with the same head."""
    assert put_in_place(said, previous) == asked
    assert standalone(said, previous) == asked


@pytest.mark.parametrize(
    ("said", "previous"),
    [
        ("And why?", "What does exit code 1 mean?"),
        ("And 2?", "Is port 80 or port 8080 used?"),  # of which it takes the place is not clear
        ("And how many are there?", "What does exit code 1 mean?"),  # it asks more than that
        ("那怎么变回去？", "怎样把它打开？"),
        ("频率呢？", "多大的表适合？"),  # nothing like it
        ("Does it merge them?", "What happens to both files?"),
    ],
)
def test_what_is_not_clear_is_not_replaced(said: str, previous: str) -> None:
    """Both questions stand together then."""
    assert put_in_place(said, previous) == ""


@pytest.mark.parametrize(
    ("said", "parallel"),
    [("And for white bread?", True), ("In which month do they open?", False), ("On which day is it closed?", False)],
)
def test_a_question_that_begins_with_its_preposition_is_not_parallel(said: str, parallel: bool) -> None:
    """Asking "for B" is asking the same of another thing; "in which month" asks for another one."""
    assert is_parallel(said) is parallel
