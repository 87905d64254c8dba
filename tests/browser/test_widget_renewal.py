"""While site and function are renewed: the box names the build of its site, and asks again when the other is ahead."""

from __future__ import annotations

import json

from playwright.sync_api import Page, Route, expect

from tests.browser.asking import SMALL_RAIN, ask
from tests.browser.double import Served


def test_the_box_waits_until_both_are_of_one_build(page: Page, answering: Served) -> None:
    """A question that another build would answer is put again a little later, with the id that the site has then."""
    builds, told = iter(["b1", "b2"]), []

    def site(route: Route) -> None:
        route.fulfill(body=json.dumps({"build": next(builds)}), content_type="application/json")

    def chat(route: Route) -> None:
        told.append(route.request.headers.get("x-geosmin-build"))
        if told[-1] == "b1":
            route.fulfill(status=409, body="{}", content_type="application/problem+json")
        else:
            route.continue_()

    page.route("**/build.json", site)
    page.route("**/api/public/qa/chat", chat)
    page.goto(answering.url + "garden/soil/")
    ask(page, SMALL_RAIN)
    expect(page.locator(".cite")).to_have_count(2, timeout=15_000)
    assert told == ["b1", "b2"]
