"""The whole product once: content is built by the command, served by the function, asked in a browser."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Page, expect

from query_fn.app import create_app
from query_fn.settings import Settings

CONTENT = {
    "smell.md": """---
share: public
---
# 雨后的气味

## 谁在制造它

雨后的气味来自土臭素，由土壤里的链霉菌合成。人能闻到的浓度低到每升 5 纳克。

- [x] 采样
""",
    "rain.md": """---
share: public
tags: [rain]
---
# Reading the rain

## Where to put the gauge

Put the rain gauge in the open, twice as far from a wall as the wall is high. See [[smell]] and [[secret]].

| Month | Fell |
| --- | ---: |
| May | 61.5 |
""",
    "secret.md": "# Secret garden\n\nThe private key lies under the pear tree.\n",
}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a built and served knowledge base of two public pages and a private one."""
    place = tmp_path_factory.mktemp("whole")
    for name, text in CONTENT.items():
        path = place / "content" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    paths = {"--content": "content", "--out": "dist", "--state": "state"}
    where = [part for option, name in paths.items() for part in (option, str(place / name))]
    command = [sys.executable, "-m", "compiler.cli", "build", *where, "--set", "embed.model=none"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    yield from serve(place / "dist" / "current")


def serve(current: Path) -> Iterator[str]:
    """Serve a build by the function's own application on loopback."""
    app = create_app(Settings(artifacts=current / "artifacts", site=current / "site", secret=b"x" * 32))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        threading.Event().wait(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    server.should_exit = True
    thread.join(5)


@pytest.mark.parametrize(
    ("question", "words", "anchor"),
    [
        ("雨后的气味由什么合成？", "链霉菌", "谁在制造它"),
        ("Where should the rain gauge be put?", "in the open", "where-to-put-the-gauge"),
    ],
)
def test_a_question_is_answered_and_its_citation_arrives(
    page: Page, url: str, question: str, words: str, anchor: str
) -> None:
    """The home page answers; the citation's card shows the words in their passage, and its link lands on the heading."""
    page.goto(url)
    page.locator("textarea").fill(question)
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_contain_text(words)
    page.locator(".cite").first.click()
    expect(page.locator(".card mark")).to_contain_text(words)
    expect(page.locator(".card blockquote")).not_to_have_text(
        page.locator(".card mark").inner_text()
    )  # more than the quote
    page.locator(".card a").click()
    page.wait_for_url("**#**")
    assert page.evaluate("decodeURIComponent(location.hash.slice(1))") == anchor
    expect(page.locator(f"[id='{anchor}']")).to_be_in_viewport()


def test_the_real_search_fills_the_dialog(page: Page, url: str) -> None:
    """A Chinese word finds its page through the function, with the words marked."""
    page.goto(url + "rain/")
    page.keyboard.press("/")
    page.keyboard.type("链霉菌")
    expect(page.get_by_role("option").first).to_contain_text("雨后的气味")
    expect(page.get_by_role("option").first.locator("mark").first).to_have_text("链霉菌")


def test_a_private_page_is_a_plain_word(page: Page, url: str) -> None:
    """A link to a page that is not public reads like any text, and its address is the page for lost readers."""
    page.goto(url + "rain/")
    expect(page.locator(".missing")).to_have_text("secret")
    reply = page.goto(url + "secret/")
    assert reply is not None
    assert reply.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no page here")
