"""How a stage says how far it is. The CLI draws it; tests and `--json` are silent."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    """Receives what a long stage has done."""

    def begin(self, stage: str) -> None:
        """A stage begins; its size is not known yet."""

    def update(self, done: int, total: int) -> None:
        """The running stage has done `done` of `total` items."""

    def end(self) -> None:
        """The running stage has ended."""


class Silent:
    """Shows nothing."""

    def begin(self, stage: str) -> None:
        """Ignore."""

    def update(self, done: int, total: int) -> None:
        """Ignore."""

    def end(self) -> None:
        """Ignore."""


class Clock:
    """Times the stages of one build, in order, and passes their progress on."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what happens inside as the stage `name`."""
        self.progress.begin(name)
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = round(self.seconds.get(name, 0.0) + time.perf_counter() - start, 3)
            self.progress.end()
