"""The question box on somebody else's site: strict policy, the real function on another origin, hostile surroundings."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.asking import SHADOW, ask
from tests.browser.elsewhere import Elsewhere, document
from tests.browser.test_site_browser import PHONE, violations
from tests.browser.whole import build, serve

QUESTION = "Where should the rain gauge be put?"
FLOAT = '<script type="module" src="SITEask.js?float"></script>'
PAGES = {
    "float.html": document(FLOAT),
    "element.html": document('<script type="module" src="SITEask.js"></script><geosmin-ask></geosmin-ask>'),
    "chinese.html": document('<script type="module" src="SITEask.js?float&amp;lang=zh&amp;theme=dark"></script>'),
    "arabic.html": document(FLOAT, attributes='lang="ar" dir="rtl"'),
    "twice.html": document(FLOAT + FLOAT + '<script type="module" src="SITEask.js?float&amp;again"></script>'),
    "scoped.html": document(
        '<script type="module" src="SITEask.js"></script>'
        '<geosmin-ask inline scope=\'{"tags":["rain"]}\'></geosmin-ask><geosmin-ask inline scope="{broken"></geosmin-ask>'
    ),
    "frame.html": document(
        '<iframe title="Ask" src="SITEembed.html?lang=en&amp;theme=dark" width="500" height="600"'
        ' sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"></iframe>'
    ),
    "lies.html": document(FLOAT + '<script type="module" src="lies.js"></script>'),
    "lies.js": "window.fetch = async () => new Response('{\"answer\":\"forged\"}', { headers: { 'content-type': 'application/json' } });",
    "early.html": document('<script src="early.js"></script>' + FLOAT),
    "early.js": "window.fetch = () => { throw 'no'; }; Object.prototype.extra = 1; Array.prototype.more = 1;",
}


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    """The foreign site, and the real function that lists its origin."""
    made = Elsewhere()
    with serve(build(tmp_path_factory.mktemp("embedded")), allow_origins=(made.origin,)) as site:
        yield made.embeds(site, PAGES)
    made.stop()


@pytest.fixture
def origins(page: Page) -> list[str]:
    """The origins of all requests of the page."""
    seen: list[str] = []
    page.on("request", lambda request: seen.append("{0.scheme}://{0.netloc}".format(urlsplit(request.url))))
    return seen


@pytest.mark.parametrize("path", ["float.html", "element.html"])
def test_one_tag_answers_under_a_strict_policy(page: Page, elsewhere: Elsewhere, origins: list[str], path: str) -> None:
    """The real function answers from another origin, with no exception in the policy, one script and no other host."""
    scripts: list[str] = []
    page.on("request", lambda request: scripts.append(request.url) if request.resource_type == "script" else None)
    page.goto(f"{elsewhere.origin}/{path}")
    ask(page, QUESTION)
    expect(page.locator(".answer")).to_contain_text("in the open")
    assert len(scripts) == 1
    assert set(origins) == {elsewhere.origin, elsewhere.site.rstrip("/")}
    assert page.evaluate("document.cookie") == ""


def test_links_lead_to_the_knowledge_base(page: Page, elsewhere: Elsewhere) -> None:
    """Sources open on the owner's site in a tab of their own, at the quoted words, whatever page embeds the box."""
    page.goto(f"{elsewhere.origin}/float.html")
    ask(page, QUESTION)
    page.locator(".cite").first.click()
    expect(page.locator(".card mark")).to_contain_text("in the open")
    with page.expect_popup() as opened:
        page.locator(".card a").click()
    expect(opened.value.locator("[id='where-to-put-the-gauge']")).to_be_in_viewport()
    assert opened.value.url.startswith(f"{elsewhere.site}rain/#where-to-put-the-gauge")
    assert opened.value.evaluate("window.opener") is None


def test_the_shop_embeds_it_in_its_text(page: Page, elsewhere: Elsewhere) -> None:
    """The demo: an element in the page with a starter of the shop's own, in the shop's hard style, without a fault of axe."""
    page.goto(f"{elsewhere.origin}/")
    page.get_by_role("button", name=QUESTION).click()
    expect(page.locator(".inline .answer")).to_contain_text("in the open")
    size = "getComputedStyle(document.querySelector('geosmin-ask').shadowRoot.querySelector('.send'))"
    assert page.evaluate(f"[{size}.textTransform, {size}.fontFamily.includes('cursive')]") == ["none", False]
    assert violations(page) == []


@pytest.mark.parametrize("context", [{}, PHONE], indirect=True, ids=["wide", "phone"])
def test_the_closed_box_moves_nothing(page: Page, elsewhere: Elsewhere) -> None:
    """Loading the box shifts no pixel of the page around it."""
    page.add_init_script(
        "window.shift = 0; new PerformanceObserver((list) => { for (const e of list.getEntries()) window.shift += e.value; })"
        ".observe({ type: 'layout-shift', buffered: true });"
    )
    page.goto(f"{elsewhere.origin}/float.html")
    expect(page.locator(".launch")).to_be_visible()
    page.wait_for_timeout(200)
    assert page.evaluate("window.shift") == 0


