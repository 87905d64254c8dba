"""A real browser and a real site on loopback. A page that asks for anything outside, or breaks its policy, fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, sync_playwright

from compiler.site.mkdocs import render
from tests.browser.double import Served
from tests.compiler.site_sample import sample_site
from tests.setup_browser import CHROMIUM, FLAGS

BASE = "/repo/"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the browser tests, and skip them with a reason when there is no browser."""
    here = Path(__file__).parent
    for item in (item for item in items if here in item.path.parents):
        item.add_marker(pytest.mark.browser)
        if not CHROMIUM.exists():
            item.add_marker(pytest.mark.skip(reason=f"{CHROMIUM} is missing: run tests/setup_browser.py"))


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="package")
def answering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The Chinese sample under /repo/, on a host that answers questions."""
    out = tmp_path_factory.mktemp("answering")
    render(sample_site(base_path=BASE), out)
    (out / "llms.txt").write_text("# x\n", "utf-8")
    with Served(out, BASE, answering=True) as served:
        yield served


@pytest.fixture(scope="package")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The English sample at the root of a plain web host without the function."""
    out = tmp_path_factory.mktemp("silent")
    render(sample_site(lang="en"), out)
    with Served(out, "/", answering=False) as served:
        yield served


class Watch:
    """What a page did that it must not do."""

    def __init__(self) -> None:
        self.outside: list[str] = []
        self.problems: list[str] = []
        self.dialogs: list[str] = []


@pytest.fixture
def watch() -> Watch:
    """The record of one test."""
    return Watch()


@pytest.fixture
def context(browser: Browser, watch: Watch, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """A fresh context, 1440 px wide unless parametrised; outside requests are blocked and recorded."""
    options = {"viewport": {"width": 1440, "height": 900}, **getattr(request, "param", {})}
    made = browser.new_context(**options)

    def outside(route: Route) -> None:
        watch.outside.append(route.request.url)
        route.abort()

    made.route(lambda url: not url.startswith("http://127.0.0.1:"), outside)
    yield made
    made.close()
    assert watch.outside == []
    assert watch.problems == []
    assert watch.dialogs == []


@pytest.fixture
def page(context: BrowserContext, watch: Watch) -> Page:
    """A page whose script errors, dialogs and policy violations are recorded."""
    made = context.new_page()
    made.set_default_timeout(5000)
    made.on("pageerror", lambda error: watch.problems.append(str(error)))
    made.on("dialog", lambda dialog: (watch.dialogs.append(dialog.message), dialog.dismiss()))
    made.on(
        "console", lambda line: watch.problems.append(line.text) if "Content Security Policy" in line.text else None
    )
    return made


@pytest.fixture(autouse=True)
def _endpoint_as_new(request: pytest.FixtureRequest) -> None:
    """Each test finds the endpoint in its first mode, asked nothing."""
    if "answering" in request.fixturenames:
        request.getfixturevalue("answering").endpoint.renew()
