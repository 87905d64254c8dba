"""The loop and the gate with the scripted model: limits hold, citations are real, nothing unread is cited."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from query_fn.agent.chat.base import Call, Calls, Draft, Move, Quoted, ReadResult, ToolError, View
from query_fn.agent.chat.scripted import Scripted, Step
from query_fn.agent.events import Step as StepEvent
from query_fn.agent.evidence import Book
from query_fn.agent.loop import Ending, run
from query_fn.agent.purse import Limits, Purse
from query_fn.agent.router import Intent, classify, is_elliptic, standalone
from query_fn.agent.tools import Tools
from query_fn.model import Answer, Ask, Scope, Status
from query_fn.retrieve.search import Searcher
from query_fn.service import Deps, Done, answer
from query_fn.settings import Settings
from query_fn.store import Store, open_store
from query_fn.visibility import Visibility
from tests.artifacts import NOW, make_artifacts

VIEW = View("How long are backups kept?", "en", Intent.FACT)
READ = Calls((Call("read", {"locators": ["backup.0"]}),))
QUOTE = "Backups run every night at 02:30 UTC and are kept for 14 days."
GOOD = Quoted("Backups are kept for 14 days.", (("e1", QUOTE),))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The tiny bilingual base, without vectors."""
    folder: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder)
    return open_store(folder)


def _tools(store: Store, *, off: tuple[str, ...] = (), scope: Scope | None = None) -> Tools:
    scope = scope or Scope()
    return Tools(store, Searcher(store, None), Book(store, Visibility(NOW, scope)), scope, NOW, off)


def _run(
    tools: Tools, *moves: Step, limits: Limits | None = None, clock: Callable[[], float] | None = None
) -> tuple[Ending, Scripted, list[StepEvent]]:
    model, steps = Scripted(moves), []
    running = run(VIEW, tools, model=model, purse=Purse(limits, clock=clock or (lambda: 0.0)))
    while True:
        try:
            steps.append(next(running))
        except StopIteration as stop:
            return stop.value, model, steps


def _answer(store: Store, *moves: Step) -> Answer:
    deps = Deps(store, Searcher(store, None), Scripted(moves), Settings(), clock=lambda: NOW)
    return next(e.answer for e in answer(Ask("How long are backups kept?"), deps) if isinstance(e, Done))


def _codes(ending: Ending) -> list[str]:
    return [o.result.code for o in ending.seen if isinstance(o.result, ToolError)]


# --- the loop ---------------------------------------------------------------------------------------------------------


def test_trace(store: Store) -> None:
    """Each tool call is a step that is told as it happens and stays in the trace."""
    search = Calls((Call("search", {"query": "backups"}),))
    outline = Calls((Call("outline", {"article": "backup"}),))
    ending, _, steps = _run(_tools(store), search, READ, outline, Draft((GOOD,)))
    assert [s.name for s in steps] == ["search", "read", "outline"]
    assert [s.text for s in steps] == ["Searching: backups", "Reading: Backups", "Looking at the outline: Backups"]
    assert (len(ending.seen), ending.stop) == (3, "")


def test_step_limit(store: Store) -> None:
    """After the last allowed step the model gets one turn without tools; more calls are not made."""
    places = [f"{page}.{n}" for page in ("install", "backup", "billing", "安装", "检索", "茶") for n in range(2)]
    moves = [Calls((Call("read", {"locators": [place]}),)) for place in places]
    ending, model, _ = _run(_tools(store), *moves, limits=Limits(steps=8))
    assert (len(ending.seen), ending.stop, ending.draft) == (8, "steps", Draft(()))
    assert [v.final for v in model.views] == [False] * 8 + [True]


def test_limit_within_a_turn(store: Store) -> None:
    """Limits are checked before each call, also between the calls of one turn; each call has a result all the same."""
    calls = Calls(tuple(Call("search", {"query": f"q{n}"}) for n in range(4)))
    ending, _, _ = _run(_tools(store), calls, Draft((GOOD,)), limits=Limits(steps=2))
    assert (len(ending.seen), ending.stop, ending.draft) == (4, "steps", Draft((GOOD,)))
    assert _codes(ending) == ["not_run", "not_run"]


