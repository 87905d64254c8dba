"""Errors of a build.

GeosminError
├── SettingsError     the configuration is wrong (exit 2): names the key, the file and the fix
├── FileError         one file is wrong: it stays private, the rest is built (exit 1)
├── BuildError        nothing is switched (exit 3)
├── ProposalError     a conclusion is not proposed (exit 3): says what is missing
└── LockedError       another build holds the lock or is newer (exit 4)
"""

from __future__ import annotations


class GeosminError(Exception):
    """The root of everything the compiler raises on purpose."""


class SettingsError(GeosminError):
    """The configuration is wrong; the message names the key and what is accepted."""


class FileError(GeosminError):
    """One source file cannot be trusted. `line` is 1-based in the file; `fix` says what to do."""

    def __init__(self, code: str, message: str, *, line: int | None = None, fix: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.line = line
        self.fix = fix


class BuildError(GeosminError):
    """The build as a whole cannot be trusted; the previous output stays. `redacted` names nothing that is private."""

    def __init__(self, message: str, *, redacted: str = "") -> None:
        super().__init__(message)
        self.redacted = redacted


class ProposalError(GeosminError):
    """A conclusion cannot be proposed; the message says why, and what would help."""


class LockedError(GeosminError):
    """Another build holds the lock on this output."""
