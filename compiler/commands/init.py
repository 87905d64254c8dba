"""`geosmin init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from compiler import starter
from compiler.terminal import AsJson, out, write_json


def init(folder: Annotated[Path, typer.Argument(help="Where to start.")] = Path(), as_json: AsJson = False) -> None:
    """Write a small knowledge base to start from."""
    written = starter.write_starter(folder)
    if as_json:
        write_json({"written": [str(p) for p in written]})
        return
    for place in written:
        out.print(f"[green]+[/] {place}")
    out.print("next: geosmin build, then geosmin serve")