def test_parameters_are_attributes(page: Page, elsewhere: Elsewhere) -> None:
    """Language and theme can be said in the script's address, for editors that take nothing but a script."""
    page.goto(f"{elsewhere.origin}/chinese.html")
    expect(page.get_by_role("button", name="提问")).to_be_visible()
    assert page.evaluate(f"getComputedStyle({SHADOW}.host).colorScheme") == "dark"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_themes_are_readable(page: Page, elsewhere: Elsewhere, theme: str) -> None:
    """Open, answered and failed, the box has no fault of axe on a foreign page, in either theme."""
    page.goto(f"{elsewhere.origin}/element.html")
    page.evaluate(f"document.querySelector('geosmin-ask').setAttribute('theme', '{theme}')")
    ask(page, QUESTION)
    expect(page.locator(".answer")).to_contain_text("in the open")
    page.locator(".cite").first.click()
    page.wait_for_timeout(250)
    assert violations(page) == []
    page.route("**/qa/chat", lambda route: route.abort())
    ask(page, "again")
    expect(page.locator(".problem")).to_be_visible()
    assert violations(page) == []


def test_from_right_to_left(page: Page, elsewhere: Elsewhere) -> None:
    """On a right-to-left page button and sheet stand on the left; the English answer still reads from the left."""
    page.goto(f"{elsewhere.origin}/arabic.html")
    box = page.locator(".launch").bounding_box()
    assert box is not None
    assert box["x"] < 100
    ask(page, QUESTION)
    expect(page.locator(".answer")).to_contain_text("in the open")
    sheet = page.locator(".sheet").bounding_box()
    assert sheet is not None
    assert sheet["x"] == 0
    assert page.evaluate(f"getComputedStyle({SHADOW}.querySelector('.answer p')).unicodeBidi") == "plaintext"


def test_scripts_that_run_again_add_nothing(page: Page, elsewhere: Elsewhere) -> None:
    """Three script tags are one button."""
    page.goto(f"{elsewhere.origin}/twice.html")
    expect(page.locator(".launch")).to_have_count(1)
    page.wait_for_timeout(200)
    expect(page.locator("geosmin-ask")).to_have_count(1)


def test_instant_navigation_keeps_the_one_box(page: Page, elsewhere: Elsewhere) -> None:
    """A framework that puts a new body in three times leaves one box, open, with its conversation and its answer."""
    page.goto(f"{elsewhere.origin}/float.html")
    ask(page, QUESTION)
    for title in ("a", "b", "c"):
        page.evaluate(
            "([title, tag]) => { history.pushState(null, '', title); const body = document.createElement('body');"
            " body.textContent = title; const script = document.createElement('script'); script.type = 'module';"
            " script.src = tag; body.append(script); document.body.replaceWith(body); }",
            [title, f"{elsewhere.site}ask.js?float"],
        )
    expect(page.locator(".answer")).to_contain_text("in the open")
    expect(page.locator("geosmin-ask")).to_have_count(1)
    expect(page.locator(".turn")).to_have_count(1)


def test_an_element_that_is_made_anew_restores_its_conversation(page: Page, elsewhere: Elsewhere) -> None:
    """A framework that makes the element again, as React does, finds the conversation in the tab."""
    page.goto(f"{elsewhere.origin}/element.html")
    ask(page, QUESTION)
    expect(page.locator(".answer")).to_contain_text("in the open")
    page.evaluate("document.querySelector('geosmin-ask').replaceWith(document.createElement('geosmin-ask'))")
    page.locator(".launch").click()
    expect(page.locator(".answer")).to_contain_text("in the open")


def test_two_boxes_keep_apart(page: Page, elsewhere: Elsewhere) -> None:
    """Each has its own scope and conversation; a scope that cannot be read finds nothing instead of everything."""
    page.goto(f"{elsewhere.origin}/scoped.html")
    first, second = page.locator("geosmin-ask").first, page.locator("geosmin-ask").last
    for box in (first, second):
        box.locator("form textarea").fill(QUESTION)
        box.locator(".send").click()
        expect(box.locator(".actions")).to_be_visible()
    expect(first.locator(".answer")).to_contain_text("in the open")
    expect(second.locator(".help")).to_be_visible()
    expect(second.locator(".help")).not_to_contain_text("in the open")
    expect(page.locator(".turn")).to_have_count(2)


