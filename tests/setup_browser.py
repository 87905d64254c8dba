"""Makes a browser available for the tests: Debian's Chromium and a Chinese font, when they are missing and we may."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

CHROMIUM = Path("/usr/bin/chromium")
PACKAGES = ("chromium", "fonts-noto-cjk")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def main() -> int:
    """Install what is missing, or say how; the tests run either way and skip loudly without a browser."""
    if CHROMIUM.exists():
        return 0
    apt = shutil.which("apt-get")
    if not apt or os.geteuid() != 0:
        print(
            f"tests/browser will be skipped: {CHROMIUM} is missing.\n"
            f"  On Debian or Ubuntu: sudo apt-get install {' '.join(PACKAGES)}",
            file=sys.stderr,
        )
        return 0
    for command in ([apt, "-qq", "update"], [apt, "-qq", "install", "--yes", "--no-install-recommends", *PACKAGES]):
        if subprocess.run(command, check=False).returncode:
            print(f"tests/browser will be skipped: {' '.join(command)} failed.", file=sys.stderr)
            return 0
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
