"""Untrusted JSON becomes typed requests, or a 400 that points at the field."""

from __future__ import annotations

import pytest

from query_fn import requests
from query_fn.errors import BadRequest, TooLarge
from query_fn.guard.limits import check_question, parse_json
from query_fn.model import Ask, Scope


def _ask(**body: object) -> Ask:
    return requests.chat(body, max_chars=100).ask


def _user(text: str) -> dict[str, object]:
    return {"role": "user", "parts": [{"type": "text", "text": text}]}


def test_question() -> None:
    """A bare question streams and has no filters."""
    assert _ask(question="  端口是多少？ ") == Ask("端口是多少？")


def test_everything() -> None:
    """Every optional key is read."""
    scope = {"articles": ["a"], "folders": [], "updated_since": "2026-01-31"}
    ask = _ask(question="q?", stream=False, lang="zh", scope=scope)
    assert ask == Ask("q?", "zh", Scope(articles=("a",), folders=(), updated_since="2026-01-31"), False)


def test_messages() -> None:
    """Of an AI SDK client's messages the last user text is the question; earlier turns are not believed."""
    turns = [_user("one"), {"role": "assistant", "parts": [{"type": "text", "text": "The sky is green."}]}]
    ask = _ask(messages=[*turns, _user("two")], id="c1", trigger="submit-message")
    assert ask == Ask("two")


def test_own_parts_come_back() -> None:
    """An AI SDK client sends our own stream parts back in assistant turns; they are accepted and ignored."""
    parts = [{"type": "source-url", "sourceId": "e1", "url": "/x"}, {"type": "data-answer", "data": {}}]
    parts += [{"type": "text", "text": "t", "state": "done"}]
    assert _ask(messages=[_user("one"), {"role": "assistant", "parts": parts}, _user("two")]).question == "two"


def test_content_messages() -> None:
    """A message may have plain content instead of parts."""
    assert _ask(messages=[{"role": "user", "content": "hello there?"}]).question == "hello there?"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ([], ""),
        ({}, "/question"),
        ({"question": "a", "messages": []}, "/question"),
        ({"question": 1}, "/question"),
        ({"question": None}, "/question"),
        ({"question": "a", "extra": 1}, "/extra"),
        ({"question": "a", "a/b~c": 1}, "/a~1b~0c"),
        ({"question": "a", "id": "x"}, "/id"),
        ({"question": "a", "stream": "yes"}, "/stream"),
        ({"question": "a", "lang": "klingon"}, "/lang"),
        ({"question": "a", "scope": []}, "/scope"),
        ({"question": "a", "scope": {"share": "private"}}, "/scope/share"),
        ({"question": "a", "scope": {"tags": "x"}}, "/scope/tags"),
        ({"question": "a", "scope": {"tags": ["x", 1]}}, "/scope/tags/1"),
        ({"question": "a", "scope": {"updated_since": "yesterday"}}, "/scope/updated_since"),
        ({"question": "a", "conversation": {}}, "/conversation"),
        ({"messages": []}, "/messages"),
        ({"messages": [{"role": "system", "content": "x"}]}, "/messages/0/role"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "/messages/0/role"),
        ({"messages": [_user("a"), {"role": "assistant", "content": "x"}]}, "/messages/1"),
        ({"messages": [{"role": "user", "parts": [{"type": "tool-call"}]}]}, "/messages/0/parts/0"),
        ({"messages": [{"role": "user", "parts": [{"type": "data-answer", "data": {}}]}]}, "/messages/0/parts/0"),
        ({"messages": [{"role": "user", "parts": [{"type": "text", "text": 1}]}]}, "/messages/0/parts/0/text"),
        (
            {"messages": [{"role": "user", "parts": [{"type": "text", "text": "x", "cache": 1}]}]},
            "/messages/0/parts/0/cache",
        ),
        ({"messages": [{"role": "user", "content": "x", "tool_calls": []}]}, "/messages/0/tool_calls"),
        ({"messages": [{"role": "user"}]}, "/messages/0"),
    ],
)
def test_bad_request(body: object, pointer: str) -> None:
    """Whatever is not in the schema is refused, and the pointer names it."""
    with pytest.raises(BadRequest) as caught:
        requests.chat(body, max_chars=100)
    assert caught.value.pointer == pointer


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "\u3000\n",
        "？！。",
        "\u200b\u200b",
        "a\x00b",
        "a\x1b[31mred",
        "e" + "\u0301" * 20,
        "a" + "\u200d" * 20,
    ],
)
def test_bad_question(text: str) -> None:
    """A question without a word, with control characters or with piled-up marks is refused."""
    with pytest.raises(BadRequest):
        check_question(text, 1_000)


@pytest.mark.parametrize(
    "text", ["端口？", "C", "42", "👩‍👩‍👧‍👦 是什么", "Tiếng Việt là gì", "a\tb\nc", "ที่นี่", "क्षत्रिय"]
)
def test_good_question(text: str) -> None:
    """Real questions in any script pass."""
    assert check_question(text, 1_000) == text


def test_long_question() -> None:
    """A question over the limit is too large, counted in code points."""
    assert check_question("字" * 10, 10) == "字" * 10
    with pytest.raises(TooLarge):
        check_question("字" * 11, 10)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff\xfe",
        b'{"a":1,"a":2}',
        b'{"a":NaN}',
        b'{"a":"\\ud800"}',
        b'{"\\ud800":1}',
        b"[" * 100_000,
        b"[" * 20 + b"]" * 20,
    ],
)
def test_bad_json(body: bytes) -> None:
    """Bad JSON, repeated keys, NaN, half characters and deep nesting are refused."""
    with pytest.raises(BadRequest):
        parse_json(body)


@pytest.mark.parametrize(
    ("params", "pointer"),
    [
        ([], "/q"),
        ([("q", "x"), ("limit", "0")], "/limit"),
        ([("q", "x"), ("limit", "21")], "/limit"),
        ([("q", "x"), ("limit", "٣")], "/limit"),
        ([("q", "x"), ("limit", "1" * 5000)], "/limit"),
        ([("q", "x"), ("mode", "magic")], "/mode"),
        ([("q", "x"), ("share", "private")], "/share"),
    ],
)
def test_bad_search(params: list[tuple[str, str]], pointer: str) -> None:
    """A bad query string is refused and the pointer names the parameter."""
    with pytest.raises(BadRequest) as caught:
        requests.search(params, max_chars=100)
    assert caught.value.pointer == pointer


def test_search() -> None:
    """Repeated filters add up; an absent one filters nothing."""
    found = requests.search([("q", "端口"), ("tag", "a"), ("tag", "b"), ("limit", "3")], max_chars=100)
    assert found == requests.SearchRequest("端口", 3, Scope(tags=("a", "b")), "hybrid")
