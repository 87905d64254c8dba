"""What a model costs is seen before it is spent, never more than the budget, and never paid twice."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.build import build
from compiler.enrich.claude.client import wait
from compiler.enriching import INCOMPLETE
from compiler.errors import SettingsError
from compiler.plan import plan
from compiler.progress import Silent
from compiler.settings import Settings, load
from compiler.spending import Bill, EnrichSettings, Provider, Told
from query_fn.prices import Price, Usage, cost
from tests.compiler.claude_bases import FILES, QUICKLY, asking, derived, made
from tests.compiler.test_cli import run
from tests.compiler.vault import NOON, PUBLIC, QUICK, digests, write
from tests.fake_claude import FakeClaude, Turn
from tests.fake_claude.author import answer_to, author, stage_of
from tests.fake_claude.script import Reply

NEW = {"paxos.md": PUBLIC + "# Paxos\n\n**Paxos** is an older algorithm than **Raft** and does the same.\n"}


def settings_in(tmp: Path, *sets: str, files: dict[str, str | bytes] = FILES) -> Settings:
    """Return the settings of a base that is written to `tmp`."""
    content = write(tmp / "content", files)
    return load(content, tmp / "dist", tmp / "state", overrides=[*QUICKLY, *sets])


def bill_of(tmp: Path, *sets: str, files: dict[str, str | bytes] = FILES) -> Bill:
    """Return the plan of a build."""
    return plan(settings_in(tmp, *sets, files=files), now=NOON, progress=Silent())


def test_a_plan_asks_nothing_and_names_every_stage(tmp_path: Path) -> None:
    """A plan needs no key and no network; it tells calls, tokens and price of each stage."""
    bill = bill_of(tmp_path)
    assert [line.stage for line in bill.lines] == ["questions", "sections", "source", "subjects", "sayings"]
    assert all(line.calls and line.usage.output and 0 < line.usd < line.most_usd for line in bill.lines)
    assert not (tmp_path / "dist" / "current").exists()


def test_a_plan_is_near_what_is_spent(tmp_path: Path) -> None:
    """The calls of a plan are those of the build, and the build costs less than the plan's most."""
    planned = bill_of(tmp_path)
    spent = made(tmp_path, author)[0].enrichment.bill
    assert spent
    calls = [{line.stage: line.calls for line in bill.lines if line.stage != "sayings"} for bill in (planned, spent)]
    assert calls[0] == calls[1]
    assert 0 < spent.usd < sum(line.most_usd for line in planned.lines)


def test_a_plan_of_batches_costs_half(tmp_path: Path) -> None:
    """In batches a question costs half of what it costs alone."""
    settings = settings_in(tmp_path)
    alone, batched = (plan(settings, now=NOON, progress=Silent(), batched=batch) for batch in (False, True))
    assert batched.lines[0].usd == pytest.approx(alone.lines[0].usd / 2)


def test_a_plan_tells_what_was_kept(tmp_path: Path) -> None:
    """After a build nothing is left to pay, and the plan says what the kept answers save."""
    made(tmp_path, author)
    bill = bill_of(tmp_path)
    assert (bill.calls, bill.usd) == (0, 0)
    assert sum(line.kept for line in bill.lines) > 5
    assert sum(line.saved_usd for line in bill.lines) > 0


def test_unchanged_articles_cost_nothing_and_give_the_same_bytes(tmp_path: Path) -> None:
    """Two builds from the same answers are one build: no call, no key, not a byte of difference."""
    settings = settings_in(tmp_path)
    with FakeClaude(author) as fake, asking(fake):
        first = build(settings, now=NOON, progress=Silent(), how=QUICK)
        asked = len(fake.requests)
    one = digests(tmp_path / "dist" / "current")
    shutil.rmtree(tmp_path / "dist")
    (tmp_path / "state" / "cache.db").unlink()
    second = build(settings, now=NOON, progress=Silent(), how=QUICK)
    assert asked == first.bill.calls if first.bill else False
    assert second.bill and second.bill.calls == 0
    assert second.build_id == first.build_id
    assert digests(tmp_path / "dist" / "current") == one
    assert build(settings, now=NOON, progress=Silent(), how=QUICK).unchanged


