"""The libraries of a bundle: pinned in `locks/`, fetched by pip for the target, and looked at once they lie there."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from pathlib import Path

from packaging.requirements import Requirement
from packaging.tags import Tag, parse_tag

from compiler.errors import BuildError
from compiler.package.target import ELF_MACHINES, Target

PARTS = ("words", "vectors", "jieba", "claude", "aws")  # each a complete lock of its own
_ELF_MAGIC = b"\x7fELF"
_GLIBC_TAG = re.compile(r"manylinux_2_(\d+)_")


def requirements(parts: Iterable[str], target: Target) -> tuple[str, ...]:
    """Return the pinned requirements of some parts with their hashes, each once, as lines for pip.

    Markers are decided here: pip would ask the Python it runs on.
    """
    locks = resources.files("compiler.package").joinpath("locks")
    found: dict[str, str] = {}
    for part in parts:
        text = locks.joinpath(f"{part}.txt").read_text("utf-8").replace("\\\n", " ")
        for line in text.splitlines():
            pinned, *hashes = line.split(" --hash=")
            need = Requirement(pinned)
            if need.marker is None or need.marker.evaluate(dict(target.markers)):
                found[need.name] = " --hash=".join((f"{need.name}{need.specifier}", *(h.strip() for h in hashes)))
    return tuple(found[name] for name in sorted(found))


def fetch(lines: Sequence[str], target: Target, folder: Path) -> None:
    """Install wheels into an empty folder. Nothing is built, nothing is run, nothing but the lock is chosen.

    Raises BuildError with the last words of pip, for example when there is no wheel for the target.
    """
    wanted = folder.with_name(f"{folder.name}.requirements.txt")
    wanted.write_text("\n".join(lines) + "\n", "utf-8")
    platforms = [word for name in target.platforms for word in ("--platform", name)]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-compile"]
    command += ["--ignore-requires-python"]  # pip asks the Python it runs on; the lock was made for the target's
    command += ["--no-deps", "--require-hashes", "--only-binary=:all:", "--implementation=cp", "--no-input"]
    command += [*platforms, f"--python-version={target.python}", f"--target={folder}", f"--requirement={wanted}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    wanted.unlink()
    if run.returncode:
        said = (run.stderr.strip() or run.stdout.strip() or "pip failed").splitlines()
        raise BuildError(f"the libraries of the bundle cannot be fetched: {said[-1]}")


def foreign(folder: Path, target: Target) -> Iterator[str]:
    """Yield what does not belong on the target: a wheel for another one, or a file with other machine code."""
    fitting = {*target.platforms, "any"}
    for path in sorted(folder.glob("*.dist-info/WHEEL")):
        if not {tag.platform for tag in _tags(path)} & fitting:
            yield f"{path.parent.name} is a wheel for another platform"
    for path in sorted(folder.rglob("*.so*")):
        with path.open("rb") as handle:
            head = handle.read(20)
        if head[:4] != _ELF_MAGIC or int.from_bytes(head[18:20], "little") != ELF_MACHINES[target.arch]:
            yield f"{path.relative_to(folder).as_posix()} is not machine code for {target.arch}"


def too_new(folder: Path, target: Target) -> tuple[str, ...]:
    """Return the wheels that need a newer C library than the managed runtime of this Python has."""
    most = target.glibc[1]
    found = []
    for path in sorted(folder.glob("*.dist-info/WHEEL")):
        needed = [int(m[1]) for tag in _tags(path) if (m := _GLIBC_TAG.match(tag.platform))]
        if needed and min(needed) > most:
            found.append(path.parent.name.removesuffix(".dist-info"))
    return tuple(found)


def _tags(wheel: Path) -> list[Tag]:
    lines = wheel.read_text("utf-8").splitlines()
    return [tag for line in lines if line.startswith("Tag: ") for tag in parse_tag(line.removeprefix("Tag: "))]
