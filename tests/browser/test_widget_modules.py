"""The widget's pure modules, run by the browser that will run them: stream, reducer, citations, filter."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.double import Served


class Modules:
    """One page of the served widget, in which its modules are imported."""

    def __init__(self, page: Page, url: str) -> None:
        page.goto(url + "articles/")
        self.page = page
        self.entry = page.evaluate("document.querySelector('script[src*=geosmin-ask]').src")

    def run(self, module: str, body: str, value: Any = None) -> Any:
        """Import a module as `m` and return what `body` returns for `value`."""
        code = f"async ([address, value]) => {{ const m = await import(address); {body} }}"
        return self.page.evaluate(code, [self.entry.replace("geosmin-ask.js", module), value])


@pytest.fixture(scope="module")
def modules(browser: Browser, answering: Served) -> Iterator[Modules]:
    """All tests of this file share a page: nothing here changes it."""
    context = browser.new_context()
    yield Modules(context.new_page(), answering.url)
    context.close()


STREAM = """data: {"a":"雨"}

: ping

data: {"b":
data: 1}

event: x
data:{"c":2}

data: [DONE]

"""


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_a_stream_may_be_cut_anywhere(modules: Modules, end: str) -> None:
    """For every cut into pieces of 1 to 7 bytes the events are the same, with all three line ends."""
    body = """
    const bytes = new TextEncoder().encode(value), all = [];
    for (let size = 1; size < 8; size++) {
      const stream = new ReadableStream({ start(c) {
        for (let at = 0; at < bytes.length; at += size) c.enqueue(bytes.slice(at, at + size)); c.close(); } });
      const got = []; for await (const event of m.events(stream)) got.push(event);
      all.push(JSON.stringify(got)); }
    return [...new Set(all)];"""
    assert modules.run("stream.js", body, STREAM.replace("\n", end)) == ['[{"a":"雨"},{"b":1},{"c":2}]']


def test_a_stream_without_its_last_blank_line_is_read(modules: Modules) -> None:
    """A server that closes early loses no complete event."""
    body = """const got = []; const stream = new Blob([value]).stream();
    for await (const event of m.events(stream)) got.push(event); return got;"""
    assert modules.run("stream.js", body, 'data: {"a":1}') == [{"a": 1}]


REDUCE = "return value.reduce(m.reduce, m.initial);"
ASK = {"type": "ask", "question": "q"}
ANSWER = {"type": "data-answer", "data": {"answer": "A", "conversation": "t"}}


@pytest.mark.parametrize(
    ("events", "phase", "text"),
    [
        ([ASK], "working", ""),
        ([ASK, {"type": "text-delta", "delta": "一"}, {"type": "text-delta", "delta": "二"}], "working", "一二"),
        ([ASK, {"type": "text-delta", "delta": "x"}, ANSWER], "done", "A"),
        ([ASK, ANSWER, {"type": "end"}], "done", "A"),
        ([ASK, ANSWER, {"type": "text-delta", "delta": "late"}], "done", "A"),
        ([ASK, {"type": "end"}], "failed", ""),
        ([ASK, {"type": "error", "errorText": "x"}], "failed", ""),
        ([ASK, {"type": "stop"}, ANSWER], "stopped", ""),
        ([ASK, {"type": "data-unknown"}, {"type": "finish"}], "working", ""),
        ([ASK, {"type": "ask", "question": "second"}], "working", ""),
        ([ASK, {"type": "data-answer", "data": {"reply": "x"}}], "failed", ""),
        ([ASK, {"type": "data-answer"}], "failed", ""),
        ([ASK, {"type": "data-step", "data": {"text": 3}}, {"type": "data-step"}], "working", ""),
        ([ASK, ANSWER, {"type": "restore", "state": {"turns": []}}], "done", "A"),
    ],
)
def test_states_of_a_turn(modules: Modules, events: list[Any], phase: str, text: str) -> None:
    """Each sequence of events ends in one state; what comes after the end changes nothing."""
    state = modules.run("reducer.js", REDUCE, events)
    assert [(turn["question"], turn["phase"], turn["text"]) for turn in state["turns"]] == [("q", phase, text)]


@pytest.mark.parametrize(
    "stored",
    [None, 3, {"turns": 1}, {"turns": [{"question": "q", "phase": "done"}]}, {"turns": [None]}, {"turns": [{}]}],
)
def test_damaged_storage_is_ignored(modules: Modules, stored: Any) -> None:
    """What comes back from storage counts only when it has the right shape."""
    assert modules.run("reducer.js", REDUCE, [{"type": "restore", "state": stored}])["turns"] == []


def test_what_was_interrupted_comes_back_stopped(modules: Modules) -> None:
    """A question that was being answered when the page went away is there again, and asks nothing by itself."""
    stored = {"turns": [{"question": "q", "phase": "working", "text": "half", "steps": ["s"]}], "conversation": "t"}
    state = modules.run("reducer.js", REDUCE, [{"type": "restore", "state": stored}])
    turn = state["turns"][0]
    assert (turn["phase"], turn["text"], turn["steps"], state["conversation"]) == ("stopped", "half", ["s"], "t")


def test_asking_again_takes_the_turn_out_of_the_conversation(modules: Modules) -> None:
    """The replaced turn is gone, and the question goes with the token that stood before it."""
    first = {"type": "data-answer", "data": {"answer": "A", "conversation": "t1"}}
    second = {"type": "data-answer", "data": {"answer": "B", "conversation": "t2"}}
    again = {"type": "ask", "question": "r", "replace": True}
    state = modules.run("reducer.js", REDUCE, [ASK, first, ASK, second, again])
    assert ([turn["question"] for turn in state["turns"]], state["conversation"]) == (["q", "r"], "t1")


def test_a_conversation_is_bounded(modules: Modules) -> None:
    """Old turns, steps without end and text without end are left behind."""
    steps = [{"type": "data-step", "data": {"text": "s"}}] * 100
    state = modules.run(
        "reducer.js", REDUCE, [ASK, ANSWER] * 9 + [ASK, *steps] + [{"type": "text-delta", "delta": "x" * 50_000}] * 3
    )
    turn = state["turns"][-1]
    assert (len(state["turns"]), len(turn["steps"]), len(turn["text"])) == (5, 40, 60_000)


@pytest.mark.parametrize(
    ("text", "quotes", "marked"),
    [
        ("甲。乙。", ["乙。"], "甲。乙。[1]"),
        ("甲。乙。", ["**乙**", "甲"], "甲。[1]乙。[1]"),
        ("It is 5.0 mm. Next.", ["It is `5.0` mm."], "It is 5.0 mm.[1] Next."),
        ("- one two\n- three", ["* [one](x) two"], "- one two\n- three[1]"),
        ("- one two\n- three", ["* one two"], "- one two[1]\n- three"),
        ("他说：“走。”然后走了。", ["走"], "他说：“走。”[1]然后走了。"),
        ("nothing alike", ["别的"], "nothing alike[1]"),
    ],
)
def test_numbers_stand_after_their_sentence(modules: Modules, text: str, quotes: list[str], marked: str) -> None:
    """A quote is found by its letters and digits; its number follows the sentence, closing marks included."""
    answer = {"answer": text, "evidence": [{"id": "e1"}], "citations": [{"evidence": "e1", "quote": q} for q in quotes]}
    body = """let out = "", from = 0; for (const { at, cites } of m.place(value).marks) {
      out += value.answer.slice(from, at) + cites.map((c) => `[${c.number}]`).join(""); from = at; }
    return out + value.answer.slice(from);"""
    assert modules.run("cite.js", body, answer) == marked


@pytest.mark.parametrize(
    ("url", "quote", "address"),
    [
        ("/repo/a/#b", "x-y", "https://h/repo/a/#b:~:text=x%2Dy"),
        ("/repo/a/", "**雨**", "https://h/repo/a/#:~:text=%E9%9B%A8"),
        ("/a/", "see `snake_case`, then the long part. End", "https://h/a/#:~:text=then%20the%20long%20part"),
        ("javascript:alert(1)", "", None),
        ("https://o.example/repo/", "", None),
        ("//o.example/repo/", "", None),
        ("data:text/html,x", "", None),
        ("http://[", "", None),
    ],
)
def test_addresses_of_citations(modules: Modules, url: str, quote: str, address: str | None) -> None:
    """Only web addresses become links; the quoted words ride along as a text fragment."""
    assert modules.run("cite.js", "return m.address(value[0], value[1], 'https://h/');", [url, quote]) == address


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("- **bold** and `code`, [link](x)", "bold and code, link"),
        ("> snake_case stays, _this_ does not", "snake_case stays, this does not"),
        ("| a  | b |", "a | b |"),
        ("Write:\n```sh\nmake\n```\nDone.", "Write: make Done."),
    ],
)
def test_quotes_are_shown_without_marks(modules: Modules, quote: str, shown: str) -> None:
    """A quote is a piece of Markdown; a reader sees its words."""
    assert modules.run("cite.js", "return m.readable(value);", quote) == shown


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("雨", ["雨后的气味", "Rain"]),
        ("气味", ["雨后的气味"]),
        ("雨后的味道", ["雨后的气味"]),
        ("RAIN gauge", ["Rain"]),
        ("rain 月亮", []),
        ("，。", []),
    ],
)
def test_filtering_the_list_of_pages(modules: Modules, query: str, titles: list[str]) -> None:
    """Every word must occur; a Chinese phrase that is not found whole counts by its pairs of characters."""
    pages = [
        {"title": "雨后的气味", "summary": "geosmin"},
        {"title": "Rain", "summary": "the gauge 雨量"},
        {"title": "Moon", "summary": ""},
    ]
    body = "return value[1].filter ? m.filter(value[1], value[0]).map((page) => page.title) : null;"
    assert modules.run("filter.js", body, [query, json.loads(json.dumps(pages))]) == titles


@pytest.mark.parametrize("size", [0, 1, 55, 56, 63, 64, 65, 1000, 100_000])
def test_the_hash_is_the_hash(modules: Modules, size: int) -> None:
    """SHA-256 without the browser's help, at every edge of its blocks."""
    body = "return [...m.digest('SHA-256', new Uint8Array(value).map((_, i) => i * 7))].map((b) => b.toString(16).padStart(2, '0')).join('');"
    assert modules.run("sha256.js", body, size) == hashlib.sha256(bytes(i * 7 % 256 for i in range(size))).hexdigest()


