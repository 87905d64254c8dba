"""A flood from one address while others ask: over real HTTP, with a paid model that is played and a day's budget."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fake_claude import Turn
from tests.query_fn.claude_app import CHAT, asking

ATTACKER = "203.0.113.7"
EACH, ALL = 20, 2_000  # questions a minute


@dataclass(frozen=True, slots=True)
class Flooded:
    """What came of it: statuses of both, the seconds that visitors waited, what the model cost in US dollars."""

    attacker: Counter[int]
    visitors: Counter[int]
    waited: tuple[float, ...]
    usd: float


class _Sender:
    """One connection, and what came back on it."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.seen: Counter[int] = Counter()
        self.waited: list[float] = []
        self.usd = 0.0

    def ask(self, address: str, question: str) -> None:
        body = json.dumps({"question": question, "stream": False})
        headers = {"content-type": "application/json", "x-forwarded-for": f"198.51.100.250, {address}"}
        began = time.perf_counter()
        self._connection.request("POST", CHAT, body, headers)
        reply = self._connection.getresponse()
        found: Any = json.loads(reply.read())
        self.waited.append(time.perf_counter() - began)
        self.seen[reply.status] += 1
        if reply.status == 200:
            self.usd += found["diagnostics"]["spent"].get("usd", 0.0)


def flood(artifacts: Path, *, requests: int, visitors: int, day_usd: float, senders: int = 4) -> Flooded:
    """Let one address send `requests` as fast as it can, and meanwhile `visitors` addresses one question each."""
    settings: dict[str, Any] = {
        "rate_per_minute": EACH,
        "rate_all_per_minute": ALL,
        "trusted_hops": 1,
        "day_usd": day_usd,
    }
    with (
        asking(artifacts, lambda _: Turn.says("NOT_COVERED"), **settings) as asked,
        asked.served() as port,
    ):
        attackers, others = [_Sender(port) for _ in range(senders)], _Sender(port)

        def attack(sender: _Sender, share: range) -> None:
            for n in share:
                sender.ask(ATTACKER, f"How long are backups kept, {n}?")

        shares = [range(first, requests, senders) for first in range(senders)]
        threads = [threading.Thread(target=attack, args=pair) for pair in zip(attackers, shares, strict=True)]
        for thread in threads:
            thread.start()
        for n in range(visitors):
            others.ask(f"10.1.{n // 250}.{n % 250 + 1}", f"How long are backups kept, asks visitor {n}?")
        for thread in threads:
            thread.join()
    seen = sum((sender.seen for sender in attackers), Counter[int]())
    return Flooded(seen, others.seen, tuple(others.waited), others.usd + sum(sender.usd for sender in attackers))
