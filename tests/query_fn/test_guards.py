"""The walls: counters in memory and in a table, the day's budget, visitors, the switch, and answers used again."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from starlette.testclient import TestClient

from query_fn import app as app_module
from query_fn.app import create_app
from query_fn.errors import Closed, TooMany
from query_fn.guard.answers import MemoryAnswers
from query_fn.guard.budget import DAY, DailyBudget
from query_fn.guard.counters import Amounts, Counters, MemoryCounters, StoreDown
from query_fn.guard.dynamo import DynamoCounters
from query_fn.guard.guards import Guards, guards_for
from query_fn.guard.switch import Switch
from query_fn.guard.table import Table
from query_fn.guard.visitors import Visitors, address
from query_fn.prices import Spending
from query_fn.settings import Settings
from tests.artifacts import NOW, SOON, make_build
from tests.aws import make_table

_tables = itertools.count()


class Down:
    """A store that gives no answer."""

    def take(self, key: str, amounts: Amounts, *, limits: Amounts, until: int) -> bool:
        raise StoreDown("down")

    def give(self, key: str, amounts: Amounts, *, until: int) -> None:
        raise StoreDown("down")

    def flag(self, key: str) -> str:
        raise StoreDown("down")


@pytest.fixture(params=["memory", "dynamo"])
def counters(request: pytest.FixtureRequest, cloud: str) -> Counters:
    """Both stores must keep the same promises."""
    if request.param == "memory":
        return MemoryCounters()
    return DynamoCounters(Table(make_table(f"guards-{next(_tables)}")))


def test_a_counter_stops_at_its_limit(counters: Counters) -> None:
    """What fits is added, what does not fit changes nothing, and what is given back may be taken again."""
    assert counters.take("a", (3,), limits=(4,), until=9)
    assert not counters.take("a", (2,), limits=(4,), until=9)
    assert counters.take("a", (1,), limits=(4,), until=9)
    counters.give("a", (-2,), until=9)
    assert counters.take("a", (2,), limits=(4,), until=9)
    assert not counters.take("b", (5,), limits=(4,), until=9)
    assert counters.flag("switch") == ""


def test_of_two_amounts_both_are_added_or_none(counters: Counters) -> None:
    """When one of them does not fit, nothing is kept of the other."""
    assert counters.take("a", (1, 9), limits=(4, 10), until=9)
    assert not counters.take("a", (3, 2), limits=(4, 10), until=9)
    assert not counters.take("a", (4, 1), limits=(4, 10), until=9)
    assert counters.take("a", (3, 1), limits=(4, 10), until=9)
    counters.give("a", (-1, -5), until=9)
    assert counters.take("a", (1, 5), limits=(4, 10), until=9)


@pytest.mark.parametrize("cap", [Spending(1.0, 10**6), Spending(10.0, 1000), Spending(1.0, 1000)])
def test_one_unit_left_and_500_at_once(counters: Counters, cap: Spending) -> None:
    """Of 500 reservations at the same time that each want the last unit, one gets it: overshoot 0 of either."""
    budget = DailyBudget(counters, cap, clock=lambda: 0.0)
    assert budget.reserve(Spending(0.9, 900))
    with ThreadPoolExecutor(50) as pool:
        got = list(pool.map(lambda _: budget.reserve(Spending(0.1, 100)), range(500)))
    assert sum(got) == 1


@given(st.lists(st.tuples(st.floats(0.000001, 0.5), st.integers(1, 500), st.floats(0, 1)), max_size=40))
def test_a_day_never_costs_more_than_its_cap(calls: list[tuple[float, int, float]]) -> None:
    """However calls are reserved and settled, what was used plus what is set aside stays under both caps."""
    budget, used = DailyBudget(MemoryCounters(), Spending(1.0, 1000), clock=lambda: 0.0), [Spending()]
    open_calls: list[tuple[Spending, Spending]] = []
    for usd, tokens, share in calls:
        worst = Spending(usd, tokens)
        if budget.reserve(worst):
            open_calls.append((worst, Spending(usd * share, int(tokens * share))))
        if len(open_calls) > 2:
            reserved, spent = open_calls.pop(0)
            budget.settle(reserved, spent)
            used.append(spent)
        counted = used + [worst for worst, _ in open_calls]
        assert sum(each.usd for each in counted) <= 1.0 + 1e-9
        assert sum(each.tokens for each in counted) <= 1000


def test_tokens_have_no_cap_until_the_owner_sets_one() -> None:
    """With 0 tokens in the settings only the dollars are limited."""
    budget = DailyBudget(MemoryCounters(), Spending(1.0), clock=lambda: 0.0)
    assert budget.reserve(Spending(0.5, 10**9))
    assert not budget.reserve(Spending(0.6, 1))


def test_a_call_over_midnight_is_settled_on_its_day() -> None:
    """What was set aside yesterday gives nothing to today."""
    now = [DAY - 1.0]
    budget, whole = DailyBudget(MemoryCounters(), Spending(1.0, 10), clock=lambda: now[0]), Spending(1.0, 10)
    assert budget.reserve(whole)
    now[0] = DAY + 1.0
    budget.settle(whole, Spending())
    assert budget.reserve(whole)
    assert not budget.reserve(Spending(0.01, 0))
    assert not budget.reserve(Spending(0.0, 1))


def test_a_budget_without_a_store_spends_nothing() -> None:
    """When nobody can tell what is left, nothing is; settling then does not raise."""
    budget = DailyBudget(Down(), Spending(1.0))
    assert not budget.reserve(Spending(0.001, 1))
    budget.settle(Spending(0.1, 10), Spending(0.05, 5))


def test_a_table_that_is_not_there_is_a_store_that_is_down(cloud: str) -> None:
    """Every fault of the service has the one name that callers know."""
    store = DynamoCounters(Table("nothing-here"))
    with pytest.raises(StoreDown):
        store.take("a", (1,), limits=(2,), until=1)
    with pytest.raises(StoreDown):
        store.flag("switch")


def test_a_slow_store_is_down(cloud: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that cannot be reached is given up after seconds, not minutes."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(StoreDown):
        DynamoCounters(Table("t")).give("a", (1,), until=1)


@pytest.mark.parametrize(
    ("client", "forwarded", "hops", "expected"),
    [
        ("203.0.113.7", "", 0, "203.0.113.7"),
        ("203.0.113.7", "198.51.100.1", 0, "203.0.113.7"),  # nobody in front: the header is anybody's word
        ("10.0.0.1", "198.51.100.1, 203.0.113.7", 1, "203.0.113.7"),
        ("10.0.0.1", "6.6.6.6, 203.0.113.7, 192.0.2.1", 2, "203.0.113.7"),
        ("10.0.0.1", "", 1, ""),
        ("10.0.0.1", "203.0.113.7", 2, ""),
        ("10.0.0.1", "<script>", 1, ""),
        ("2001:db8::1:2:3", "", 0, "2001:db8::/64"),
        ("::ffff:203.0.113.7", "", 0, "203.0.113.7"),  # as a socket for both kinds writes it
        ("10.0.0.1", "::ffff:198.51.100.1", 1, "198.51.100.1"),
        ("fe80::1%eth0", "", 0, "fe80::/64"),
        ("testclient", "", 0, ""),
    ],
)
def test_who_asks(client: str, forwarded: str, hops: int, expected: str) -> None:
    """The address comes from the hop that the owner trusts; what a visitor may write himself changes nothing."""
    assert address(client, forwarded, hops) == expected


@pytest.mark.parametrize("shared", [None, MemoryCounters(), Down()])
def test_a_flood_leaves_the_others_alone(shared: Counters | None) -> None:
    """10,000 requests a minute from one address: it gets its share, and every other visitor is served."""
    visitors = Visitors(20, 1_000, shared=shared, clock=lambda: 60.0)
    served = sum(_served(visitors, "203.0.113.7") for _ in range(10_000))
    assert served <= 21  # the bucket fills a little while the loop runs
    assert all(_served(visitors, f"198.51.100.{n}") for n in range(200))


def test_a_flood_from_everywhere_meets_the_common_limit() -> None:
    """10,000 addresses with one request each: no more than the limit of all together."""
    visitors = Visitors(20, 500, clock=lambda: 60.0)
    assert 500 <= sum(_served(visitors, f"10.0.{n // 250}.{n % 250}") for n in range(10_000)) <= 520


def test_containers_count_together() -> None:
    """Two containers with one store let a visitor ask no more often than one."""
    store = MemoryCounters()
    both = [Visitors(5, 0, shared=store, clock=lambda: 60.0) for _ in range(2)]
    assert sum(_served(both[n % 2], "203.0.113.7") for n in range(20)) == 5


def _served(visitors: Visitors, visitor: str) -> bool:
    try:
        visitors.take(visitor)
    except TooMany:
        return False
    return True


def test_the_switch_is_seen_within_half_a_minute(cloud: str) -> None:
    """The owner writes one word into the table; a container sees it, and sees it taken back."""
    name, now = make_table(f"guards-{next(_tables)}"), [0.0]
    switch, table = Switch("", DynamoCounters(Table(name)), clock=lambda: now[0]), boto3.client("dynamodb")
    assert switch.position() == ""
    for word, expected in (("model", "model"), ("all", "all"), ("stop!", "all"), ("", "")):
        table.put_item(TableName=name, Item={"id": {"S": "switch"}, "word": {"S": word}})
        now[0] += 31
        assert switch.position() == expected


@pytest.mark.parametrize(
    ("fixed", "store", "expected"),
    [
        ("", None, ""),
        ("model", None, "model"),
        ("all", Down(), "all"),
        ("", Down(), "model"),
        ("model", MemoryCounters({"switch": "all"}), "all"),
        ("model", MemoryCounters(), "model"),
    ],
)
def test_the_stricter_position_wins(fixed: str, store: Counters | None, expected: str) -> None:
    """Setting and store together; a store without an answer stops what costs money and nothing else."""
    assert Switch(fixed, store).position() == expected


# --- over HTTP --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny bilingual base."""
    return make_build(tmp_path_factory.mktemp("out"))


