"""What a reader can check: cards, notes, what was searched; and what a reader can say and take along."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import MOON, SMALL_RAIN, ask, focused, stream
from tests.browser.double import PASSAGE, Served
from tests.browser.double import answer as answer_of


def test_the_card_shows_the_quote_in_its_context(page: Page, answering: Served) -> None:
    """A chip fetches its passage when it is opened, not before, and marks the quoted words in it."""
    assert answering.endpoint is not None
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    chip = page.locator(".cite").last
    expect(chip).to_have_attribute("aria-expanded", "false")
    assert answering.endpoint.read == []
    chip.click()
    expect(page.locator(".card mark")).to_have_text("小雨比暴雨更香：雨滴太快，气泡来不及形成。")
    expect(page.locator(".card blockquote")).to_have_text(PASSAGE.replace("*", ""))
    expect(chip).to_have_attribute("aria-expanded", "true")
    assert answering.endpoint.read == [{"locators": ["chunk:smell"]}]


def test_a_card_without_its_passage_shows_the_quote(page: Page, answering: Served) -> None:
    """When the passage cannot be fetched, the words of the citation stand alone, and the link works."""
    assert answering.endpoint is not None
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".cite")).to_have_count(2)
    answering.endpoint.mode = "unreadable"
    page.locator(".cite").last.click()
    expect(page.locator(".card blockquote")).to_have_text("小雨比暴雨更香：雨滴太快，气泡来不及形成。")


def test_the_link_shows_the_words_on_the_page(page: Page, answering: Served) -> None:
    """The card's link leads to the heading with the quoted words as a text fragment, and the browser scrolls to them."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.locator(".cite").last.click()
    link = page.locator(".card a")
    assert ":~:text=" in (link.get_attribute("href") or "")
    link.click()
    page.wait_for_url("**/repo/garden/smell/**")
    expect(page.locator("main li", has_text="小雨比暴雨更香：").last).to_be_in_viewport()


def test_one_card_at_a_time(page: Page, answering: Served) -> None:
    """Opening another chip closes the first card; a second click on a chip closes its own."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.locator(".cite").first.click()
    page.locator(".cite").last.click()
    expect(page.locator(".card")).to_have_count(1)
    page.locator(".cite").last.click()
    expect(page.locator(".card")).to_have_count(0)


def test_escape_closes_the_card_first(page: Page, answering: Served) -> None:
    """Esc inside a card gives the focus back to its chip; the panel stays until the next Esc."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.locator(".cite").first.click()
    page.locator(".card a").focus()
    page.keyboard.press("Escape")
    expect(page.locator(".card")).to_have_count(0)
    assert focused(page) == "cite"
    page.keyboard.press("Escape")
    expect(page.locator("dialog.sheet")).to_be_hidden()


def test_no_answer_is_help(page: Page, answering: Served) -> None:
    """When the pages do not say, the nearest pages are named and linked, and the words can be searched."""
    page.goto(answering.url + "garden/soil/")
    ask(page, MOON)
    link = page.locator(".help .sources a")
    expect(link).to_have_text("放线菌 › 习性")
    assert link.get_attribute("href") == answering.url + "garden/soil/bacteria/"
    expect(page.get_by_role("link", name="用这些词搜索页面")).to_be_visible()
    expect(page.locator(".problem")).to_have_count(0)


WEAK = "这个回答可能不准确：匹配程度不高，请核对原文后再采用。"
NOTES = {
    "sure": ({"confidence": 0.9}, ["页面与这个问题很吻合。"]),
    "fair": ({"confidence": 0.7}, ["页面与这个问题比较吻合。"]),
    "weak": ({"confidence": 0.55, "uncertainties": [WEAK]}, [WEAK]),
    "no model": (
        {"diagnostics": {"degraded": ["no_model"]}},
        ["页面与这个问题很吻合。", "直接引用原文作答，没有使用语言模型。"],
    ),
    "spent": (
        {"status": "degraded", "diagnostics": {"degraded": ["limit:budget", "no_model"]}},
        ["页面与这个问题很吻合。", "语言模型暂时休息，这里改为直接引用原文。"],
    ),
    "degraded": (
        {"status": "degraded", "diagnostics": {"degraded": ["dense_failed"]}},
        ["页面与这个问题很吻合。", "部分检索失败，可能有遗漏。"],
    ),
}


