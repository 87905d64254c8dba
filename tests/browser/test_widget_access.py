"""The question box for everybody: keyboard, screen reader, touch, zoom, contrast, little motion, small windows."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking import MOON, SHADOW, SMALL_RAIN, ask, focused
from tests.browser.double import Served
from tests.browser.test_site_browser import DARK, PHONE, violations

TOUCH = {**PHONE, "has_touch": True, "is_mobile": True}
SIZES = pytest.mark.parametrize(
    "context", [{}, DARK, TOUCH, {**TOUCH, **DARK}], indirect=True, ids=["wide", "dark", "phone", "dark phone"]
)


@SIZES
def test_axe_finds_nothing_in_any_state(page: Page, answering: Served) -> None:
    """Closed, empty, answered with a card open and reasons asked, not covered, failed: no violation, contrast included."""
    page.goto(answering.url + "garden/smell/")
    found = {"closed": violations(page)}
    page.locator(".launch").click()
    page.wait_for_timeout(200)  # the panel's arrival: axe must not see half-transparent text
    found["empty"] = violations(page)
    ask(page, SMALL_RAIN)
    page.locator(".cite").last.click()
    expect(page.locator(".card mark")).to_be_visible()
    page.get_by_role("button", name="没用").click()
    found["answered"] = violations(page)
    ask(page, MOON)
    expect(page.locator(".help")).to_be_visible()
    found["not covered"] = violations(page)
    page.route("**/qa/chat", lambda route: route.abort())
    ask(page, "小雨")
    expect(page.locator(".problem")).to_be_visible()
    found["failed"] = violations(page)
    assert {state: faults for state, faults in found.items() if faults} == {}


def test_axe_finds_nothing_in_the_search_dialog(page: Page, answering: Served) -> None:
    """The open search dialog with results has no violation."""
    page.goto(answering.url + "garden/soil/")
    page.keyboard.press("Control+k")
    page.keyboard.type("小雨")
    expect(page.get_by_role("option")).to_have_count(2)
    assert violations(page) == []


def test_everything_with_the_keyboard_alone(page: Page, answering: Served) -> None:
    """Open, ask, go to the citation, read its card, follow its link: Tab, Enter and Space are enough."""
    page.goto(answering.url + "notes/on-call/")
    page.locator(".launch").focus()
    page.keyboard.press("Enter")
    page.keyboard.type(SMALL_RAIN)
    page.keyboard.press("Enter")
    expect(page.locator(".cite")).to_have_count(2)
    for _ in range(30):
        page.keyboard.press("Shift+Tab")
        if focused(page) == "cite":
            break
    page.keyboard.press(" ")
    expect(page.locator(".card")).to_be_visible()
    page.keyboard.press("Tab")
    assert page.evaluate(f"{SHADOW}.activeElement.closest('.card') !== null")
    page.keyboard.press("Enter")
    page.wait_for_url("**/repo/garden/smell/**")
    assert page.evaluate("decodeURIComponent(location.hash)") == "#谁在制造它"


@pytest.mark.parametrize("key", ["Enter", " "])
def test_a_chip_is_a_button_for_both_keys(page: Page, answering: Served, key: str) -> None:
    """A chip opens with Enter and with the space bar, and closes with them."""
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    page.locator(".cite").first.focus()
    page.keyboard.press(key)
    expect(page.locator(".card")).to_have_count(1)
    page.keyboard.press(key)
    expect(page.locator(".card")).to_have_count(0)


def test_escape_gives_the_focus_back(page: Page, answering: Served) -> None:
    """The panel takes the focus into its field and gives it back to the button that opened it."""
    page.goto(answering.url + "garden/soil/")
    page.locator(".launch").focus()
    page.keyboard.press("Enter")
    expect(page.locator("form textarea")).to_be_focused()
    page.keyboard.press("Escape")
    assert focused(page) == "launch"


def test_the_order_of_the_focus_is_the_order_of_reading(page: Page, answering: Served) -> None:
    """From the top of the panel: start over, close, the turn from above to below, the field, send."""
    page.goto(answering.url + "articles/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".cite")).to_have_count(2)
    page.locator(".clear").focus()
    seen = []
    for _ in range(16):
        seen.append(page.evaluate(f"{SHADOW}.activeElement?.textContent.slice(0, 6) ?? ''"))
        page.keyboard.press("Tab")
    order = [
        "重新开始",
        "关闭",
        "怎样找到的（",
        "1",
        "1",
        "出处",
        "雨后的气味从",
        "有用",
        "没用",
        "复制",
        "问题链接",
        "再问一次",
        "修改",
    ]
    assert seen[: len(order)] == order
    assert seen[-2:] == ["", "提问"]


def test_a_screen_reader_meets_names_and_roles(page: Page, answering: Served) -> None:
    """In the accessibility tree the panel is a named dialog with a labelled field, the turn has a heading, chips say where they lead."""
    page.goto(answering.url + "garden/smell/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".cite")).to_have_count(2)
    tree = page.locator("geosmin-ask").aria_snapshot()
    for line in (
        '- dialog "向这些页面提问"',
        '- heading "向这些页面提问" [level=2]',
        f'- heading "{SMALL_RAIN}" [level=3]',
        '- button "出处 1：雨后的气味从哪里来 › 谁在制造它"',
        '- group "这个回答"',
        '- textbox "输入问题"',
        '- checkbox "只问这一页"',
    ):
        assert line in tree


def test_the_screen_reader_hears_the_answer_once(page: Page, answering: Served) -> None:
    """One polite status line says each step and then the whole answer, once; the log itself is not a live region."""
    assert answering.endpoint is not None
    answering.endpoint.mode = "slow"
    page.goto(answering.url + "garden/soil/")
    page.locator(".launch").click()
    page.evaluate(
        f"window.heard = []; new MutationObserver(() => window.heard.push({SHADOW}.querySelector('[role=status]').textContent))"
        f".observe({SHADOW}.querySelector('[role=status]'), {{ childList: true, characterData: true, subtree: true }})"
    )
    ask(page, SMALL_RAIN)
    expect(page.locator("geosmin-ask [role=status]")).to_contain_text("回答完毕", timeout=10_000)
    heard = page.evaluate("window.heard")
    assert [line for line in heard if "雨滴落下" in line] == [heard[-1]]
    assert list(dict.fromkeys(heard[:-1])) == ["正在检索……", "检索：小雨", "阅读：雨后的气味"]
    assert page.locator(".log").get_attribute("aria-live") is None
    assert page.locator("geosmin-ask [aria-live], geosmin-ask [role=status]").count() == 1


@pytest.mark.parametrize("context", [TOUCH], indirect=True, ids=["phone"])
def test_targets_are_large(page: Page, answering: Served) -> None:
    """Every button and box of the panel is at least 44 pixels high; links inside a line of text are as high as it is."""
    page.goto(answering.url + "garden/smell/")
    ask(page, SMALL_RAIN)
    page.locator(".cite").first.click()
    page.get_by_role("button", name="没用").click()
    small = page.evaluate(
        f"""[...{SHADOW}.querySelectorAll("button, label, .card a, .sources a")].filter((one) => one.offsetParent && one.getBoundingClientRect().height < 43.9)
        .map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert small == []
    chip = page.evaluate(
        f"(() => {{ const c = {SHADOW}.querySelector('.cite'); const b = c.getBoundingClientRect(), a = getComputedStyle(c, '::after');"
        " return [b.width - parseFloat(a.left) * 2, b.height - parseFloat(a.top) * 2]; })()"
    )
    assert min(chip) >= 43.9


