"""`geosmin serve`."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.markup import escape

from compiler import screen
from compiler import serve as server
from compiler.build import How
from compiler.build import build as run_build
from compiler.settings import Settings
from compiler.spending import Asks
from compiler.terminal import (
    CONTENT,
    OUT,
    STATE,
    Config,
    Content,
    Out,
    Set,
    State,
    View,
    err,
    out,
    settings_of,
    show_build,
    told,
)


def serve(
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8000,
    preview: Annotated[
        bool, typer.Option("--preview", help="Show drafts and private pages too, on this machine only.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch/--no-watch", help="Rebuild when a file changes.")] = True,
) -> None:
    """Build, then serve site and API on one address; rebuild when a file changes."""
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    if preview:
        server.require_loopback(host)
        settings = server.preview_settings(settings)
    view = View(json=False)
    _build_once(settings, view, preview=preview, first=True)
    out.print(screen.address(f"http://{host}:{port}{settings.site.base_path}", preview=preview))
    stop = threading.Event()
    if watch:
        server.watch(settings.content, lambda: _build_once(settings, view, preview=preview, first=False), stop)
    try:
        server.run_server(settings, host=host, port=port)
    finally:
        stop.set()


def _build_once(settings: Settings, view: View, *, preview: bool, first: bool) -> None:
    """Build for `serve`; after the first time a failure is told and the last good build stays."""
    try:
        report = run_build(
            settings,
            now=datetime.now(UTC),
            progress=view.progress(),
            how=How(preview=preview, older=True, durable=False, asks=Asks.NEVER),
        )
    except Exception as error:
        if first:
            raise
        err.print(f"[red]not rebuilt[/] {escape(told(error))}; the last good build is still served")
        return
    if first or not report.unchanged:
        show_build(report, settings, view)
