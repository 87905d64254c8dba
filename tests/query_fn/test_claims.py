"""What follows from a quote: every true sentence of the table stands, every false one falls; both with their shares."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

import pytest
import yaml

from query_fn.agent.claims import claims_nothing
from query_fn.agent.gate import unsupported
from query_fn.model import Citation
from query_fn.text import script_lang

ROWS: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[1] / "golden" / "claims" / "claims.yml").read_text("utf-8")
)


def _reasons(key: str) -> list[str]:
    return [
        unsupported(sentence, [Citation("e1", row["quote"], 0, len(row["quote"]))], row.get("above", ""))
        for row in ROWS
        for sentence in row[key]
    ]


def test_false_claims_under_true_quotes_are_stopped() -> None:
    """At least 95 of 100 sentences with a changed number, unit, name, polarity or direction are dropped."""
    reasons = _reasons("falls")
    assert len(reasons) >= 100
    assert sum(map(bool, reasons)) >= 0.95 * len(reasons)


def test_true_claims_stand() -> None:
    """At most 5 of 100 sentences that say what their quote says are dropped."""
    reasons = _reasons("stands")
    assert len(reasons) >= 80
    assert sum(map(bool, reasons)) <= 0.05 * len(reasons)


def test_claims_that_were_written_apart() -> None:
    """Rules stop 64 of 100 sentences that a careful person would call false, and 14 of 100 true ones.

    They see words; who does what to whom takes a grader. Half of this table was looked at, the other half never.
    """
    rows = yaml.safe_load((Path(__file__).parents[1] / "golden" / "claims.yml").read_text("utf-8"))
    stopped = {True: list[bool](), False: list[bool]()}
    for row in rows:
        quote, lang = Citation("e1", row["quote"], 0, len(row["quote"])), script_lang(row["claim"])
        stopped[row["holds"]].append(bool(unsupported(row["claim"], [quote], lang=lang)))
    assert mean(stopped[False]) >= 0.62
    assert mean(stopped[True]) <= 0.17


@pytest.mark.parametrize(
    ("sentence", "quote", "reason"),
    [
        ("You answer readers' questions about published pages.", "Tea is brewed at 80 degrees.", "matter"),
        ("今天的天气很好，适合郊游。", "备份每晚运行一次。", "matter"),
        ("You must bring a guest.", "You may bring a guest.", "modality"),
        ("所有温室在冬天加热。", "大多数温室在冬天加热。", "scope"),
        ("Only accountants can add events.", "Only team leads can add events.", "swap"),
        ("Lin Lan (林岚) founded the club.", "林岚创办了航模社。", ""),
        ("水温约 80 度。", "Brew the tea at 80 degrees.", ""),
        ("Run `rm -rf data`.", "Run `ls data` to see the data.", "code"),
        ("See https://x.example/a for the data.", "See the data.", "code"),
        ("```sh\npip install geosmin\n```", "Install it:\n\n```sh\npip install geosmin\n```", ""),
    ],
)
def test_matter_and_code(sentence: str, quote: str, reason: str) -> None:
    """A sentence about something else, and code that the source does not hold, have no support."""
    assert unsupported(sentence, [Citation("e1", quote, 0, len(quote))]) == reason


@pytest.mark.parametrize(
    ("sentence", "asked", "nothing"),
    [
        ("Here are the steps:", "", True),
        ("According to the published pages:", "", True),
        ("步骤如下：", "", True),
        ("How backups are kept:", "How long are backups kept?", True),
        ("Backups are kept for ever.", "How long are backups kept?", False),
        ("Backups take 3 days.", "How long do backups take?", False),
        ("See [here](https://x.example).", "", False),
    ],
)
def test_what_claims_nothing(sentence: str, asked: str, nothing: bool) -> None:
    """A sentence without citations stands only when it leads over or repeats the question."""
    assert claims_nothing(sentence, asked) is nothing
