"""The pure parts of the site: paths, the tree, the pages that no one wrote, and the feeds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.errors import BuildError
from compiler.model import Backlink, NavNode, Theme
from compiler.parse.callouts import KINDS
from compiler.parse.html import render_body
from compiler.parse.markdown import parser
from compiler.site import assets, feeds, nav, pages
from compiler.site.body import spoken
from compiler.site.listing import Listing, encode, file_path, relative, root_of
from compiler.site.view import highlight, policy, repeats
from compiler.site.words import TEMPLATE, count
from tests.compiler.site_sample import FOLDERS, listings, sample_site


@pytest.mark.parametrize(
    ("here", "to", "link"),
    [
        ("", "a/b/", "./a/b/"),
        ("a/b/", "", "../../"),
        ("a/b/", "a/c/#雨", "../../a/c/#%E9%9B%A8"),
        ("指南/", "tags/雨/", "../tags/%E9%9B%A8/"),
        ("%E6%8C%87%E5%8D%97/", "a/?b/", "../a/%3Fb/"),
    ],
)
def test_links_between_pages(here: str, to: str, link: str) -> None:
    """A link climbs to the root and comes down, encoded once."""
    assert relative(here, to) == link


def test_encoding_twice_changes_nothing() -> None:
    """An already encoded URL stays as it is."""
    assert encode(encode("雨 后/#一 二")) == encode("雨 后/#一 二")


def test_files_of_pages() -> None:
    """A page URL is its index.html, a file URL is itself."""
    assert (file_path(""), file_path("a/%E9%9B%A8/"), file_path("a/b.png")) == (
        "index.html",
        "a/雨/index.html",
        "a/b.png",
    )


def test_root_of_the_home_page_is_here() -> None:
    """The home page's root is ./ and not an empty link."""
    assert root_of("") == "./"


def test_the_tree_follows_folders() -> None:
    """Folders come in order of arrival, take their titles from the table, and a folder's own page is its link."""
    tree = nav.build(listings(), FOLDERS)
    assert [node.title for node in tree] == ["庭园笔记", "Field notes"]
    soil = tree[0].children[1]
    assert (soil.title, soil.url, [child.title for child in soil.children]) == ("土壤", "garden/soil/", ["放线菌"])


def test_a_page_at_the_top_is_not_taken_for_a_folder() -> None:
    """Only a page inside a folder can be the folder's own page."""
    tree = nav.build([Listing("about/", "About", "en"), Listing("", "Home", "en")], {})
    assert tree == (NavNode("About", "about/"),)


def test_a_page_sees_its_own_branch_open() -> None:
    """The branch of the current page is open, other folders are closed and lead to their first page."""
    tree = nav.build(listings(), FOLDERS)
    rows = nav.branch(tree, nav.trails(tree)["garden/soil/bacteria/"])
    assert rows[0].children[1].children[0].current
    assert (rows[1].children, rows[1].url) == ((), "notes/rain/")


@pytest.mark.parametrize(("at", "before", "after"), [(0, 0, 269), (150, 135, 134), (299, 270, 0)])
def test_a_long_folder_shows_a_window(at: int, before: int, after: int) -> None:
    """In a folder of 300 a page sees its neighbours, and how many more there are on each side."""
    rows = nav.branch(tuple(NavNode(str(n), f"{n}/") for n in range(300)), (at,))
    assert (rows[0].more, rows[-1].more) == (before, after)
    assert sum(row.current for row in rows) == 1


@pytest.mark.parametrize(
    ("tag", "url"),
    [
        ("雨", "tags/雨/"),
        ("Dev Ops", "tags/dev-ops/"),
        ("#ＡＢＣ", "tags/abc/"),
        ("a/b", "tags/a/b/"),
        ("../..", "tags/-/-/"),
        ("C++", "tags/c++/"),
        ('"<x>"', "tags/x/"),
    ],
)
def test_tag_addresses(tag: str, url: str) -> None:
    """Tags fold in case and width and can never leave their folder."""
    assert pages.tag_url(tag) == url


