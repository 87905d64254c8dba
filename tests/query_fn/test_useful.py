"""An answer that is true and of no use: what is missing is asked for once more, and else said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from query_fn.agent.chat.base import Call, Calls, Draft, Quoted, View
from query_fn.agent.chat.scripted import Scripted
from query_fn.agent.events import Done
from query_fn.agent.gate import Passed
from query_fn.agent.router import classify
from query_fn.agent.useful import lacking
from query_fn.model import Answer, Ask, Citation
from query_fn.retrieve.search import Searcher
from query_fn.service import Deps, answer
from query_fn.settings import Settings
from query_fn.store import Store, open_store
from tests.artifacts import NOW, make_artifacts
from tests.fake_claude import Reply, Status, Tool, Turn
from tests.fake_claude.reading import cited, sources
from tests.query_fn.claude_app import asking

Json = dict[str, Any]

# Question, what an answer to it lacks, and such an answer. Written for this test.
CASES = (
    ("How many seats does a team have?", "no_number", "A team has seats for everybody who works on it."),
    ("How many seats does a team have?", "", "A team has 12 seats."),
    ("How many seats does a team have?", "", "Seats are unlimited."),
    ("How often is the index refreshed?", "", "It is refreshed every night."),
    ("How often is the index refreshed?", "no_number", "It is refreshed by the scheduler."),
    ("How much does the large plan cost?", "no_number", "The large plan has 40 projects."),
    ("How much does the large plan cost?", "", "The large plan costs $19."),
    ("一个团队有多少个席位？", "no_number", "席位供团队的所有成员使用。"),
    ("一个团队有多少个席位？", "", "一个团队有 12 个席位。"),
    ("一个团队最多有几个席位？", "", "席位数量不限。"),
    ("索引多久刷新一次？", "", "索引每晚刷新。"),
    ("索引多久刷新一次？", "no_number", "索引由调度器刷新。"),
    ("When does the warranty end?", "no_date", "The warranty ends with the contract."),
    ("When does the warranty end?", "", "The warranty ends on 2027-05-01."),
    ("When does the warranty end?", "", "It ends in December 2027."),
    ("保修什么时候结束？", "no_date", "保修随合同结束。"),
    ("保修什么时候结束？", "", "保修到 2027 年 5 月 1 日结束。"),
    ("How do I move a board?", "no_steps", "Boards are a popular feature."),
    ("How do I move a board?", "", "Open the menu of the board."),
    ("How do I move a board?", "", "A board is moved with `board mv`."),
    ("What are the steps to move a board?", "no_steps", "Boards can be moved."),
    ("What are the steps to move a board?", "", "First open its menu, then choose a folder."),
    ("怎么移动看板？", "no_steps", "看板是很受欢迎的功能。"),
    ("怎么移动看板？", "", "打开看板的菜单，选择文件夹。"),
    ("移动看板有哪些步骤？", "no_steps", "看板能移动。"),
    ("移动看板有哪些步骤？", "", "首先打开菜单，然后选择文件夹。"),
    (
        "What is the difference between the Basic plan and the Premium plan?",
        "one_side",
        "The Basic plan has no hotline.",
    ),
    (
        "What is the difference between the Basic plan and the Premium plan?",
        "",
        "The Basic plan has no hotline. The Premium plan has one.",
    ),
    ("基础套餐和高级套餐有什么区别？", "one_side", "基础套餐没有热线。"),
    ("基础套餐和高级套餐有什么区别？", "", "基础套餐没有热线，高级套餐有。"),
    ("--fast 和 --no-wait 有什么不同？", "", "--fast跳过检查，--no-wait不等结果。"),
    ("Who owns the build?", "", "Nobody does."),
    ("谁负责构建？", "", "没有人负责。"),
)


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny bilingual base, without vectors."""
    folder: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder)
    return folder


@pytest.fixture(scope="module")
def store(artifacts: Path) -> Store:
    """The same, opened."""
    return open_store(artifacts)


@pytest.mark.parametrize(("question", "lacks", "said"), CASES)
def test_what_an_answer_lacks(question: str, lacks: str, said: str) -> None:
    """A number for how many, a date for when, steps for how, both sides of a comparison; in both languages."""
    assert lacking(question, classify(question), [Passed(Quoted(said, ()), ())]) == lacks


@pytest.mark.parametrize(("starts", "lacks"), [((0, 20, 40), ""), ((0, 40, 20), "no_order")])
def test_numbered_steps_keep_the_order_of_their_source(starts: tuple[int, ...], lacks: str) -> None:
    """Numbered lines that quote one text say that they come in this order."""
    lines = [
        Passed(Quoted("Press it.", (), item=True, number=n), (Citation("e1", "q", start, start + 1),))
        for n, start in enumerate(starts, 1)
    ]
    assert lacking("How do I do it?", classify("How do I do it?"), lines) == lacks


