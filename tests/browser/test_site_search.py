"""The page of all results, the page for lost readers, and the filters, with the function and without it."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from compiler.cache import Cache
from compiler.site import pagefind
from compiler.site.mkdocs import render
from tests.browser.double import Served
from tests.browser.test_site_browser import violations
from tests.compiler.site_sample import sample_site

LEAVES = (
    pagefind.Leaf(
        "garden/smell/", "雨后的气味", "zh", "<p>土臭素由链霉菌合成，雨后最浓。</p>", "article", ("雨", "geosmin")
    ),
    pagefind.Leaf(
        "notes/rain/", "Reading the rain", "en", "<p>The rain gauge stands in the open.</p>", "article", ("雨",)
    ),
    pagefind.Leaf("wiki/rain-gauge/", "rain gauge", "en", "<p>A rain gauge tells how much fell.</p>", "concept"),
)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The sample in English below a path, with a static search."""
    out = tmp_path_factory.mktemp("search")
    render(sample_site(lang="en", base_path="/repo/"), out)
    with pagefind.begun(LEAVES, cache=Cache(None)) as finish:
        finish(out, lambda done, total: None)
    with Served(out, "/repo/", answering=False) as served:
        yield served.url


def test_a_search_has_an_address(page: Page, url: str) -> None:
    """The address of the results page holds query and filters; opening it searches again, and it follows what is typed."""
    page.goto(url + "search/?q=rain&kind=concept")
    rows = page.locator("#g-results li")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("rain gauge")
    expect(page.get_by_role("combobox", name="Kind")).to_have_value("concept")
    page.get_by_role("searchbox").fill("gauge")
    page.wait_for_url("**/search/?q=gauge&kind=concept")


def test_results_are_narrowed_by_tag(page: Page, url: str) -> None:
    """Choosing a tag leaves the pages that have it."""
    page.goto(url + "search/?q=链霉菌 雨")
    expect(page.locator("#g-results li")).to_have_count(1)
    page.goto(url + "search/?q=rain")
    expect(page.locator("#g-results li")).to_have_count(2)
    page.get_by_role("combobox", name="Tag").select_option("雨")
    expect(page.locator("#g-results li")).to_have_count(1)
    assert "tag=" in page.url


def test_a_static_result_is_there_at_once(page: Page, url: str) -> None:
    """With the index open, the first result stands within 100 ms of a key."""
    page.goto(url + "search/?q=rain")
    expect(page.locator("#g-results li")).to_have_count(2)
    waited = page.evaluate(
        """async () => {
          const field = document.querySelector("#g-results-form input"), list = document.querySelector("#g-results");
          const drawn = new Promise((done) => new MutationObserver(done).observe(list, { childList: true }));
          field.value = "gauge";
          const began = performance.now();
          field.dispatchEvent(new Event("input"));
          await drawn;
          return performance.now() - began;
        }"""
    )
    assert waited <= 100


def test_a_composing_input_method_searches_only_when_done(page: Page, url: str) -> None:
    """While an input method composes nothing is searched, and its Enter does not submit."""
    page.goto(url + "search/")
    field = page.get_by_role("searchbox")
    field.evaluate(
        """field => {
          field.dispatchEvent(new CompositionEvent("compositionstart"));
          field.value = "yu";
          field.dispatchEvent(new InputEvent("input", { isComposing: true }));
          field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true }));
        }"""
    )
    page.wait_for_timeout(300)
    assert page.url.endswith("search/")
    field.evaluate("""field => { field.value = "雨"; field.dispatchEvent(new CompositionEvent("compositionend")); }""")
    page.wait_for_url("**/search/?q=**")


def test_a_lost_reader_is_searched_for(page: Page, url: str) -> None:
    """The page for lost readers searches for the words of the address, at any depth below the base path."""
    page.goto(url + "old/deep/rain-gauge/")
    expect(page.get_by_role("searchbox")).to_have_value("rain gauge")
    expect(page.locator("#g-results a").first).to_have_attribute("href", url + "wiki/rain-gauge/")


