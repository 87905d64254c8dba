"""Who asks, and how often they may. The address is taken from the hop that the owner trusts, and kept as a hash."""

from __future__ import annotations

import hashlib
import ipaddress
import logging
import time
from collections.abc import Callable

from query_fn.errors import TooMany
from query_fn.guard.counters import Counters, StoreDown
from query_fn.guard.rate import Rate

MINUTE = 60
_log = logging.getLogger("geosmin.visitors")


def address(client: str, forwarded: str, trusted_hops: int) -> str:
    """Return who asks: what the platform saw, or with `trusted_hops` proxies in front, what the first of them saw.

    Every proxy appends the address it was called from, so only the last `trusted_hops` of `forwarded` can be believed.
    One visitor has a whole IPv6 network of 64 bits, or one IPv4 address, however a socket for both kinds writes it.
    "" stands for everybody whose address cannot be told.
    """
    hops = [hop.strip() for hop in forwarded.split(",")]
    seen = client if not trusted_hops else hops[-trusted_hops] if len(hops) >= trusted_hops else ""
    try:
        found = ipaddress.ip_address(seen.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def name_of(visitor: str, secret: bytes) -> str:
    """Return a visitor as a hash that only this function can make."""
    return hashlib.blake2b(visitor.encode(), key=secret[:64], digest_size=12).hexdigest()


class Visitors:
    """Limits per minute, for each visitor and for all together. The process has its own; shared counters add theirs."""

    def __init__(
        self,
        each: int,
        everybody: int,
        *,
        shared: Counters | None = None,
        secret: bytes = b"",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._limits = (each, everybody)
        self._each, self._all = Rate(each), Rate(everybody)
        self._shared = shared
        self._secret = secret
        self._clock = clock

    def take(self, visitor: str) -> None:
        """Spend one request. Raises TooMany; a visitor who is refused takes nothing from the others."""
        name = name_of(visitor, self._secret)
        self._each.take(name)
        if self._shared is not None:
            self._window(f"rate:{name}", self._limits[0])
        self._all.take("")
        if self._shared is not None:
            self._window("rate", self._limits[1])

    def _window(self, key: str, limit: int) -> None:
        now = int(self._clock())
        minute = now // MINUTE
        try:
            free = (
                not limit
                or self._shared is None
                or self._shared.take(f"{key}:{minute}", (1,), limits=(limit,), until=(minute + 2) * MINUTE)
            )
        except StoreDown as error:
            _log.warning("visitors are counted in this process alone: %s", error)
            return
        if not free:
            wait = MINUTE - now % MINUTE
            raise TooMany(f"Too many requests; try again in {wait} seconds.", retry_after=wait)