READ = Calls((Call("search", {"query": "backups"}), Call("read", {"locators": ["backup.0"]})))
WHOLE = "Backups run every night at 02:30 UTC and are kept for 14 days."
VAGUE = Draft((Quoted("Backups run every night.", (("e1", WHOLE),)),))
EXACT = Draft((Quoted("Backups are kept for 14 days.", (("e1", WHOLE),)),))
HOW_MANY = "How many days are backups kept?"


def asked(store: Store, model: Scripted) -> Answer:
    """Return the answer to how many."""
    deps = Deps(store, Searcher(store, None), model, Settings(), clock=lambda: NOW)
    return next(event.answer for event in answer(Ask(HOW_MANY), deps) if isinstance(event, Done))


@pytest.mark.parametrize(
    ("second", "text", "said"),
    [
        (EXACT, "Backups are kept for 14 days.", False),
        (VAGUE, "Backups run every night.", True),
        (Draft(()), "Backups run every night.", True),
        (Draft((Quoted("Backups are kept for 90 days.", (("e1", WHOLE),)),)), "Backups run every night.", True),
    ],
)
def test_once_more(store: Store, second: Draft, text: str, said: bool) -> None:
    """A second draft counts when it has what the first one lacked and stands; else the first one stays, and says so."""
    model = Scripted((READ, VAGUE, second))
    found = asked(store, model)
    assert (found.answer, "The pages found give no number." in found.uncertainties) == (text, said)
    assert [view.lacks for view in model.views] == ["", "", "no_number"]


def test_only_once(store: Store) -> None:
    """There is one more draft and no third, whatever is wrong with the second."""
    model = Scripted((READ, VAGUE, VAGUE, EXACT))
    asked(store, model)
    assert len(model.views) == 3


@pytest.mark.parametrize("fault", [Status(500), Status(401)])
def test_a_second_draft_that_fails(artifacts: Path, fault: Status) -> None:
    """When the model is gone by then, what stands already is the answer, and what it lacks is said."""

    def script(body: Json) -> Reply:
        if not sources(body):
            return Turn((Tool("read", {"locators": ["backup.0"]}),))
        return fault if "once more" in str(body) else Turn((cited(body, "Backups run every night.", "every night"),))

    with asking(artifacts, script) as app:
        found = app.answer(HOW_MANY)
    assert (found["answer"], found["status"]) == ("Backups run every night.", "completed")
    assert "The pages found give no number." in found["uncertainties"]


def test_what_the_model_is_told(artifacts: Path) -> None:
    """It learns what the question asks for, in the language of the instructions, and nothing of the checks."""

    def script(body: Json) -> Reply:
        if not sources(body):
            return Turn((Tool("read", {"locators": ["backup.0"]}),))
        better = "asks for a number" in str(body["messages"][-1])
        return Turn((cited(body, f"Backups are kept {'for 14 days' if better else 'for days'}.", "14 days"),))

    with asking(artifacts, script) as app:
        assert app.answer(HOW_MANY)["answer"] == "Backups are kept for 14 days."


def test_the_free_model_is_not_asked_twice(store: Store) -> None:
    """A model that only quotes has nothing else to say: what is missing is said at once."""

    class Quoting(Scripted):
        writes = False

    model = Quoting((READ, VAGUE, EXACT))
    assert "The pages found give no number." in asked(store, model).uncertainties
    assert [view.lacks for view in model.views] == ["", ""]


@pytest.mark.parametrize(
    ("question", "lang", "said"),
    [
        ("What about night backups, roughly speaking?", "en", "may be inaccurate"),
        ("大概说说夜间备份怎么回事", "zh", "可能不准确"),
    ],
)
@pytest.mark.parametrize("sure", [0.55, None])
def test_the_middle_band(store: Store, question: str, lang: str, said: str, sure: float | None) -> None:
    """An answer above refusal and below sure says that it may be inaccurate, whoever is that sure of it."""

    def weak(view: View) -> Draft:
        assert view.lang == lang
        return Draft(VAGUE.sentences, confidence=sure)

    read = Calls((Call("search", {"query": "nightly zebra lions"}), Call("read", {"locators": ["backup.0"]})))
    deps = Deps(store, Searcher(store, None), Scripted((read, weak)), Settings(), clock=lambda: NOW)
    found = next(e.answer for e in answer(Ask(question, lang=lang), deps) if isinstance(e, Done))
    assert found.confidence < 0.65
    assert any(said in line for line in found.uncertainties)
