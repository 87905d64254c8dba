"""`geosmin search`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from compiler import screen
from compiler.local import Local
from compiler.terminal import (
    CONTENT,
    OUT,
    STATE,
    AsJson,
    Config,
    Content,
    Out,
    Set,
    State,
    out,
    settings_of,
    write_json,
)


def search(
    query: Annotated[str, typer.Argument(help="Words or a question.")],
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    limit: Annotated[int, typer.Option(min=1, max=20, help="How many results.")] = 10,
) -> None:
    """Search the current build."""
    found: Any = Local.open(settings_of(content, out_dir, state, config=config, overrides=overrides)).search(
        query, limit
    )
    if as_json:
        write_json(found)
    else:
        out.print(screen.search_list(found))
