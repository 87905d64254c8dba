"""A plain web host on loopback: files, compressed, and nothing that answers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """Serve `folder` until the block ends, and yield its address."""
    app = Starlette(
        routes=[Mount("/", StaticFiles(directory=folder, html=True))], middleware=[Middleware(GZipMiddleware)]
    )
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        threading.Event().wait(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(5)
