"""What a cold start imports: seconds of `import query_fn.handler` in fresh interpreters, against an empty one.

``python -m bench.start``: the median of seven starts each, and which heavy packages were loaded (none should be).
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

RUNS = 7
HEAVY = ("onnxruntime", "anthropic", "jieba", "rjieba", "mkdocs", "usearch", "tantivy", "numpy", "sentencepiece")


def seconds(code: str) -> float:
    """Return the median wall time of running `code` in a fresh interpreter."""
    took = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        took.append(time.perf_counter() - start)
    return statistics.median(took)


def main() -> None:
    """Print the start times and what was loaded."""
    empty, handler = seconds("pass"), seconds("import query_fn.handler")
    loaded = subprocess.run(
        [sys.executable, "-c", f"import sys, query_fn.handler; print([n for n in {HEAVY!r} if n in sys.modules])"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    print(f"empty interpreter (baseline) {1000 * empty:6.0f} ms")
    print(f"import query_fn.handler      {1000 * handler:6.0f} ms  {handler / empty:.1f} x")
    print(f"heavy packages loaded: {loaded}")


if __name__ == "__main__":
    main()
