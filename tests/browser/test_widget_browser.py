"""The widget in a browser, against a real server that cuts its stream anywhere."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.double import Served
from tests.browser.test_site_browser import PHONE, violations

SMALL_RAIN = "为什么小雨比暴雨更香？"


def ask(page: Page, question: str) -> None:
    """Open the panel and ask with the keyboard."""
    page.get_by_role("button", name="提问").or_(page.get_by_role("button", name="Ask")).first.click()
    page.keyboard.type(question)
    page.keyboard.press("Enter")


def test_asking_with_the_keyboard_alone(page: Page, answering: Served) -> None:
    """Tab to the button, Enter, type, Enter, Tab to the citation, Enter: the quoted heading; Esc returns focus."""
    page.goto(answering.url + "notes/on-call/")
    page.locator(".launch").focus()
    page.keyboard.press("Enter")
    page.keyboard.type(SMALL_RAIN)
    page.keyboard.press("Enter")
    cite = page.locator(".cite").last
    expect(cite).to_have_text("1")
    page.keyboard.press("Escape")
    assert page.evaluate("document.querySelector('geosmin-ask').shadowRoot.activeElement.className") == "launch"
    page.keyboard.press("Enter")
    cite.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/repo/garden/smell/**")
    assert page.evaluate("decodeURIComponent(location.hash)") == "#谁在制造它"


def test_the_answer_stands_with_its_sources(page: Page, answering: Served) -> None:
    """Sentences, a number after each, the sources with their quoted words, steps folded, the note on the model."""
    page.goto(answering.url + "notes/on-call/")
    ask(page, SMALL_RAIN)
    turn = page.locator(".turn")
    expect(turn.locator(".answer")).to_have_text(
        "雨滴落下，撞出细小的气泡，气泡破裂时把分子弹进空气。\u20601小雨比暴雨更香：雨滴太快，气泡来不及形成。\u20601"
    )
    expect(turn.locator("q")).to_have_count(2)
    expect(turn.locator("summary")).to_have_text("2 步")
    expect(turn.get_by_text("没有使用语言模型")).to_be_visible()
    assert answering.endpoint is not None
    assert answering.endpoint.asked == [{"question": SMALL_RAIN, "stream": True, "lang": "zh"}]


def test_a_follow_up_carries_the_conversation(page: Page, answering: Served) -> None:
    """The next question brings the token of the last answer, also after moving to another page of the site."""
    page.goto(answering.url + "notes/on-call/")
    ask(page, SMALL_RAIN)
    page.get_by_role("button", name="没有 GC–MS 时怎样比较土样？").click()
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn .sources").last).to_be_visible()
    page.goto(answering.url + "garden/soil/")
    expect(page.locator(".turn")).to_have_count(2)
    ask(page, "月亮有多重？")
    expect(page.locator(".turn").nth(2).locator(".sources")).to_be_visible()
    assert answering.endpoint is not None
    assert [body.get("conversation") for body in answering.endpoint.asked] == [None, "token-1", "token-1"]


def test_enter_during_composition_sends_nothing(page: Page, answering: Served) -> None:
    """Enter that confirms an input method's candidate is never a question, however the browser reports it."""
    page.goto(answering.url + "garden/soil/")
    page.locator(".launch").click()
    page.evaluate(
        """() => {
        const field = document.querySelector("geosmin-ask").shadowRoot.querySelector("textarea");
        field.value = "小雨";
        const press = (more) => field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...more }));
        press({ isComposing: true });
        press({ keyCode: 229 });
        field.dispatchEvent(new CompositionEvent("compositionstart"));
        press({});
        field.dispatchEvent(new CompositionEvent("compositionend"));
        press({});
        press({ shiftKey: true });
        }"""
    )
    expect(page.locator(".turn")).to_have_count(0)
    page.locator("textarea").press("Enter")
    expect(page.locator(".turn")).to_have_count(1)


def test_a_real_input_method_confirms_and_then_sends(page: Page, answering: Served) -> None:
    """Text composed through the browser's own input-method interface arrives whole, and Enter afterwards sends it."""
    page.goto(answering.url + "garden/soil/")
    page.locator(".launch").click()
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "yueliang", "selectionStart": 8, "selectionEnd": 8})
    session.send("Input.insertText", {"text": "月亮有多重？"})
    expect(page.locator("textarea")).to_have_value("月亮有多重？")
    page.keyboard.press("Enter")
    expect(page.locator(".turn .question")).to_have_text("月亮有多重？")


def test_no_answer_is_help(page: Page, answering: Served) -> None:
    """When the pages do not say, the nearest pages are named and linked."""
    page.goto(answering.url + "garden/soil/")
    ask(page, "月亮有多重？")
    link = page.locator(".sources a")
    expect(link).to_have_text("放线菌 › 习性")
    assert link.get_attribute("href") == answering.url + "garden/soil/bacteria/"


@pytest.mark.parametrize("mode", ["json", "slow"])
def test_other_ways_of_arriving(page: Page, answering: Served, mode: str) -> None:
    """An answer in one piece, or in crumbs over time, ends up the same."""
    assert answering.endpoint is not None
    answering.endpoint.mode = mode
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".cite")).to_have_count(2, timeout=10_000)


@pytest.mark.parametrize(("mode", "sentence"), [("cut", "回答还没完，连接就断了"), ("busy", "问得太密了")])
def test_errors_say_what_to_do(page: Page, answering: Served, mode: str, sentence: str) -> None:
    """A broken connection and a limit are a sentence, a way to ask again and the list of articles; nothing is lost."""
    assert answering.endpoint is not None
    answering.endpoint.mode = mode
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".problem")).to_contain_text(sentence)
    expect(page.locator(".turn").get_by_role("link", name="全部文章")).to_be_visible()
    answering.endpoint.mode = "stream"
    page.get_by_role("button", name="再问一次").click()
    expect(page.locator(".cite")).to_have_count(2)


