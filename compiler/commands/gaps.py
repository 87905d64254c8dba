"""`geosmin gaps`."""

from __future__ import annotations

from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from compiler.errors import SettingsError
from compiler.gaps import Gap
from compiler.gaps import gaps as gaps_of
from compiler.terminal import All, AsJson, out, write_json

_SHOWN = 20


def gaps(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Log files of the function.")],
    as_json: AsJson = False,
    everything: All = False,
) -> None:
    """List what readers asked and the base could not answer."""
    for path in files:
        if not path.is_file():
            raise SettingsError(f"{path}: no such file")
    found = gaps_of(chain.from_iterable(path.read_text("utf-8", "replace").splitlines() for path in files))
    if as_json:
        write_json({"gaps": [asdict(gap) for gap in found]})
        return
    out.print(_shown(found if everything else found[:_SHOWN]))
    if not everything and len(found) > _SHOWN:
        out.print(f"{len(found) - _SHOWN} more; --all shows them")


def _shown(found: tuple[Gap, ...]) -> Table:
    table = Table("times", "thumbs down", "question", "nearest pages", box=None, pad_edge=False)
    for gap in found:
        nearest = ", ".join(f"/{url}" for url in gap.nearest)
        table.add_row(str(gap.times), str(gap.disliked), escape(gap.text or gap.question), escape(nearest))
    return table