def test_another_answer_is_another_build(tmp_path: Path) -> None:
    """A build's id covers what the model answered: without its answers the same pages make another build."""
    settings = settings_in(tmp_path)
    with FakeClaude(author) as fake, asking(fake):
        full = build(settings, now=NOON, progress=Silent(), how=QUICK)
    shutil.rmtree(tmp_path / "state" / "claude")
    poor = build(settings, now=NOON, progress=Silent(), how=QUICK)
    assert poor.build_id != full.build_id
    assert {p.message.partition("because ")[2] for p in poor.problems} == {"ANTHROPIC_API_KEY is not set"}


def test_a_new_article_costs_its_own_calls(tmp_path: Path) -> None:
    """Adding an article asks for that article alone, whatever others say of the same things."""
    made(tmp_path, author)
    alone = len(made(tmp_path / "alone", author, files=NEW)[1].requests)
    _, fake = made(tmp_path, author, files=FILES | NEW)
    assert len(fake.requests) == alone
    assert all("Paxos" in json.dumps(body) for body in fake.requests)


def test_a_moved_article_costs_nothing(tmp_path: Path) -> None:
    """An answer is kept under the text it is about: the address of a page is no part of it."""
    made(tmp_path, author)
    moved = {"deep/er.md": FILES["raft.md"], "zh.md": FILES["zh.md"]}
    shutil.rmtree(tmp_path / "content")
    assert made(tmp_path, author, files=moved)[1].requests == []


def test_answers_about_unpublished_articles_are_dropped(tmp_path: Path) -> None:
    """What was said of an article that is private now is neither on a page nor kept."""
    made(tmp_path, author)
    before = len(list(tmp_path.glob("state/claude/*/*.json")))
    got, fake = made(tmp_path, author, files=FILES | {"raft.md": "---\nshare: private\n---\n# Raft\n"})
    kept = [json.loads(place.read_bytes())["article"] for place in tmp_path.glob("state/claude/*/*.json")]
    assert fake.requests == []
    assert set(kept) == {article.id for article in got.rows.rows.articles}
    assert 0 < len(kept) < before


def test_a_changed_article_that_cannot_be_paid_is_local_at_once(tmp_path: Path) -> None:
    """Without money for it, a changed article loses what the model said of its old text."""
    first, _ = made(tmp_path, author)
    changed = FILES | {"raft.md": PUBLIC + "# Raft\n\n**Raft** is a protocol for logs that many computers share.\n"}
    got, fake = made(tmp_path, author, "budget.build_usd=0", files=changed)
    raft = next(article.id for article in got.rows.rows.articles if article.path == "raft.md")
    said = [c.text for c in got.rows.rows.contributions if c.article_id == raft]
    assert "The model" in repr([c.text for c in first.rows.rows.contributions if c.article_id == raft])
    assert said and "The model" not in repr(said)
    assert fake.requests == []
    assert {problem.path for problem in got.problems} == {"raft.md"}


@pytest.mark.parametrize("usd", [0.0, 0.0005, 0.02, 0.05, 0.1])
def test_no_build_passes_its_budget(usd: float, tmp_path: Path) -> None:
    """Whatever the budget is, a model that always answers at the longest never costs more."""

    def longest(body: dict[str, Any]) -> Reply:
        text = json.dumps(answer_to(body), ensure_ascii=False)
        return Turn.says(text, output_tokens=body["max_tokens"])

    got, _ = made(tmp_path, longest, f"budget.build_usd={usd}")
    assert got.enrichment.bill and got.enrichment.bill.usd <= usd
    assert got.codes <= {"enrich-budget"}
    assert (INCOMPLETE in got.enrichment.degraded) == bool(got.codes)


