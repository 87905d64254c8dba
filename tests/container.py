"""A function's container without Docker: an interpreter and a bundle that nobody may write, and one temporary folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.runtime_api import ENVIRONMENT, RuntimeApi, runtime_api

NOBODY = 65534
RUNTIME = (
    "awslambdaric",
    "simplejson",
    "snapshot_restore_py*",
    "runtime_client*.so",
)  # what the managed runtime brings besides Python
_WHERE = """
import os, sys, sysconfig
print(f"python{sys.version_info[0]}.{sys.version_info[1]}", sysconfig.get_path("stdlib"), sep="\\n")
print(sysconfig.get_config_var("LIBDIR"), os.path.realpath(sys.executable), sep="\\n")
"""
_LEFT_OUT = ("site-packages", "dist-packages", "test", "idlelib", "tkinter", "ensurepip", "config-*")


def interpreter(folder: Path, program: str = sys.executable) -> Path:
    """Copy a Python with its standard library and nothing else; return the copy of the program."""
    told = subprocess.run([program, "-c", _WHERE], capture_output=True, text=True, check=True).stdout
    version, library, shared, file = told.splitlines()
    ignore = shutil.ignore_patterns(*_LEFT_OUT)
    shutil.copytree(library, folder / "lib" / version, ignore=ignore)
    (folder / "bin").mkdir()
    shutil.copy(file, folder / "bin" / version)
    for path in Path(shared).glob("libpython*.so*"):
        shutil.copy(path, folder / "lib")
    return folder / "bin" / version


def runtime_client(folder: Path) -> Path:
    """Copy the runtime client of the managed image and nothing else of the test environment."""
    libraries = Path(sysconfig.get_path("platlib"))
    folder.mkdir()
    for pattern in RUNTIME:
        for path in libraries.glob(pattern):
            shutil.copytree(path, folder / path.name) if path.is_dir() else shutil.copy(path, folder)
    return folder


def unpack(bundle: Path, folder: Path) -> Path:
    """Unpack a bundle as Lambda does: readable for all, writable for none."""
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() or ".so" in path.suffixes else 0o444)
    return folder


@contextmanager
def container(
    command: Sequence[str], *, task: Path, temp: Path, environment: Mapping[str, str], quiet: bool = False
) -> Iterator[tuple[RuntimeApi, subprocess.Popen[bytes]]]:
    """Start a container on its own Runtime API, as nobody when we are root, with nothing of our environment.

    A `quiet` one throws its log away.
    """
    temp.mkdir()
    temp.chmod(0o777)
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": ()} if os.getuid() == 0 else {}
    with runtime_api() as api:
        given = {**ENVIRONMENT, "AWS_LAMBDA_RUNTIME_API": api.address, "TMPDIR": str(temp), "LANG": "C.UTF-8"}
        log = subprocess.DEVNULL if quiet else None
        variables = {**given, **environment}
        process = subprocess.Popen(command, cwd=task, env=variables, stdout=log, stderr=log, **user)  # type: ignore[call-overload]
        try:
            yield api, process
        finally:
            process.kill()
            process.wait()


def start(home: Path, *, task: Path, client: Path) -> tuple[list[str], dict[str, str]]:
    """Return the command of the managed runtime and its environment, with the interpreter of `home` alone."""
    command = [str(home), "-S", "-m", "awslambdaric", "query_fn.handler.handler"]
    environment = {
        "PYTHONHOME": str(home.parents[1]),
        "PYTHONPATH": f"{task}:{client}",
        "LD_LIBRARY_PATH": str(home.parents[1] / "lib"),
    }
    return command, environment