def test_recent_searches_are_offered(page: Page, url: str) -> None:
    """A search whose result was opened is offered when the dialog opens empty, and can be forgotten."""
    page.goto(url + "articles/")
    page.keyboard.press("Control+k")
    page.keyboard.type("gauge")
    expect(page.get_by_role("option").first).to_contain_text("rain gauge")
    page.keyboard.press("Enter")
    page.wait_for_url("**/wiki/rain-gauge/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option", name="gauge", exact=True)).to_be_visible()
    page.get_by_role("button", name="Recent searches: Clear").click()
    expect(page.get_by_role("option")).to_have_count(0)


def test_the_dialog_leads_to_all_results(page: Page, url: str) -> None:
    """The link in the dialog's foot opens the results page with the same search."""
    page.goto(url + "articles/")
    page.keyboard.press("Control+k")
    page.keyboard.type("rain")
    page.get_by_role("link", name="All results").click()
    page.wait_for_url("**/search/?q=rain")
    expect(page.locator("#g-results li")).to_have_count(2)


def test_the_function_ranks_where_it_answers(page: Page, answering: Served) -> None:
    """With the function its results stand on the results page, with the heading they lead to."""
    page.goto(answering.url + "search/?q=小雨")
    expect(page.locator("#g-results a")).to_have_attribute(
        "href", answering.url + "garden/smell/#" + quote("谁在制造它")
    )
    expect(page.locator("#g-results mark").first).to_have_text("小雨")


def test_a_search_becomes_a_question(page: Page, answering: Served) -> None:
    """The second button hands what was typed to the question panel."""
    page.goto(answering.url + "search/?q=为什么小雨比暴雨更香？")
    page.get_by_role("button", name="改为提问").click()
    expect(page.locator(".turn .question")).to_have_text("为什么小雨比暴雨更香？")


def test_axe_finds_nothing_on_search_pages(page: Page, url: str) -> None:
    """The results page with results, and the page for lost readers, have no violation."""
    found = {}
    for path in ("search/?q=rain", "not/there/"):
        page.goto(url + path)
        page.locator("#g-results-form[data-ready]").wait_for()
        found[path] = violations(page)
    assert {path: v for path, v in found.items() if v} == {}


def test_without_script_the_search_page_leads_to_the_lists(browser: Browser, url: str) -> None:
    """Without JavaScript the search page shows no dead form but the pages that list everything."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(url + "search/")
    expect(page.locator("form")).to_be_hidden()
    page.locator(".g-only-plain").get_by_role("link", name="Contents").click()
    assert page.url.endswith("/repo/outline/")
    context.close()


@pytest.mark.parametrize(
    "context", [{"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}], indirect=True
)
def test_the_dialog_is_closed_without_a_keyboard(page: Page, url: str) -> None:
    """On a phone a button closes the dialog that fills the screen, and no keys are named that are not there."""
    page.goto(url + "notes/rain/")
    page.locator("[data-search]").tap()
    expect(page.get_by_role("combobox", name="Search or ask")).to_be_visible()
    expect(page.get_by_text("Esc close")).to_be_hidden()
    page.get_by_role("button", name="Close").tap()
    expect(page.get_by_role("combobox", name="Search or ask")).to_be_hidden()


def test_the_dialog_says_that_nothing_was_found(page: Page, url: str) -> None:
    """Readers see the sentence that screen readers hear, and may ask instead."""
    page.goto(url + "notes/rain/")
    page.keyboard.press("/")
    page.get_by_role("combobox", name="Search or ask").fill("zzzqqq")
    expect(page.locator("geosmin-search .results")).to_contain_text("No page matches. You can ask instead.")
    expect(page.get_by_role("option", name="Ask: zzzqqq")).to_be_visible()