@pytest.mark.parametrize("kind", NOTES)
def test_each_note_has_its_own_words(page: Page, answering: Served, kind: str) -> None:
    """How well the pages match, what may be wrong and what was missing are calm sentences, each once."""
    fields, notes = NOTES[kind]
    evidence = [{"id": "e1", "title": "T", "url": "/repo/garden/smell/", "section": []}]
    cited = {
        "answer": "甲。",
        "evidence": evidence,
        "citations": [{"evidence": "e1", "quote": "甲。", "start": 0, "end": 2}],
    }
    base = answer_of(**cited, diagnostics={"degraded": []})
    assert answering.endpoint is not None
    answering.endpoint.script = stream({"type": "data-answer", "data": base | fields})
    page.goto(answering.url + "garden/soil/")
    ask(page, "x")
    expect(page.locator(".notes li")).to_have_text(notes)


def test_what_was_done_can_be_unfolded(page: Page, answering: Served) -> None:
    """The steps fold when the answer is there, and open again."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".steps")).to_be_hidden()
    page.locator(".turn summary").first.click()
    expect(page.locator(".steps li")).to_have_text(["检索：小雨", "阅读：雨后的气味"])


def test_a_thumb_up_is_sent_once(page: Page, answering: Served) -> None:
    """One click tells the owner, is thanked for, and the buttons are gone, also on the next page."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.get_by_role("button", name="有用").click()
    expect(page.locator(".said")).to_have_text("谢谢，已记下。")
    assert answering.endpoint is not None
    sent = {"rating": "up", "question": SMALL_RAIN, "comment": "", "build_id": "b0123456789abcdef"}
    assert answering.endpoint.told == [sent]
    page.goto(answering.url + "articles/")
    page.locator(".launch").click()
    expect(page.locator(".said")).to_be_visible()


def test_a_thumb_down_asks_why(page: Page, answering: Served) -> None:
    """Reasons are offered with the focus on the first; the chosen one goes along."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.get_by_role("button", name="没用").click()
    expect(page.get_by_role("button", name="说错了")).to_be_focused()
    page.get_by_role("button", name="不完整").click()
    expect(page.locator(".said")).to_be_visible()
    assert answering.endpoint is not None
    assert [(told["rating"], told["comment"]) for told in answering.endpoint.told] == [("down", "不完整")]


def test_feedback_that_cannot_be_sent_says_so(page: Page, answering: Served) -> None:
    """A function that does not take it is no error for the reader."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.route("**/feedback", lambda route: route.abort())
    page.get_by_role("button", name="有用").click()
    expect(page.locator(".said")).to_have_text("没能送出。")


def test_an_answer_can_be_copied_with_its_sources(page: Page, answering: Served) -> None:
    """The clipboard holds Markdown: question, answer with numbers, sources with addresses and quotes."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.locator(".actions").get_by_role("button", name="复制").click()
    expect(page.get_by_role("button", name="已复制")).to_be_visible()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith(f"**{SMALL_RAIN}**\n\n雨滴落下，")
    assert f"1. [雨后的气味从哪里来 › 谁在制造它]({answering.url}garden/smell/#" in text


def test_a_question_can_be_shared_and_not_its_answer(page: Page, answering: Served) -> None:
    """The address opens the home page with the question filled in, and asks nothing."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.get_by_role("button", name="问题链接").click()
    expect(page.get_by_role("button", name="已复制")).to_be_visible()
    other = page.context.new_page()
    other.goto(page.evaluate("navigator.clipboard.readText()"))
    expect(other.locator("textarea")).to_have_value(SMALL_RAIN)
    assert answering.endpoint is not None
    assert len(answering.endpoint.asked) == 1


def test_where_copying_is_blocked_the_text_can_be_selected(page: Page, answering: Served) -> None:
    """Without the browser's permission the text stands in a field, selected."""
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.get_by_role("button", name="问题链接").click()
    expect(page.locator(".copy textarea")).to_be_focused()
    expect(page.locator(".copy textarea")).to_have_value(page.evaluate("location.origin") + "/repo/?ask=" + QUOTED)


QUOTED = "%E4%B8%BA%E4%BB%80%E4%B9%88%E5%B0%8F%E9%9B%A8%E6%AF%94%E6%9A%B4%E9%9B%A8%E6%9B%B4%E9%A6%99%EF%BC%9F"
