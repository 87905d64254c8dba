"""What commands share: options, the two consoles, how settings are found, and how results and errors are told."""

from __future__ import annotations

import json
import os
import secrets
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from compiler import screen
from compiler.cache import STAGES
from compiler.errors import BuildError, GeosminError, SettingsError
from compiler.git import Visibility
from compiler.progress import Progress, Silent
from compiler.report import Report, to_json
from compiler.settings import Settings, load
from query_fn.errors import ArtifactError

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
Repository = Annotated[
    Visibility | None,
    typer.Option("--repository", help="Who may read the repository of the notes, as its host says."),
]
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


@dataclass(frozen=True, slots=True)
class View:
    """How one command shows its result."""

    json: bool
    redact_with: bytes | None = None
    everything: bool = False

    def progress(self) -> Progress:
        """Return where progress goes: a terminal's standard error, also beside JSON."""
        return Silent() if self.json and not err.is_terminal else screen.Screen(err)


def show_build(report: Report, settings: Settings, view: View) -> None:
    """Print what a build did."""
    if view.json:
        write_json(to_json(report, redact_with=view.redact_with))
        return
    show_problems(report, view)
    out.print(screen.build_summary(report, str(settings.out)))


def show_problems(report: Report, view: View) -> None:
    """Print the problems of a build or a check."""
    if report.problems:
        err.print(screen.problem_list(report.problems, view.redact_with, everything=view.everything))


def exit_code(report: Report, *, strict: bool) -> int:
    """Return 1 when there are errors, or with `strict` any problem."""
    return int(bool(report.errors) or (strict and bool(report.problems)))


def redaction_key(asked: bool | None) -> bytes | None:
    """Return the key of redacted names (the owner's secret, else one for this run), None when names may be shown."""
    redact = bool(os.environ.get("CI")) if asked is None else asked
    return (os.environ.get("GEOSMIN_SECRET", "").encode() or secrets.token_bytes(16)) if redact else None


def instant(value: str | None) -> datetime:
    """Return the instant of `--now`, else the present one. Raises SettingsError for what is no ISO instant."""
    if value is None:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise SettingsError(f"--now {value}: not an ISO instant") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def told(error: Exception) -> str:
    """Return an error as a sentence; redacted, one that may quote a file is only its class and errno."""
    redact = is_redacted()
    if isinstance(error, BuildError) and error.redacted and redact:
        return error.redacted
    if isinstance(error, GeosminError | ArtifactError):
        return str(error)
    number = f" {error.errno}" if isinstance(error, OSError) and error.errno else ""
    return f"{type(error).__name__}{number}" if redact else f"{type(error).__name__}: {error}"


def is_redacted() -> bool:
    """Tell whether names are redacted, from the command line as typed: an error may come before it is parsed."""
    asked = [word == "--redact" for word in sys.argv if word in ("--redact", "--no-redact")]
    return asked[-1] if asked else bool(os.environ.get("CI"))
