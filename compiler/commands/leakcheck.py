"""`geosmin leakcheck`."""

from __future__ import annotations

from dataclasses import asdict

import typer
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from compiler.leakcheck.scan import LeakReport, told
from compiler.leakcheck.scan import leakcheck as run_leakcheck
from compiler.progress import Clock
from compiler.terminal import (
    CONTENT,
    OUT,
    STATE,
    AsJson,
    Config,
    Content,
    Now,
    Out,
    Redact,
    Set,
    State,
    View,
    instant,
    out,
    redaction_key,
    settings_of,
    write_json,
)

SHOWN = 40  # findings on a screen; --json has all


def leakcheck(
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    now: Now = None,
    redact: Redact = None,
) -> None:
    """Search the current build for anything of your files that is not public. Exit code 1 when something is found."""
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    view = View(as_json, redaction_key(redact))
    clock = Clock(view.progress())
    with clock.stage("leakcheck"):
        report = run_leakcheck(settings, now=instant(now), progress=clock.progress.update)
    found = told(report, redact_with=view.redact_with)
    if view.json:
        write_json(asdict(found))
    else:
        out.print(_shown(found))
    raise typer.Exit(int(bool(report.hits)))


def _shown(report: LeakReport) -> Group:
    """Return what was found of files that are not public, by published file, and how much was looked at."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("published", "kind", "belongs to", "found"):
        table.add_column(name, overflow="fold", no_wrap=name == "kind")
    for hit in report.hits[:SHOWN]:
        table.add_row(escape(hit.published), hit.kind, escape(hit.source), escape(hit.text.replace("\0", " · ")))
    more: list[RenderableType] = (
        [Text(f"and {len(report.hits) - SHOWN} more; --json lists all", "dim")] if len(report.hits) > SHOWN else []
    )
    looked = (
        f"{report.files} files ({report.bytes / 1e6:.1f} MB) searched for {report.marks:,} strings of "
        f"{report.sources} sources that no public page holds"
    )
    verdict = f"[red]{len(report.hits)} found[/]" if report.hits else "[green]nothing found[/]"
    shown: list[RenderableType] = [table, *more] if report.hits else []
    return Group(*shown, Text.from_markup(f"{verdict} · {looked}"))
