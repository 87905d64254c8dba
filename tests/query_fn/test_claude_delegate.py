"""Sub-questions: at most two, one level deep, within the parent's purse, and nothing of them cited unread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query_fn.agent.purse import Limits, Purse
from query_fn.prices import PRICES, Usage
from tests.artifacts import make_artifacts
from tests.fake_claude import Reply, Script, Status, Tool, Turn
from tests.fake_claude.players import endless
from tests.fake_claude.reading import cited, findings, question, sources
from tests.query_fn.claude_app import Asked, asking

Json = dict[str, Any]
WHOLE = "Compare how long backups are kept with how long travel costs may be claimed."
GOALS = ("How long are backups kept?", "Within how many days may travel costs be claimed?")
FACTS = {
    GOALS[0]: ("Backups are kept for 14 days.", "kept for 14 days"),
    GOALS[1]: ("Travel costs may be claimed within 30 days.", "travel costs within 30 days"),
}
DELEGATE = Tool("delegate", {"goals": list(GOALS), "expected": "a number of days"})


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny bilingual base, without vectors."""
    folder: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder)
    return folder


def helper(body: Json) -> Reply:
    """Answer a sub-question from the page that holds its words."""
    sentence, words = FACTS[question(body)]
    if not sources(body):
        page = "backup.0" if "Backups" in sentence else "billing.0"
        return Turn((Tool("read", {"locators": [page]}),))
    return Turn((cited(body, sentence, words),))


def parent(body: Json) -> Reply:
    """Delegate, read the places that came back, and answer from them."""
    if not findings(body):
        return Turn((DELEGATE,))
    if not sources(body):
        places = [place["locator"] for finding in findings(body) for place in finding["places"]]
        return Turn((Tool("read", {"locators": places}),))
    held = [fact for fact in FACTS.values() if any(fact[1] in str(source) for source in sources(body))]
    return Turn(tuple(cited(body, f"{sentence} ", words) for sentence, words in held))


def playing(**parts: Script) -> Script:
    """Return a script in which every sub-question has a player of its own."""

    def script(body: Json) -> Reply:
        return parts.get("helper", helper)(body) if question(body) in GOALS else parts.get("parent", parent)(body)

    return script


def shown(asked: Asked) -> Iterator[str]:
    """Yield the first message of every request of a sub-question."""
    for body in asked.fake.requests:
        if question(body) in GOALS:
            yield body["messages"][0]["content"][-1]["text"]


def test_two_sides(artifacts: Path) -> None:
    """Both sides are found by helpers, read by the parent and cited from what the parent has read."""
    with asking(artifacts, playing()) as asked:
        answer = asked.answer(WHOLE)
    assert answer["answer"] == " ".join(sentence for sentence, _ in FACTS.values())
    assert [step["tool"] for step in answer["diagnostics"]["steps"]] == ["search", "delegate", "read"]
    assert {item["locator"] for item in answer["evidence"]} == {"backup.0", "billing.0"}
    assert answer["diagnostics"]["spent"]["calls"] == 3 + 2 * 2


def test_a_place_is_no_evidence(artifacts: Path) -> None:
    """What helpers have read cannot be cited before the parent has read it."""

    def hasty(body: Json) -> Reply:
        return parent(body) if not findings(body) else Turn.says("Backups are kept for 14 days.")

    with asking(artifacts, playing(parent=hasty)) as asked:
        answer = asked.answer(WHOLE)
    assert (answer["status"], answer["citations"], answer["evidence"]) == ("no_answer", [], [])


def test_the_contract(artifacts: Path) -> None:
    """A helper is told its goal, what to bring and its limits, and is not offered helpers of its own."""
    with asking(artifacts, playing()) as asked:
        asked.answer(WHOLE)
        told = list(shown(asked))
        offered = [{tool["name"] for tool in body["tools"]} for body in asked.fake.requests if question(body) in GOALS]
    assert all('"bring": "a number of days"' in text and "at most 2 tool calls" in text for text in told)
    assert not any("delegate" in names for names in offered)


def test_one_level(artifacts: Path) -> None:
    """A helper that delegates all the same is told that it cannot, and is not run deeper."""

    def deeper(body: Json) -> Reply:
        return Turn((DELEGATE,)) if "tool_off" not in str(body) else helper(body)

    with asking(artifacts, playing(helper=deeper)) as asked:
        answer = asked.answer(WHOLE)
        told = [body for body in asked.fake.requests if question(body) in GOALS and "tool_off" in str(body)]
    assert (len(told) > 0, answer["diagnostics"]["spent"]["calls"] <= 9) == (True, True)


