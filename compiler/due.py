"""Whether a build is due although nothing was pushed: a page has expired since the last one."""

from __future__ import annotations

from datetime import datetime

from compiler.cache import Cache
from compiler.progress import Clock, Silent
from compiler.read import read_sources
from compiler.settings import Settings
from compiler.version import compiler_version


def expired_since(settings: Settings, since: datetime, *, now: datetime) -> bool:
    """Tell whether any page's last instant lies after `since` and not after `now`. Nothing is written."""
    cache = Cache(None, version=compiler_version())
    try:
        sources = read_sources(settings, now, cache=cache, clock=Clock(Silent()))
    finally:
        cache.close()
    moments = (decision.not_after for decision in sources.decisions.values())
    return any(moment and since < moment <= now for moment in moments)
