"""Regular expressions that are compiled at their first use.

The rooms of an answer hold 266 of them. Compiling all takes 75 ms of every cold start, and a search uses a few.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


class _Regex:
    """Has the methods of the compiled pattern as its own from the first use on, so the second costs nothing more."""

    __slots__ = ("_flags", "pattern", *_METHODS)

    def __init__(self, source: str, flags: int = 0) -> None:
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile the pattern: asked for a method that is not there yet."""
        compiled = re.compile(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


if TYPE_CHECKING:
    regex = re.compile
else:
    regex = _Regex
