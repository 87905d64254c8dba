"""The graph and the tree of sections in a browser: pointer, keyboard, addresses."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from tests.browser.double import Served
from tests.browser.test_site_browser import violations


def test_the_graph_is_walked_by_keyboard(page: Page, answering: Served) -> None:
    """Arrow keys mark one page after another, the line below names it, Enter opens it."""
    page.goto(answering.url + "graph/")
    page.locator("#g-graph[data-ready] canvas").focus()
    page.keyboard.press("ArrowRight")
    first = page.locator(".g-graph-here a")
    expect(first).to_have_text("雨后的气味从哪里来")
    page.keyboard.press("Enter")
    page.wait_for_url("**/garden/smell/")


def test_the_graph_opens_around_a_page(page: Page, answering: Served) -> None:
    """A page's link to the graph leads to itself, with its neighbours alone; the button shows all."""
    page.goto(answering.url + "garden/smell/")
    page.get_by_role("link", name="在图谱中查看").click()
    expect(page.locator(".g-graph-here a")).to_have_text("雨后的气味从哪里来")
    expect(page.get_by_role("button", name="整个图谱")).to_have_attribute("aria-pressed", "true")


def test_a_page_is_found_in_the_graph(page: Page, answering: Served) -> None:
    """Typing a part of a title and Enter marks that page."""
    page.goto(answering.url + "graph/")
    page.locator("#g-graph[data-ready] input").fill("rain g")
    page.keyboard.press("Enter")
    expect(page.locator(".g-graph-here a")).to_have_text("rain gauge")


def test_a_click_marks_and_a_double_click_opens(page: Page, answering: Served) -> None:
    """The dot in the middle of a page's own graph is that page; a double click opens it."""
    page.goto(answering.url + "graph/#wiki/geosmin/")
    page.locator("#g-graph[data-ready] button[name=near]").click()
    page.locator("#g-graph canvas").focus()
    page.keyboard.press("Escape")
    page.locator("#g-graph input").fill("geosmin")
    page.keyboard.press("Enter")
    box = page.locator("#g-graph canvas").bounding_box()
    assert box
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url("**/wiki/geosmin/")


def test_the_small_graph_names_its_dots(page: Page, answering: Served) -> None:
    """A neighbour on a page's own graph is a link with the neighbour's title, also for the keyboard."""
    page.goto(answering.url + "garden/smell/")
    dot = page.locator(".g-local svg a[aria-label='Reading the rain']")
    dot.focus()
    expect(page.locator("[data-local-name]")).to_have_text("Reading the rain")
    page.keyboard.press("Enter")
    page.wait_for_url("**/notes/rain/")


def test_the_tree_is_walked_by_keyboard(page: Page, answering: Served) -> None:
    """Right opens an article and then goes in, down goes on, left goes back and closes; the address follows."""
    page.goto(answering.url + "outline/#garden/smell/")
    article = page.locator("li[data-url='garden/smell/']")
    expect(article.get_by_role("link", name="雨后的气味从哪里来")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator(":focus")).to_have_text("谁在制造它")
    page.keyboard.press("ArrowDown")
    expect(page.locator(":focus")).to_have_text("实验怎么做")
    assert page.url.endswith("garden/smell/%23%E5%AE%9E%E9%AA%8C%E6%80%8E%E4%B9%88%E5%81%9A")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(article.get_by_role("link", name="谁在制造它")).to_be_hidden()


def test_a_section_of_the_tree_has_an_address(page: Page, answering: Served) -> None:
    """The address of a section opens the tree there, and the section leads to its heading."""
    page.goto(answering.url + "outline/#garden/smell/%23各地的土")
    link = page.get_by_role("link", name="各地的土")
    expect(link).to_be_focused()
    link.press("Enter")
    page.wait_for_url("**/garden/smell/#**")


def test_the_maps_break_no_rule_of_accessibility(page: Page, answering: Served) -> None:
    """axe finds nothing on the graph and on the opened tree."""
    found = {}
    for path in ("graph/", "outline/#garden/smell/"):
        page.goto(answering.url + path)
        page.locator(".g-picture[data-ready], :focus").first.wait_for()
        found[path] = violations(page)
    assert {path: v for path, v in found.items() if v} == {}


def test_without_script_the_maps_are_lists(browser: Browser, answering: Served) -> None:
    """Without JavaScript the graph is a table of links and the tree lists every article, with no dead button."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(answering.url + "graph/")
    expect(page.locator("canvas")).to_be_hidden()
    page.locator(".g-graph-table summary").click()
    expect(page.get_by_role("cell", name="geosmin", exact=True)).to_be_visible()
    page.goto(answering.url + "outline/")
    expect(page.locator(".g-outline").get_by_role("link", name="Reading the rain")).to_be_visible()
    expect(page.locator("#g-outline button")).to_have_count(0)
    context.close()
