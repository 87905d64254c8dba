"""Asking in a browser, against a real server that cuts its stream anywhere."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import MOON, SMALL_RAIN, ask, stream
from tests.browser.double import Served


def test_the_answer_stands_with_its_sources(page: Page, answering: Served) -> None:
    """Sentences, a number after each, the sources with their quoted words, steps folded, the note on the model."""
    page.goto(answering.url + "notes/on-call/")
    ask(page, SMALL_RAIN)
    turn = page.locator(".turn")
    expect(turn.locator(".answer")).to_have_text(
        "雨滴落下，撞出细小的气泡，气泡破裂时把分子弹进空气。\u20601小雨比暴雨更香：雨滴太快，气泡来不及形成。\u20601"
    )
    expect(turn.locator("q")).to_have_count(2)
    expect(turn.locator("summary").first).to_have_text("怎样找到的（2）")
    expect(turn.get_by_text("没有使用语言模型")).to_be_visible()
    assert answering.endpoint is not None
    assert answering.endpoint.asked == [{"question": SMALL_RAIN, "stream": True, "lang": "zh"}]


def test_the_body_comes_with_its_hash(page: Page, answering: Served) -> None:
    """A CDN that signs requests finds the SHA-256 of the exact bytes, Chinese included."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".cite")).to_have_count(2)
    assert answering.endpoint is not None
    assert answering.endpoint.hashes == [True]


def test_the_hash_needs_no_secure_page(page: Page, answering: Served) -> None:
    """Where the browser offers no hash, as on a page without TLS, the widget computes the same one."""
    page.add_init_script("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".cite")).to_have_count(2)
    assert answering.endpoint is not None
    assert answering.endpoint.hashes == [True]


def test_an_article_offers_its_own_questions(page: Page, answering: Served) -> None:
    """The empty panel of a page offers the questions that the page answers; a click asks one."""
    page.goto(answering.url + "garden/smell/")
    page.locator(".launch").click()
    page.locator(".starters").get_by_role("button", name=SMALL_RAIN).click()
    expect(page.locator(".cite")).to_have_count(2)


def test_asking_about_this_page_only(page: Page, answering: Served) -> None:
    """With the box ticked the question goes with the page's id as its scope, and asking again keeps it."""
    page.goto(answering.url + "garden/smell/")
    page.locator(".launch").click()
    page.get_by_label("只问这一页").check()
    ask(page, SMALL_RAIN)
    page.get_by_role("button", name="再问一次").click()
    expect(page.locator(".cite")).to_have_count(2)
    assert answering.endpoint is not None
    scopes = [body["scope"] for body in answering.endpoint.asked]
    assert scopes[0] == scopes[1]
    assert list(scopes[0]) == ["articles"]
    assert len(scopes[0]["articles"]) == 1


def test_a_page_that_is_no_article_has_no_such_box(page: Page, answering: Served) -> None:
    """A list of articles cannot be asked about alone."""
    page.goto(answering.url + "articles/")
    page.locator(".launch").click()
    expect(page.get_by_label("只问这一页")).to_have_count(0)


def test_steps_show_while_the_answer_is_made(page: Page, answering: Served) -> None:
    """The first line stands at once; each step of the function is a line of its own."""
    assert answering.endpoint is not None
    answering.endpoint.mode = "slow"
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".turn .quiet")).to_have_text("正在检索……")
    expect(page.locator(".steps li")).to_have_text(["检索：小雨", "阅读：雨后的气味"])


def test_a_follow_up_carries_the_conversation(page: Page, answering: Served) -> None:
    """The next question brings the token of the last answer, also after moving to another page of the site."""
    page.goto(answering.url + "notes/on-call/")
    ask(page, SMALL_RAIN)
    page.get_by_role("button", name="没有 GC–MS 时怎样比较土样？").click()
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn").nth(1).locator(".actions")).to_be_visible()
    page.goto(answering.url + "garden/soil/")
    page.locator(".launch").click()
    expect(page.locator(".turn")).to_have_count(2)
    ask(page, MOON)
    expect(page.locator(".turn").nth(2).locator(".sources")).to_be_visible()
    assert answering.endpoint is not None
    assert [body.get("conversation") for body in answering.endpoint.asked] == [None, "token-1", "token-1"]


