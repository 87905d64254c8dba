"""What a bundle is made for: a processor, a Python, and a C library."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass

ARCHES = {"arm64": "aarch64", "x86_64": "x86_64"}  # AWS's name → the wheels' name
ELF_MACHINES = {"arm64": 0xB7, "x86_64": 0x3E}  # e_machine, see elf(5)
_GLIBC = {"3.11": 26}  # of the managed runtime; all later ones run on Amazon Linux 2023
_GLIBC_2023 = 34
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"


@dataclass(frozen=True, slots=True)
class Target:
    """One runtime of AWS Lambda. `python` is like "3.13"."""

    arch: str
    python: str = RUNNING

    @property
    def platforms(self) -> tuple[str, ...]:
        """The wheel platforms that load there, newest first."""
        machine = ARCHES[self.arch]
        numbered = (f"manylinux_2_{minor}_{machine}" for minor in range(_GLIBC_2023, 16, -1))
        return (*numbered, f"manylinux2014_{machine}")

    @property
    def glibc(self) -> tuple[int, int]:
        """The C library of the managed runtime with this Python; a container image brings its own."""
        return 2, _GLIBC.get(self.python, _GLIBC_2023)

    @property
    def markers(self) -> dict[str, str]:
        """The environment of a requirement's markers there."""
        return {
            "implementation_name": "cpython",
            "platform_machine": ARCHES[self.arch],
            "platform_system": "Linux",
            "platform_python_implementation": "CPython",
            "python_full_version": f"{self.python}.0",
            "python_version": self.python,
            "sys_platform": "linux",
            "os_name": "posix",
        }

    @property
    def compiler(self) -> str:
        """The program of the target's Python on this machine, which alone can compile for it; "" for none."""
        if self.python == RUNNING:
            return sys.executable
        program = shutil.which(f"python{self.python}")
        return program if program and _version(program) == self.python else ""


def _version(program: str) -> str:
    """Return the version of a Python such as "3.13", "" when the name leads to none."""
    say = "import sys; print(*sys.version_info[:2], sep='.')"
    run = subprocess.run([program, "-c", say], capture_output=True, text=True, check=False)
    return run.stdout.strip()
