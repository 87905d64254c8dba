"""`geosmin serve`: site and API on one address, and a rebuild when a file under content/ changes."""

from __future__ import annotations

import ipaddress
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from compiler.errors import SettingsError
from compiler.local import function_settings
from compiler.settings import Settings
from compiler.site.protect import FOLDER, POINTER
from query_fn.app import create_app
from query_fn.static import locate, serve


def preview_settings(settings: Settings) -> Settings:
    """Return settings whose output is a scratch folder below the state folder: a preview is never under ``--out``."""
    scratch = settings.state / "preview"
    return replace(settings, out=scratch / "dist", state=scratch / "state")


def require_loopback(host: str) -> None:
    """Raise SettingsError unless only this machine can reach `host`."""
    if not is_loopback(host):
        raise SettingsError(
            f"--preview shows private pages and is for this machine only; {host} is reachable from elsewhere"
        )


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def run_server(settings: Settings, *, host: str, port: int) -> None:
    """Serve the current build until interrupted. The store is opened again when a new build is switched in.

    On this machine only its own names are answered: a page of another site cannot reach a preview by a name of its own.
    """
    import uvicorn  # 0.1 s; only this command needs it

    found = function_settings(settings)
    app: ASGIApp = WithProtected(create_app(found), settings.out / FOLDER / POINTER, found.base_path)
    if is_loopback(host):
        app = TrustedHostMiddleware(app, allowed_hosts=["127.0.0.1", "localhost", host])
    uvicorn.run(app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=2)


class WithProtected:
    """The site with its password pages beside it, as on a host; where none is, the site answers."""

    def __init__(self, app: ASGIApp, folder: Path, base: str) -> None:
        self._app, self._folder, self._base = app, folder, f"{base}{FOLDER}/{POINTER}/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer for a file of a password page, and leave everything else to the site."""
        path = str(scope.get("path", ""))
        inside = scope["type"] == "http" and path.startswith(self._base) and scope["method"] in ("GET", "HEAD")
        rest = path.removeprefix(self._base)
        if inside and rest and locate(self._folder.resolve(), rest):
            await serve(self._folder, rest, base=self._base)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def watch(content: Path, rebuild: Callable[[], None], stop: threading.Event) -> threading.Thread:
    """Call `rebuild` after each change under `content`, in a thread of its own, until `stop` is set."""
    from watchfiles import watch as changes

    def loop() -> None:
        for _ in changes(content, stop_event=stop, debounce=400, raise_interrupt=False):
            rebuild()

    thread = threading.Thread(target=loop, name="watch", daemon=True)
    thread.start()
    return thread
