"""What the question box costs a page that embeds it, in Chromium on loopback: bytes, main thread, layout, first step.

``python -m bench.widget``: medians of RUNS loads of one page, with the closed box and without, alternately. Main-thread
time is what Chromium counts for scripts, styles and layout until the page is idle. The first step is the time from the
key that sends a question to the frame that paints the first line of its turn; the first event is the function's own.
"""

from __future__ import annotations

import gzip
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from compiler.site import embed
from tests.browser.elsewhere import Elsewhere, document
from tests.browser.whole import build, serve
from tests.compiler.site_sample import sample_site
from tests.setup_browser import CHROMIUM, FLAGS

RUNS = 25
PAGES = {
    "without.html": document('<script type="module" src="empty.js"></script>'),
    "with.html": document('<script type="module" src="SITEask.js?float"></script>'),
    "empty.js": "export {};",
}
SHIFTS = """window.shift = 0;
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shift += one.value; })
  .observe({ type: "layout-shift", buffered: true });"""
WORK = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
FIRST = """() => new Promise((done) => {
  const root = document.querySelector("geosmin-ask").shadowRoot, field = root.querySelector("textarea");
  let sent, seen;
  new MutationObserver(() => {
    const since = () => performance.now() - sent, step = root.querySelector(".steps li");
    if (!step && !root.querySelector(".turn .quiet")) return;
    seen ??= new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(() => painted(since()))));
    if (step) { const event = since(); seen.then((first) => done([first, event])); }
  }).observe(root, { childList: true, subtree: true });
  field.value = "Where should the rain gauge be put?";
  sent = performance.now();
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
})"""


def load(browser: Browser, url: str) -> tuple[float, float, list[float]]:
    """Return main-thread milliseconds of one load, its layout shift, and milliseconds to first step and first event."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(SHIFTS)
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})  # not what other processes take
    page.goto(url, wait_until="networkidle")
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    shift = page.evaluate("window.shift")
    first = _first(page) if "with.html" in url else []
    context.close()
    return 1000 * sum(metrics[name] for name in WORK), shift, first


def _first(page: Page) -> list[float]:
    page.locator(".launch").click()
    page.wait_for_timeout(200)
    found: list[float] = page.evaluate(FIRST)
    return found


def main() -> None:
    """Print the figures, each beside its aim."""
    text = embed.script(sample_site(), "assets/0123456789ab").encode()
    print(f"ask.js: {len(text):,} bytes, {len(gzip.compress(text, 9, mtime=0)):,} compressed (aim 15,360)")
    elsewhere = Elsewhere()
    with (
        tempfile.TemporaryDirectory() as place,
        serve(build(Path(place)), allow_origins=(elsewhere.origin,)) as site,
        sync_playwright() as driver,
    ):
        elsewhere.embeds(site, PAGES)
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        load(browser, f"{elsewhere.origin}/with.html")  # the function opens its build once
        pairs = [
            (load(browser, f"{elsewhere.origin}/without.html"), load(browser, f"{elsewhere.origin}/with.html"))
            for _ in range(RUNS)
        ]
        browser.close()
    elsewhere.stop()
    bare, boxed = (statistics.median(pair[side][0] for pair in pairs) for side in (0, 1))
    print(f"main thread: {bare:.1f} ms without, {boxed:.1f} ms with the closed box: {boxed - bare:+.1f} ms (aim 5)")
    print(f"layout shift: {max(pair[1][1] for pair in pairs)} (aim 0)")
    first, event = ([pair[1][2][place] for pair in pairs] for place in (0, 1))
    print(f"first step painted: {statistics.median(first):.0f} ms, worst {max(first):.0f} (aim 100)")
    print(f"first event of the function shown: {statistics.median(event):.0f} ms, worst {max(event):.0f}")


if __name__ == "__main__":
    main()
