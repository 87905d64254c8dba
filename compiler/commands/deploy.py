"""`geosmin deploy`."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from compiler.commands.upload import key_named
from compiler.deploy import site
from compiler.deploy.story import Deployed, Parcel
from compiler.deploy.story import deploy as run_deploy
from compiler.progress import Clock
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
    View,
    out,
    settings_of,
    write_json,
)

Bundle = Annotated[Path | None, typer.Option("--bundle", help="The zip of `geosmin package`; without it code stays.")]
To = Annotated[Path | None, typer.Option("--to", help="Also copy the site and its password pages into this folder.")]


def deploy(
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    bundle: Bundle = None,
    to: To = None,
    as_json: AsJson = False,
) -> None:
    """Bring the build to where `deploy` in the settings says: try it there, switch to it, publish the site."""
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    keys = ("GEOSMIN_SIGNING_KEY", "GEOSMIN_VERIFY_KEY")
    wanted = settings.deploy.builds and any(map(os.environ.get, keys))
    parcel = Parcel(bundle, *map(key_named, keys)) if wanted else None
    done = run_deploy(settings, parcel, clock=Clock(View(as_json).progress()))
    if to:
        site.copy(site.files(settings.out), to)
    if as_json:
        write_json(asdict(done))
    else:
        for line in _told(done, settings.deploy.builds, settings.deploy.site, to):
            out.print(line)


def _told(done: Deployed, builds: str, place: str, to: Path | None) -> list[str]:
    lines = [f"{escape(builds)} serves build {done.build_id}"] if done.build_id else []
    lines += [f"the function runs version {done.version}"] if done.version else []
    lines += [f"{escape(place)}: {done.written} files written, {done.removed} removed"] if place else []
    return lines + ([f"the site is in {escape(str(to))}"] if to else [])
