"""The short form of `python -m bench.flood`: one address floods, everybody else is served, and the budget holds."""

from __future__ import annotations

from pathlib import Path

from tests.artifacts import make_artifacts
from tests.flood import EACH, flood


def test_one_address_floods(tmp_path: Path) -> None:
    """It gets its share, every visitor an answer, and the model costs no more than the day may."""
    make_artifacts(tmp_path / "artifacts")
    found = flood(tmp_path / "artifacts", requests=600, visitors=40, day_usd=0.01)
    assert found.visitors == {200: 40}
    assert set(found.attacker) == {200, 429}
    assert found.attacker[200] <= 2 * EACH  # a slow machine takes more than a minute's half
    assert 0 < found.usd <= 0.01
