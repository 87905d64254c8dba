"""What the site costs its readers: ``python -m bench.site [CONTENT]``, in Chromium on loopback.

Generated pages: an article's bytes and the time until it can be used, among 100 pages and among 8,000; the site's bytes
with and without what leads around in it. CONTENT (the handbook): time from a key in the search to the first result that
is painted. The graph of 2,000 of the 8,000 pages: frames a second while it is dragged. Processor four times slower for
both times and frames. ``--sizes 100 800`` is quicker.
"""

from __future__ import annotations

import argparse
import gzip
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from bench.build import generate
from tests.browser.host import hosted
from tests.setup_browser import CHROMIUM, FLAGS

SIZES = (100, 8_000)
SAMPLE, LOADS, KEYS = 200, 15, 12
SLOWER = 4
NAVIGATION = re.compile(rb'<nav class="g-t(?:ree|oc|urn)".*?</nav>|<aside class="g-side">.*?</aside>', re.DOTALL)
UNSEARCHED = "import sys; sys.modules['pagefind_bin_extended'] = None; from compiler.cli import main; main()"
READY = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
FRAMES = """() => new Promise((done) => {
  let count = 0; const start = performance.now();
  requestAnimationFrame(function next(now) {
    count += 1;
    now - start < 2000 ? requestAnimationFrame(next) : done(1000 * count / (now - start));
  });
})"""
TYPED = """(query) => new Promise((done) => {
  const root = document.querySelector("geosmin-search").shadowRoot, field = root.querySelector("input");
  const shown = () => [...root.querySelectorAll("a[href]")].map((one) => one.href).join();
  const before = shown(), sent = performance.now();
  const seen = new MutationObserver(() => {
    if (shown() === before || !shown()) return;
    seen.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - sent)));
  });
  seen.observe(root, { childList: true, subtree: true });
  field.value = query;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
})"""
QUERIES = (
    "share",
    "引用",
    "password",
    "expire",
    "chunk",
    "公开",
    "deploy",
    "evidence",
    "front matter",
    "vault",
    "tune",
    "模型",
)


def built(content: Path, place: Path, *, searched: bool) -> Path:
    """Build a folder without a model and return the site's folder."""
    program = ["-m", "compiler.cli"] if searched else ["-c", UNSEARCHED]
    where = ["--content", str(content), "--out", str(place / "dist"), "--state", str(place / "state")]
    command = [sys.executable, *program, "build", *where, "--set", "embed.model=none"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    return place / "dist" / "current" / "site"


def articles(site: Path) -> list[str]:
    """Return addresses of articles, evenly taken over the whole site."""
    found = sorted(page.parent.relative_to(site).as_posix() + "/" for page in site.glob("*/*/index.md"))
    return found[:: max(1, len(found) // SAMPLE)]


@contextmanager
def opened(browser: Browser, *, slower: int) -> Iterator[Page]:
    """Yield a page of a browser with a slower processor and an empty cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    yield page
    context.close()


def usable(browser: Browser, sites: Sequence[tuple[str, Sequence[str]]]) -> list[float]:
    """Return for each site (its address, its articles) the median of milliseconds until an article can be used.

    The cache is empty each time, and the sites take turns, because machines are shared.
    """
    times: list[list[float]] = [[] for _ in sites]
    for turn in range(LOADS):
        for (address, urls), found in zip(sites, times, strict=True):
            with opened(browser, slower=SLOWER) as page:
                page.goto(address + urls[turn * len(urls) // LOADS])
                found.append(page.evaluate(READY))
    return [statistics.median(found) for found in times]


def weighed(site: Path) -> tuple[float, float, float]:
    """Return an article's mean bytes, compressed too, and the site's bytes by those without navigation."""
    pages = [(site / url / "index.html").read_bytes() for url in articles(site)]
    whole = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    led = sum(len(part) for page in site.rglob("index.html") for part in NAVIGATION.findall(page.read_bytes()))
    squeezed = statistics.fmean(len(gzip.compress(page, 6, mtime=0)) for page in pages)
    return statistics.fmean(map(len, pages)), squeezed, whole / (whole - led)


def dragged(browser: Browser, address: str) -> float:
    """Return frames a second while the graph is dragged to and fro."""
    with opened(browser, slower=SLOWER) as page:
        page.goto(address + "graph/")
        page.locator("#g-graph[data-ready]").wait_for(timeout=60_000)
        box: Any = page.locator("#g-graph canvas").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.evaluate(f"() => {{ window.counted = ({FRAMES})(); }}")
        for step in range(120):
            page.mouse.move(x + 40 * (step % 5 - 2), y + 20 * (step % 3 - 1))
        return float(page.evaluate("window.counted"))


def typed(browser: Browser, address: str) -> list[float]:
    """Return milliseconds from a key to the frame with the first result, for each query, once the search is open."""
    with opened(browser, slower=1) as page:
        page.goto(address)
        page.keyboard.press("/")
        page.locator("geosmin-search input").wait_for()
        page.wait_for_timeout(300)  # a reader's hand comes back from the key that opened it
        return [float(page.evaluate(TYPED, query)) for query in QUERIES[:KEYS]]


def main() -> None:
    """Print the figures, each beside its aim."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("content", nargs="?", type=Path, default=Path("content"))
    parser.add_argument("--sizes", nargs=2, type=int, default=SIZES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="geosmin-site-") as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        grown(Path(folder), browser, options.sizes)
        with hosted(built(options.content, Path(folder) / "own", searched=True)) as address:
            times = typed(browser, address)
        print("each:", *(f"{time:.0f}" for time in times))
        print(f"key to first result: median {statistics.median(times):.0f} ms, worst {max(times):.0f} (aim 100)")
        browser.close()


def grown(place: Path, browser: Browser, sizes: Sequence[int]) -> None:
    """Compare an article among few pages with one among many."""
    sites = []
    for size in sizes:
        generate(place / str(size) / "content", size)
        sites.append(built(place / str(size) / "content", place / str(size), searched=False))
    with hosted(sites[0]) as few, hosted(sites[1]) as many:
        times = usable(browser, [(few, articles(sites[0])), (many, articles(sites[1]))])
        frames = dragged(browser, many)
    weights = [weighed(site) for site in sites]
    for size, (plain, squeezed, led), time in zip(sizes, weights, times, strict=True):
        print(f"{size:6} pages: article {plain:,.0f} bytes ({squeezed:,.0f} compressed), usable in {time:.0f} ms")
        print(f"        site {led:.2f} × without navigation (aim 1.5)")
    print(f"ratio: bytes {weights[1][0] / weights[0][0]:.2f}, time {times[1] / times[0]:.2f} (aim 1.2)")
    print(f"graph: {frames:.0f} frames a second (aim 30)")


if __name__ == "__main__":
    main()
