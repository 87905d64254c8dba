"""The whole product for tests: content built by the command, served by the function on loopback."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from query_fn.app import create_app
from query_fn.settings import Settings

CONTENT = {
    "smell.md": """---
share: public
---
# 雨后的气味

## 谁在制造它

雨后的气味来自土臭素，由土壤里的链霉菌合成。人能闻到的浓度低到每升 5 纳克。

- [x] 采样
""",
    "rain.md": """---
share: public
tags: [rain]
---
# Reading the rain

## Where to put the gauge

Put the rain gauge in the open, twice as far from a wall as the wall is high. See [[smell]] and [[secret]].

| Month | Fell |
| --- | ---: |
| May | 61.5 |
""",
    "secret.md": "# Secret garden\n\nThe private key lies under the pear tree.\n",
}


def build(place: Path) -> Path:
    """Build two public pages and a private one below `place`, and return the build."""
    for name, text in CONTENT.items():
        path = place / "content" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    paths = {"--content": "content", "--out": "dist", "--state": "state"}
    where = [part for option, name in paths.items() for part in (option, str(place / name))]
    command = [sys.executable, "-m", "compiler.cli", "build", *where, "--set", "embed.model=none"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return place / "dist" / "current"


@contextmanager
def serve(current: Path, allow_origins: tuple[str, ...] = (), *, proof_bits: int = 0) -> Iterator[str]:
    """Serve a build by the function's own application, and yield its address."""
    settings = Settings(
        artifacts=current / "artifacts",
        site=current / "site",
        secret=b"x" * 32,
        allow_origins=allow_origins,
        proof_bits=proof_bits,
    )
    server = uvicorn.Server(uvicorn.Config(create_app(settings), port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        threading.Event().wait(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    server.should_exit = True
    thread.join(5)
