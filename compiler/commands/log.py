"""`geosmin log`."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated

import typer

from compiler import screen
from compiler.events import Event, What, history
from compiler.terminal import STATE, AsJson, Redact, State, err, instant, out, redaction_key, write_json

Since = Annotated[str | None, typer.Option("--since", help="Only what happened from this ISO date or instant on.")]
NOT_SHOWN = "(not shown)"


def log(state: State = STATE, as_json: AsJson = False, since: Since = None, redact: Redact = None) -> None:
    """Show what was built, proposed, merged and removed, oldest first."""
    found = history(state)
    begin = instant(since).strftime("%Y-%m-%dT%H:%M:%SZ") if since else ""
    hide = redaction_key(redact) is not None
    shown = [_shown(one, hide=hide) for one in found.events if one.at >= begin]
    if found.unreadable:
        err.print(f"[yellow]![/] {found.unreadable} lines of the log can't be read")
    if as_json:
        write_json([asdict(one) for one in shown])
    else:
        rows = [(one.at, one.what.value, one.subject, one.title) for one in shown]
        out.print(screen.rows(rows, "nothing has happened yet"))


def _shown(one: Event, *, hide: bool) -> Event:
    """Return an event; hidden are the titles of proposals, which may be private, and the names of pages that went."""
    if not hide or one.what is What.BUILT:
        return one
    return replace(one, title=NOT_SHOWN, subject=NOT_SHOWN if one.what is What.REMOVED else one.subject)
