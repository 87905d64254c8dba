"""Questions that count on from the turn before, or name a step by its number: over a real base without a model."""

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
from query_fn.agent.events import Done
from query_fn.agent.onward import Onward, asks_which_step, onward
from query_fn.model import Answer, Ask, Turn

DOCS = (
    Doc(
        "plans",
        "Plans",
        "# Plans\n\nWhat each plan of the hosted service holds.\n\n"
        "| Plan | Storage | Support |\n|---|---|---|\n"
        "| Seedling | 2 GB | forum |\n| Sapling | 20 GB | e-mail |\n| Oak/Forest | 200 GB | telephone |\n",
    ),
    Doc(
        "channels",
        "Channels",
        "# Channels\n\nHow rooms of the chat are named.\n\n## Project rooms\n\nA project room begins with `prj-`.\n\n"
        "## Incident rooms\n\nAn incident room begins with `inc-`. It is closed a week after the incident.\n\n"
        "## Vendor rooms\n\nA vendor room begins with `ven-`.\n",
    ),
    Doc(
        "moving",
        "Moving house",
        "# Moving house\n\nTo move a base to another machine:\n\n1. Stop the watcher.\n2. Copy the state folder.\n"
        "3. Write the new address into the settings.\n4. Build once with `--rebuild`.\n",
    ),
    Doc(
        "卤水",
        "点豆腐",
        "# 点豆腐\n\n豆腐的做法如下：\n\n1. 黄豆浸泡八小时。\n2. 磨成豆浆并滤渣。\n3. 煮沸后放凉到八十度。\n"
        "4. 慢慢倒入卤水。\n5. 压上重物成形。\n\n## 凝固剂\n\n常用的凝固剂有三种：\n\n"
        "- **卤水**：豆香浓，口感硬。\n- **石膏**：口感嫩滑。\n- **内酯**：最嫩，适合做豆花。\n",
    ),
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Base]:
    """The documents above, through the product's own stages, without an embedder."""
    folder = tmp_path_factory.mktemp("counting")
    settings = load(folder / "content", folder / "out", folder / "state", overrides=["embed.model=none"])
    with closing(EmbedCache(folder / "vectors.db")) as vectors:
        yield of_docs(DOCS, settings, vectors=vectors, clock=Clock(Silent()))


def _told(base: Base, *questions: str) -> Answer:
    """Return the last answer of a conversation."""
    turns: tuple[Turn, ...] = ()
    for question in questions:
        done = next(e for e in service.answer(Ask(question, turns=turns), base.deps) if isinstance(e, Done))
        read = tuple(item.locator for item in done.answer.evidence)
        turns = (*turns, Turn(question, done.standalone, done.answer.answer, read))
    return done.answer


@pytest.mark.parametrize(
    ("questions", "says"),
    [
        (("How much storage has the plan Seedling?", "And the next one?"), "20 GB"),
        (("How much storage has the plan Oak?", "What about the one above?"), "20 GB"),
        (("How much storage has the plan Seedling?", "And the next one?", "And the one after that?"), "200 GB"),
        (("What does a project room begin with?", "And the following type?"), "inc-"),
        (("What does a vendor room begin with?", "And the one before that?"), "inc-"),
        (("What do I do after I stop the watcher when moving a base?", "What is step 3?"), "new address"),
        (("How do I move a base to another machine?", "And the last step?"), "--rebuild"),
        (("豆腐常用的凝固剂有哪些？", "那第二种呢？"), "石膏"),
        (("卤水的口感怎么样？", "下一种呢？"), "石膏"),
        (("内酯做豆花口感如何？", "上一种呢？"), "石膏"),
        (("做豆腐的第三步是什么？",), "八十度"),
        (("What is the second step of moving a base?",), "Copy the state folder"),
        (("做豆腐的最后一步是什么？",), "重物"),
    ],
)
def test_a_question_that_counts_is_answered_from_the_row(base: Base, questions: tuple[str, ...], says: str) -> None:
    """The neighbour of the place that was told, or the place counted from the top, is quoted with its source."""
    answer = _told(base, *questions)
    assert says in answer.answer
    assert all(says not in other for other in answer.follow_ups)
    assert answer.citations


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("做豆腐第几步倒入卤水？", "4. "),
        ("Which step copies the state folder when moving a base?", "2. "),
    ],
)
def test_the_number_of_a_step(base: Base, question: str, number: str) -> None:
    """A question for the number of a step is answered by the step with its number."""
    assert _told(base, question).answer.startswith(number)


@pytest.mark.parametrize("last", ["And the next one?", "And the fifth one?"])
def test_there_is_nothing_beyond_the_end(base: Base, last: str) -> None:
    """Beyond the last row no other row is told instead."""
    answer = _told(base, "How much storage has the plan Oak?", last).answer
    assert "2 GB" not in answer
    assert "20 GB" not in answer


@pytest.mark.parametrize(
    ("question", "way"),
    [
        ("What about the following type?", Onward("What about ?", by=1)),
        ("And for the next level down?", Onward("And for ?", by=1)),
        ("What about the level above that?", Onward("What about ?", by=-1)),
        ("For the next item, are plans covered?", Onward("For , are plans covered?", by=1)),
        ("那第十二条呢？", Onward("那 呢？", nth=12, thing="条")),
        ("What is step 3 of the setup?", Onward("What is of the setup?", nth=3, thing="step")),
        ("最后一步是什么", Onward("是什么", nth=-1, thing="步")),
        ("What happens after it is published?", None),
        ("What is the first day of Q1?", None),
        ("Which week is the second week of May?", None),
        ("What happens in step five?", Onward("What happens in ?", nth=5, thing="step")),
        ("Which way of paying comes third?", Onward("Which way of paying ?", nth=3)),
        ("What is the last of the five stages?", Onward("What is ?", nth=-1, thing="stages")),
        ("状态里排第三的是哪一种", Onward("状态里 的是哪一种", nth=3)),
        ("前面说的那个怎么用", None),
        ("When is the next release?", None),
    ],
)
def test_what_counts(question: str, way: Onward | None) -> None:
    """Only what names a place by its order counts."""
    assert onward(question) == way


def test_which_step_is_asked_for() -> None:
    """What is left of the question is what the step does."""
    assert asks_which_step("第几步配置证书？") == "配置证书？"
    assert asks_which_step("Which steps are there?") == ""
