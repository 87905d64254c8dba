"""Hostile content in a browser: every payload in every place, one vault, one build, every kind of page opened."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.conftest import Watch
from tests.browser.host import hosted

TABLE = yaml.safe_load((Path(__file__).parents[1] / "golden" / "vectors.yml").read_text("utf-8"))
PAYLOADS: list[str] = [p.replace("ALERT(", "alert(") for p in TABLE["payloads"]]
PLACES: dict[str, str] = TABLE["places"]
FRONT = ("title", "summary", "tags", "aliases", "slug", "lang", "redirects", "file name")
FOREIGN = "http://foreign.invalid"
INSIDE = ("http://127.0.0.1:", "data:", "blob:")
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c"
    "636000000002000148afa4710000000049454e44ae426082"
)
# Whatever could run or fetch later, on a click or when it is shown, counts as if it had.
LATENT = """() => {
  const found = [], said = (one, what) => found.push(what + ": " + one.outerHTML.slice(0, 200));
  for (const one of document.querySelectorAll("*")) {
    for (const { name, value } of one.attributes) {
      if (/^on/i.test(name) || ["srcdoc", "formaction", "ping", "style"].includes(name)) said(one, name);
      if (/^(href|xlink:href|src|action|data|poster|to)$/i.test(name)) {
        const way = new URL(value, document.baseURI).protocol;
        if (!["http:", "https:", "mailto:", "tel:"].includes(way)) said(one, way);
      }
    }
    if (/^(iframe|frame|object|embed|base|template|style|animate|set|use|foreignobject|maction)$/i.test(one.localName)) said(one, "element");
    if (one.localName === "script" && one.text && one.type !== "application/ld+json") said(one, "script");
  }
  for (const one of document.querySelectorAll(".g-text *")) {
    for (const kind of ["mouseover", "focus", "toggle"]) one.dispatchEvent(new Event(kind));
  }
  if (document.querySelectorAll("meta[http-equiv]").length !== 1) found.push("meta: " + document.head.innerHTML.slice(0, 400));
  return [found, window.violations];
}"""
WATCH = """window.violations = [];
document.addEventListener("securitypolicyviolation", (e) => window.violations.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample));"""


def article(number: int, payload: str) -> str:
    """Return a page with one payload in every place."""
    front = {"share": "public", "title": payload, "summary": payload, "tags": [payload], "aliases": [payload]}
    blocks = (place.replace("{n}", f"{number}-{n}").replace("{}", payload) for n, place in enumerate(PLACES.values()))
    return f"---\n{json.dumps(front)}\n---\n" + "\n\n".join(blocks) + "\n"


def addressed(payload: str) -> str:
    """Return a page whose front matter asks for addresses with the payload; the build may refuse it."""
    front = {"share": "public", "slug": payload, "lang": payload, "redirects": [payload]}
    return f"---\n{json.dumps(front)}\n---\nx\n"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """The site of a hostile vault, and its address."""
    place = tmp_path_factory.mktemp("hostile")
    content = place / "content"
    content.mkdir()
    (content / "pixel.png").write_bytes(PIXEL)
    for number, payload in enumerate(p.replace("HOST", FOREIGN) for p in PAYLOADS):
        (content / f"p{number}.md").write_text(article(number, payload), "utf-8")
        (content / f"front{number}.md").write_text(addressed(payload), "utf-8")
        named = re.sub(r"[/\x00-\x1f\u2028\u202e\\]", "_", payload)[:80]
        (content / f"name{number} {named}.md").write_text("---\nshare: public\n---\nNamed like that.\n", "utf-8")
    where = [f"--{name}={place / part}" for name, part in (("content", "content"), ("out", "dist"), ("state", "state"))]
    command = [sys.executable, "-m", "compiler.cli", "build", *where, "--set", "embed.model=none"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    site = place / "dist" / "current" / "site"
    with hosted(site) as address:
        yield site, address


@pytest.fixture
def context(browser: Browser, watch: Watch) -> Iterator[BrowserContext]:
    """A fresh context that blocks nothing: what is asked for outside is recorded, and its host does not exist.

    Blocking turns off the cache of the browser, and with it every page would fetch every script anew.
    """
    made = browser.new_context(viewport={"width": 1440, "height": 900})
    made.on("request", lambda one: watch.outside.append(one.url) if not one.url.startswith(INSIDE) else None)
    yield made
    made.close()
    assert (watch.outside, watch.problems, watch.dialogs) == ([], [], [])


def opened(site: Path) -> list[str]:
    """Return the pages to open: not those of one line whose name stands on every page, and of the tags every sixth."""
    urls = [quote(path.relative_to(site).as_posix()) for path in sorted(site.rglob("*.html"))]
    tags = [url for url in urls if url.startswith("tags/")]
    return [url for url in urls if not url.startswith(("name", "front", "tags/"))] + tags[::6]


def test_the_table_is_large_enough() -> None:
    """At least 250 vectors of at least 30 kinds."""
    assert len(set(PAYLOADS)) == len(PAYLOADS)
    assert len(PLACES) + len(FRONT) >= 30
    assert len(PAYLOADS) * (len(PLACES) + len(FRONT)) >= 250


def test_every_payload_is_published(hostile: tuple[Path, str]) -> None:
    """No page of the table is held back, so that each vector really reaches the browser."""
    listed = json.loads((hostile[0] / "assets" / "pages.json").read_text("utf-8"))
    assert sum(row[4] == "article" for row in listed) >= 2 * len(PAYLOADS)


def test_hostile_content_runs_nothing_and_fetches_nothing(page: Page, hostile: tuple[Path, str]) -> None:
    """On every kind of page: no dialog, no request, no violation of the policy, and nothing waits for a click."""
    site, address = hostile
    page.add_init_script(WATCH)
    found = {}
    for url in opened(site):
        page.goto(address + url)
        latent, violations = page.evaluate(LATENT)
        if latent or violations:
            found[url] = (latent, violations)
    assert found == {}


def test_a_hostile_search_finds_text(page: Page, hostile: tuple[Path, str]) -> None:
    """Titles and summaries stand in the search's results, and the query in its field, as text."""
    page.add_init_script(WATCH)
    for payload in PAYLOADS[:12]:
        page.goto(f"{hostile[1]}search/?q={quote(payload)}")
        page.locator("#g-results li").first.wait_for()
        latent, violations = page.evaluate(LATENT)
        assert (latent, violations) == ([], [])


def test_the_policy_of_every_page_allows_no_inline_script(hostile: tuple[Path, str]) -> None:
    """Each page carries a policy, before anything that it could concern, and scripts and styles are files of the site."""
    for path in sorted(hostile[0].rglob("index.html")):
        head = path.read_text("utf-8").partition("</head>")[0]
        found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', head)
        if not found:
            assert 'http-equiv="refresh"' in head, path  # a redirect has no text and no script
            assert "<script" not in head
            continue
        assert "unsafe-inline" not in found[1]
        assert "'unsafe-eval'" not in found[1]
        assert not re.search(r"<(script|link|style)", head[: found.start()])
