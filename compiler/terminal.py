"""What all commands share: their options, their two consoles, how settings are found and JSON is written."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from compiler.cache import STAGES
from compiler.errors import SettingsError
from compiler.settings import Settings, load

out, err = Console(highlight=False, soft_wrap=True), Console(stderr=True, highlight=False, soft_wrap=True)

Content = Annotated[Path, typer.Option("--content", help="Folder of Markdown files.", show_default=True)]
Out = Annotated[Path, typer.Option("--out", help="Where builds are written and served from.")]
State = Annotated[Path, typer.Option("--state", help="Caches, lock and your full report; never published.")]
Config = Annotated[Path | None, typer.Option("--config", help="Configuration file. [default: CONTENT/geosmin.yml]")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override one setting, e.g. sharing.default=public."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")]
Now = Annotated[str | None, typer.Option("--now", hidden=True, help="Judge expiry at this ISO instant (tests).")]
Redact = Annotated[
    bool | None,
    typer.Option("--redact/--no-redact", help="Name files that are not public only as file#hmac. [default: on in CI]"),
]
Strict = Annotated[bool, typer.Option("--strict", help="Warnings fail too (exit code 1).")]
All = Annotated[bool, typer.Option("--all", help="Show every problem.")]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="STAGE", help=f"Make this stage and all after it anew: {', '.join(STAGES)}."),
]
Rebuild = Annotated[bool, typer.Option("--rebuild", help="Make everything anew, except the vectors.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Make everything anew, the vectors too.")]
Wait = Annotated[float, typer.Option("--wait", min=0, help="Seconds that another running build may take to finish.")]
Older = Annotated[bool, typer.Option("--allow-older", help="Build an older commit than the one built last.")]
CONTENT, OUT, STATE = Path("content"), Path("dist"), Path(".geosmin")


def settings_of(
    content: Path,
    out_dir: Path,
    state: Path,
    *,
    config: Path | None,
    overrides: list[str] | None,
    need_content: bool = True,
) -> Settings:
    """Return the settings of a command line. Raises SettingsError, also for a content folder that is not there."""
    if need_content and not content.is_dir():
        raise SettingsError(f"{content}: no such folder; `geosmin init` makes one, --content points at yours")
    return load(content, out_dir, state, config=config, overrides=overrides or ())


def write_json(value: Any) -> None:
    """Write a value as JSON alone on standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
