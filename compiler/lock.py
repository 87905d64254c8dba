"""One build at a time on one state folder."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from compiler.errors import LockedError


@contextmanager
def held(state: Path) -> Iterator[None]:
    """Hold the build lock of a state folder (made with mode 0700). Raises LockedError when another build has it."""
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (state / "lock").open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LockedError(
                "another build is running on this state folder; wait for it, or use another --state"
            ) from None
        yield
