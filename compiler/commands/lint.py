"""`geosmin lint`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from compiler.lint.findings import Finding, Lint
from compiler.lint.run import as_json as lint_json
from compiler.lint.run import lint as run_lint
from compiler.lint.sarif import sarif
from compiler.terminal import (
    CONTENT,
    OUT,
    STATE,
    All,
    AsJson,
    Config,
    Content,
    Now,
    Out,
    Set,
    State,
    View,
    instant,
    out,
    settings_of,
    write_json,
)

SHOWN = 12  # findings of one kind before "and N more"
_STYLES = {"error": "red", "warning": "yellow", "info": "dim"}

Sarif = Annotated[Path | None, typer.Option("--sarif", help="Also write the findings to this file as SARIF.")]


def lint(
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    now: Now = None,
    everything: All = False,
    to: Sarif = None,
) -> None:
    """Score the built wiki from 0 to 100 and list what is wrong. Exit code 1 under `lint.score`."""
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    found = run_lint(settings, now=instant(now), progress=View(as_json).progress())
    if to:
        to.write_text(json.dumps(sarif(found, content), ensure_ascii=False, indent=2) + "\n", "utf-8")
    if as_json:
        write_json(lint_json(found))
    else:
        out.print(_shown(found, everything=everything))
    raise typer.Exit(int(found.score < settings.lint.score))


def _shown(found: Lint, *, everything: bool) -> Group:
    """Return the findings by kind, and the score below them."""
    kinds: dict[tuple[str, str], list[Finding]] = {}
    for finding in found.findings:
        kinds.setdefault((finding.level.value, finding.code), []).append(finding)
    lines: list[RenderableType] = []
    for (level, code), listed in kinds.items():
        lines.append(Text(f"{level} {code} ({len(listed)})", _STYLES[level]))
        shown = listed if everything else listed[:SHOWN]
        lines += [Text(f"  {f.path}{f':{f.line}' if f.line else ''}: {f.message}") for f in shown]
        if len(shown) < len(listed):
            lines.append(Text(f"  and {len(listed) - len(shown)} more; --all shows them", "dim"))
    counts = found.counts
    told = f"{counts['error']} errors · {counts['warning']} warnings · {counts['info']} infos · {found.pages} pages"
    return Group(*lines, Text.assemble((f"score {found.score}", "bold"), f" of 100 · {told}"))