def test_the_frame(page: Page, elsewhere: Elsewhere) -> None:
    """The page for a frame answers inside a foreign page, in the language and theme of its address."""
    page.goto(f"{elsewhere.origin}/frame.html")
    frame = page.frame_locator("iframe")
    frame.locator("textarea").fill(QUESTION)
    frame.locator("textarea").press("Enter")
    expect(frame.locator(".answer")).to_contain_text("in the open")
    expect(frame.locator(".sources a").first).to_have_attribute("target", "_blank")
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
    with page.expect_popup() as opened:
        frame.locator(".sources a").first.click()
    expect(opened.value.locator("[id='where-to-put-the-gauge']")).to_be_in_viewport()


def test_only_named_sites_may_frame_it(browser: Browser, elsewhere: Elsewhere) -> None:
    """The function names its allowed origins as the only ancestors; another site gets an empty frame."""
    other = Elsewhere().embeds(elsewhere.site, PAGES)
    context = browser.new_context()
    page = context.new_page()
    refused: list[str] = []
    page.on("console", lambda line: refused.append(line.text) if "frame-ancestors" in line.text else None)
    page.goto(f"{other.origin}/frame.html")
    page.wait_for_timeout(300)
    assert page.frame_locator("iframe").locator("geosmin-ask").count() == 0
    assert len(refused) == 1
    context.close()
    other.stop()


def test_no_other_page_can_be_framed(page: Page, elsewhere: Elsewhere) -> None:
    """Only the page for frames names ancestors; an article allows none."""
    assert "frame-ancestors 'none'" in page.request.get(f"{elsewhere.site}rain/").headers["content-security-policy"]
    policy = page.request.get(f"{elsewhere.site}embed.html").headers["content-security-policy"]
    assert policy.endswith(f"frame-ancestors 'self' {elsewhere.origin}")


def test_only_our_scripts_are_for_everybody(page: Page, elsewhere: Elsewhere) -> None:
    """Other sites may load the box; pages, lists and data are for the site itself."""
    shared = {path: "access-control-allow-origin" in page.request.get(elsewhere.site + path).headers for path in SHARED}
    assert shared == SHARED


SHARED = {"ask.js": True, "rain/": False, "build.json": False, "assets/pages.json": False, "embed.html": False}


def test_an_origin_that_is_not_listed_is_told(browser: Browser, elsewhere: Elsewhere) -> None:
    """On a site that the owner did not list the browser keeps the answer back, and the box says so and offers search."""
    other = Elsewhere().embeds(elsewhere.site, PAGES)
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{other.origin}/float.html")
    ask(page, QUESTION)
    expect(page.locator(".problem")).to_contain_text("cannot be reached")
    search = page.locator(".problem").get_by_role("link")
    expect(search).to_have_attribute("href", f"{elsewhere.site}search/?q=Where+should+the+rain+gauge+be+put%3F")
    context.close()
    other.stop()


def test_a_page_that_forges_fetch_later_changes_nothing(page: Page, elsewhere: Elsewhere) -> None:
    """The box took the browser's own fetch when it loaded; what the page makes of it afterwards is not used."""
    page.goto(f"{elsewhere.origin}/lies.html")
    page.wait_for_function("window.fetch.toString().includes('forged')")
    ask(page, QUESTION)
    expect(page.locator(".answer")).to_contain_text("in the open")


def test_a_page_that_broke_its_globals_gets_a_sentence(page: Page, elsewhere: Elsewhere) -> None:
    """With fetch broken from the beginning and the prototypes littered, the box says that it cannot ask."""
    page.goto(f"{elsewhere.origin}/early.html")
    ask(page, QUESTION)
    expect(page.locator(".problem")).to_contain_text("cannot be reached")


def test_a_flood_is_one_question(page: Page, elsewhere: Elsewhere) -> None:
    """A page that calls ask() a thousand times has asked once, and the box still works."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/qa/chat") else None)
    page.goto(f"{elsewhere.origin}/float.html")
    expect(page.locator(".launch")).to_be_visible()
    page.evaluate(f"for (let i = 0; i < 1000; i++) document.querySelector('geosmin-ask').ask('{QUESTION}')")
    expect(page.locator(".answer")).to_contain_text("in the open")
    assert len([url for url in asked if url]) == 1
    ask(page, "what is not there")
    expect(page.locator(".turn")).to_have_count(2)


def test_the_box_holds_no_secret(page: Page, elsewhere: Elsewhere) -> None:
    """A page may read all of it: there is the conversation of this tab, and no key, cookie or address but the endpoint."""
    page.goto(f"{elsewhere.origin}/float.html")
    ask(page, QUESTION)
    expect(page.locator(".actions")).to_be_visible()
    kept = page.evaluate("[Object.keys(localStorage).length, Object.keys(sessionStorage)]")
    assert kept == [0, [f"geosmin-ask {elsewhere.site} "]]
