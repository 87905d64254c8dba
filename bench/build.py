"""How long a build takes: the first one, one after a single edit, and one with nothing changed.

``python -m bench.build [CONTENT]`` copies the folder aside, builds it three times from an empty state folder, and
prints the stages and the ratios to the first build. The export of the embedding model is excluded: it is made before
the clock starts.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from compiler.build import build
from compiler.embed import choose_embedder
from compiler.progress import Silent
from compiler.report import Report
from compiler.settings import Settings, load


def timed(settings: Settings) -> tuple[float, Report]:
    """Return the seconds of one build and its report."""
    start = time.perf_counter()
    report = build(settings, now=datetime.now(UTC), progress=Silent())
    return time.perf_counter() - start, report


def main() -> None:
    """Build three times and print what each build did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("content", nargs="?", type=Path, default=Path("content"))
    parser.add_argument("--set", action="append", default=[], dest="sets")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="geosmin-bench-") as folder:
        place = Path(folder)
        shutil.copytree(options.content, place / "content")
        settings = load(place / "content", place / "dist", place / "state", overrides=options.sets)
        choose_embedder(settings.embed)
        first, report = timed(settings)
        print(f"{options.content.name}: {report.counts['articles']} pages, {report.counts['chunks']} chunks")
        _line("first build (baseline)", first, first, report)
        page = max((place / "content").rglob("*.md"), key=lambda path: path.stat().st_size)
        page.write_text(page.read_text("utf-8") + "\n\nOne more sentence.\n", "utf-8")
        _line("one page edited", *_again(settings, first))
        _line("nothing changed", *_again(settings, first))


def _again(settings: Settings, first: float) -> tuple[float, float, Report]:
    seconds, report = timed(settings)
    return seconds, first, report


def _line(name: str, seconds: float, first: float, report: Report) -> None:
    stages = " · ".join(f"{stage} {took:.1f}" for stage, took in report.seconds.items() if took >= 0.05)
    did = f"{report.fresh_embeddings} embedded, {report.rendered} rendered"
    print(f"{name:24} {seconds:8.2f} s  {100 * seconds / first:5.1f} %  {did}\n    {stages}")


if __name__ == "__main__":
    main()
