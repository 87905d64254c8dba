"""A plain web host on loopback: files, compressed, and nothing that answers. Files that never change are kept."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

_NAMED_BY_BYTES = re.compile(r"/assets/[0-9a-f]{12}/")


class _Files(StaticFiles):
    """Files; a browser need not ask again for those whose folder is named after their bytes."""

    def file_response(self, full_path: str | os.PathLike[str], *args: Any, **options: Any) -> Response:
        response = super().file_response(full_path, *args, **options)
        if _NAMED_BY_BYTES.search(str(full_path)):
            response.headers["cache-control"] = "max-age=31536000, immutable"
        return response


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """Serve `folder` until the block ends, and yield its address."""
    app = Starlette(routes=[Mount("/", _Files(directory=folder, html=True))], middleware=[Middleware(GZipMiddleware)])
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