def test_deadline(store: Store) -> None:
    """When the time is up the model answers from what it has."""
    ticks = count(0, 10)
    ending, _, _ = _run(
        _tools(store), READ, Draft((GOOD,)), clock=lambda: float(next(ticks)), limits=Limits(seconds=25)
    )
    assert (ending.stop, ending.draft) == ("deadline", Draft((GOOD,)))


def test_repeated_call(store: Store) -> None:
    """The same call is not run again; the second repetition ends the use of tools."""
    ending, model, _ = _run(_tools(store), READ, READ, READ, READ)
    assert (_codes(ending), ending.stop, len(model.views)) == (["repeated", "repeated"], "repeated", 4)


def test_unknown_tool(store: Store) -> None:
    """An invented tool is an error result that counts; the second one ends the use of tools."""
    calls = [Calls((Call(name, {}),)) for name in ("read_private", "shell", "search")]
    ending, _, _ = _run(_tools(store), *calls)
    assert (_codes(ending), ending.stop) == (["unknown_tool", "unknown_tool"], "unknown_tool")


def test_many_calls_in_a_turn(store: Store) -> None:
    """Of twenty calls in one turn four are run and every other one gets an error result, in order."""
    calls = Calls(tuple(Call("search", {"query": f"q{n}"}) for n in range(20)))
    ending, _, _ = _run(_tools(store), calls, Draft(()), limits=Limits(steps=30))
    assert _codes(ending) == ["not_run"] * 16
    assert [o.call for o in ending.seen] == list(calls.calls)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("search", {}),
        ("search", {"query": 7}),
        ("search", {"query": "x", "scope": {"articles": ["private"]}}),
        ("search", {"query": "x", "now": 0}),
        ("outline", {"article": ["a"]}),
        ("read", {"locators": "backup"}),
        ("read", {"locators": ["a", "b", "c", "d", "e"]}),
        ("read", {"path": "../../etc/passwd"}),
    ],
)
def test_bad_arguments(store: Store, tool: str, args: dict[str, object]) -> None:
    """Wrong types, missing and extra fields are an error result, never an exception; scope cannot be set."""
    assert getattr(_tools(store).call(Call(tool, args)), "code", "") == "bad_arguments"


def test_outline_of_nothing(store: Store) -> None:
    """The outline of a page that is absent, out of scope or expired is not found."""
    closed = _tools(store, scope=Scope(articles=("茶",)))
    assert [getattr(t.call(Call("outline", {"article": a})), "code", "") for t, a in
            ((_tools(store), "nope"), (closed, "backup"))] == ["not_found", "not_found"]  # fmt: skip


def test_tool_switched_off(store: Store) -> None:
    """The owner's switch holds whatever the model asks for."""
    assert getattr(_tools(store, off=("read",)).call(READ.calls[0]), "code", "") == "tool_off"