def _client(artifacts: Path, now: list[int] | None = None, **changes: Any) -> TestClient:
    settings = replace(Settings(artifacts), **changes)
    return TestClient(create_app(settings, clock=(lambda: now[0]) if now else None))


def _ask(client: TestClient, text: str = "How long are backups kept?", **more: Any) -> Any:
    return client.post("/api/public/qa/chat", json={"question": text, "stream": False, **more})


def test_everything_off(artifacts: Path) -> None:
    """With the switch at `all` every answer is a 503 with the same words; health is still told."""
    client = _client(artifacts, off="all")
    assert _ask(client).status_code == 503
    assert client.get("/api/public/search?q=port").status_code == 503
    assert client.get("/healthz").status_code == 200
    assert _ask(client).json()["title"] == "Switched off"


def test_the_door(artifacts: Path) -> None:
    """With a door only what came through the owner's proxy is answered; the word stands in no reply."""
    client = _client(artifacts, door=b"open sesame")
    assert _ask(client).status_code == 403
    assert "sesame" not in _ask(client).text
    client.headers["x-geosmin-door"] = "open sesame"
    assert _ask(client).status_code == 200


READS = {
    "search": ("GET", "/api/public/search?q=port", None),
    "collection": ("GET", "/api/public/outline", None),
    "outline": ("HEAD", "/api/public/outline/nothing", None),
    "read": ("POST", "/api/public/read", {"locators": ["nothing"]}),
}


