"""`geosmin init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from compiler import hosting, starter
from compiler.errors import SettingsError
from compiler.terminal import AsJson, out, write_json

Folder = Annotated[Path, typer.Argument(help="Where to start.")]
GitHub = Annotated[bool, typer.Option("--github", help="Also write workflows that publish at every push.")]
Action = Annotated[
    str,
    typer.Option(metavar=hosting.FORM, help="Whose Geosmin publishes. [default: where this one is from]"),
]
Aws = Annotated[bool, typer.Option("--aws", help="Also write the template of the function's stack.")]


def init(
    folder: Folder = Path(), github: GitHub = False, action: Action = "", aws: Aws = False, as_json: AsJson = False
) -> None:
    """Write a small knowledge base to start from, and what a host needs to publish it."""
    more: dict[str, str] = hosting.stack() if aws else {}
    if github:
        more |= hosting.workflows(_action(action))
    written = starter.write_starter(folder, more)
    if as_json:
        write_json({"written": [str(p) for p in written]})
        return
    for place in written:
        out.print(f"[green]+[/] {place}")
    out.print("next: git push" if github else "next: geosmin build, then geosmin serve")


def _action(given: str) -> str:
    found = given or hosting.installed_from()
    if not found:
        raise SettingsError(f"this Geosmin was not installed from GitHub: name a copy of it, --action {hosting.FORM}")
    return found