def test_broken_tool_is_an_observation(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that breaks does not end the run; the answer is degraded and names it."""
    monkeypatch.setattr(Book, "read", lambda *_: 1 / 0)
    found = _answer(store, READ, Draft(()))
    assert "tool_failed:read" in found.diagnostics.degraded


# --- the gate, through the service ------------------------------------------------------------------------------------


def test_supported_sentence(store: Store) -> None:
    """A sentence with a real quote that says the same stands, cited with exact offsets."""
    found = _answer(store, READ, Draft((GOOD,)))
    cited = found.citations[0]
    assert (found.status, found.answer) == (Status.COMPLETED, "Backups are kept for 14 days.")
    assert found.evidence[0].text[cited.start : cited.end] == cited.quote == QUOTE


@pytest.mark.parametrize(
    "bad",
    [
        Quoted("Backups are kept for 14 days.", ()),
        Quoted("Backups are kept for 14 days.", (("e2", QUOTE),)),
        Quoted("Backups are kept for 14 days.", (("e1", "kept for ever"),)),
        Quoted("Backups are kept for 30 days.", (("e1", QUOTE),)),
        Quoted("Backups are not kept for 14 days.", (("e1", QUOTE),)),
    ],
)
def test_bad_sentence_is_dropped(store: Store, bad: Quoted) -> None:
    """A sentence without proof is dropped and that is said; the good one beside it stands."""
    found = _answer(store, READ, Draft((bad, GOOD)))
    assert found.answer == "Backups are kept for 14 days."
    assert "could not be verified" in " ".join(found.uncertainties)


def test_unread_evidence_is_never_cited(store: Store) -> None:
    """Without reading nothing can be cited, however true the quote."""
    found = _answer(store, Calls((Call("search", {"query": "backups"}),)), Draft((GOOD,)), Draft((GOOD,)))
    assert (found.status, found.citations) == (Status.NO_ANSWER, ())


def test_one_regeneration(store: Store) -> None:
    """When nothing stands the model gets one more draft, knowing what was rejected, and then it is over."""
    bad = Draft((Quoted("Kept for 30 days.", (("e1", QUOTE),)),))

    def second(view: View) -> Move:
        assert (view.final, view.rejected) == (True, bad.sentences)
        return Draft((GOOD,))

    assert _answer(store, READ, bad, second).status is Status.COMPLETED
    assert _answer(store, READ, bad, bad).status is Status.NO_ANSWER


def test_tools_are_not_used_after_the_gate(store: Store) -> None:
    """A model that answers the regeneration with calls gets no-answer, not another loop."""
    bad = Draft((Quoted("Kept for 30 days.", (("e1", QUOTE),)),))
    assert _answer(store, READ, bad, READ).status is Status.NO_ANSWER


def test_read_is_data(store: Store) -> None:
    """What a read gives the model is evidence with ids, and at most four pieces a call."""
    ending, _, _ = _run(_tools(store), READ, Draft(()))
    result = ending.seen[0].result
    assert isinstance(result, ReadResult)
    assert [(e.id, e.locator) for e in result.evidence] == [("e1", "backup.0")]


# --- the router -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("How many days are backups kept?", Intent.COUNT),
        ("备份保留多少天？", Intent.COUNT),
        ("When do backups run?", Intent.TIME),
        ("什么时候停电？", Intent.TIME),
        ("Who approves large claims?", Intent.PERSON),
        ("谁负责审批？", Intent.PERSON),
        ("How do I restore a backup?", Intent.STEPS),
        ("恢复备份有哪些步骤？", Intent.STEPS),
        ("List the steps to restore a backup", Intent.STEPS),
        ("怎么泡茶？", Intent.STEPS),
        ("Which pages mention Docker?", Intent.PAGES),
        ("哪些页面提到了 Docker？", Intent.PAGES),
        ("Which sections does the install page have?", Intent.SECTIONS),
        ("安装指南有哪些章节？", Intent.SECTIONS),
        ("What is RRF?", Intent.DEFINITION),
        ("什么是倒数排名融合？", Intent.DEFINITION),
        ("Is HTTPS supported?", Intent.YES_NO),
        ("支持离线安装吗？", Intent.YES_NO),
        ("thanks!", Intent.SMALL_TALK),
        ("你能回答什么？", Intent.ABOUT),
        ("Docker port", Intent.FACT),
    ],
)
def test_intent(question: str, intent: Intent) -> None:
    """The router reads the shape of a question in both languages."""
    assert classify(question) is intent


@pytest.mark.parametrize(
    "question",
    [
        "And it?",
        "它呢？",
        "第二点是什么意思",
        "yes",
        "why",
        "What about restoring them?",
        "那端口呢",
        "Why is that?",
        "the second one",
        "这个怎么用？",
        "If it fails, what then?",
        "And when the port is taken, how do I change it?",
        "And how long are they kept on Docker?",
        "如果失败了，它会重试吗？",
        "那 Docker 呢？",
    ],
)
def test_elliptic(question: str) -> None:
    """A question that leans on the one before gets it put in front."""
    assert is_elliptic(question)
    assert standalone(question, "How do I restore a backup?") == f"How do I restore a backup? {question}"


@pytest.mark.parametrize(
    "question",
    [
        "How long are backups kept?",
        "泡龙井茶用多少度的水？",
        "Which port does Docker use?",
        "What is Docker?",
        "Is there an API for tasks?",
        "How do I query tasks that are not done?",
        "How to prepare for a one on one?",
        "我应该怎么安装？",
        "对象存储怎么配置？",
        "If the port is taken, how do I change it?",
        "How does Docker restart when it crashes?",
        "And where does Docker Compose mount the content?",
        "如果默认端口被占用，怎么修改它？",
        "那 Docker 镜像监听哪个端口？",
    ],
)
def test_standalone(question: str) -> None:
    """A question that stands alone, or names its own subject, is left alone."""
    assert standalone(question, "something else") == question
