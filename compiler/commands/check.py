"""`geosmin check`."""

from __future__ import annotations

import typer

from compiler import sharing_screen
from compiler.check import REPOSITORY
from compiler.check import check as run_check
from compiler.model import Severity
from compiler.report import sharing_json, to_json
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
    Redact,
    Repository,
    Set,
    State,
    Strict,
    View,
    exit_code,
    instant,
    out,
    redaction_key,
    settings_of,
    show_problems,
    write_json,
)


def check(
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    now: Now = None,
    redact: Redact = None,
    strict: Strict = False,
    everything: All = False,
    repository: Repository = None,
) -> None:
    """Show what is public and why, and every problem. Writes nothing."""
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    view = View(as_json, redaction_key(redact), everything)
    report = run_check(settings, now=instant(now), progress=view.progress(), visibility=repository)
    if view.json:
        write_json(to_json(report, redact_with=view.redact_with) | sharing_json(report, redact_with=view.redact_with))
    else:
        out.print(sharing_screen.sharing(report, view.redact_with, everything=view.everything))
        show_problems(report, view)
    readable = any(p.code == REPOSITORY and p.severity is Severity.ERROR for p in report.problems)
    raise typer.Exit(3 if readable else exit_code(report, strict=strict))
