"""The whole product once: content is built by the command, served by the function, asked in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.whole import build, serve


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a built and served knowledge base of two public pages and a private one."""
    with serve(build(tmp_path_factory.mktemp("whole"))) as address:
        yield address


@pytest.mark.parametrize(
    ("question", "words", "anchor"),
    [
        ("雨后的气味由什么合成？", "链霉菌", "谁在制造它"),
        ("Where should the rain gauge be put?", "in the open", "where-to-put-the-gauge"),
    ],
)
def test_a_question_is_answered_and_its_citation_arrives(
    page: Page, url: str, question: str, words: str, anchor: str
) -> None:
    """The home page answers; the citation's card shows the words in their passage, and its link lands on the heading."""
    page.goto(url)
    page.locator("textarea").fill(question)
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_contain_text(words)
    page.locator(".cite").first.click()
    expect(page.locator(".card mark")).to_contain_text(words)
    expect(page.locator(".card blockquote")).not_to_have_text(
        page.locator(".card mark").inner_text()
    )  # more than the quote
    page.locator(".card a").click()
    page.wait_for_url("**#**")
    assert page.evaluate("decodeURIComponent(location.hash.slice(1))") == anchor
    expect(page.locator(f"[id='{anchor}']")).to_be_in_viewport()


def test_the_real_search_fills_the_dialog(page: Page, url: str) -> None:
    """A Chinese word finds its page through the function, with the words marked."""
    page.goto(url + "rain/")
    page.keyboard.press("/")
    page.keyboard.type("链霉菌")
    expect(page.get_by_role("option").first).to_contain_text("雨后的气味")
    expect(page.get_by_role("option").first.locator("mark").first).to_have_text("链霉菌")


def test_what_the_function_finds_shows_the_words(page: Page, url: str) -> None:
    """The function tells the place, the static search what stands there; a summary has other words."""
    with page.expect_response(lambda reply: "/api/public/search" in reply.url):
        page.goto(url + "search/?q=纳克")
    row = page.get_by_role("list", name="Results").get_by_role("listitem").first
    expect(row.locator("mark")).to_have_text("纳克")
    expect(row.locator("a")).to_have_attribute("href", re.compile("#"))


def test_a_private_page_is_a_plain_word(page: Page, url: str) -> None:
    """A link to a page that is not public reads like any text, and its address is the page for lost readers."""
    page.goto(url + "rain/")
    expect(page.locator(".missing")).to_have_text("secret")
    reply = page.goto(url + "secret/")
    assert reply is not None
    assert reply.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no page here")


def test_a_function_without_vectors_knows_no_meaning(page: Page, url: str) -> None:
    """Whoever asks for meaning then gets what words find, and is told so; the function is asked again the next time."""
    page.goto(url + "search/?q=链霉菌&mode=meaning")
    expect(page.locator("form [role=status]")).to_have_text(
        "1 page Searching words only: meaning needs the answering service."
    )
    page.goto(url + "search/?q=链霉菌")
    expect(page.locator("form [role=status]")).to_have_text("1 page")
