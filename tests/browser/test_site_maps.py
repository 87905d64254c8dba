"""The graph and the tree of sections in a browser: pointer, keyboard, addresses."""

from __future__ import annotations

import pytest
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


NAMED = """async (nodes) => {
  const script = document.querySelector("script[src*='graph/page.js']").src;
  const { named } = await import(new URL("names.js", script));
  const spot = ({ x, y }) => [x, y, 5];
  return named(nodes, { size: [300, 200], spot, measure: (text) => 8 * text.length }).map(({ title, x, y, w }) => ({ title, x, y, w }));
}"""


def test_no_name_in_the_graph_is_cut_off(page: Page, answering: Served) -> None:
    """A name that would leave the window stands at the left of its dot; none lies over another, none is without its dot."""
    page.goto(answering.url + "graph/")
    dots = [("middle", 40, 50), ("at the right edge", 290, 100), ("under it", 288, 104), ("outside", 310, 150)]
    named = page.evaluate(NAMED, [{"title": title, "x": x, "y": y} for title, x, y in dots])
    assert [name["title"] for name in named] == ["middle", "at the right edge"]
    assert all(name["x"] >= 0 and name["x"] + name["w"] <= 300 for name in named)


@pytest.mark.parametrize(
    "context", [{"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}], indirect=True
)
def test_the_graph_follows_fingers(page: Page, answering: Served) -> None:
    """On a phone one finger moves the graph, two come nearer, and the page stays where it is."""
    page.goto(answering.url + "graph/")
    canvas = page.locator("#g-graph[data-ready] canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before, shown = page.evaluate("scrollY"), [canvas.evaluate("one => one.toDataURL()")]
    for ways in ([(1, 0)], [(1, 0), (-1, 0)]):  # one finger to the right; two away from one another
        touch(page, [[(x + way * 20 * step, y + down) for way, down in ways] for step in range(1, 6)])
        page.wait_for_timeout(200)
        shown.append(canvas.evaluate("one => one.toDataURL()"))
    assert len(set(shown)) == 3
    assert page.evaluate("scrollY") == before


def touch(page: Page, steps: list[list[tuple[float, float]]]) -> None:
    """Put fingers down at the first step's points, move them along, and lift them."""
    send = page.context.new_cdp_session(page).send
    for number, points in enumerate(steps):
        at = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(points)]
        send("Input.dispatchTouchEvent", {"type": "touchMove" if number else "touchStart", "touchPoints": at})
    send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


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
