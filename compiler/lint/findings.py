"""What a lint finds, and the score that follows from it. A leaf."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

PENALTY = {"error": 100.0, "warning": 30.0, "info": 5.0}  # points that one on every page costs


class Level(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at. `path` is a file of the content folder, or the key of a wiki page as ``wiki:key``."""

    level: Level
    code: str
    path: str
    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Lint:
    """All findings, errors first, and the score."""

    findings: tuple[Finding, ...]
    pages: int  # public articles

    @property
    def counts(self) -> Counter[str]:
        """How many findings there are of each level."""
        return Counter(finding.level.value for finding in self.findings)

    @property
    def score(self) -> int:
        """Return 0..100: ``100 - (100 errors + 30 warnings + 5 infos) / pages``.

        A base without findings has 100; one error on every page makes it 0, one warning 70, one info 95.
        """
        cost = sum(PENALTY[level] * n for level, n in self.counts.items())
        return max(0, round(100 - cost / max(1, self.pages)))


def ordered(findings: Sequence[Finding], pages: int) -> Lint:
    """Return findings without repeats, errors first, then by code and place."""
    ranks = list(Level)
    unique = dict.fromkeys(findings)
    key = sorted(unique, key=lambda f: (ranks.index(f.level), f.code, f.path, f.line or 0, f.message))
    return Lint(tuple(key), pages)
