"""The short form of `python -m bench.flood`: one address floods, everybody else is served, and the budget holds."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from query_fn.settings import Settings
from tests.artifacts import make_artifacts
from tests.flood import ATTACKER, EACH, flood
from tests.query_fn.claude_app import served


def test_one_address_floods(tmp_path: Path) -> None:
    """It gets its share, every visitor an answer, and the model costs no more than the day may."""
    make_artifacts(tmp_path / "artifacts")
    found = flood(tmp_path / "artifacts", requests=600, visitors=40, day_usd=0.01)
    assert found.visitors == {200: 40}
    assert set(found.attacker) == {200, 429}
    assert found.attacker[200] <= 2 * EACH  # a slow machine takes more than a minute's half
    assert 0 < found.usd <= 0.01


def test_one_address_searches_without_end(tmp_path: Path) -> None:
    """It gets its share of searches and is told when to come back; every other visitor finds what there is."""
    make_artifacts(tmp_path / "artifacts")
    settings = Settings(tmp_path / "artifacts", searches_per_minute=EACH, trusted_hops=1)
    with (
        served(settings) as port,
        httpx.Client(base_url=f"http://127.0.0.1:{port}/api/public/", timeout=60) as client,
    ):

        def search(address: str) -> httpx.Response:
            return client.get("search?q=backups", headers={"x-forwarded-for": f"198.51.100.250, {address}"})

        with ThreadPoolExecutor(4) as pool:
            flooding = pool.map(search, [ATTACKER] * 600)
            others = [search(f"10.1.0.{n}").status_code for n in range(40)]
            replies = list(flooding)
    assert Counter(others) == {200: 40}
    codes = Counter(reply.status_code for reply in replies)
    assert set(codes) == {200, 429}
    assert codes[200] <= 2 * EACH
    assert all(0 < int(reply.headers["retry-after"]) <= 60 for reply in replies if reply.status_code == 429)
