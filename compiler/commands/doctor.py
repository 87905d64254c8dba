"""`geosmin doctor`."""

from __future__ import annotations

from collections.abc import Iterable

import typer
from rich.markup import escape
from rich.table import Table

from compiler.doctor import Finding, examine
from compiler.terminal import (
    CONTENT,
    OUT,
    STATE,
    AsJson,
    Config,
    Content,
    Out,
    Repository,
    Set,
    State,
    out,
    settings_of,
    write_json,
)

_MARK = {"ok": "[green]ok[/]  ", "note": "[yellow]note[/]", "bad": "[red]bad[/] "}


def doctor(
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    repository: Repository = None,
    as_json: AsJson = False,
) -> None:
    """Show versions, model and artifacts, and what is degraded and why."""
    found = examine(
        settings_of(content, out_dir, state, config=config, overrides=overrides, need_content=False), repository
    )
    if as_json:
        write_json({"findings": [{"state": f.state, "name": f.name, "detail": f.detail} for f in found]})
    else:
        out.print(_shown(found))
    raise typer.Exit(1 if any(f.state == "bad" for f in found) else 0)


def _shown(found: Iterable[Finding]) -> Table:
    """Return the doctor's report."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for item in found:
        table.add_row(_MARK[item.state], item.name, escape(item.detail))
    return table