def test_editing_replaces_the_last_question(page: Page, answering: Served) -> None:
    """The words come back into the field; what is sent then stands where the old answer stood, in the same conversation."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.get_by_role("button", name="修改").click()
    field = page.locator("form textarea")
    expect(field).to_be_focused()
    expect(field).to_have_value(SMALL_RAIN)
    expect(page.locator(".note")).to_contain_text("替换")
    ask(page, MOON)
    expect(page.locator(".turn .question")).to_have_text([MOON])
    expect(page.locator(".help")).to_be_visible()
    assert answering.endpoint is not None
    assert [body.get("conversation") for body in answering.endpoint.asked] == [None, None]


def test_escape_gives_editing_up(page: Page, answering: Served) -> None:
    """Esc empties the field and keeps answer and panel; a second Esc closes the panel."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.get_by_role("button", name="修改").click()
    page.keyboard.press("Escape")
    expect(page.locator("form textarea")).to_have_value("")
    expect(page.locator(".cite")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator("dialog.sheet")).to_be_hidden()


def test_stopping(page: Page, answering: Served) -> None:
    """The button stops an answer that takes long, and the next question works."""
    assert answering.endpoint is not None
    answering.endpoint.mode = "slow"
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.wait_for_timeout(450)
    page.get_by_role("button", name="停止").click()
    expect(page.locator(".turn")).to_contain_text("没有答完就停下了")
    expect(page.locator(".send")).to_have_text("提问")


def test_sending_twice_asks_once(page: Page, answering: Served) -> None:
    """A double click on the button is one question, and does not stop it either."""
    assert answering.endpoint is not None
    answering.endpoint.mode = "slow"
    page.goto(answering.url + "garden/soil/")
    page.locator(".launch").click()
    page.locator("form textarea").fill(SMALL_RAIN)
    page.locator(".send").dblclick()
    expect(page.locator(".cite")).to_have_count(2, timeout=10_000)
    assert len(answering.endpoint.asked) == 1


def test_a_megabyte_is_cut_before_it_is_sent(page: Page, answering: Served) -> None:
    """A huge paste is cut to the limit at once, and the reader is told how long it was."""
    page.goto(answering.url + "garden/soil/")
    page.locator(".launch").click()
    page.locator("form textarea").evaluate(
        "field => { field.focus(); document.execCommand('insertText', false, '雨'.repeat(1_000_000)); }"
    )
    expect(page.locator(".note")).to_have_text("共 1000000 个字符，只保留前 2000 个。")
    page.keyboard.press("Enter")
    expect(page.locator(".actions")).to_be_visible()
    assert answering.endpoint is not None
    assert [len(body["question"]) for body in answering.endpoint.asked] == [2000]


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
        press({ repeat: true });
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
    session.send("Input.insertText", {"text": MOON})
    expect(page.locator("textarea")).to_have_value(MOON)
    page.keyboard.press("Enter")
    expect(page.locator(".turn .question")).to_have_text(MOON)


@pytest.mark.parametrize("mode", ["json", "slow"])
def test_other_ways_of_arriving(page: Page, answering: Served, mode: str) -> None:
    """An answer in one piece, or in crumbs over time, ends up the same."""
    assert answering.endpoint is not None
    answering.endpoint.mode = mode
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".cite")).to_have_count(2, timeout=10_000)


def test_an_answer_in_one_piece_says_how_it_was_found(page: Page, answering: Served) -> None:
    """Without live steps, what was searched and read comes from the answer itself."""
    assert answering.endpoint is not None
    answering.endpoint.mode = "json"
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.locator(".turn summary").first.click()
    expect(page.locator(".steps li")).to_have_text(["雨后的气味从哪里来 › 谁在制造它"])


