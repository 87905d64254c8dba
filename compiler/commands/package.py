"""`geosmin package`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from compiler.embed import model_folder
from compiler.errors import SettingsError
from compiler.package.bundle import LIMIT, Bundle, Order, package
from compiler.package.target import RUNNING, Target
from compiler.terminal import CONTENT, STATE, AsJson, Config, Content, Set, err, out, settings_of, write_json
from query_fn.contract import MANIFEST, POINTER, ManifestError, load_manifest

_SHOWN = 12
_PYTHONS = ("3.11", "3.12", "3.13")


class Arch(StrEnum):
    """The processors of AWS Lambda."""

    ARM = "arm64"
    INTEL = "x86_64"


class Extra(StrEnum):
    """What a bundle may hold besides."""

    CLAUDE = "claude"
    AWS = "aws"


def bundle(
    file: Annotated[Path, typer.Option("--out", help="The zip to write.")] = Path("function.zip"),
    arch: Annotated[Arch, typer.Option("--arch", help="The processor of the function.")] = Arch.ARM,
    python: Annotated[str, typer.Option("--python", help="The Python of the function.")] = RUNNING,
    extra: Annotated[list[Extra] | None, typer.Option("--with", help="The paid model; S3 and DynamoDB.")] = None,
    no_model: Annotated[bool, typer.Option("--no-model", help="Words only, no embedding model.")] = False,
    no_artifacts: Annotated[bool, typer.Option("--no-artifacts", help="Leave the build out; S3 has it.")] = False,
    build: Annotated[Path, typer.Option("--build", help="Where the build lies.")] = Path("dist"),
    content: Content = CONTENT,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
) -> None:
    """Make the zip that AWS Lambda runs: the function, its libraries, the model and the build."""
    if python not in _PYTHONS:
        raise SettingsError(f"--python {python}: {', '.join(_PYTHONS)} are supported")
    settings = settings_of(content, build, STATE, config=config, overrides=overrides, need_content=False)
    artifacts = None if no_artifacts else build / POINTER / "artifacts"
    wanted = not no_model and (artifacts is None or _has_vectors(artifacts))
    model = model_folder(settings.embed) if wanted else None
    extras = tuple(item.value for item in extra or ())
    made = package(Order(Target(arch.value, python), artifacts, model, extras), file)
    if as_json:
        write_json(_as_json(made, file))
        return
    out.print(_shown(made, file))
    for note in made.notes:
        err.print(f"[yellow]note[/] {escape(note)}")


def _has_vectors(artifacts: Path) -> bool:
    """Say whether a model is of use; what is wrong with the manifest is said when it is opened."""
    try:
        return load_manifest((artifacts / MANIFEST).read_text("utf-8")).profile.embedder is not None
    except (OSError, ManifestError):
        return False


def _as_json(made: Bundle, file: Path) -> dict[str, object]:
    sizes = dict(made.sizes)
    return {
        "file": str(file),
        "zipped": made.zipped,
        "unzipped": made.unzipped,
        "limit": LIMIT,
        "sizes": sizes,
        "compiled": made.compiled,
        "notes": made.notes,
    }


def _shown(made: Bundle, file: Path) -> Table:
    """Return where the bytes are, the small parts in one line."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(justify="right")
    for name, size in made.sizes[:_SHOWN]:
        table.add_row(f"{size / 1e6:.1f} MB", escape(name))
    rest = made.sizes[_SHOWN:]
    table.add_row(f"{sum(size for _, size in rest) / 1e6:.1f} MB", f"{len(rest)} more")
    table.add_row(f"[bold]{made.unzipped / 1e6:.1f} MB[/]", f"unzipped, of {LIMIT / 1e6:.0f}")
    table.add_row(f"[bold]{made.zipped / 1e6:.1f} MB[/]", escape(str(file)))
    return table
