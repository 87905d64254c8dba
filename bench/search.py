"""Warm search on one thread, without the query embedding: ``python -m bench.search [--chunks N …] [--peers]``.

Every engine runs in a fresh process over the same chunks, vectors and queries, so that its memory is its own. The
queries have the size of questions. CPU is the median of processor time, which a busy machine distorts less. A peer that
is not installed is named; ``pip install --group bench`` installs them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.synthetic import PER_CHUNK, make

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")


def main() -> None:
    """Build the bases and print a line for each engine; with --peers also the ratios."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--peers", action="store_true", help="the peers too, over the first base")
    given = parser.parse_args()
    medians = []
    for at, count in enumerate(given.chunks):
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            make(Path(folder), count)
            print(f"{count:,} chunks, {PER_CHUNK * count:,} questions, made in {time.perf_counter() - began:.0f} s")
            medians.append(_run("geosmin", Path(folder)))
            _run("geosmin_long", Path(folder))
            for peer in ("bare", "fts5", "llamaindex", "haystack") if given.peers and at == 0 else ():
                if median := _run(peer, Path(folder)):
                    print(f"  {peer} takes {median / medians[0]:.1f} x the time of geosmin")
    print("median against the first base: " + ", ".join(f"{median / medians[0]:.2f} x" for median in medians))


def _run(engine: str, folder: Path) -> float:
    """Measure an engine in a fresh process, print its line, and return its median in ms, 0.0 if it is missing."""
    command = [sys.executable, "-m", "bench.engine", engine, str(folder)]
    done = subprocess.run(command, env={**os.environ, **_ONE_THREAD}, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{engine:<13} not measured: {done.stderr.strip().splitlines()[-1]}")
        return 0.0
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(
        f"{engine:<13} p50 {found['p50']:7.2f} ms  CPU {found['cpu']:7.2f} ms  p99 {found['p99']:7.2f} ms"
        f"  p99/p50 {found['p99'] / found['p50']:4.1f}  resident {found['resident']:.0f} MB"
        f", of which files {found['mapped']:.0f} MB"
    )
    return found["p50"]


if __name__ == "__main__":
    main()
