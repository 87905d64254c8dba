"""`geosmin answers`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from compiler.deploy import answers as kept
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
from query_fn.bucket import Place


class What(StrEnum):
    """Which way answers go."""

    RESTORE = "restore"
    SAVE = "save"


def answers(
    what: Annotated[What, typer.Argument(help="`restore` before a build, `save` after it.")],
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
) -> None:
    """Keep what a model was paid for in the bucket of `deploy.builds`; without one nothing is done."""
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    place = Place.of(settings.deploy.builds)
    if place is None:
        told: dict[str, int] = {}
    elif what is What.RESTORE:
        told = {"restored": kept.restore(state, place)}
    else:
        told = dict(zip(("saved", "dropped"), kept.save(state, place), strict=True))
    if as_json:
        write_json(told)
    else:
        out.print(" · ".join(f"{name} {count}" for name, count in told.items()) or "deploy.builds is not set")
