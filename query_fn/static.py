"""The site's files for local serving: folders by their index.html, 404.html, nothing outside, no listing."""

from __future__ import annotations

import mimetypes
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response

CSP = (  # each page narrows connect-src to its own endpoint in a meta tag
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; media-src 'self'; connect-src *; frame-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
DRAWING = "/assets/mermaid/frame.html"  # a sandboxed frame of our own pages; Mermaid writes styles into what it draws
DRAWING_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)
EMBED = "embed.html"  # the one page that other sites may frame
HEADERS = {"content-security-policy": CSP, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
_TYPES = {".md": "text/markdown; charset=utf-8", ".js": "text/javascript", ".txt": "text/plain; charset=utf-8"}


def serve(site: Path, path: str, *, base: str, embedders: Sequence[str] = ()) -> Response:
    """Return the file at a decoded site-relative path, a redirect to a folder's slash, or the 404 page.

    Any site may load our scripts; the `embedders` (origins) may frame the question box. A build that is switched in
    meanwhile takes the folder of the old one away: then the new one is looked at.
    """
    while True:
        root = site.resolve()
        response = _look(root, path, base=base)
        if site.resolve() == root:
            return _for_others(response, path, embedders)


def _for_others(response: Response, path: str, embedders: Sequence[str]) -> Response:
    """Return the response with what the browser must know to let another site use it."""
    if path == EMBED:
        allowed = " ".join(("'self'", *embedders))
        response.headers["content-security-policy"] = CSP.replace(
            "frame-ancestors 'none'", f"frame-ancestors {allowed}"
        )
    if path.endswith(DRAWING):
        response.headers["content-security-policy"] = DRAWING_CSP
    if path == "ask.js" or (path.startswith("assets/") and path.endswith(".js")):  # ours: a page's own files are not
        response.headers["access-control-allow-origin"] = "*"
    return response


def _look(root: Path, path: str, *, base: str) -> Response:
    found = locate(root, path)
    if found is not None and found.is_dir():
        if path and not path.endswith("/"):
            return RedirectResponse(quote(f"{base}{path}/"), 307)
        found = locate(root, f"{path}index.html")
    if found is not None and found.is_file():
        return _file(found, 200)
    missing = root / "404.html"
    return _file(missing, 404) if missing.is_file() else _nothing()


def locate(root: Path, path: str) -> Path | None:
    """Return the file or folder below `root`, None when there is none or the path (or a link) leads outside."""
    if "\x00" in path or "\\" in path or any(part in ("..", ".") for part in path.split("/")):
        return None
    try:
        target = (root / path.lstrip("/")).resolve(strict=True)
    except OSError:
        return None
    return target if target == root or root in target.parents else None


def _file(path: Path, status: int) -> Response:
    """Return a file that was read before the first byte of the answer leaves; sound and film are streamed, to seek."""
    kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    headers = {**HEADERS, "cache-control": "no-cache"}
    if kind.startswith(("audio/", "video/")):
        return FileResponse(path, status, headers=headers, media_type=kind)
    try:
        return Response(path.read_bytes(), status, headers=headers, media_type=kind)
    except FileNotFoundError:
        return _nothing()


def _nothing() -> Response:
    return PlainTextResponse("Not found", 404, headers=HEADERS)