CARD = {"quote": "乙。", "start": 2, "end": 4}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("甲。乙。丙。", ["甲。", "乙。", "丙。"]),
        ("😀。乙。丙。", ["😀。", "乙。", "丙。"]),
        ("new text. 乙。", ["new text.", "乙。", ""]),
        ("gone", None),
        ("字" * 500 + "乙。" + "尾" * 500, ["…" + "字" * 180, "乙。", "尾" * 180 + "…"]),
    ],
)
def test_quotes_stand_in_their_context(modules: Modules, text: str, shown: list[str] | None) -> None:
    """Offsets count code points; a quote that moved is looked for, and one that is gone has no context."""
    body = "const c = m.context(value[0], value[1]); return c && [c.before, c.quote, c.after];"
    assert modules.run("card.js", body, [text, CARD]) == shown


def test_an_answer_as_markdown(modules: Modules) -> None:
    """Question, answer with numbers, sources with address and quote; brackets of a title make no link."""
    evidence = [{"id": "e1", "title": "A [b](c)", "section": [], "url": "/repo/a/"}]
    answer = {
        "answer": "甲。乙。",
        "evidence": evidence,
        "citations": [{"evidence": "e1", "quote": "**乙**。", "text": "乙。"}],
    }
    body = "return m.markdown(value, 'https://h/repo/');"
    expected = "**q**\n\n甲。乙。 [1]\n\n1. [A \\[b\\](c)](https://h/repo/a/): “乙。”\n"
    assert modules.run("share.js", body, {"question": "q", "answer": answer}) == expected


def test_a_link_is_to_a_question(modules: Modules) -> None:
    """What is shared is the site's home page with the question filled in."""
    body = "return m.shareable(value, 'https://h/repo/');"
    assert modules.run("share.js", body, "雨 & ?") == "https://h/repo/?ask=%E9%9B%A8+%26+%3F"
