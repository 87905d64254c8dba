"""Dates: what `expires` means as an instant, and when a page was last changed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from compiler import git
from compiler.errors import BuildError, FileError
from compiler.model import Article, Problem, Severity, SourcePath
from compiler.settings import CONFIG_NAME

SKEW = 300  # seconds a builder's clock may be behind the clock that made a commit
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?(\.[0-9]+)?\s*(Z|[+-][0-9]{2}:?[0-9]{2})?"
)


def expiry(value: str, zone: ZoneInfo) -> datetime:
    """Return the first UTC instant at which a page with ``expires: value`` is no longer public.

    A date alone means the end of that day in `zone`; a time without a zone is in `zone`. A local time that the clocks
    skip or show twice is the earlier of its two readings: a page goes an hour early rather than late. Raises ValueError
    for anything else, leap seconds included.
    """
    value = value.strip()
    if not "1970" <= value[:4] < "9999":
        raise ValueError(value)
    if _DATE.fullmatch(value):
        day = date.fromisoformat(value) + timedelta(days=1)
        return _earlier(datetime(day.year, day.month, day.day), zone)
    if not _DATE_TIME.fullmatch(value):
        raise ValueError(value)
    moment = datetime.fromisoformat(re.sub(r"\s+(?=[Z+-])", "", value).replace(" ", "T", 1))
    return moment.astimezone(UTC) if moment.tzinfo else _earlier(moment, zone)


def _earlier(local: datetime, zone: ZoneInfo) -> datetime:
    return min(local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))


def plain_date(key: str, value: str, line: int | None) -> str | None:
    """Return the ISO day of a `created` or `updated` value, None when empty. Raises FileError when it is no date."""
    value = value.strip()
    if not value:
        return None
    if not re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}($|[T ])", value):
        raise FileError("date-invalid", f"`{key}` is not an ISO date", line=line, fix="write 2026-12-01")
    try:
        return date.fromisoformat(value[:10]).isoformat()
    except ValueError:
        raise FileError("date-invalid", f"`{key}` is not a real day", line=line, fix="check the day") from None


def refuse_slow_clock(content: Path, now: datetime) -> None:
    """Raise BuildError when `now` is over five minutes before the newest commit: no expiry could be trusted."""
    newest = git.run(content, "log", "-1", "--format=%ct").strip()
    if newest and now.timestamp() < int(newest) - SKEW:
        raise BuildError(
            "this machine's clock is behind the newest commit by over five minutes; set it and build again"
        )


def commit_days(content: Path) -> dict[SourcePath, str]:
    """Return the UTC day of each file's own last commit; empty without Git, history, or in a shallow clone.

    A shallow clone knows only its last commit, and a date from it would be wrong for every other file.
    """
    if _shallow(content) != "false":
        return {}
    log = git.run(content, "log", "--format=%x01%ct", "--name-only", "--no-renames", "--relative", "-z", "--", ".")
    days: dict[SourcePath, str] = {}
    stamp = ""
    for part in re.split(r"[\0\n]+", log):
        if part.startswith("\x01"):
            stamp = datetime.fromtimestamp(int(part[1:]), UTC).date().isoformat()
        elif part:
            days.setdefault(SourcePath(unicodedata.normalize("NFC", part)), stamp)
    return days


def history_problems(content: Path, articles: Sequence[Article]) -> list[Problem]:
    """Return a warning when pages have no date because this clone does not know their history."""
    count = sum(article.updated is None for article in articles)
    if not count or _shallow(content) != "true":
        return []
    message = f"{count} pages have no date: this is a shallow clone, which does not know when they were changed"
    fix = "fetch the whole history (in GitHub Actions `fetch-depth: 0`), or write `updated` in the pages"
    return [Problem(Severity.WARNING, "history-shallow", SourcePath(CONFIG_NAME), None, message, fix, True)]


def _shallow(content: Path) -> str:
    """Return "true" or "false", and "" where there is no Git."""
    return git.run(content, "rev-parse", "--is-shallow-repository").strip()
