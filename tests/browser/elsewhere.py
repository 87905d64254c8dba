"""Somebody else's site on loopback: pages with a strict policy that embed the question box of another origin."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SHOP = Path(__file__).parent / "foreign"


def document(inside: str, *, attributes: str = 'lang="en"') -> str:
    """Return a page with these elements; SITE stands for the address of the knowledge base."""
    return f'<!doctype html><html {attributes}><meta charset="utf-8"><title>x</title><body><main><h1>A page</h1></main>{inside}</body></html>'


class Elsewhere:
    """The foreign site. `pages` are documents by path; the policy allows what the handbook says, and nothing else."""

    def __init__(self) -> None:
        self.site = ""
        self.pages: dict[str, str] = {}
        handler = functools.partial(_Handler, self)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def embeds(self, site: str, pages: Mapping[str, str]) -> Elsewhere:
        """Let the pages embed the box of `site`."""
        self.site = site
        self.pages = {path: text.replace("SITE", site) for path, text in pages.items()}
        return self

    def stop(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()

    @property
    def policy(self) -> str:
        """The policy: our script's origin, own styles without exceptions, one endpoint, and the frame."""
        origin = self.site.rstrip("/")
        return (
            f"default-src 'none'; script-src 'self' {origin}; style-src 'self'; connect-src {origin}; "
            f"frame-src {origin}; base-uri 'none'; form-action 'none'"
        )


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, owner: Elsewhere, *args: Any) -> None:
        self._owner = owner
        super().__init__(*args, directory=str(SHOP))

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].lstrip("/")
        if path in ("", "index.html"):
            self._say((SHOP / "index.html").read_text("utf-8").replace("SITE", self._owner.site), "text/html")
        elif path in self._owner.pages:
            self._say(self._owner.pages[path], "text/javascript" if path.endswith(".js") else "text/html")
        else:
            super().do_GET()

    def _say(self, text: str, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", f"{kind}; charset=utf-8")
        self.send_header("content-security-policy", self._owner.policy)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""
