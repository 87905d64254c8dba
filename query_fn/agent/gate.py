"""The gate: a sentence stands only when its quotes are real and say the same numbers, names and polarity.

Pure apart from the book of evidence it asks. What fails is dropped and named; nothing is repaired.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from query_fn.agent.chat.base import Quoted
from query_fn.agent.claims import claims_nothing, invented_code, turned
from query_fn.agent.evidence import Book
from query_fn.model import Citation
from query_fn.text import plain, sentences, tokenise

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_DATE = re.compile(r"(?<!\d)(?:(\d{4})[-/.年](\d{1,2})(?:[-/.月](\d{1,2})日?|月)?|(\d{1,2})月(\d{1,2})日)(?!\d)")
_CN_NUMBER = re.compile(r"[零〇一二两三四五六七八九十百千万]+(?=[个种次天年月日号位条项步点倍成小分秒周名页章台元])")
_CN_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CN_UNITS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000}
_EN_NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|cannot|without|nothing|nobody)\b|n['’]t\b"
    r"|(?<![非除])[不未](?!同|仅|但|断|过|管|论|久|少|错|妨|来|必说)|没有?|(?<!除)非(?!常)|无(?!论|数|限)|勿|切莫|禁止",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?。！？]\s)(?<!^)\b[A-Z][A-Za-z]*[a-z][A-Za-z]*\b|\b[A-Z]{2,}\b")


@dataclass(frozen=True, slots=True)
class Passed:
    """A sentence that stands, with its verified citations; `doubted` when another one of it was not real."""

    sentence: Quoted
    citations: tuple[Citation, ...]
    doubted: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What stands and what was dropped, with the reason for each."""

    passed: tuple[Passed, ...]
    dropped: tuple[tuple[Quoted, str], ...]


def judge(draft: Sequence[Quoted], book: Book, *, asked: str = "") -> Verdict:
    """Check each sentence on its own: a bad one never takes a good one with it.

    A sentence without citations stands only in front of one that has some, and only when it claims nothing that the
    question `asked` does not already say.
    """
    passed, dropped, leading = list[Passed](), list[tuple[Quoted, str]](), list[Passed]()
    for sentence in draft:
        if not sentence.quotes and claims_nothing(sentence.text, asked):
            leading.append(Passed(sentence, ()))
            continue
        citations = [book.cite(evidence, quote) for evidence, quote in sentence.quotes]
        found = tuple(c for c in citations if c is not None)
        if reason := unsupported(sentence.text, found, book.names(found)) if found else "citation":
            dropped.append((sentence, reason))
        else:
            passed += [*leading, Passed(sentence, found, doubted=len(found) < len(citations))]
        leading = []
    return Verdict(tuple(passed), tuple(dropped))


def unsupported(text: str, citations: Sequence[Citation], context: str = "") -> str:
    """Return why the quotes do not support a sentence, "" when they do.

    "number", "name", "negation", "direction" or "code". `context` are the headings the quotes stand below: a name may
    come from there.
    """
    quotes = "\n".join(c.quote for c in citations)
    if text.split() == plain(quotes).split():
        return ""  # the quote itself
    if numbers(text) - supplied(plain(quotes)) - supplied(quotes):
        return "number"
    folded = unicodedata.normalize("NFKC", f"{quotes}\n{context}").lower()
    if any(name.lower() not in folded for name in _NAME.findall(text)):
        return "name"
    if negated(text) != negated(_closest(text, plain(quotes))):
        return "negation"
    if turned(text, quotes):
        return "direction"
    return "code" if invented_code(text, quotes) else ""


def numbers(text: str) -> set[str]:
    """Return the numbers a text claims, in one form: 1,000 = 1000, 三个 = 3, three = 3, 2026年3月1日 = 2026-3-1."""
    return {fullest for fullest, _ in _dates(text)} | _plain_numbers(text)


def supplied(text: str) -> set[str]:
    """Return the numbers a quote can prove: what it claims, and of each date the year, year-month and month-day too."""
    return _plain_numbers(text) | {part for _, parts in _dates(text) for part in parts}


def _dates(text: str) -> list[tuple[str, set[str]]]:
    """Return each date in its fullest form, with everything it proves."""
    found = []
    for match in _DATE.finditer(unicodedata.normalize("NFKC", text)):
        year, month, day = (part.lstrip("0") if part else "" for part in match.groups()[:3])
        if not year:
            month, day = match[4].lstrip("0"), match[5].lstrip("0")
        forms = [year, f"{year}-{month}" if year else "", f"{month}-{day}" if day else ""]
        full = "-".join(part for part in (year, month, day) if part)
        found.append((full, {form for form in (*forms, full) if form}))
    return found


def _plain_numbers(text: str) -> set[str]:
    """Return the numbers outside dates."""
    text = _DATE.sub(" ", unicodedata.normalize("NFKC", text))
    found = {part for match in _NUMBER.findall(text) for part in _parts(match)}
    found |= {str(_chinese(match)) for match in _CN_NUMBER.findall(text)}
    return found | {_EN_NUMBERS[w] for w in re.findall(r"[a-z]+", text.lower()) if w in _EN_NUMBERS}


def negated(text: str) -> bool:
    """Say whether a text carries a negation; two of them count as one."""
    return bool(_NEGATION.search(text))


def _parts(number: str) -> list[str]:
    grouped = re.sub(r"(?<=\d),(?=\d{3}\b)", "", number)
    return [piece.lstrip("0") or "0" for piece in re.split(r"[/,-]", grouped)]  # a time of day stays whole


def _chinese(text: str) -> int:
    """Return the value of a Chinese numeral below a hundred million, e.g. 二十三 or 一万零五."""
    total = section = digit = 0
    for char in text:
        if char in _CN_DIGITS:
            digit = _CN_DIGITS[char]
        elif char == "万":
            total, section, digit = (total + section + digit) * 10_000, 0, 0
        else:
            section, digit = section + (digit or 1) * _CN_UNITS[char], 0
    return total + section + digit


def _closest(text: str, quotes: str) -> str:
    """Return the sentence of the quotes that shares most words with `text`: the one whose polarity counts."""
    wanted = set(tokenise(text))
    if plain(quotes) == plain(text):
        return quotes
    spans = [quotes[a:b] for a, b in sentences(quotes)] or [quotes]
    return max(spans, key=lambda span: len(wanted & set(tokenise(span))))
