"""What goes wrong at the other end: the model's mistakes, the service's faults, the reader who leaves. F58–F66, F89."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from query_fn import service
from query_fn.agent.manual import NAMES
from query_fn.model import Ask
from query_fn.settings import ClaudeSettings
from tests.artifacts import make_artifacts
from tests.fake_claude import Hang, Reply, Script, Status, Text, Thought, Tool, Turn
from tests.fake_claude.reading import cited, found, may_use_tools, results, sources
from tests.query_fn.claude_app import CHAT, QUESTION, Asked, asking

Json = dict[str, Any]
READ = Turn((Tool("read", {"locators": ["backup.0"]}),))
QUICK = ClaudeSettings(silence=0.4)
ANSWER = "Backups are kept for 14 days."


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny bilingual base, without vectors."""
    folder: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder)
    return folder


def answered(body: Json) -> Reply:
    """Answer well from what was read."""
    return Turn((cited(body, ANSWER, "kept for 14 days"),))


def after(*replies: Reply | Callable[[Json], Reply]) -> Script:
    """Return a script that gives replies in order and at last answers well."""
    left = list(replies)

    def script(body: Json) -> Reply:
        reply = left.pop(0) if left else answered
        return reply(body) if callable(reply) else reply

    return script


def codes(body: Json) -> list[str]:
    """Return the errors that tool results name, in order."""
    blocks = [b for m in body["messages"] for b in m["content"] if b["type"] == "tool_result" and b.get("is_error")]
    return [block["content"][0]["text"].split('"')[3] for block in blocks]


