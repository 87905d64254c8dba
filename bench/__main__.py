"""``python -m bench``: every benchmark, one after the other."""

from __future__ import annotations

import subprocess
import sys

for name in ("start", "search", "build"):
    print(f"== {name}", flush=True)
    subprocess.run([sys.executable, "-m", f"bench.{name}"], check=True)
