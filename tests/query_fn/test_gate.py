"""The gate's rules on single sentences: numbers, names and polarity must agree with the quote."""

from __future__ import annotations

import pytest

from query_fn.agent.gate import negated, unsupported
from query_fn.agent.numbers import numbers
from query_fn.model import Citation


def _why(sentence: str, quote: str) -> str:
    return unsupported(sentence, [Citation("e1", quote, 0, len(quote))])


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("Backups are kept for 14 days.", "Backups are kept for 14 days."),
        ("Backups are kept for 14 days.", "Backups run at night and are kept for **14 days**."),
        ("It costs 1,000 euros.", "The price is 1000 euros."),
        ("There are three steps.", "There are 3 steps."),
        ("共有三个步骤。", "共有 3 个步骤。"),
        ("水温是 80 度。", "水温控制在８０度左右。"),
        ("截止日期是 2026-03-01。", "截止日期：2026年3月1日。"),
        ("It ended in 2026.", "It ended on 2026-03-01."),
        ("3月1日截止。", "截止日期：2026-03-01。"),
        ("Do not open the port.", "You must not open the port."),
        ("不要用沸水。", "水温控制在 80 度左右，不要用沸水。"),
        ("两者不同。", "这两者是有区别的，二者不同。"),
        ("Maria Jensen approves it.", "It needs the approval of Maria Jensen."),
    ],
)
def test_supported(sentence: str, quote: str) -> None:
    """A sentence that says what its quote says stands."""
    assert _why(sentence, quote) == ""


@pytest.mark.parametrize(
    ("sentence", "quote", "reason"),
    [
        ("Backups are kept for 30 days.", "Backups are kept for 14 days.", "number"),
        ("Backups are kept for 30 days.", "Backups of 2026-03-30 run at 02:30.", "number"),
        ("共有五个步骤。", "共有三个步骤。", "number"),
        ("截止日期是 2027-03-01。", "截止日期：2026年3月1日。", "number"),
        ("You may open the port.", "You may not open the port.", "negation"),
        ("You must never restart it.", "You must restart it.", "negation"),
        ("可以用沸水。", "不要用沸水。", "negation"),
        ("没有限制。", "有限制。", "negation"),
        ("The lead is Peter Miller.", "The lead is Maria Jensen.", "name"),
        ("It uses AWS for this.", "It uses a cloud for this.", "name"),
    ],
)
def test_unsupported(sentence: str, quote: str, reason: str) -> None:
    """A sentence that changes a number, a name or the polarity is dropped with that reason."""
    assert _why(sentence, quote) == reason


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,234.5 and 007", {"1234.5", "7"}),
        ("二十三天，一万零五元，两次", {"23", "10005", "2"}),
        ("at 02:30 on 2026/1/9", {"2:30", "2026-1-9"}),
        ("2026年3月到3月5日", {"2026-3", "3-5"}),
        ("no digits here", set()),
        ("一般来说", set()),
    ],
)
def test_numbers(text: str, found: set[str]) -> None:
    """Numbers in digits, Chinese numerals and English words have one form."""
    assert numbers(text) == found


@pytest.mark.parametrize(
    "text", ["不同的方法", "不仅如此", "非常好", "除非另有说明", "无论何时", "It is notable.", "know"]
)
def test_not_a_negation(text: str) -> None:
    """Words that merely contain a negating character or syllable are not negations."""
    assert not negated(text)