def pairs(body: Json) -> tuple[list[str], list[str]]:
    """Return the ids of all tool calls and of all tool results, in order."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    return (
        [block["id"] for block in blocks if block["type"] == "tool_use"],
        [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"],
    )


# --- the model's mistakes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("read_private", {}, "unknown_tool"),
        ("fetch", {"url": "http://169.254.169.254/"}, "unknown_tool"),
        ("read", {"locators": "backup.0"}, "bad_arguments"),
        ("read", {"locators": ["backup.0"], "scope": "all"}, "bad_arguments"),
        ("read", {"locators": ["a", "b", "c"]}, "bad_arguments"),
        ("outline", {"article": "../../etc/passwd"}, "not_found"),
        ("search", {}, "bad_arguments"),
        ("read", '{"locators": ["backup', "bad_arguments"),
        ("read", "[1, 2]", "bad_arguments"),
        ("read", "{nonsense", "bad_arguments"),
        ("list", '{"updated_since": "yesterday"}', "bad_arguments"),
    ],
)
def test_a_call_that_is_none(artifacts: Path, name: str, arguments: Any, code: str) -> None:
    """An unknown tool and arguments that are wrong, cut or no JSON are an error result; the model goes on."""
    with asking(artifacts, after(Turn((Tool(name, arguments),)), READ)) as asked:
        answer = asked.answer()
        assert codes(asked.fake.requests[1]) == [code]
    assert answer["answer"] == ANSWER


def test_no_arguments_are_an_empty_object(artifacts: Path) -> None:
    """A call with empty input is a call without arguments."""
    with asking(artifacts, after(Turn((Tool("list", ""),)), READ)) as asked:
        assert (asked.answer()["answer"], codes(asked.fake.requests[-1])) == (ANSWER, [])


def test_a_private_place_reads_like_none(artifacts: Path) -> None:
    """A guessed locator of a private page is missing like one of no page at all."""
    guess = Turn((Tool("read", {"locators": ["salaries.0", "nope"]}),))
    with asking(artifacts, after(guess, READ)) as asked:
        asked.answer()
        last = [b["text"] for b in results(asked.fake.requests[1]) if b["type"] == "text"][-1]
    assert last == '{"nothing_at": ["salaries.0", "nope"]}'


def test_twenty_calls_in_one_turn(artifacts: Path) -> None:
    """Four of twenty calls are run; each of them has exactly one result, in order, and the rest says why not."""
    many = Turn(tuple(Tool("read", {"locators": [f"backup.{n}"]}) for n in range(20)))
    with asking(artifacts, after(many)) as asked:
        answer = asked.answer()
        calls, answers = pairs(asked.fake.requests[1])
        assert codes(asked.fake.requests[1]) == ["not_run"] * 16
    assert (len(calls), calls, answer["answer"]) == (21, answers, ANSWER)
    assert len(answer["diagnostics"]["steps"]) == 21


def test_the_same_call_again_and_again(artifacts: Path) -> None:
    """The second identical call is not run, the third ends the use of tools; the model answers on its last turn."""
    script = after(READ, READ, READ)
    with asking(artifacts, script) as asked:
        answer = asked.answer()
        assert [may_use_tools(body) for body in asked.fake.requests] == [True, True, True, False]
        assert codes(asked.fake.requests[-1]) == ["repeated", "repeated"]
    assert answer["answer"] == ANSWER


def test_searches_without_an_end(artifacts: Path) -> None:
    """Three turns in a row without anything new end the use of tools."""
    searches = [Turn((Tool("find", {"phrase": f"qwertz{n}"}),)) for n in range(9)]
    with asking(artifacts, after(*searches[:3], Turn.says("NOT_COVERED"))) as asked:
        answer = asked.answer("What is the qwertz of the uiopü?")
        assert [may_use_tools(body) for body in asked.fake.requests][-1] is False
        assert len(asked.fake.requests) <= 4
    assert (answer["status"], answer["citations"]) == ("no_answer", [])


def test_the_last_turn_keeps_its_tools(artifacts: Path) -> None:
    """At the limit of steps the results are given, the tools stay, none may be used, and there is an answer."""
    places = [f"{page}.{n}" for page in ("backup", "install") for n in range(2)][:3]
    reads = [Turn((Tool("read", {"locators": [place]}),)) for place in places]
    with asking(artifacts, after(*reads), max_steps=4) as asked:
        answer = asked.answer()
        last = asked.fake.requests[-1]
    assert (may_use_tools(last), bool(last["tools"]), pairs(last)[0] == pairs(last)[1]) == (False, True, True)
    assert answer["answer"] == ANSWER


# --- how a message may end ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (Turn.says("no", stop_reason="refusal", category="cyber"), "refused"),
        (Turn.says("OFF_TOPIC"), "refused"),
        (Turn.says("NOT_COVERED"), "no_answer"),
        (Turn(()), "no_answer"),
        (Turn((Thought("Backups are kept for 14 days, I think."),)), "no_answer"),
        (Turn.says("I think backups are great."), "no_answer"),
    ],
)
def test_no_answer_is_said_once(artifacts: Path, reply: Turn, status: str) -> None:
    """A refusal, an empty message and an answer without proof have a defined reply, and are not asked for for ever."""
    with asking(artifacts, lambda _: reply) as asked:
        answer = asked.answer()
        assert len(asked.fake.requests) <= 2
    assert "I think" not in answer["answer"]
    assert (answer["status"], answer["citations"], bool(answer["answer"])) == (status, [], True)


def test_an_answer_that_does_not_stand_is_written_once_more(artifacts: Path) -> None:
    """The model is told which sentences fell; the second draft stands."""

    def wrong(body: Json) -> Reply:
        return Turn((cited(body, "Backups are kept for 41 days.", "kept for 14 days"),))

    with asking(artifacts, after(READ, wrong)) as asked:
        answer = asked.answer()
        last = asked.fake.requests[-1]["messages"][-1]["content"][-1]["text"]
    assert ("41 days" in last, answer["answer"], answer["status"]) == (True, ANSWER, "completed")


@pytest.mark.parametrize("stop", ["max_tokens", "model_context_window_exceeded"])
def test_an_answer_that_was_cut(artifacts: Path, stop: str) -> None:
    """Whole sentences stay, the unfinished one goes, and the answer says that it is not complete."""

    def long(body: Json) -> Reply:
        return Turn((cited(body, f"{ANSWER} They run every night at", "kept for 14 days"),), stop_reason=stop)

    with asking(artifacts, after(READ, long)) as asked:
        answer = asked.answer()
    assert answer["answer"] == ANSWER
    assert "The answer was cut short." in answer["uncertainties"]


def test_a_call_in_a_cut_message(artifacts: Path) -> None:
    """A call that the length limit cut in two is not run."""
    cut = Turn((Tool("read", '{"locators": ["backup.0", "sec'),), stop_reason="max_tokens")
    with asking(artifacts, after(cut, READ)) as asked:
        assert (asked.answer()["answer"], codes(asked.fake.requests[1])) == (ANSWER, ["bad_arguments"])


def test_a_paused_turn_is_taken_up_again(artifacts: Path) -> None:
    """A turn that the service paused is asked for again."""
    with asking(artifacts, after(READ, Turn.says("…", stop_reason="pause_turn"))) as asked:
        assert asked.answer()["answer"] == ANSWER


# --- faults of the service --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        Status(429, retry_after="0"),
        Status(500),
        Status(529),
        Status(502, body=b"<html>bad gateway"),
        Hang(0.1),
        Turn.says("x", error="overloaded_error", after=1),
        Turn.says("x", cut=1),
    ],
)
def test_what_passes_is_tried_again(artifacts: Path, fault: Reply) -> None:
    """A fault before anything was said is tried again; the reader does not notice."""
    with asking(artifacts, after(READ, fault), claude=QUICK) as asked:
        answer = asked.answer()
        assert len(asked.fake.requests) == 3
    assert (answer["answer"], answer["status"]) == (ANSWER, "completed")


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        (Status(429), "overloaded"),
        (Status(529), "overloaded"),
        (Status(500), "failing"),
        (Status(401), "key_refused"),
        (Status(404), "model_unknown"),
        (Status(400), "request_refused"),
        (Hang(0.1), "unreachable"),
        (Turn.says("late", pause=0.6), "silent"),
        (Turn.says("x", error="overloaded_error", after=1), "overloaded"),
        (Turn.says("x", cut=1), "unreachable"),
    ],
)
def test_what_does_not_pass_is_answered_without_it(artifacts: Path, fault: Reply, named: str) -> None:
    """The free model answers in time, the reason is named, and nothing is asked more than three times."""
    began = time.monotonic()
    with asking(artifacts, lambda _: fault, claude=QUICK, deadline_seconds=8) as asked:
        answer = asked.answer()
        assert len(asked.fake.requests) <= 3
    assert time.monotonic() - began < 8
    assert (answer["status"], "14 days" in answer["answer"]) == ("degraded", True)
    assert f"model_failed:{named}" in answer["diagnostics"]["degraded"]
    assert any("language model is not available" in line for line in answer["uncertainties"])


@pytest.mark.parametrize("fault", [{"error": "overloaded_error"}, {"cut": 6}])
def test_a_stream_that_breaks_after_text(artifacts: Path, fault: Json) -> None:
    """What was said before the break stays, with its proof; it is not asked for again, and the break is said."""

    def broken(body: Json) -> Reply:
        first = cited(body, f"{ANSWER} ", "kept for 14 days")
        return Turn((first, Text("They run every night at 02:30 and then " * 4)), **({"after": 6} | fault))

    with asking(artifacts, after(READ, broken)) as asked:
        answer = asked.answer()
        assert len(asked.fake.requests) == 2
    assert answer["answer"] == ANSWER
    assert "The answer was cut short." in answer["uncertainties"]


@pytest.mark.parametrize("pieces", [1, 3])
def test_pieces_within_a_character(artifacts: Path, pieces: int) -> None:
    """A stream that is cut within characters is read whole."""

    def chinese(body: Json) -> Reply:
        return Turn((cited(body, "水温控制在 80 度左右，不要用沸水。", "80 度"),), pieces=pieces)

    read = Turn((Tool("read", {"locators": ["茶.1"]}),), pieces=pieces)
    with asking(artifacts, after(read, chinese)) as asked:
        assert asked.answer("泡龙井茶用多少度的水？")["answer"] == "水温控制在 80 度左右，不要用沸水。"


def test_thirty_seconds_of_silence(artifacts: Path) -> None:
    """A model that is silent beyond the deadline does not hold the reader up."""
    began = time.monotonic()
    with asking(artifacts, lambda _: Turn.says("late", pause=3.0), deadline_seconds=3.0) as asked:
        answer = asked.answer()
    assert (time.monotonic() - began < 3.0, answer["status"]) == (True, "degraded")


def test_a_reader_who_left(artifacts: Path) -> None:
    """When the reader leaves, no further call is made, and the call under way ends at its next event."""
    begun = threading.Event()

    def slow(body: Json) -> Reply:
        begun.set()
        return READ if not sources(body) else answered(body)

    with asking(artifacts, slow) as asked:
        list(service.answer(Ask(QUESTION), asked.deps, gone=begun.is_set))
        assert len(asked.fake.requests) == 1


def test_a_reader_who_hangs_up(artifacts: Path) -> None:
    """Over real HTTP: when the connection closes while the model is at work, it is asked nothing more."""
    with asking(artifacts, lambda _: Turn(READ.blocks, pause=0.6)) as asked, asked.served() as port:
        hang_up(port, {"question": QUESTION}, asked)
        time.sleep(1.5)
        assert len(asked.fake.requests) == 1


def test_a_reader_who_leaves_a_silent_model(artifacts: Path) -> None:
    """While the stream is silent the reader is noticed all the same: the run ends, and the connection is shut down."""
    with asking(artifacts, lambda _: Turn(READ.blocks, pause=4.0)) as asked:
        left = threading.Event()
        run = threading.Thread(target=lambda: list(service.answer(Ask(QUESTION), asked.deps, gone=left.is_set)))
        run.start()
        while not asked.fake.requests:
            time.sleep(0.01)
        time.sleep(0.3)  # the first event has arrived, and nothing follows
        left.set()
        run.join(1.0)
        assert not run.is_alive()
        ended = time.monotonic() + 1.0
        while time.monotonic() < ended and any(t.name.startswith("claude") for t in threading.enumerate()):
            time.sleep(0.02)
        assert not any(t.name.startswith("claude") for t in threading.enumerate())


def test_a_reader_who_hangs_up_on_one_answer(artifacts: Path) -> None:
    """The same for one JSON object: nobody waits for it any more, so the model is asked nothing more."""
    with asking(artifacts, lambda _: Turn(READ.blocks, pause=1.2)) as asked, asked.served() as port:
        hang_up(port, {"question": QUESTION, "stream": False}, asked)
        time.sleep(1.0)
        assert not any(t.name.startswith("claude") for t in threading.enumerate())
        time.sleep(0.5)
        assert len(asked.fake.requests) == 1


def hang_up(port: int, asked_for: Json, asked: Asked) -> None:
    """Ask over a socket and close it as soon as the model is at work."""
    body = json.dumps(asked_for).encode()
    head = f"POST {CHAT} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port)) as reader:
        reader.sendall(head.encode() + body)
        while not asked.fake.requests:
            time.sleep(0.01)


def test_nothing_internal_is_told(artifacts: Path) -> None:
    """No key, address, path or stack is in an answer that had to do without the model."""
    with asking(artifacts, lambda _: Status(401)) as asked:
        text = asked.client.post(CHAT, json={"question": QUESTION, "stream": False}).text
        assert not any(word in text for word in (asked.fake.key, asked.fake.url, "Traceback", str(artifacts), "sk-"))


def test_a_wrong_first_search_is_put_right(artifacts: Path) -> None:
    """The model may search in other words, and read what that found."""
    search = Turn((Tool("search", {"query": "14 days backups"}),))

    def read(body: Json) -> Reply:
        return Turn((Tool("read", {"locators": [next(c["locator"] for c in found(body) if c["page"] == "backup")]}),))

    with asking(artifacts, after(search, read)) as asked:
        answer = asked.answer("For what time can I go back?")
    assert answer["answer"] == ANSWER


def test_every_tool_switched_off(artifacts: Path) -> None:
    """Without a tool the model is asked without tools, and what it cannot have read is no answer."""
    with asking(artifacts, lambda _: Turn.says(ANSWER), tools_off=NAMES) as asked:
        answer = asked.answer()
        assert not any("tools" in body or "tool_choice" in body for body in asked.fake.requests)
    assert (answer["status"], answer["citations"]) == ("no_answer", [])


def test_bedrock(artifacts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same model behind the other provider answers the same."""
    with asking(artifacts, after(READ), claude=ClaudeSettings(provider="bedrock")) as asked:
        monkeypatch.setenv("ANTHROPIC_BEDROCK_MANTLE_BASE_URL", asked.fake.url)
        monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", asked.fake.key)
        monkeypatch.setenv("AWS_REGION", "eu-central-1")
        assert asked.answer()["answer"] == ANSWER


def test_bedrock_without_a_region(artifacts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that is not set up is named, and the free model answers."""
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "ANTHROPIC_BEDROCK_MANTLE_BASE_URL", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.delenv(name, raising=False)
    with asking(artifacts, after(READ), claude=ClaudeSettings(provider="bedrock")) as asked:
        answer = asked.answer()
    assert answer["status"] == "degraded"
    assert any(name.startswith("model_failed:") for name in answer["diagnostics"]["degraded"])