def test_once_a_question(artifacts: Path) -> None:
    """A second delegation is refused; its helpers are never asked."""

    def again(body: Json) -> Reply:
        return Turn((DELEGATE, Tool("delegate", {"goals": ["What is 1?"]}))) if not findings(body) else parent(body)

    with asking(artifacts, playing(parent=again)) as asked:
        asked.answer(WHOLE)
        asked_for = {question(body) for body in asked.fake.requests}
    assert asked_for == {WHOLE, *GOALS}


def test_they_run_at_the_same_time(artifacts: Path) -> None:
    """Each helper waits until the other one has asked too."""
    both = threading.Barrier(2, timeout=5)

    def together(body: Json) -> Reply:
        if not sources(body):
            both.wait()
        return helper(body)

    with asking(artifacts, playing(helper=together)) as asked:
        assert len(asked.answer(WHOLE)["citations"]) == 2


def test_one_that_fails_is_named(artifacts: Path) -> None:
    """When a sub-question fails, the parent goes on with the other one, and the failure has a name."""

    def half(body: Json) -> Reply:
        return Status(401) if question(body) == GOALS[1] else helper(body)

    with asking(artifacts, playing(helper=half)) as asked:
        answer = asked.answer(WHOLE)
        told = findings(asked.fake.requests[-1])
    assert answer["answer"].startswith(FACTS[GOALS[0]][0])
    assert "delegate_failed:key_refused" in answer["diagnostics"]["degraded"]
    assert [finding.get("failed", "") for finding in told] == ["", "key_refused"]


def test_switched_off(artifacts: Path) -> None:
    """The owner can switch delegation off: it is not offered, and a call of it is refused."""
    with asking(artifacts, playing(), tools_off=("delegate",)) as asked:
        asked.answer(WHOLE)
        assert {question(body) for body in asked.fake.requests} == {WHOLE}
        assert "delegate" not in {tool["name"] for tool in asked.fake.requests[0]["tools"]}


def test_the_scope_is_the_parents(artifacts: Path) -> None:
    """A helper finds and reads only what the question may see."""
    with asking(artifacts, playing()) as asked:
        answer = asked.answer(WHOLE, scope={"folders": ["guide"]})
        seen = [source["title"] for body in asked.fake.requests for source in sources(body)]
    assert {item["locator"] for item in answer["evidence"]} == {"backup.0"}
    assert not any("Expense" in title for title in seen)


def test_the_stream_tells_of_them(artifacts: Path) -> None:
    """The reader sees one step for them; the trace has each goal with its steps and places."""
    with asking(artifacts, playing()) as asked:
        parts = [part for part in asked.stream(WHOLE) if part != "[DONE]"]
    step = next(p["data"] for p in parts if p["type"] == "data-step" and p["data"]["step"] == "delegate")
    assert step["text"] == f"Looking into: {GOALS[0]} · {GOALS[1]}"
    assert [task["steps"] for task in step["tasks"]] == [["search", "read"]] * 2
    assert [task["places"] for task in step["tasks"]] == [["backup.0"], ["billing.0"]]


def test_helpers_that_never_stop(artifacts: Path) -> None:
    """Steps, calls and dollars of parent and helpers together stay under the limits of the question."""
    with asking(artifacts, playing(helper=endless(output_tokens=1_200)), max_usd=0.02) as asked:
        answer = asked.answer(WHOLE)
    spent = answer["diagnostics"]["spent"]
    assert (spent["usd"] <= 0.02, spent["calls"] <= 9) == (True, True)


@given(
    st.integers(1, 2),
    st.lists(st.tuples(st.integers(0, 40_000), st.integers(0, 3_000)), min_size=4, max_size=4),
    st.integers(0, 8),
)
def test_shares_never_pass_the_whole(parts: int, used: list[tuple[int, int]], steps: int) -> None:
    """Whatever was used before and whatever the shares spend to their limits, the parent's limits hold."""
    whole = Purse(Limits(steps=8, input_tokens=60_000, output_tokens=3_000, usd=0.03), clock=lambda: 0.0)
    spend(whole, *used[0])
    whole.steps = steps
    shares = whole.shares(parts)
    for share in shares:
        for tokens in used[1:]:
            spend(share, *tokens)
        share.steps = share.limits.steps
        whole.absorb(share)
    held = whole.usage.read <= 60_000 and whole.usage.output <= 3_000 and whole.usd <= 0.03 + 1e-12
    assert (held, whole.steps <= 8) == (True, True)


def spend(purse: Purse, tokens_in: int, tokens_out: int) -> None:
    """Use what a call wants when the purse holds it."""
    worst = Usage(cache_write=tokens_in, output=tokens_out)
    if not purse.lacking(worst, PRICES[0]):
        purse.settle(purse.reserve(worst, PRICES[0]), worst, PRICES[0])