def test_stopping(page: Page, answering: Served) -> None:
    """The button stops an answer that takes long, and the next question works."""
    assert answering.endpoint is not None
    answering.endpoint.mode = "slow"
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.get_by_role("button", name="停止").click()
    expect(page.locator(".turn")).to_contain_text("已停止")
    expect(page.locator(".send")).to_have_text("提问")


def test_a_host_without_the_function(page: Page, silent: Served) -> None:
    """On a plain web host the widget says so, and search filters the public list of pages."""
    page.goto(silent.url + "notes/rain/")
    ask(page, "hello")
    expect(page.locator(".problem")).to_contain_text("Questions are not answered here")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("小雨 geosmin")
    expect(page.get_by_role("option").first).to_contain_text("雨后的气味从哪里来")
    expect(page.locator("dialog")).to_contain_text("titles and summaries only")


def test_an_answer_is_never_markup(page: Page, answering: Served) -> None:
    """HTML, images, Markdown links and script addresses in an answer are text; nothing is requested."""
    page.goto(answering.url + "garden/soil/")
    ask(page, "evil")
    expect(page.locator(".answer")).to_contain_text('<img src="https://o.example/x.png">')
    assert page.evaluate("document.querySelector('geosmin-ask').shadowRoot.querySelectorAll('img').length") == 0
    hrefs = page.evaluate(
        "[...document.querySelector('geosmin-ask').shadowRoot.querySelectorAll('a')].map(a => a.href)"
    )
    assert [href for href in hrefs if "javascript" in href or "o.example" in href] == []


def test_a_question_of_the_page_is_asked_in_place(page: Page, answering: Served) -> None:
    """Clicking a question below an article opens the panel with its answer."""
    page.goto(answering.url + "garden/smell/")
    page.get_by_role("link", name=SMALL_RAIN).click()
    expect(page.locator(".cite")).to_have_count(2)


def test_a_link_with_a_question_spends_nothing(page: Page, answering: Served) -> None:
    """`?ask=` fills the box on the home page and waits for the reader."""
    page.goto(answering.url + "?ask=月亮有多重？")
    expect(page.locator("textarea")).to_have_value("月亮有多重？")
    assert answering.endpoint is not None
    assert answering.endpoint.asked == []


def test_the_home_page_answers_in_place(page: Page, answering: Served) -> None:
    """A starter on the home page is asked in the box and answered below it."""
    page.goto(answering.url)
    page.get_by_role("button", name=SMALL_RAIN).click()
    expect(page.locator(".inline .cite")).to_have_count(2)
    expect(page.locator(".launch")).to_have_count(0)


def test_searching_with_the_keyboard(page: Page, answering: Served) -> None:
    """`/` opens, arrows choose, Enter opens the page at its heading, Esc gives the focus back, Ctrl Enter asks."""
    page.goto(answering.url + "notes/on-call/")
    page.locator(".g-brand").focus()
    page.keyboard.press("/")
    page.keyboard.type("小雨")
    first = page.get_by_role("option").first
    expect(first.locator("mark")).to_have_text("小雨")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option").last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_hidden()
    assert page.evaluate("document.activeElement.className") == "g-brand"
    page.keyboard.press("Control+k")
    expect(page.locator("dialog input")).to_have_value("小雨")
    expect(first).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".turn .question")).to_have_text("小雨")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    expect(first).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url("**/garden/smell/**")


def test_the_box_on_the_home_page_searches_too(page: Page, answering: Served) -> None:
    """What was typed into the box on the home page is searched with the button beside it, on a phone as well."""
    page.goto(answering.url)
    page.locator("textarea").fill("小雨")
    page.get_by_role("button", name="搜索", exact=True).click()
    expect(page.locator("dialog input")).to_have_value("小雨")
    expect(page.get_by_role("option").first).to_contain_text("雨后的气味从哪里来")


def test_a_slash_in_a_field_is_a_slash(page: Page, answering: Served) -> None:
    """Typing / into the question box does not open the search."""
    page.goto(answering.url)
    page.locator("textarea").focus()
    page.keyboard.type("a/b")
    expect(page.locator("textarea")).to_have_value("a/b")
    expect(page.locator("geosmin-search")).to_have_count(0)


@pytest.mark.parametrize("context", [{}, {**PHONE, "color_scheme": "dark"}], indirect=True, ids=["wide", "dark phone"])
def test_axe_finds_nothing_in_panel_and_dialog(page: Page, answering: Served) -> None:
    """The open panel with an answer, and the open search dialog with results, have no violation."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".cite")).to_have_count(2)
    page.wait_for_timeout(200)  # the panel's arrival: axe must not see half-transparent text
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("小雨")
    expect(page.get_by_role("option")).to_have_count(2)
    assert violations(page) == []


def test_loading_the_script_twice_is_loading_it_once(page: Page, answering: Served) -> None:
    """A second import and a move in the document leave one instance with its conversation."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".cite")).to_have_count(2)
    page.evaluate("import(document.querySelector('script[src*=geosmin-ask]').src + '?again')")
    page.evaluate("document.body.prepend(document.querySelector('geosmin-ask'))")
    expect(page.locator(".launch")).to_have_count(1)
    expect(page.locator(".turn")).to_have_count(1)


def test_the_screen_reader_hears_only_what_is_new(page: Page, answering: Served) -> None:
    """The status line ends with the end of the answer; the log itself is not a live region."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator("geosmin-ask [role=status]")).to_contain_text("回答完毕")
    assert page.locator(".log").get_attribute("aria-live") is None
