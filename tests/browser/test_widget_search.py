"""The search dialog in a browser, by keyboard and from the home page."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.double import Served


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
    expect(page.locator("geosmin-search dialog")).to_be_hidden()
    assert page.evaluate("document.activeElement.className") == "g-brand"
    page.keyboard.press("Control+k")
    expect(page.locator("geosmin-search input")).to_have_value("小雨")
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
    expect(page.locator("geosmin-search input")).to_have_value("小雨")
    expect(page.get_by_role("option").first).to_contain_text("雨后的气味从哪里来")


def test_a_slash_in_a_field_is_a_slash(page: Page, answering: Served) -> None:
    """Typing / into the question box does not open the search."""
    page.goto(answering.url)
    page.locator("textarea").focus()
    page.keyboard.type("a/b")
    expect(page.locator("textarea")).to_have_value("a/b")
    expect(page.locator("geosmin-search")).to_have_count(0)
