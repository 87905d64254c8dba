"""Password pages in a real browser: opened below a sub-path, without a network, and by the right password alone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from compiler.model import Anchor, Heading, ProtectedFile, ProtectedPage, SourcePath, Url
from compiler.site import protect
from compiler.site.mkdocs import render
from tests.browser.double import Served
from tests.browser.test_site_browser import violations
from tests.compiler.site_sample import sample_site
from tests.compiler.test_attachments import png

PASSWORD, SECRET = "雨 correct horse battery", b"s" * 40
ID = protect.page_id(SECRET, "club")
BODY = """<h1 id="club">社团手册</h1><p>只给社员看。<a href="../../../garden/smell/">雨后的气味</a></p>
<h2 id="one">第一条</h2><p><img src="files/club/map.png" alt="地图"></p><h2 id="two">第二条</h2>
<p><a href="files/club/list.csv">名单</a></p><h2 id="three">第三条</h2><p>完。</p>"""


def sealed(**changes: object) -> ProtectedPage:
    """Return a password page with a picture and a file."""
    values = {
        "id": ID,
        "url": Url(protect.page_url(ID)),
        "source": SourcePath("club.md"),
        "secret": SECRET,
        "password": PASSWORD,
        "title": "社团手册",
        "lang": "zh",
        "html": BODY,
        "headings": tuple(
            Heading(2, title, Anchor(a), 0) for title, a in (("第一条", "one"), ("第二条", "two"), ("第三条", "three"))
        ),
        "updated": "2026-05-01",
        "not_after": None,
        "files": (
            ProtectedFile("files/club/map.png", "image/png", png()),
            ProtectedFile("files/club/list.csv", "text/csv", b"name\n"),
        ),
        **changes,
    }
    return ProtectedPage(**values)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The sample below a path, with a password page and an expired one beside it."""
    place = tmp_path_factory.mktemp("unlock")
    render(sample_site(base_path="/repo/"), place / "site")
    old = sealed(id=protect.page_id(SECRET, "old"), not_after=1)
    name = protect.stage(place / "out", [sealed(), old])
    shutil.copytree(place / "out" / "protected" / "sets" / name, place / "site" / "protected" / "p")
    with Served(place / "site", "/repo/", answering=False) as served:
        yield served.url, place / "site"


def enter(page: Page, password: str) -> None:
    """Type a password and send it."""
    page.get_by_label("密码").fill(password)
    page.get_by_role("button", name="打开").click()


def test_the_password_opens_the_page(page: Page, site: tuple[str, Path]) -> None:
    """From the page's own address a reader is asked, and the password shows title, text, picture and links."""
    page.goto(f"{site[0]}protected/p/{ID}/")
    page.wait_for_url(f"**/unlock/#{ID}")
    expect(page.locator("body")).not_to_contain_text("社团手册")
    enter(page, PASSWORD)
    expect(page.get_by_role("heading", level=1)).to_have_text("社团手册")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    assert page.title().startswith("社团手册")
    assert page.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    expect(page.get_by_role("link", name="雨后的气味").last).to_have_attribute("href", site[0] + "garden/smell/")


def test_a_file_inside_can_be_saved(page: Page, site: tuple[str, Path]) -> None:
    """A file of the page lies in its ciphertext and is saved under its name."""
    page.goto(f"{site[0]}unlock/#{ID}")
    enter(page, PASSWORD)
    with page.expect_download() as download:
        page.get_by_role("link", name="名单").click()
    assert download.value.suggested_filename == "list.csv"
    assert download.value.path().read_bytes() == b"name\n"


def test_a_wrong_password_says_so(page: Page, site: tuple[str, Path]) -> None:
    """Another password shows a sentence and nothing else; the right one then opens."""
    page.goto(f"{site[0]}unlock/#{ID}")
    enter(page, "雨 correct horse batter")
    expect(page.get_by_role("alert")).to_contain_text("这个密码打不开")
    expect(page.locator("body")).not_to_contain_text("社团手册")
    enter(page, PASSWORD)
    expect(page.get_by_role("heading", level=1)).to_have_text("社团手册")


def test_it_opens_without_a_network(page: Page, context: BrowserContext, site: tuple[str, Path]) -> None:
    """Once the page has loaded, the password opens it offline."""
    page.goto(f"{site[0]}unlock/#{ID}")
    page.get_by_label("密码").wait_for()
    context.set_offline(True)
    enter(page, PASSWORD)
    expect(page.get_by_role("heading", level=1)).to_have_text("社团手册")


def test_nothing_is_kept_unless_asked(page: Page, site: tuple[str, Path]) -> None:
    """Without the tick the next visit asks again; with it the page opens, until it is to be forgotten."""
    page.goto(f"{site[0]}unlock/#{ID}")
    enter(page, PASSWORD)
    page.get_by_role("heading", name="社团手册").wait_for()
    assert page.evaluate(
        "indexedDB.databases().then((all) => JSON.stringify([all.map((one) => one.version), localStorage.length, sessionStorage.length]))"
    ) in ("[[],0,0]", "[[1],0,0]")
    page.reload()
    page.get_by_label("在这台设备上记住").check()
    enter(page, PASSWORD)
    page.get_by_role("button", name="在这台设备上忘记").wait_for()
    page.reload()
    page.get_by_role("heading", name="社团手册").wait_for()
    page.get_by_role("button", name="在这台设备上忘记").click()
    expect(page.get_by_label("密码")).to_be_visible()


@pytest.mark.parametrize("opaque", ["0" * 32, "../../x", ""])
def test_no_page_and_no_name_are_one(page: Page, site: tuple[str, Path], opaque: str) -> None:
    """Where no page is, the sentence of a page that does not exist stands, and nothing is asked."""
    page.goto(f"{site[0]}unlock/#{opaque}")
    expect(page.get_by_role("heading", level=1)).to_have_text("这里没有页面")
    assert "密码" not in page.title() + page.locator("main").inner_text()
    expect(page.get_by_label("密码")).to_be_hidden()


def test_an_expired_page_is_no_page(page: Page, site: tuple[str, Path]) -> None:
    """After its last moment a page shows nothing, though the password is right."""
    page.goto(f"{site[0]}unlock/#{protect.page_id(SECRET, 'old')}")
    enter(page, PASSWORD)
    expect(page.get_by_role("heading", level=1)).to_have_text("这里没有页面")
    assert "密码" not in page.title() + page.locator("main").inner_text()
    expect(page.locator("body")).not_to_contain_text("社团手册")


def test_axe_finds_nothing_before_and_after(page: Page, site: tuple[str, Path]) -> None:
    """Neither the question for the password nor the opened page has an accessibility violation."""
    page.goto(f"{site[0]}unlock/#{ID}")
    page.get_by_label("密码").wait_for()
    assert violations(page) == []
    enter(page, PASSWORD)
    page.get_by_role("heading", name="社团手册").wait_for()
    assert violations(page) == []
