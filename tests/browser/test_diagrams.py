"""Diagrams in a browser, drawn by the real Mermaid: in a frame without an origin, shown as images."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.host import hosted
from tests.browser.test_site_browser import violations

SCRIPT = Path(__file__).parents[1] / "mermaid" / "node_modules" / "mermaid" / "dist" / "mermaid.min.js"
LOOSE = '%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%\n'
DIAGRAMS = {
    "flow": "graph TD\n  A[雨] --> B{dry?}\n  B -->|yes| C[smell]",
    "sequence": "sequenceDiagram\n  Rain->>Soil: falls",
    "script": 'graph TD\n  A["<script>alert(1)</script><img src=x onerror=alert(1)>"] --> B\n  click A "javascript:alert(1)"',
    "loose": LOOSE + 'graph TD\n  A["<img src=http://foreign.invalid/x onerror=alert(1)>"]\n  click A call alert(1)',
    "style": "graph TD\n  A --> B\n  style A fill:url(http://foreign.invalid/x)",
    "broken": "graph TD\n  A[open --> B(",
    "unknown": "spiral\n  A --> B",
}
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="NOT DRAWN: run `npm ci --prefix tests/mermaid` first")


@pytest.fixture(scope="module", params=[True, False], ids=["with Mermaid", "without"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[bool, str, str]]:
    """A site of diagrams: whether its owner brought Mermaid, its address, and what the build said."""
    place = tmp_path_factory.mktemp("diagrams")
    (place / "content" / "_theme").mkdir(parents=True)
    for name, source in DIAGRAMS.items():
        text = f"---\nshare: public\n---\n# {name}\n\nBefore.\n\n```mermaid\n{source}\n```\n\nAfter.\n"
        (place / "content" / f"{name}.md").write_text(text, "utf-8")
    (place / "content" / "plain.md").write_text("---\nshare: public\n---\n# plain\n\nNo diagram.\n", "utf-8")
    if request.param:
        (place / "content" / "_theme" / "mermaid.min.js").write_bytes(SCRIPT.read_bytes())
    where = [f"--{name}={place / part}" for name, part in (("content", "content"), ("out", "dist"), ("state", "state"))]
    command = [sys.executable, "-m", "compiler.cli", "build", *where, "--set", "embed.model=none"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    with hosted(place / "dist" / "current" / "site") as address:
        yield request.param, address, done.stdout + done.stderr


def test_a_diagram_is_drawn_or_shown_as_its_source(page: Page, site: tuple[bool, str, str]) -> None:
    """With Mermaid in the theme folder diagrams are images; without it the source stands there and the build says so."""
    drawn, address, said = site
    assert ("no_mermaid" in said) is not drawn
    for name in ("flow", "sequence"):
        page.goto(f"{address}{name}/")
        image = page.locator(".g-diagram img")
        expect(image).to_have_count(1 if drawn else 0)
        if drawn:
            page.wait_for_function("document.querySelector('.g-diagram img').naturalWidth > 60")
            page.get_by_text("Source of the diagram").click()
        expect(page.locator("pre.mermaid code")).to_be_visible()
        assert violations(page) == []


def test_hostile_diagrams_reach_nothing(page: Page, site: tuple[bool, str, str]) -> None:
    """Scripts, links, foreign pictures and a laxer level asked for in a diagram: no dialog, no request, no violation."""
    drawn, address, _ = site
    for name in ("script", "loose", "style"):
        page.goto(f"{address}{name}/")
        if drawn and name != "style":  # an address is no colour: it stays source
            page.locator(".g-diagram img").click()
        page.wait_for_timeout(300)


def test_what_cannot_be_drawn_stays_as_source(page: Page, site: tuple[bool, str, str]) -> None:
    """A diagram with a fault is its source, and the page says nothing wrong."""
    for name in ("broken", "unknown"):
        page.goto(f"{site[1]}{name}/")
        page.wait_for_timeout(1000)
        expect(page.locator(".g-diagram")).to_have_count(0)
        expect(page.locator("pre.mermaid code")).to_be_visible()


def test_pages_without_a_diagram_load_nothing_for_it(page: Page, site: tuple[bool, str, str]) -> None:
    """Mermaid is loaded when a diagram comes near, and nowhere else."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site[1]}plain/", wait_until="networkidle")
    assert [url for url in asked if "mermaid" in url] == []


def test_the_frame_has_no_origin(page: Page, site: tuple[bool, str, str]) -> None:
    """What draws runs sandboxed, without a way to the page around it."""
    if not site[0]:
        return
    page.goto(f"{site[1]}flow/")
    page.locator(".g-diagram img").wait_for()
    frame = next(one for one in page.frames if one.url.endswith("frame.html"))
    assert frame.evaluate("origin") == "null"
    assert frame.evaluate("(() => { try { return parent.document.title } catch { return '' } })()") == ""


def test_a_diagram_follows_the_theme(page: Page, site: tuple[bool, str, str]) -> None:
    """Turned dark, a page draws its diagrams again."""
    if not site[0]:
        return
    page.goto(f"{site[1]}flow/")
    image = page.locator(".g-diagram img")
    light = image.get_attribute("src")
    page.locator("[data-theme-toggle]").click()
    expect(image).not_to_have_attribute("src", light or "")
