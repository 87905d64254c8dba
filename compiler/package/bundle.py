"""`geosmin package`: the function, its libraries, the model and the artifacts as one zip for AWS Lambda.

The story: fetch, trim, add our code, compile, add the build, look at all of it, write the zip.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from compiler.errors import BuildError
from compiler.package import wheels
from compiler.package.target import Target
from compiler.package.trim import trim
from compiler.package.zipped import write_zip
from query_fn.contract import MANIFEST, Manifest
from query_fn.retrieve.model_folder import embedding
from query_fn.store import check_embedder, open_store
from query_fn.text import TOKENISERS, Analyser

LIMIT = 250_000_000  # bytes unzipped, AWS's own limit for a function and its layers
ROOT = "/var/task"  # where Lambda unpacks the bundle: the file names in tracebacks
ARTIFACTS, MODEL = "artifacts", "model"


@dataclass(frozen=True, slots=True)
class Order:
    """What goes into a bundle. `artifacts` None: they come from elsewhere at run time; `model` None: words only."""

    target: Target
    artifacts: Path | None
    model: Path | None
    extras: tuple[str, ...] = ()  # parts of `wheels.PARTS` that the owner asks for


@dataclass(frozen=True, slots=True)
class Bundle:
    """What was written: bytes unzipped by part, largest first, bytes of the zip, and what the owner should know."""

    sizes: tuple[tuple[str, int], ...]
    zipped: int
    notes: tuple[str, ...]
    compiled: bool  # whether it holds .pyc files

    @property
    def unzipped(self) -> int:
        """Bytes of all files together."""
        return sum(size for _, size in self.sizes)


def package(order: Order, out: Path) -> Bundle:
    """Write the zip at `out` and return what it holds. The same input gives the same bytes.

    Raises BuildError for a library without a fitting wheel and for more than LIMIT; ArtifactError for artifacts or a
    model that cannot be served. Nothing is written then.
    """
    manifest = open_store(order.artifacts).manifest if order.artifacts else None
    with tempfile.TemporaryDirectory(prefix="geosmin-package-") as name:
        folder = Path(name) / "bundle"
        folder.mkdir()
        wheels.fetch(wheels.requirements(_parts(order, manifest), order.target), order.target, folder)
        trim(folder)
        for problem in wheels.foreign(folder, order.target):
            raise BuildError(problem)
        program = order.target.compiler
        _add_code(folder, program)
        _add_build(folder, order, manifest)
        sizes = tuple(sorted(_sizes(folder).items(), key=lambda item: (-item[1], item[0])))
        _check_size(sizes)
        zipped = write_zip(folder, out)
        notes = (*_slow(order.target, program), *_notes(folder, order, manifest))
        return Bundle(sizes, zipped, notes, compiled=bool(program))


def _parts(order: Order, manifest: Manifest | None) -> Iterator[str]:
    yield "words"
    if order.model is not None:
        yield "vectors"
    if manifest is not None and manifest.profile.tokeniser == TOKENISERS[Analyser.JIEBA]:
        yield "jieba"
    yield from order.extras


def _add_code(folder: Path, program: str) -> None:
    """Copy the function, and compile everything: Lambda's folder is read-only, so nothing is compiled there."""
    with resources.as_file(resources.files("query_fn")) as source:
        shutil.copytree(source, folder / "query_fn", ignore=shutil.ignore_patterns("__pycache__", "*.yaml"))
    if not program:
        return
    command = [program, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"]
    command += ["-s", str(folder), "-p", ROOT, str(folder)]
    run = subprocess.run(command, capture_output=True, env={"PYTHONHASHSEED": "0"}, check=False)
    if run.returncode:
        raise BuildError(f"the bundle cannot be compiled: {run.stdout.decode(errors='replace').strip()[:200]}")


def _add_build(folder: Path, order: Order, manifest: Manifest | None) -> None:
    """Copy what the manifest lists and nothing else, and the model it was made with."""
    if order.artifacts is not None and manifest is not None:
        for name in (*manifest.files, MANIFEST):
            target = folder / ARTIFACTS / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(order.artifacts / name, target)
    if order.model is not None:
        found = embedding(order.model)
        if manifest is not None:
            check_embedder(manifest, found)
        shutil.copytree(order.model, folder / MODEL)


def _sizes(folder: Path) -> dict[str, int]:
    """Return the bytes below each first folder; a library's metadata counts with the small ones."""
    found: dict[str, int] = {}
    for path in folder.rglob("*"):
        if path.is_file():
            name = path.relative_to(folder).parts[0]
            name = "metadata and licences" if name.endswith(".dist-info") else name
            found[name] = found.get(name, 0) + path.stat().st_size
    return found


def _check_size(sizes: Iterable[tuple[str, int]]) -> None:
    total = sum(size for _, size in sizes)
    if total > LIMIT:
        largest = ", ".join(f"{name} {size / 1e6:.0f} MB" for name, size in list(sizes)[:4])
        raise BuildError(
            f"the bundle has {total / 1e6:.0f} MB unzipped, Lambda takes {LIMIT / 1e6:.0f} ({largest}); "
            "leave the model out with --no-model, the artifacts with --no-artifacts, or use the Dockerfile"
        )


def _slow(target: Target, program: str) -> Iterator[str]:
    if not program:
        name = f"python{target.python}"
        yield (
            f"NOT COMPILED: there is no {name} on this machine. Each cold start compiles what it loads, and its first "
            f"search takes about twice as long. Put {name} on the PATH and run this again"
        )


def _notes(folder: Path, order: Order, manifest: Manifest | None) -> Iterator[str]:
    if names := wheels.too_new(folder, order.target):
        old = f"python{order.target.python} of Lambda has glibc 2.{order.target.glibc[1]}"
        yield f"{old}, too old for {', '.join(names)}: take a later --python or the Dockerfile"
    if manifest is not None and manifest.profile.embedder is not None and order.model is None:
        yield "words only: the vectors of the build are not used without a model"
