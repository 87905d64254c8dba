"""Pages that are too much of something, in a browser: they stay readable, findable and inside the window."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from compiler.model import Backlink
from compiler.site.mkdocs import render
from tests.browser.host import hosted
from tests.browser.test_site_browser import violations
from tests.compiler.site_sample import sample_site

LINKS = 5_000
LONG = ("凌晨三点谁也不叫醒的值班手册" * 20 + "Pneumonoultramicroscopicsilicovolcanoconiosis" * 3)[:300]
NAME = "!\"#$%&'()*+,-.:;<=>?@[]^_`{|}~，。「」…—"
PAGES = {
    "long.md": f'---\nshare: public\ntitle: "{LONG}"\ntags: [{"x" * 60}]\n---\nA page. See [[rtl]] and [it](<{quote(NAME)}.md>).\n',
    "rtl.md": "---\nshare: public\nlang: ar\ntitle: رائحة المطر\n---\n## بعد المطر\n\nتأتي الرائحة من geosmin بعد المطر. [[long]]\n\n"
    "| الشهر | مم |\n| --- | ---: |\n| مايو | 61.5 |\n\n```python\nprint('left to right')\n```\n",
    f"{NAME}.md": "---\nshare: public\n---\nNamed with every mark.\n\n## A section\n\nText. [[rtl]]\n",
}
PHONE = {"viewport": {"width": 390, "height": 844}}


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site of odd pages, built by the command: its address."""
    place = tmp_path_factory.mktemp("odd")
    (place / "content").mkdir()
    for name, text in PAGES.items():
        (place / "content" / name).write_text(text, "utf-8")
    where = [f"--{name}={place / part}" for name, part in (("content", "content"), ("out", "dist"), ("state", "state"))]
    command = [sys.executable, "-m", "compiler.cli", "build", *where, "--set", "embed.model=none"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with hosted(place / "dist" / "current" / "site") as address:
        yield address


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site with a page that 5,000 others link to: its address."""
    out = tmp_path_factory.mktemp("linked")
    site = sample_site(lang="en")
    links = tuple(Backlink(f"Page {n}", f"p{n}/", f"See the smell in {n}.", "smell") for n in range(LINKS))
    pages = tuple(dataclasses.replace(p, backlinks=links) if p.url == "garden/smell/" else p for p in site.pages)
    render(dataclasses.replace(site, pages=pages), out)
    with hosted(out) as address:
        yield address


def inside(page: Page) -> bool:
    """Tell whether the page itself does not scroll sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.parametrize("context", [{}, PHONE], indirect=True, ids=["wide", "phone"])
def test_a_long_title_stays_inside(page: Page, odd: str) -> None:
    """Three hundred characters, some of them one word, break into lines on the page, in the tree, in lists, and on a tag."""
    for path in ("long/", "rtl/", "", "articles/", "tags/", "outline/", "graph/"):
        page.goto(odd + path)
        assert inside(page), path
    page.goto(odd + "long/")
    expect(page.get_by_role("heading", level=1)).to_have_text(LONG)
    assert violations(page) == []


@pytest.mark.parametrize("context", [{}, PHONE], indirect=True, ids=["wide", "phone"])
def test_right_to_left_text_runs_from_the_right(page: Page, odd: str) -> None:
    """An Arabic page begins at the right, its code at the left, and nothing lies outside the window."""
    page.goto(odd + "rtl/")
    assert inside(page)
    places = """(pick) => { const one = document.querySelector(pick), line = document.createRange();
      line.selectNodeContents(one); const text = line.getBoundingClientRect(), box = document.querySelector(".g-text").getBoundingClientRect();
      return [text.left - box.left, box.right - text.right]; }"""
    left, right = page.evaluate(places, ".g-text > p")
    assert right < left
    left, right = page.evaluate(places, ".g-text pre code")
    assert left < right
    assert violations(page) == []


def test_a_name_of_every_mark_is_an_address(page: Page, odd: str) -> None:
    """A page whose file name holds every punctuation mark is reached by link, tree and search, and its sections too."""
    page.goto(odd + "long/")
    page.locator(".g-text").get_by_role("link", name="it", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(NAME)
    page.goto(page.url.partition("#")[0] + "#a-section")
    expect(page.get_by_role("heading", name="A section")).to_be_in_viewport()
    page.goto(f"{odd}search/?q={quote('every mark')}")
    page.locator("#g-results a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(NAME)


def test_five_thousand_backlinks_do_not_slow_a_page(page: Page, linked: str) -> None:
    """The page shows some with their sentence, names the number of all, and is ready as fast as a page with few."""
    times = {}
    for path in ("notes/rain/", "garden/smell/", "notes/rain/", "garden/smell/"):
        page.goto(linked + path)
        times[path] = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    expect(page.locator(".g-backlinks > li")).to_have_count(24)
    expect(page.locator("#g-backlinks")).to_contain_text("5000")
    assert times["garden/smell/"] < times["notes/rain/"] + 500
    assert violations(page) == []


def test_without_script_there_is_a_search_page(browser: Browser, odd: str) -> None:
    """Without JavaScript the search page leads to the lists, and each list to every page; nothing dead is offered."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(odd)
    page.locator(".g-find").click()
    assert page.url.endswith("/search/")
    expect(page.locator("#g-results-form")).to_be_hidden()
    page.locator(".g-only-plain a").first.click()
    for title in (LONG, NAME, "رائحة المطر"):
        expect(page.locator(".g-text").get_by_role("link", name=title, exact=True)).to_be_visible()
    context.close()