def test_a_build_goes_on_where_the_money_ended(tmp_path: Path) -> None:
    """What was paid before the budget ended is kept; the next builds pay for the rest and for nothing twice."""
    whole = len(made(tmp_path / "whole", author)[1].requests)
    asked = [len(made(tmp_path, author, f"budget.build_usd={usd}")[1].requests) for usd in (0.04, 0.04, 5)]
    assert asked[0] and asked[2]
    assert sum(asked) == whole


def test_several_calls_share_a_prompt(tmp_path: Path) -> None:
    """All calls about an article begin alike, so that all but the first read it from the prompt cache."""
    got, fake = made(tmp_path, author)
    sheets = [body for body in fake.requests if stage_of(body) in ("source", "subjects", "sayings")]
    prefixes = {json.dumps([b["system"], b["messages"][0]["content"][0], b["output_config"]]) for b in sheets}
    assert len(prefixes) == 2
    lines = {line.stage: line.usage for line in got.enrichment.bill.lines} if got.enrichment.bill else {}
    assert lines["subjects"].cache_read > lines["subjects"].cache_write
    assert lines["sayings"].cache_read > lines["sayings"].input


def test_calls_at_once_are_bounded(tmp_path: Path) -> None:
    """No more calls are under way than the settings allow."""
    files = {f"p{n}.md": PUBLIC + f"# Page{n}\n\n**Thing{n}** is a thing of page {n}.\n" for n in range(12)}

    def slow(body: dict[str, Any]) -> Reply:
        time.sleep(0.02)
        return author(body)

    most = {
        calls: made(tmp_path / str(calls), slow, f"enrich.calls={calls}", files=files)[1].state.most
        for calls in (2, 64)
    }
    assert most[2] <= 2 < most[64] <= 24


def test_long_articles_are_asked_about_in_part(tmp_path: Path) -> None:
    """Questions are paid for up to a number of passages; the others have local ones and the report says so."""
    got, fake = made(
        tmp_path,
        author,
        "enrich.chunks_per_article=1",
        "chunk.cap=60",
        "chunk.target=40",
        "chunk.tail=10",
        "chunk.overlap=5",
    )
    assert got.codes == {"enrich-long"}
    assert got.enrichment.degraded == ()
    assert (
        sum(
            len(json.loads(b["messages"][0]["content"][0]["text"])["passages"])
            for b in fake.requests
            if stage_of(b) == "questions"
        )
        == 2
    )


def test_the_middle_of_a_very_long_article_is_left_out_visibly(tmp_path: Path) -> None:
    """An article over the limit is sent with its head and its tail, and a mark for what is missing."""
    text = "\n\n".join(f"## Part {n}\n\nPart number {n} tells {'words ' * 150}." for n in range(120))
    got, fake = made(tmp_path, author, files={"long.md": PUBLIC + "# Long\n\n" + text})
    source = next(body for body in fake.requests if stage_of(body) == "source")
    passages = json.loads(source["messages"][0]["content"][0]["text"])["passages"]
    shown, (omitted,) = [p for p in passages if "id" in p], [p["omitted"] for p in passages if "id" not in p]
    assert 60_000 < sum(len(p["text"]) for p in shown) <= 72_000
    assert len(shown) + omitted == len(got.rows.rows.chunks)
    assert shown[0]["id"] == "p1" and shown[-1]["id"] == f"p{len(got.rows.rows.chunks)}"


def test_a_model_without_a_price_is_refused(tmp_path: Path) -> None:
    """What nobody knows the price of is not asked; a price in the settings is enough."""
    with pytest.raises(SettingsError, match=r"enrich\.prices"):
        derived(tmp_path, "enrich.page_model=claude-next")
    own = EnrichSettings(Provider.ANTHROPIC, prices=(Told("claude-next", 1, 2, 3, 4),))
    assert own.price("claude-next").output == 2