def test_searches_have_a_limit_of_their_own(artifacts: Path) -> None:
    """Searches, outlines and passages count together; who has used them up may still ask, and knows when to go on."""
    client = _client(artifacts, searches_per_minute=len(READS), rate_per_minute=1)
    assert {client.request(method, path, json=body).status_code for method, path, body in READS.values()} == {200, 404}
    for method, path, body in READS.values():
        refused = client.request(method, path, json=body)
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert client.get("/api/public/search?q=port").json()["title"] == "Too many requests"
    assert [_ask(client).status_code for _ in range(2)] == [200, 429]
    assert client.get("/healthz").status_code == 200


def test_searches_of_all_together_have_a_limit(artifacts: Path) -> None:
    """However many addresses take part."""
    client = _client(artifacts, searches_all_per_minute=5, trusted_hops=1)
    codes = [
        client.get("/api/public/search?q=port", headers={"x-forwarded-for": f"198.51.100.{n}"}).status_code
        for n in range(8)
    ]
    assert codes == [200] * 5 + [429] * 3


def test_an_answer_is_used_again_until_a_page_expires(artifacts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same question is worked out once, another scope anew, and nothing outlives the earliest expiry."""
    asked, now = [], [NOW]
    work = app_module.service.answer

    def counted(*args: Any, **more: Any) -> Any:
        asked.append(1)
        return work(*args, **more)

    monkeypatch.setattr(app_module.service, "answer", counted)
    client = _client(artifacts, now)
    first, second = _ask(client).json(), _ask(client).json()
    assert first["answer"] == second["answer"]
    assert len(asked) == 1
    _ask(client, scope={"langs": ["zh"]})
    assert len(asked) == 2
    _ask(client, conversation="x")
    assert len(asked) == 3
    now[0] = SOON
    _ask(client)
    _ask(client)
    assert len(asked) == 5  # expired, and nothing is kept after an expiry


def test_kept_answers_are_bounded() -> None:
    """The oldest answer goes; one that has expired is not given."""
    kept = MemoryAnswers(2)
    for key in "abc":
        kept.put(key, [object()], until=10 if key == "c" else None)  # type: ignore[list-item]
    assert kept.get("a", 0) == ()
    assert kept.get("b", 99) != ()
    assert kept.get("c", 9) != ()
    assert kept.get("c", 10) == ()


def test_guards_of_a_table_that_is_down() -> None:
    """Without the store readers are served and the model is not asked; `all` refuses them."""
    guards = guards_for(Settings())
    assert isinstance(guards, Guards)
    assert guards.enter("203.0.113.7") is True
    assert replace(guards, switch=Switch("", Down())).enter("203.0.113.7") is False
    with pytest.raises(Closed):
        replace(guards, switch=Switch("all", None)).enter("203.0.113.7")
