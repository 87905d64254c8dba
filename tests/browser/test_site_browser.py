"""The site in a browser: widths, themes, keyboard, no script, accessibility."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.double import Served

PAGES = [
    "",
    "garden/smell/",
    "notes/rain/",
    "notes/on-call/",
    "garden/soil/bacteria/",
    "articles/",
    "tags/",
    "404.html",
]
PHONE = {"viewport": {"width": 390, "height": 844}}
DARK = {"color_scheme": "dark"}
axe = Axe()


def violations(page: Page) -> list[str]:
    """Return axe's findings as "rule: element"."""
    found = axe.run(page).response["violations"]
    return [f"{v['id']}: {node['html'][:120]}" for v in found for node in v["nodes"]]


def test_no_page_scrolls_sideways(page: Page, answering: Served) -> None:
    """At 390, 1024 and 1440 px only code and tables scroll sideways, never the page."""
    for path in PAGES:
        page.goto(answering.url + path)
        for width in (1440, 1024, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)


@pytest.mark.parametrize(
    ("context", "paths"),
    [({}, PAGES), (DARK, PAGES[:3]), (PHONE, PAGES[:3])],
    indirect=["context"],
    ids=["light", "dark", "phone"],
)
def test_axe_finds_nothing(page: Page, answering: Served, paths: list[str]) -> None:
    """No accessibility violation on any kind of page, light, dark and on a phone; contrast included."""
    found = {}
    for path in paths:
        page.goto(answering.url + path)
        found[path] = violations(page)
    assert {path: v for path, v in found.items() if v} == {}


@pytest.mark.parametrize("context", [{**PHONE, "has_touch": True, "is_mobile": True}], indirect=True)
def test_a_finger_hits_what_it_wants(page: Page, answering: Served) -> None:
    """On a phone each control is 24 px wide and high, or nothing else is as near."""
    found = {}
    for path in (*PAGES, "graph/", "search/"):
        page.goto(answering.url + path)
        small = axe.run(page, options={"runOnly": ["target-size"]}).response["violations"]
        found[path] = [node["html"][:120] for rule in small for node in rule["nodes"]]
    assert {path: nodes for path, nodes in found.items() if nodes} == {}


def test_a_wide_table_does_not_squeeze_its_words(page: Page, answering: Served) -> None:
    """A table that scrolls sideways keeps a short cell on one line, and nothing beside it moves."""
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(answering.url + "garden/smell/")
    cell = page.locator(".table-wrap td").last
    cell.evaluate("cell => (cell.textContent = '雨后第二天采样')")
    assert (
        cell.evaluate("cell => cell.getBoundingClientRect().height / parseFloat(getComputedStyle(cell).lineHeight)") < 2
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_quiet_fold_is_no_callout(page: Page, answering: Served) -> None:
    """What an article says in short lies between two lines, without a box like that of a callout."""
    page.goto(answering.url + "garden/smell/")
    sides = "box => ['Top', 'Left'].map((side) => getComputedStyle(box)[`border${side}Width`])"
    assert page.locator("details.g-points").first.evaluate(sides) == ["1px", "0px"]
    assert page.locator(".g-text details.tip").evaluate(sides) == ["1px", "1px"]


def test_the_text_column_holds_a_readable_measure(page: Page, answering: Served) -> None:
    """On a wide screen a line of Chinese holds 34 to 38 characters at 17 px."""
    page.goto(answering.url + "garden/smell/")
    size, width = page.evaluate(
        """() => { const p = document.querySelector(".g-text > p");
        return [parseFloat(getComputedStyle(p).fontSize), p.getBoundingClientRect().width]; }"""
    )
    assert size == 17
    assert 34 <= width / size <= 38


def test_the_theme_is_kept(page: Page, answering: Served) -> None:
    """The button turns the page dark, and the next page is dark from its first paint."""
    page.goto(answering.url)
    page.get_by_role("button", name="切换深浅").click()
    page.goto(answering.url + "articles/")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


@pytest.mark.parametrize("context", [PHONE], indirect=True)
def test_the_tree_opens_on_a_phone(page: Page, answering: Served) -> None:
    """The button opens the tree, Esc closes it."""
    page.goto(answering.url + "garden/smell/")
    tree = page.locator("#g-tree")
    expect(tree).to_be_hidden()
    page.get_by_role("button", name="打开页面列表").click()
    expect(tree.get_by_role("link", name="Field notes")).to_be_visible()
    page.keyboard.press("Escape")
    expect(tree).to_be_hidden()


def test_the_contents_follow_the_reader(page: Page, answering: Served) -> None:
    """The heading being read is marked in "on this page"."""
    page.goto(answering.url + "garden/smell/#各地的土")
    expect(page.locator(".g-toc a[aria-current]")).to_have_text("各地的土")


def test_code_is_copied(page: Page, answering: Served) -> None:
    """The button on a code block puts its text on the clipboard and says so."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(answering.url + "garden/smell/")
    button = page.locator(".g-copy").first
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_text("已复制")
    assert page.evaluate("navigator.clipboard.readText()").startswith("from soil import Sample")


def test_a_redirect_arrives(page: Page, answering: Served) -> None:
    """An old address leads to the new page."""
    page.goto(answering.url + "old/smell/")
    page.wait_for_url("**/garden/smell/")


def test_without_script_everything_can_be_read(browser: Browser, answering: Served) -> None:
    """Without JavaScript the home page says so in a sentence and leads to the list of articles; the tree works."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(answering.url)
    assert "搜索和提问需要 JavaScript" in page.locator("geosmin-ask").inner_text()
    page.locator("geosmin-ask a").click()
    assert page.url.endswith("/repo/articles/")
    page.locator("[popovertarget=g-tree]").first.click()
    assert page.locator("#g-tree").is_visible()
    context.close()


SHIFT = """window.shift = 0;
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shift += one.value; })
  .observe({ type: "layout-shift", buffered: true });"""


@pytest.mark.parametrize("context", [PHONE], indirect=True)
def test_pages_load_as_lighthouse_wants_them(page: Page, silent: Served) -> None:
    """Home, article and wiki page stay where they are while loading, name themselves, and log no error."""
    logged: list[str] = []
    page.on("console", lambda line: logged.append(line.text) if line.type == "error" else None)
    page.add_init_script(SHIFT)
    for path in ("", "garden/smell/", "wiki/geosmin/"):
        page.goto(silent.url + path, wait_until="networkidle")
        assert page.evaluate("window.shift") < 0.05, path
        assert page.title()
        assert page.locator("meta[name=description]").get_attribute("content"), path
    assert logged == []
