"""What an article gives its reader beyond the text."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.double import Served


def test_a_link_shows_how_its_page_begins(page: Page, answering: Served) -> None:
    """Resting on an internal link opens a preview with title and first words; Esc closes it."""
    page.goto(answering.url + "notes/rain/")
    page.locator(".g-text a.wikilink").first.hover()
    card = page.locator(".g-preview")
    expect(card).to_contain_text("雨后的气味从哪里来")
    expect(card).to_contain_text("geosmin 是什么")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_a_preview_can_be_opened_by_keyboard(page: Page, answering: Served) -> None:
    """A link that has the focus opens the same preview."""
    page.goto(answering.url + "garden/smell/")
    page.locator(".g-text h2").first.click()
    link = page.locator(".g-text a.wikilink").first
    while not link.evaluate("link => link === document.activeElement"):
        page.keyboard.press("Tab")
    expect(page.locator(".g-preview")).to_contain_text("放线菌")


def test_an_outside_link_has_no_preview(page: Page, answering: Served) -> None:
    """Resting on a link to another site asks for nothing and shows nothing."""
    page.goto(answering.url + "notes/rain/")
    page.locator(".g-text a[href^=http]").first.hover()
    page.wait_for_timeout(500)
    expect(page.locator(".g-preview")).to_have_count(0)


def test_a_heading_gives_its_address(page: Page, answering: Served) -> None:
    """The mark beside a heading copies the address that leads to it."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(answering.url + "garden/smell/")
    mark = page.get_by_role("link", name="复制指向“谁在制造它”的链接")
    mark.focus()
    page.keyboard.press("Enter")
    expect(mark).to_have_class(re.compile("g-done"))
    assert page.evaluate("decodeURIComponent(navigator.clipboard.readText ? location.hash : '')") == "#谁在制造它"
    assert page.evaluate("navigator.clipboard.readText().then(decodeURIComponent)").endswith("garden/smell/#谁在制造它")


def test_related_pages_say_why(page: Page, answering: Served) -> None:
    """A related page names what both are about."""
    page.goto(answering.url + "garden/smell/")
    expect(page.locator(".g-related li").first).to_have_text(re.compile("放线菌.*都谈到 土壤"))


def test_a_printed_page_is_its_text(page: Page, answering: Served) -> None:
    """On paper stand the title and the text, and no tree, header, button or question box."""
    page.goto(answering.url + "garden/smell/")
    page.emulate_media(media="print")
    expect(page.locator("h1")).to_be_visible()
    for part in (".g-header", ".g-tree", ".g-side", "geosmin-ask", ".g-copy", "[data-copy-link]", "#g-questions"):
        expect(page.locator(part).first).to_be_hidden()


def test_paper_is_white_and_unfolded(page: Page, answering: Served) -> None:
    """Who reads in the dark prints dark words on paper; what is folded on the screen is printed."""
    page.goto(answering.url + "garden/smell/")
    page.get_by_role("button", name="切换深浅").click()
    fold = page.locator(".g-text details.tip")
    folded = fold.evaluate("one => one.clientHeight")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    assert fold.evaluate("one => one.clientHeight") > folded * 1.3
