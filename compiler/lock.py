"""One build at a time on one state folder, and on one output folder."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from compiler.errors import LockedError

NAME = ".lock"
PAUSE = 0.2  # seconds between two looks at a lock that another build holds


@contextmanager
def held(*folders: Path, wait: float = 0.0) -> Iterator[None]:
    """Hold the build lock of each folder (made with mode 0700 when it is new), in a fixed order.

    `wait` is how many seconds another build may take to finish. Raises LockedError when it has not by then. The lock
    goes with the process, so a killed build never leaves one.
    """
    deadline = time.monotonic() + wait
    with ExitStack() as stack:
        for folder in sorted(set(folders)):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _take(stack.enter_context((folder / NAME).open("a")), deadline, folder.name)
        yield


def _take(handle: IO[str], deadline: float, name: str) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise LockedError(
                    f"another build is running on {name}; wait for it (--wait SECONDS), or use other --state and --out"
                ) from None
            time.sleep(PAUSE)
        else:
            return