def test_spellings_of_one_tag_are_one_topic() -> None:
    """`Rain` and `rain` share a page."""
    found = pages.topics([Listing("a/", "A", "en", tags=("Rain", "rain")), Listing("b/", "B", "en", tags=("rain",))])
    assert [(topic.title, topic.url, len(topic.items)) for topic in found] == [("Rain", "tags/rain/", 2)]


def test_recent_is_newest_first() -> None:
    """The home page lists dated pages, newest first, and no page without a date."""
    html = pages.home(listings(), title="x", lang="zh").html
    recent = html[html.index("g-recent") :]
    order = [recent.index(f">{title}<") for title in ("Reading the rain", "雨后的气味从哪里来", "土壤")]
    assert order == sorted(order)
    assert "放线菌" not in recent


@pytest.mark.parametrize(("lang", "text"), [("zh", "2 篇"), ("en", "2 pages"), ("zh-Hant", "2 篇"), ("fr", "2 pages")])
def test_counting_in_words(lang: str, text: str) -> None:
    """Numbers of pages are said in the language of the page; other languages get English."""
    assert count(lang, 2) == text


def test_one_page_is_singular() -> None:
    """One is one, in both forms of counting."""
    assert (count("en", 1), count("en", 1, "backlinks_count")) == ("1 page", "1 page links here")


def test_the_index_lists_every_article_with_its_language() -> None:
    """Chinese and English articles stand in one list; a foreign one carries its own lang."""
    page = pages.article_index(listings(), FOLDERS, lang="zh")
    assert all(item.title in page.html for item in listings())
    assert '<li lang="en">' in page.html
    assert [entry.title for entry in page.toc] == ["庭园笔记", "庭园笔记 / 土壤", "Field notes"]


@given(st.lists(st.text("a b~%-/\u3000雨", max_size=6), min_size=2, max_size=2, unique=True))
def test_each_folder_has_an_address_in_the_list_of_articles(names: list[str]) -> None:
    """Every folder's section has an id of its own without a space, and the folder's address leads to it."""
    made = pages.article_index([Listing(f"{n}/", "t", "en", name) for n, name in enumerate(names)], {}, lang="en")
    anchors = [entry.anchor for entry in made.toc]
    assert {pages.folder_url(name) for name in names} == {f"articles/#{anchor}" for anchor in anchors}
    assert len(set(anchors)) == 2
    assert not any(re.search(r"\s", anchor) for anchor in anchors)


def test_every_stylesheet_is_joined_once(tmp_path: Path) -> None:
    """The one file that pages load holds each of ours, and no sheet lies beside it that no page would load."""
    (tmp_path / "theme.css").write_text("p{}", "utf-8")
    files = assets.with_theme(tmp_path / "theme.css", Theme())
    sheets = [path.read_bytes() for path in (TEMPLATE / "assets" / "styles").iterdir()]
    assert [files["assets/geosmin.css"].count(sheet) for sheet in sheets] == [1] * len(sheets)
    assert not [path for path in files if "/styles/" in path]


def test_the_words_of_both_languages_have_the_same_keys() -> None:
    """Nothing is said in one language only."""
    table = json.loads((TEMPLATE / "strings.json").read_text("utf-8"))
    assert set(table["zh"]) == set(table["en"])


@pytest.mark.parametrize(
    ("written", "lang", "title"),
    [
        ("> [!note]\n> x", "zh", "注意"),
        ("> [!note]\n> x", "zh-TW", "注意"),
        ("> [!note]\n> x", "en", "Note"),
        ("> [!TLDR]-\n> x", "zh", "要点"),
        ("> [!faq]\n> x", "en", "FAQ"),
        ("> [!unheard-of]\n> x", "zh", "Unheard-of"),
        ("!!! danger\n    x", "zh", "危险"),
        ("::: details\nx\n:::", "zh", "详情"),
        ("/// warning\nx\n///", "zh", "警告"),
        ("> [!note] Note\n> x", "zh", "Note"),
        ('!!! tip "Tip"\n    x', "zh", "Tip"),
    ],
)
def test_a_callout_without_a_title_has_one_in_the_language_of_the_page(written: str, lang: str, title: str) -> None:
    """The name of its kind is said by the table of words; what an author wrote stays."""
    html = spoken(render_body(parser().parse(written), "a/", {}), lang)
    assert re.findall(r"<(?:p class=\"admonition-title[^\"]*\"|summary[^>]*)>([^<]*)<", html) == [title]


