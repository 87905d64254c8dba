"""When things fail: a sentence that says what happened, what to do, and what the static site still finds."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import SMALL_RAIN, ask, stream
from tests.browser.double import Served

SENTENCES = {
    "cut": "回答还没完，连接就断了",
    "busy": "请过 7 秒再问",
    "long": "没能读懂",
    "off": "暂时不能回答问题",
    "unreadable question": "没能读懂",
    "unknown key": "版本不同",
    "fault": "对面出了点问题",
    "another program": "版本不同",
    "a web page": "暂时不能回答问题",
}


@pytest.mark.parametrize("mode", SENTENCES)
def test_errors_say_what_to_do(page: Page, answering: Served, mode: str) -> None:
    """Each failure is a sentence of its own with a way to ask again and to search; nothing is lost."""
    assert answering.endpoint is not None
    answering.endpoint.mode = mode
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".problem")).to_contain_text(SENTENCES[mode])
    expect(page.locator(".problem").get_by_role("link", name="用这些词搜索页面")).to_be_visible()
    answering.endpoint.mode = "stream"
    page.get_by_role("button", name="再问一次").click()
    expect(page.locator(".cite")).to_have_count(2)
    expect(page.locator(".turn")).to_have_count(1)


STEP = {"type": "data-step", "id": "s1", "data": {"text": "检索：x"}}
HALF = {"type": "text-delta", "id": "t1", "delta": "半句话。"}
SCRIPTS = {
    "an error inside": (stream(STEP, HALF, {"type": "error", "errorText": "x"}, {"type": "finish"}), "对面出了点问题"),
    "no answer at the end": (stream(STEP, HALF, {"type": "finish"}), "连接就断了"),
    "no JSON": (b"data: {broken\n\n", "连接就断了"),
    "an answer of another shape": (stream({"type": "data-answer", "data": {"text": "x"}}), "版本不同"),
}


@pytest.mark.parametrize("kind", SCRIPTS)
def test_streams_that_go_wrong(page: Page, answering: Served, kind: str) -> None:
    """An error part, an early end, broken JSON and a strange answer end in a sentence; text that came stays."""
    script, sentence = SCRIPTS[kind]
    assert answering.endpoint is not None
    answering.endpoint.script = script
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".problem")).to_contain_text(sentence)
    assert page.locator(".answer").count() == (HALF["delta"].encode() in script)


def test_strange_parts_are_passed_over(page: Page, answering: Served) -> None:
    """Parts of a later version and fields of a wrong type change nothing about the answer."""
    found = {
        "answer": "好。",
        "evidence": "x",
        "citations": [None, 3],
        "nearest": [{}],
        "follow_ups": [{}, "问？"],
        "confidence": "high",
    }
    parts = (
        {"type": "data-new", "data": 1},
        {"type": "data-step"},
        {"type": "text-delta"},
        {"type": "data-answer", "data": found},
    )
    assert answering.endpoint is not None
    answering.endpoint.script = stream(*parts)
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".answer")).to_have_text("好。")
    expect(page.locator(".turn .starters button")).to_have_text(["问？"])


def test_offline_is_called_offline(page: Page, answering: Served) -> None:
    """Without a network the sentence says so, and only a click asks again."""
    page.goto(answering.url + "garden/soil/")
    page.context.set_offline(True)
    ask(page, SMALL_RAIN)
    expect(page.locator(".problem")).to_contain_text("没有联网")
    page.context.set_offline(False)
    page.wait_for_timeout(300)
    assert answering.endpoint is not None
    assert answering.endpoint.asked == []
    page.get_by_role("button", name="再问一次").click()
    expect(page.locator(".cite")).to_have_count(2)


def test_silence_ends_in_a_sentence(page: Page, answering: Served) -> None:
    """A function that says nothing at all is given up after half a minute."""
    page.clock.install()
    page.goto(answering.url + "garden/soil/")
    page.route("**/qa/chat", lambda route: None)
    ask(page, SMALL_RAIN)
    page.clock.run_for(31_000)
    expect(page.locator(".problem")).to_contain_text("连不上问答服务")


def test_a_host_without_the_function_finds_pages_instead(page: Page, silent: Served) -> None:
    """On a plain web host the box says so, and lists what the site's own files find for the same words."""
    page.goto(silent.url + "notes/rain/")
    ask(page, "小雨")
    expect(page.locator(".problem")).to_contain_text("Questions are not answered here")
    expect(page.locator(".problem .sources a").first).to_have_text("雨后的气味从哪里来")


def test_search_without_the_function_says_so(page: Page, silent: Served) -> None:
    """On a plain web host search filters the public list of pages."""
    page.goto(silent.url + "notes/rain/")
    page.keyboard.press("Control+k")
    page.keyboard.type("小雨 geosmin")
    expect(page.get_by_role("option").first).to_contain_text("雨后的气味从哪里来")
    expect(page.locator("geosmin-search dialog")).to_contain_text("titles and summaries only")


def test_meaning_without_the_function_says_so(page: Page, silent: Served) -> None:
    """A static host knows words only; whoever asks for meaning is told, and still finds the titles."""
    page.goto(silent.url + "search/?q=小雨&mode=meaning")
    expect(page.locator("main")).to_contain_text("雨后的气味从哪里来")
    expect(page.locator("[role=status]").first).to_contain_text("only")


def test_without_script_there_is_a_link(page: Page, answering: Served) -> None:
    """Where no script runs, the box on the home page is a sentence with a link to the list of pages."""
    page.route("**/*.js", lambda route: route.abort())  # as an ad blocker does
    page.goto(answering.url)
    expect(page.locator("geosmin-ask a")).to_be_visible()


def test_leaving_ends_the_request(page: Page, answering: Served) -> None:
    """Closing the page in the middle of an answer ends the connection, so that the function can stop too."""
    assert answering.endpoint is not None
    answering.endpoint.mode = "slow"
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".steps li").first).to_be_visible()
    page.goto("about:blank")
    assert answering.endpoint.left.wait(2)
