"""The search of a site on a plain web host: Pagefind's shards, merged in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from compiler.cache import Cache
from compiler.site import pagefind
from compiler.site.mkdocs import render
from tests.browser.double import Served
from tests.compiler.site_sample import sample_site

LEAVES = (
    pagefind.Leaf("garden/smell/", "雨后的气味", "zh", "<h1>雨后的气味</h1><p>土臭素由土壤里的链霉菌合成。</p>"),
    pagefind.Leaf("garden/gauge/", "The rain gauge", "en", "<p>Put the gauge twice as far from a wall.</p>"),
    pagefind.Leaf("garden/options/", "Options", "en", "<p>Set <code>rain_max_depth</code> before the season.</p>"),
    pagefind.Leaf("garden/moss/", "苔藓", "zh", "<p>石头上的苔藓喜欢阴凉。</p>"),
    pagefind.Leaf(
        "garden/dew/",
        "Dew",
        "en",
        "<p>Dew is no rain.</p><h2 id='frost'>When does it freeze?</h2><p>It freezes to rime.</p>",
    ),
)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site whose search has several shards."""
    out = tmp_path_factory.mktemp("static")
    render(sample_site(lang="en"), out)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pagefind, "PER_SHARD", 1)
        with pagefind.begun(LEAVES, cache=Cache(None)) as finish:
            assert finish(out, lambda done, total: None) == ()
    assert len([path for path in (out / "pagefind").iterdir() if path.is_dir()]) > 2
    with Served(out, "/", answering=False) as served:
        yield served.url


@pytest.mark.parametrize(
    ("query", "title"),
    [("土壤", "雨后的气味"), ("gauge", "The rain gauge"), ("rain_max_depth", "Options"), ("阴凉", "苔藓")],
)
def test_a_word_is_found_in_whatever_shard_it_lies(page: Page, url: str, query: str, title: str) -> None:
    """A Chinese word, an English word and an identifier are found, in a dialog that opens under the strict policy."""
    page.goto(url + "garden/smell/")
    page.locator("[data-search]").click()
    page.locator("geosmin-search input").fill(query)
    found = page.locator("geosmin-search a[role=option]")
    expect(found.first).to_contain_text(title)
    page.wait_for_function("document.querySelector('geosmin-search').shadowRoot.querySelector('mark')")


def test_a_result_leads_to_its_page(page: Page, url: str) -> None:
    """The address of a result is that of the page."""
    page.goto(url)
    page.locator("[data-search]").click()
    page.locator("geosmin-search input").fill("链霉菌")
    expect(page.locator("geosmin-search a[role=option]").first).to_have_attribute("href", url + "garden/smell/")


def test_a_result_leads_to_the_section_that_holds_the_words(page: Page, url: str) -> None:
    """Where the words stand below a heading, the result names it and leads there."""
    page.goto(url)
    page.locator("[data-search]").click()
    page.locator("geosmin-search input").fill("rime")
    found = page.locator("geosmin-search a[role=option]").first
    expect(found).to_have_attribute("href", url + "garden/dew/#frost")
    expect(found).to_have_text("DewWhen does it freeze? — It freezes to rime.")
