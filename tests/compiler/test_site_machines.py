"""What machines read of the site: feeds, structured data, the text of everything."""

from __future__ import annotations

import dataclasses
import json
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from compiler.model import Site, SitePage
from compiler.site import feeds, syndication
from compiler.site.listing import Listing
from tests.compiler.site_sample import sample_site

ATOM = "{http://www.w3.org/2005/Atom}"


def site(*pages: SitePage, url: str = "https://rain.example/repo/") -> Site:
    """Return the sample's site with other pages."""
    return dataclasses.replace(sample_site(), pages=pages, site_url=url)


def page(title: str, *, updated: str | None = "2026-05-01", url: str = "a/") -> SitePage:
    """Return an article."""
    return SitePage(url, title, "", "en", "article", article_id="a", updated=updated, summary=title)


@given(st.text(max_size=80))
def test_any_title_makes_a_feed_that_parses(title: str) -> None:
    """Whatever stands in a title, both feeds are XML and say it without what XML does not allow."""
    made = syndication.feeds(site(page(title)))
    entry = ElementTree.fromstring(made["atom.xml"].encode()).find(f"{ATOM}entry")
    item = ElementTree.fromstring(made["rss.xml"].encode()).find("channel/item")
    assert entry is not None
    assert item is not None
    assert entry.findtext(f"{ATOM}title") == item.findtext("title")


def test_the_newest_pages_come_first() -> None:
    """A feed holds the pages that changed last, newest first, with absolute links and the day in its own format."""
    days = ["2026-05-01", None, "2026-11-30", "2025-01-01T10:00:00"]
    made = syndication.feeds(site(*(page(str(n), updated=day, url=f"雨/{n}/") for n, day in enumerate(days))))
    root = ElementTree.fromstring(made["rss.xml"].encode())
    assert [item.findtext("title") for item in root.iter("item")] == ["2", "0", "3"]
    first = root.find("channel/item")
    assert first is not None
    assert first.findtext("link") == "https://rain.example/repo/%E9%9B%A8/2/"
    assert first.findtext("pubDate") == "Mon, 30 Nov 2026 00:00:00 +0000"


def test_a_site_that_does_not_know_its_address_has_no_feed() -> None:
    """A feed is read elsewhere, so without the site's address there is none."""
    assert syndication.feeds(site(page("a"), url="")) == {}


@given(st.text(max_size=60))
def test_structured_data_cannot_leave_its_element(title: str) -> None:
    """Whatever a title holds, the JSON says it, and no character of it can end the script element."""
    made = str(syndication.structured(page(title), title=title, site_url="https://h/"))
    assert json.loads(made)["headline"] == title
    assert not set("<>&") & set(made)


def test_structured_data_says_what_a_page_is() -> None:
    """The home page is a web site that can be searched, an article an article, a generated page a defined term."""
    kinds = {
        p.kind: json.loads(str(syndication.structured(p, title="T", site_url="https://h/r")))["@type"]
        for p in sample_site().pages
    }
    assert (kinds["home"], kinds["article"], kinds["concept"]) == ("WebSite", "Article", "DefinedTerm")
    assert kinds["graph"] == kinds["index"] == "CollectionPage"


def test_llms_full_holds_every_page_below_its_address() -> None:
    """The one file has each page's text in order, with title, address, language and date as front matter."""
    items = [
        (Listing("a/", 'A "b"', "en", updated="2026-05-01"), "# A\n\ntext\n"),
        (Listing("", "首页", "zh"), "# 首页\n"),
    ]
    assert feeds.llms_full_txt("T", items, site_url="https://h/r") == (
        '# T\n\n---\ntitle: "A \\"b\\""\nurl: "https://h/r/a/"\nlang: "en"\nupdated: "2026-05-01"\n---\n\n# A\n\ntext\n\n'
        '---\ntitle: "首页"\nurl: "https://h/r/"\nlang: "zh"\n---\n\n# 首页\n'
    )
