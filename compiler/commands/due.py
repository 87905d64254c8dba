"""`geosmin due`."""

from __future__ import annotations

from typing import Annotated

import typer

from compiler.due import expired_since
from compiler.errors import SettingsError
from compiler.terminal import (
    CONTENT,
    OUT,
    STATE,
    AsJson,
    Config,
    Content,
    Now,
    Out,
    Set,
    State,
    instant,
    out,
    settings_of,
    write_json,
)

Since = Annotated[str, typer.Option("--since", help="The ISO instant of the last build; without one a build is due.")]


def due(
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    since: Since = "",
    now: Now = None,
    as_json: AsJson = False,
) -> None:
    """Tell whether a page has expired since the last build. Prints true or false; no page is named."""
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    moment = instant(now)
    before = instant(since) if since else None
    if before and before > moment:
        raise SettingsError(f"--since {since}: lies in the future")
    found = before is None or expired_since(settings, before, now=moment)
    if as_json:
        write_json({"due": found})
    else:
        out.print("true" if found else "false")
