"""A build in a process of its own whose n-th file operation fails, or is the last thing the process does.

Python reports every file operation to its audit hooks before it happens, whoever asks for it: our code, MkDocs, the
standard library. So nothing has to go through a wrapper to be counted. The process is forked, not started: a run costs
the build alone. What native code writes is not reported; `limited` lets those writes fail instead.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
EVENTS = frozenset(
    {
        "os.mkdir",
        "os.rename",
        "os.remove",
        "os.rmdir",
        "os.link",
        "os.symlink",
        "os.truncate",
        "os.chmod",
        "sqlite3.connect",
    }
)
ENDED, FAILED, BUSY = 0, 3, 4  # how a run ends; a killed one is negative


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens at the n-th operation: a signal to the own process, or an error; a full disk stays full."""

    at: int
    sent: signal.Signals | None = None
    errno: int = 0
    lasting: bool = False


def is_write(event: str, args: tuple[Any, ...]) -> bool:
    """Tell whether an audited event changes the disk."""
    if event == "open":
        mode, flags = args[1], args[2]
        return any(c in mode for c in "wxa+") if isinstance(mode, str) else bool(flags & WRITING)
    return event in EVENTS


def forked(work: Callable[[], object], prepare: Callable[[], None]) -> int:
    """Run `work` in a forked process after `prepare`; return its exit code, negative for a signal."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = FAILED
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        prepare()
        work()
        code = ENDED
    except BaseException as error:  # noqa: BLE001 - the edge of a process: every failure is its exit code
        code = (
            FAILED if isinstance(error, OSError) or type(error).__module__.startswith(("compiler", "sqlite3")) else 70
        )
    finally:
        os._exit(code)


def run(work: Callable[[], object], fault: Fault, under: Path) -> int:
    """Run `work` with a fault in what it writes below `under`; return how it ended."""
    return forked(work, lambda: _install(fault, str(under), []))


def count(work: Callable[[], object], under: Path) -> int:
    """Return how many file operations `work` does below `under`."""
    log = under / "operations"

    def prepare() -> None:
        seen: list[None] = []
        _install(Fault(0), str(under), seen)
        keep.append(seen)

    def counted() -> None:
        work()
        log.write_text(str(len(keep[0])), "utf-8")

    keep: list[list[None]] = []
    assert forked(counted, prepare) == ENDED
    number = int(log.read_text("utf-8"))
    log.unlink()
    return number


def limited(work: Callable[[], object], size: int) -> int:
    """Run `work` where no file can grow past `size` bytes, native code's files included."""

    def prepare() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return forked(work, prepare)


def _install(fault: Fault, under: str, seen: list[None]) -> None:
    def hook(event: str, args: tuple[Any, ...]) -> None:
        if not is_write(event, args) or not _is_below(args, under):
            return
        seen.append(None)
        if len(seen) != fault.at and not (fault.lasting and 0 < fault.at < len(seen)):
            return
        if fault.sent is not None:
            os.kill(os.getpid(), fault.sent)
            signal.pause()
        raise OSError(fault.errno, os.strerror(fault.errno))

    sys.addaudithook(hook)


def _is_below(args: tuple[Any, ...], under: str) -> bool:
    """Tell whether an operation touches the folder that is tested; a name in an open folder (rmtree's) counts too."""
    place = os.fsdecode(args[0]) if args and isinstance(args[0], str | bytes | os.PathLike) else ""
    return place.startswith(under) or not place.startswith("/")