def test_every_kind_of_callout_has_a_title_in_the_table() -> None:
    """No kind that the parser knows is left without words."""
    table = json.loads((TEMPLATE / "strings.json").read_text("utf-8"))
    assert {f"callout_{name}" for name in KINDS} <= set(table["en"])


def test_a_backlink_marks_the_words_of_the_link() -> None:
    """The sentence is escaped and the label marked, once."""
    shown = highlight(Backlink("T", "t/", "see <b> rain & rain", "rain"))
    assert shown == "see &lt;b&gt; <mark>rain</mark> &amp; rain"


def test_llms_txt_links_the_raw_pages() -> None:
    """Each page is one line with its Markdown address and summary; brackets in titles are escaped."""
    items = [Listing("a/", "A [x]\nb", "en", summary="S\n## not a heading"), Listing("雨/", "雨", "zh")]
    text = feeds.llms_txt("T", "D", items, site_url="https://h/r")
    assert text == (
        "# T\n\n> D\n\n- [llms-full.txt](https://h/r/llms-full.txt)\n\n## en\n\n- [A \\[x\\] b](https://h/r/a/index.md): S ## not a heading\n\n"
        "## zh\n\n- [雨](https://h/r/%E9%9B%A8/index.md)\n"
    )


def test_raw_markdown_lies_beside_its_page(tmp_path: Path) -> None:
    """`a/` has `a/index.md`, the home page `index.md`; they end with a line end."""
    feeds.write(tmp_path, feeds.raw_markdown({"a/雨/": "# 雨", "": "home\n"}))
    assert (tmp_path / "a/雨/index.md").read_text("utf-8") == "# 雨\n"
    assert (tmp_path / "index.md").read_text("utf-8") == "home\n"


def test_feeds_stay_inside_the_site(tmp_path: Path) -> None:
    """A path that climbs is refused."""
    with pytest.raises(BuildError):
        feeds.write(tmp_path / "out", {"../x.md": "x"})


def test_the_public_list_of_pages_has_all_but_home() -> None:
    """The search box falls back to titles, addresses, summaries, languages, kinds and tags."""
    rows = json.loads(assets.pages_json(sample_site()))
    assert ["Reading the rain", "notes/rain/", listings()[3].summary, "en", "article", list(listings()[3].tags)] in rows
    assert all(row[1] for row in rows)


@pytest.mark.parametrize(
    ("body", "summary", "same"),
    [
        ("<p>The <em>gauge</em> tells you how much &amp; when.</p>", "The gauge tells you how much & when.", True),
        ("<p>久旱之后的第一场雨，总带着泥土气味。</p>", "久旱之后的第一场雨，总带着…", True),
        ("<p>Another beginning.</p>", "The gauge tells you how much.", False),
        ("<p>x</p>", "", False),
    ],
)
def test_a_summary_that_the_text_repeats_is_not_shown_twice(body: str, summary: str, same: bool) -> None:
    """A summary taken from the first sentence stands once: in the text."""
    assert repeats(body, summary) is same


def test_without_dates_nothing_is_called_recent() -> None:
    """When no page has a date the home page lists articles and has no door to what changed."""
    html = pages.home([Listing("a/", "A", "en")], title="x", lang="en").html
    assert "Recently" not in html


@pytest.mark.parametrize(
    ("endpoint", "connect"),
    [
        ("", "connect-src 'self'"),
        ("/api-host/", "connect-src 'self'"),
        ("https://ask.example:8443/x/", "connect-src 'self' https://ask.example:8443"),
        ("javascript:alert(1)", "connect-src 'self'"),
    ],
)
def test_the_policy_names_the_endpoint(endpoint: str, connect: str) -> None:
    """Only the endpoint's origin may be asked beside the site itself, and nothing inline may run; WebAssembly may."""
    assert policy(endpoint).endswith(f"; {connect}")
    assert "unsafe" not in policy(endpoint).replace("script-src 'self' 'wasm-unsafe-eval';", "")
