"""What Lighthouse says of a site: ``python -m bench.lighthouse [CONTENT]``, or ``make lighthouse``.

Builds CONTENT (the handbook) and serves it on loopback as a web host does, compressed. A home page, an article, and a
page of the wiki are looked at RUNS times each with Lighthouse's own simulated phone; medians are printed. The exit
code is 1 when one is under its aim. Needs ``npm ci --prefix tests/lighthouse`` and Debian's Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.browser.host import hosted
from tests.setup_browser import CHROMIUM, FLAGS

RUNS = 5
TOOL = Path("tests/lighthouse/node_modules/.bin/lighthouse")
AIMS = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 95}
TIMES = ("first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift")


def built(content: Path, place: Path) -> Path:
    """Build `content` below `place` without a model, and return the site's folder."""
    where = ["--content", str(content), "--out", str(place / "dist"), "--state", str(place / "state")]
    sets = ["--set", "embed.model=none", "--set", "site.url=https://example.org/"]
    command = [sys.executable, "-m", "compiler.cli", "build", *where, *sets]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    return place / "dist" / "current" / "site"


def kinds(site: Path) -> list[str]:
    """Return the addresses of the home page, the longest article, and the longest page of the wiki."""
    pages = {page.parent.relative_to(site).as_posix() + "/": page for page in site.rglob("index.html")}
    articles = [url for url, page in pages.items() if page.with_name("index.md").exists() and url != "./"]
    subjects = [url for url in pages if url.startswith("wiki/") and url != "wiki/"]
    longest = [max(urls, key=lambda url: pages[url].stat().st_size) for urls in (articles, subjects) if urls]
    return ["", *longest]


def looked_at(address: str) -> dict[str, Any]:
    """Return one report of Lighthouse."""
    flags = " ".join(FLAGS)
    command = [str(TOOL), address, "--quiet", "--output=json", f"--chrome-flags={flags}"]
    env = {**os.environ, "CHROME_PATH": str(CHROMIUM)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def failed(report: dict[str, Any]) -> list[str]:
    """Return the audits that cost points, apart from those that measure times."""
    weighed = {ref["id"] for name in AIMS if name != "performance" for ref in _refs(report, name) if ref["weight"]}
    return sorted(name for name in weighed if (report["audits"][name]["score"] or 0) < 1 and _applies(report, name))


def _refs(report: dict[str, Any], category: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = report["categories"][category]["auditRefs"]
    return found


def _applies(report: dict[str, Any], audit: str) -> bool:
    return report["audits"][audit]["scoreDisplayMode"] in ("binary", "numeric", "metricSavings")


def main() -> None:
    """Print medians by page, and which audits failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("content", nargs="?", type=Path, default=Path("content"))
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory(prefix="geosmin-lighthouse-") as folder:
        site = built(options.content, Path(folder))
        with hosted(site) as address:
            for url in kinds(site):
                reports = [looked_at(address + url) for _ in range(options.runs)]
                scores = {name: _median(r["categories"][name]["score"] * 100 for r in reports) for name in AIMS}
                times = {name: _median(r["audits"][name]["numericValue"] for r in reports) for name in TIMES}
                print(f"/{url}", *(f"{name} {score:.0f}" for name, score in scores.items()), sep="  ")
                print("   ", *(f"{name} {value:.3g}" for name, value in times.items()), *failed(reports[0]), sep="  ")
                missed |= any(score < AIMS[name] for name, score in scores.items())
    raise SystemExit(missed)


def _median(values: Any) -> float:
    return float(statistics.median(values))


if __name__ == "__main__":
    main()
