"""10,000 requests from one address while others ask: ``python -m bench.flood [REQUESTS]``.

Over real HTTP, with a model that is played. Printed: what the address got, what every other visitor got and how long
it took, beside the same visitors without a flood, and what the model cost of the day's budget.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.artifacts import make_artifacts
from tests.flood import Flooded, flood

VISITORS = 200
DAY_USD = 0.02


def _told(title: str, found: Flooded, seconds: float) -> None:
    waited = sorted(found.waited)
    times = f"p50 {1000 * statistics.median(waited):.0f} ms, p95 {1000 * waited[int(0.95 * len(waited))]:.0f} ms"
    print(f"{title:14} visitors {dict(found.visitors)}, {times}; the address {dict(found.attacker)}")
    print(f"{'':14} the model cost ${found.usd:.4f} of ${DAY_USD}; {seconds:.0f} s")


def main() -> None:
    """Print both runs."""
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory(prefix="geosmin-flood-") as name:
        artifacts = Path(name) / "artifacts"
        make_artifacts(artifacts)
        for title, count in (("without", 0), ("with the flood", requests)):
            began = time.perf_counter()
            found = flood(artifacts, requests=count, visitors=VISITORS, day_usd=DAY_USD)
            _told(title, found, time.perf_counter() - began)


if __name__ == "__main__":
    main()
