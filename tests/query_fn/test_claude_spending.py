"""What a question costs: never more than its limits, whatever the model wants."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from query_fn import service
from query_fn.agent.chat.claude.messages import weight
from query_fn.agent.chat.claude.model import Claude
from query_fn.agent.chat.claude.reply import Said, Use
from query_fn.agent.events import Done
from query_fn.agent.purse import Limits, Purse
from query_fn.errors import Spent
from query_fn.live import Live
from query_fn.model import Ask
from query_fn.prices import PRICES, Spending, Usage, cost
from query_fn.service import Deps
from query_fn.settings import ClaudeSettings, Settings
from tests.artifacts import NOW, make_artifacts
from tests.fake_claude import Turn
from tests.fake_claude.players import endless
from tests.query_fn.claude_app import asking

QUESTIONS = 1_000
CAP = 0.004


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny bilingual base, without vectors."""
    folder: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder)
    return folder


@dataclass
class Till:
    """A budget that many questions share; it counts what was ever set aside at once."""

    left: float
    spent: float = 0.0
    lock: Lock = field(default_factory=Lock)

    def reserve(self, worst: Spending) -> bool:
        """Set an amount aside."""
        with self.lock:
            if worst.usd > self.left:
                return False
            self.left -= worst.usd
            return True

    def settle(self, reserved: Spending, used: Spending) -> None:
        """Give back what was not used."""
        with self.lock:
            self.left += reserved.usd - used.usd
            self.spent += used.usd


class Greedy:
    """The other end without a network: it wants a tool on every turn and uses all it may."""

    def __init__(self) -> None:
        self.rounds: Counter[str] = Counter()

    def prepare(self) -> None:
        """Load nothing."""

    def ask(self, body: dict[str, Any], purse: Purse, worst: Usage) -> Said:
        """Spend the worst case and ask for more."""
        reserved = purse.reserve(worst, PRICES[0])
        purse.settle(reserved, worst, PRICES[0])
        self.rounds[body["tool_choice"]["type"]] += 1
        return Said((Use("read", f'{{"locators": ["backup@{sum(self.rounds.values())}"]}}'),), "tool_use")


def deps_of(artifacts: Path, **settings: Any) -> Deps:
    """Return what answers without a paid model."""
    return Live(Settings(artifacts, **settings), clock=lambda: NOW).current().deps


def test_a_thousand_questions_to_a_model_that_never_stops(artifacts: Path) -> None:
    """Never more than eight turns with tools and one without, never more dollars than the cap."""
    deps = deps_of(artifacts, max_usd=CAP)
    most, dearest = 0, 0.0
    for n in range(QUESTIONS):
        other_end = Greedy()
        paid = lambda purse, end=other_end: Claude(end, ClaudeSettings(), purse)  # type: ignore[arg-type]  # noqa: E731
        events = service.answer(Ask(f"How long are backups kept, {n}?"), replace(deps, paid=paid))
        done = next(event for event in events if isinstance(event, Done))
        most, dearest = max(most, other_end.rounds["auto"]), max(dearest, done.answer.diagnostics.spent["usd"])
        assert other_end.rounds["none"] <= 1
    assert (most <= 8, 0 < dearest <= CAP) == (True, True)


def test_over_the_wire(artifacts: Path) -> None:
    """The same with the real SDK: tools on every turn, the longest answer allowed, and a cap that holds."""
    with asking(artifacts, endless(output_tokens=1_200), max_usd=CAP) as asked:
        answers = [asked.answer(f"How long are backups kept, {n}?") for n in range(10)]
        kinds = Counter(body["tool_choice"]["type"] for body in asked.fake.requests)
    assert max(a["diagnostics"]["spent"]["usd"] for a in answers) <= CAP
    assert max(a["diagnostics"]["spent"]["calls"] for a in answers) <= 9
    assert kinds["none"] <= 10


@pytest.mark.parametrize("usd", [0.0, 0.004])
def test_a_budget_of_all_questions(artifacts: Path, usd: float) -> None:
    """Questions at the same time never spend more than they share; then the free model answers, and says why."""
    till = Till(usd)
    with asking(artifacts, lambda _: Turn.says("NOT_COVERED")) as asked:
        deps = replace(asked.deps, budget=till)
        ask = Ask("How long are backups kept?")
        with ThreadPoolExecutor(8) as pool:
            dones = list(pool.map(lambda _: list(service.answer(ask, deps))[-1], range(24)))
    answers = [done.answer for done in dones if isinstance(done, Done)]
    assert till.spent <= usd + 1e-9
    broke = [a for a in answers if "model_failed:limit:budget" in a.diagnostics.degraded]
    assert broke
    assert all("14 days" in a.answer for a in broke)


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        ({"max_input_tokens": 100}, "input_tokens"),
        ({"max_output_tokens": 100}, "output_tokens"),
        ({"max_usd": 0.000001}, "usd"),
    ],
)
def test_a_limit_that_allows_nothing(artifacts: Path, limits: dict[str, Any], named: str) -> None:
    """When not even one answer fits, nothing is asked, and the limit is named."""
    with asking(artifacts, lambda _: Turn.says("x"), **limits) as asked:
        answer = asked.answer()
        assert asked.fake.requests == []
    assert f"model_failed:limit:{named}" in answer["diagnostics"]["degraded"]
    assert (answer["status"], "14 days" in answer["answer"]) == ("degraded", True)


@given(st.lists(st.tuples(st.integers(0, 50_000), st.integers(0, 2_000), st.floats(0, 1)), max_size=12))
def test_a_purse_is_never_overdrawn(calls: list[tuple[int, int, float]]) -> None:
    """Whatever calls are tried, what was used stays within each limit as long as no call uses more than its worst."""
    purse, price = Purse(Limits(input_tokens=60_000, output_tokens=3_000, usd=0.005)), PRICES[0]
    for tokens_in, tokens_out, share in calls:
        worst = Usage(cache_write=tokens_in, output=tokens_out)
        try:
            reserved = purse.reserve(worst, price)
        except Spent:
            continue
        used = Usage(cache_read=int(tokens_in * share), output=int(tokens_out * share))
        assert reserved == Spending(cost(worst, price), worst.read + worst.output)
        purse.settle(reserved, used, price)
    assert purse.usage.read <= 60_000
    assert purse.usage.output <= 3_000
    assert purse.usd <= 0.005


def test_the_estimate_is_an_upper_one(artifacts: Path) -> None:
    """What the purse sets aside for a request is more than the service counts."""
    with asking(artifacts, lambda _: Turn.says("NOT_COVERED")) as asked:
        spent = asked.answer("泡龙井茶用多少度的水？")["diagnostics"]["spent"]
        body = asked.fake.requests[0]
    assert spent["input_tokens"] < weight(body)
