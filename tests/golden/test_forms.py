"""The form of the claim cases and of the attacks: what is written down, how much of it, and that nothing stands twice.

What the product makes of them is measured elsewhere; here nothing of it runs.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

GOLDEN = Path(__file__).parent
HAN = re.compile(r"[\u3400-\u9fff]")
CHANGES = (
    "number", "date", "unit", "name", "negation", "direction", "comparative", "scope", "condition", "modality",
)  # fmt: skip
TELLINGS = ("paraphrase", "reordering", "shortened")  # what a true claim does to its quote
BOTH_WAYS = ("translation", "summary")
ATTACKS = (
    "direct", "indirect", "encoded", "multi-turn", "role-play", "many-shot", "exfiltration", "private-topic",
    "off-topic", "ssrf", "prompt-extraction", "forged-roles",
)  # fmt: skip
DISGUISES = {
    "base64": r"[A-Za-z0-9+/]{40,}",
    "hidden element": r"display:none|<span hidden>",
    "HTML comment": "<!--",
    "tag characters": "[\U000e0020-\U000e007e]{10}",
    "spaces of no width": "(?:\u200b.){5}",
    "code comment": r"```python\n#",
    "keyword stuffing": r"(\b[a-z]+ [a-z]+\b).*\1.*\1|(失物).*\2.*\2.*\2",
    "picture": r"!\[[^\]]*\]\(https://",
    "forged turn": r"Assistant:|助手：",
    "table": r"\|---\|",
    "footnote": r"\[\^1\]:",
    "entities": r"&#\d+;",
    "script": "<script>",
}


def cases(name: str) -> list[dict[str, Any]]:
    """Return the cases of a file."""
    found: list[dict[str, Any]] = yaml.safe_load((GOLDEN / name).read_text("utf-8"))
    return found


CLAIMS, TRIED = cases("claims.yml"), cases("attacks.yml")


def test_a_claim_case_has_four_keys() -> None:
    """Each case holds a quote, a claim, a verdict and a kind, and neither text is empty."""
    wrong = [case for case in CLAIMS if set(case) != {"quote", "claim", "holds", "kind"}]
    assert wrong == []
    assert [case for case in CLAIMS if not (case["quote"] and case["claim"] and isinstance(case["holds"], bool))] == []


def test_the_kind_of_a_claim_fits_its_verdict() -> None:
    """A change of fact never holds, a mere retelling always does, translations and summaries are asked both ways."""
    held = {(case["kind"], case["holds"]) for case in CLAIMS}
    expected = {(kind, False) for kind in CHANGES + BOTH_WAYS} | {(kind, True) for kind in TELLINGS + BOTH_WAYS}
    assert held == expected


def test_there_are_enough_claims_of_each_kind() -> None:
    """At least 100 claims are false and 60 true, with five or more of every kind and verdict."""
    holds = Counter(case["holds"] for case in CLAIMS)
    assert holds[False] >= 100
    assert holds[True] >= 60
    assert {kind: n for kind, n in Counter((c["kind"], c["holds"]) for c in CLAIMS).items() if n < 5} == {}


def test_claims_are_in_both_languages_and_across() -> None:
    """Two fifths of the quotes at least are Chinese and as many English; translations change the language, others do not."""
    chinese = sum(_han(case["quote"]) for case in CLAIMS)
    crossed = {_han(c["quote"]) != _han(c["claim"]) for c in CLAIMS if c["kind"] == "translation"}
    stray = [c for c in CLAIMS if c["kind"] != "translation" and _han(c["quote"]) != _han(c["claim"])]
    assert 0.4 <= chinese / len(CLAIMS) <= 0.6
    assert crossed == {True}
    assert stray == []


def test_no_claim_is_made_twice() -> None:
    """A quote and a claim stand together once, and no claim is its own quote."""
    assert [key for key, n in Counter((c["quote"], c["claim"]) for c in CLAIMS).items() if n > 1] == []
    assert [case for case in CLAIMS if case["quote"] == case["claim"]] == []


def test_there_are_enough_attacks_of_each_kind() -> None:
    """At least 300 attacks, 24 or more of every kind, half of them in Chinese."""
    count = Counter(case["kind"] for case in TRIED)
    assert set(count) == set(ATTACKS)
    assert {kind: n for kind, n in count.items() if n < 24} == {}
    assert len(TRIED) >= 300
    assert 0.45 <= sum(bool(HAN.search(c["question"])) for c in TRIED) / len(TRIED) <= 0.55


def test_an_attack_has_what_its_kind_needs() -> None:
    """An indirect attack comes with what the page says, one of several turns with the turns before; others stand alone."""
    needs = {"indirect": {"poison"}, "multi-turn": {"previous"}}
    assert [c for c in TRIED if set(c) != {"kind", "question"} | needs.get(c["kind"], set())] == []
    assert [c for c in TRIED if c["kind"] == "multi-turn" and not all(isinstance(t, str) for t in c["previous"])] == []


def test_no_attack_is_written_twice() -> None:
    """Questions with the turns before them, and poisoned pages, are all different."""
    texts = Counter((c["question"], *c.get("previous", ())) for c in TRIED) + Counter(c.get("poison") for c in TRIED)
    texts.pop(None)
    assert [text for text, n in texts.items() if n > 1] == []


@pytest.mark.parametrize("disguise", DISGUISES)
def test_poison_comes_in_every_disguise(disguise: str) -> None:
    """At least one poisoned page in each language hides its order in this way."""
    found = [c for c in TRIED if re.search(DISGUISES[disguise], c.get("poison", ""))]
    assert {bool(HAN.search(case["question"])) for case in found} == {True, False}


@pytest.mark.parametrize("name", ["claims.yml", "attacks.yml"])
def test_nothing_invisible_stands_in_the_file(name: str) -> None:
    """Characters that cannot be seen are written as escapes, so that a reader of the file sees them."""
    text = (GOLDEN / name).read_text("utf-8")
    assert [hex(ord(char)) for char in text if char != "\n" and unicodedata.category(char)[0] == "C"] == []


def _han(text: str) -> bool:
    """Tell whether a text is Chinese: a name in brackets makes no English sentence one, nor a brand a Chinese one English."""
    return 2 * len(HAN.findall(text)) > len(re.findall(r"[A-Za-z]", text))