def test_a_damaged_answer_is_asked_for_again(tmp_path: Path) -> None:
    """A kept answer goes through the same checks as a fresh one: a file that was changed is no answer."""
    made(tmp_path, author)
    places = sorted(tmp_path.glob("state/claude/*/*.json"))
    places[0].write_bytes(b"\x00")
    places[1].write_text(places[1].read_text("utf-8").replace("p1", "p77").replace("s1", "s77"), "utf-8")
    got, fake = made(tmp_path, author)
    assert got.problems == []
    assert len(fake.requests) == 2


def test_a_cost_is_the_sum_of_its_tokens() -> None:
    """Prices are per million tokens of each kind."""
    usage = Usage(input=1_000_000, cache_write=2_000_000, cache_read=3_000_000, output=4_000_000)
    assert cost(usage, Price("m", 1, 10, 100, 1000)) == 1 + 200 + 3000 + 40


@given(st.integers(0, 12), st.floats(0, 60), st.floats(0, 1e6))
def test_a_wait_is_bounded(attempt: int, pause: float, after: float) -> None:
    """No wait is longer than a minute, and none shorter than the service asks within that."""
    assert min(after, 60.0) <= wait(attempt, pause, after) <= 60.0


def test_what_a_model_gets_wrong_is_not_paid_for_at_every_build(tmp_path: Path) -> None:
    """A refusal is remembered with its reason: the next build asks nothing and says the same, until it is told to ask."""
    settings = settings_in(tmp_path)

    def refusing(body: dict[str, Any]) -> Reply:
        return Turn.says("", stop_reason="refusal") if stage_of(body) == "source" else author(body)

    with FakeClaude(refusing) as fake, asking(fake):
        first = build(settings, now=NOON, progress=Silent(), how=QUICK)
        asked = len(fake.requests)
        second = build(settings, now=NOON, progress=Silent(), how=QUICK)
        assert len(fake.requests) == asked
        assert second.unchanged and second.problems == first.problems != ()
        fake.state.script = author
        third = build(settings, now=NOON, progress=Silent(), how=replace(QUICK, anew=("derive",)))
    assert len(fake.requests) == asked + 2
    assert third.problems == ()


def test_private_pages_change_nothing_of_what_is_asked_or_derived(tmp_path: Path) -> None:
    """With and without its private pages a base asks the same, and is the same."""
    public = {name: text for name, text in FILES.items() if name != "secret.md"}
    (one, first), (other, second) = made(tmp_path / "a", author), made(tmp_path / "b", author, files=public)
    assert one.rows.rows == other.rows.rows
    assert sorted(map(json.dumps, first.requests)) == sorted(map(json.dumps, second.requests))


def test_the_commands_tell_the_plan_and_the_bill(tmp_path: Path) -> None:
    """`build --plan` is a table or JSON, `build` says what it spent, and a build from kept answers needs no key."""
    write(tmp_path / "content", FILES)
    sets = [word for item in QUICKLY for word in ("--set", item)]
    plan_json = json.loads(run(tmp_path, "build", "--plan", "--json", *sets, ANTHROPIC_API_KEY="").stdout)
    table = run(tmp_path, "build", "--plan", *sets).stdout.splitlines()
    with FakeClaude(author) as fake:
        paid = run(tmp_path, "build", *sets, ANTHROPIC_API_KEY=fake.key, ANTHROPIC_BASE_URL=fake.url)
    again = run(tmp_path, "build", "--json", "--strict", *sets, ANTHROPIC_API_KEY="")
    assert [stage["stage"] for stage in plan_json["stages"]] == [line.split()[0] for line in table[1:-1]]
    assert f"of $5.00 spent on {len(fake.requests)} calls" in paid.stdout
    assert (paid.returncode, again.returncode) == (0, 0)
    assert json.loads(again.stdout)["spent"]["calls"] == 0