@pytest.mark.parametrize("context", [{"reduced_motion": "reduce"}, {}], indirect=True, ids=["reduced", "full"])
def test_motion_only_where_it_is_wanted(page: Page, answering: Served, request: pytest.FixtureRequest) -> None:
    """The panel arrives with a short movement, and without any for readers who asked for none."""
    page.goto(answering.url + "garden/soil/")
    page.locator(".launch").click()
    name = page.evaluate(f"getComputedStyle({SHADOW}.querySelector('.sheet')).animationName")
    assert name == ("none" if "reduced" in request.node.callspec.id else "arrive")


@pytest.mark.parametrize("context", [{"forced_colors": "active"}], indirect=True, ids=["high contrast"])
def test_high_contrast_keeps_every_edge(page: Page, answering: Served) -> None:
    """With the system's own colours, what was a tint has a border."""
    page.goto(answering.url + "garden/soil/")
    ask(page, MOON)
    expect(page.locator(".help")).to_be_visible()
    for name in (".send", ".help", "form"):
        assert page.evaluate(f"getComputedStyle({SHADOW}.querySelector('{name}')).borderTopWidth") == "1px"


@pytest.mark.parametrize(
    "context",
    [{"viewport": {"width": 720, "height": 450}}, {"viewport": {"width": 320, "height": 256}}],
    indirect=True,
    ids=["200 %", "400 %"],
)
def test_zoom_hides_nothing(page: Page, answering: Served) -> None:
    """At 200 % and 400 % of a laptop's window the field, the answer and the close button can be reached, without sideways scrolling."""
    page.goto(answering.url + "garden/smell/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".cite")).to_have_count(2)
    expect(page.locator("form textarea")).to_be_in_viewport()
    expect(page.locator(".send")).to_be_in_viewport()
    expect(page.get_by_role("button", name="关闭").first).to_be_in_viewport()
    assert page.evaluate(f"{SHADOW}.querySelector('.log').clientHeight") > 60
    assert page.evaluate(f"{SHADOW}.querySelector('.sheet').scrollWidth <= innerWidth")


@pytest.mark.parametrize("context", [TOUCH], indirect=True, ids=["phone"])
def test_the_sheet_stays_above_the_keyboard(page: Page, answering: Served) -> None:
    """When an on-screen keyboard covers the lower half, the sheet shrinks to what is seen, and the field with it."""
    page.goto(answering.url + "garden/soil/")
    page.locator(".launch").click()
    page.set_viewport_size({"width": 390, "height": 400})
    expect(page.locator("form textarea")).to_be_in_viewport(ratio=1)
    page.evaluate(
        "Object.defineProperty(visualViewport, 'height', { get: () => 220, configurable: true }); visualViewport.dispatchEvent(new Event('resize'))"
    )
    page.wait_for_timeout(200)  # the panel's arrival
    box = page.locator(".sheet").bounding_box()
    assert box is not None
    assert round(box["y"] + box["height"]) == 220
    assert box["y"] >= -0.5


@pytest.mark.parametrize("context", [TOUCH], indirect=True, ids=["phone"])
def test_on_a_phone_the_page_behind_is_out_of_reach(page: Page, answering: Served) -> None:
    """The bottom sheet is a modal dialog: Tab never leaves it for the page that it covers."""
    page.goto(answering.url + "garden/soil/")
    page.locator(".launch").click()
    for _ in range(8):
        page.keyboard.press("Tab")
        assert page.evaluate("[document.body, document.querySelector('geosmin-ask')].includes(document.activeElement)")
    page.keyboard.press("Escape")
    expect(page.locator(".launch")).to_be_visible()


def test_beside_the_panel_the_page_can_be_used(page: Page, answering: Served) -> None:
    """On a wide screen the panel covers nothing that is needed: links of the page work while it is open."""
    page.goto(answering.url + "garden/smell/")
    page.locator(".launch").click()
    page.locator(".g-brand").click()
    page.wait_for_url(answering.url)