def test_starting_over_forgets(page: Page, answering: Served) -> None:
    """The button clears the conversation from the panel and from the tab."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.get_by_role("button", name="重新开始").click()
    expect(page.locator(".turn")).to_have_count(0)
    assert page.evaluate("sessionStorage.length") == 0
    page.reload()
    page.locator(".launch").click()
    expect(page.locator(".turn")).to_have_count(0)


def test_starting_over_in_the_middle_leaves_nothing_behind(page: Page, answering: Served) -> None:
    """The next question can be asked at once, and nothing of the answer that was being made arrives in it."""
    assert answering.endpoint is not None
    answering.endpoint.mode = "slow"
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".steps li").first).to_be_visible()
    page.get_by_role("button", name="重新开始").click()
    answering.endpoint.mode = "stream"
    ask(page, MOON)
    expect(page.locator(".help")).to_be_visible()
    expect(page.locator(".turn .question")).to_have_text([MOON])


def test_the_conversation_stays_in_the_tab(page: Page, answering: Served) -> None:
    """No cookie, nothing in the browser's lasting storage; another tab knows nothing."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".cite")).to_have_count(2)
    assert page.evaluate("[document.cookie, JSON.stringify(localStorage)]") == ["", "{}"]
    other = page.context.new_page()
    other.goto(answering.url + "garden/soil/")
    other.locator(".launch").click()
    expect(other.locator(".turn")).to_have_count(0)


def test_back_and_forward_ask_nothing_again(page: Page, answering: Served) -> None:
    """Leaving in the middle of an answer and coming back shows the question, stopped; only a click asks again."""
    assert answering.endpoint is not None
    answering.endpoint.mode = "slow"
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".steps li").first).to_be_visible()
    page.goto(answering.url + "articles/")
    page.go_back()
    page.go_forward()
    page.go_back()
    page.locator(".launch").click()
    expect(page.locator(".turn")).to_contain_text("没有答完就停下了")
    assert len(answering.endpoint.asked) == 1


def test_a_question_of_the_page_is_asked_in_place(page: Page, answering: Served) -> None:
    """Clicking a question below an article opens the panel with its answer; Esc gives the focus back to the link."""
    page.goto(answering.url + "garden/smell/")
    page.get_by_role("link", name=SMALL_RAIN).click()
    expect(page.locator(".cite")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name=SMALL_RAIN)).to_be_focused()


def test_a_link_with_a_question_spends_nothing(page: Page, answering: Served) -> None:
    """`?ask=` fills the box on the home page and waits for the reader."""
    page.goto(answering.url + f"?ask={MOON}")
    expect(page.locator("textarea")).to_have_value(MOON)
    assert answering.endpoint is not None
    assert answering.endpoint.asked == []


def test_the_home_page_answers_in_place(page: Page, answering: Served) -> None:
    """A starter on the home page is asked in the box and answered below it."""
    page.goto(answering.url)
    page.get_by_role("button", name=SMALL_RAIN).click()
    expect(page.locator(".inline .cite")).to_have_count(2)
    expect(page.locator(".launch")).to_have_count(0)


def test_code_in_an_answer_stays_code(page: Page, answering: Served) -> None:
    """A fence becomes a block that scrolls; its lines are not read as lists or emphasis."""
    answer = {"type": "data-answer", "data": {"answer": "Write:\n```sh\n- **a**\n1. b\n```\nDone."}}
    assert answering.endpoint is not None
    answering.endpoint.script = stream(answer)
    page.goto(answering.url + "garden/soil/")
    ask(page, "x")
    expect(page.locator(".answer pre")).to_have_text("- **a**\n1. b\n")
    expect(page.locator(".answer > p")).to_have_text(["Write:", "Done."])
