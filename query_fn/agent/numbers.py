"""Numbers, dates and units that a text claims or proves, in one form each. Pure."""

from __future__ import annotations

import re
import unicodedata

from query_fn.regex import regex

_NUMBER = regex(r"\d+(?:[.,:/-]\d+)*")
_DATE = regex(
    r"(?<!\d)(?:(\d{4})[ ]?[-/.年][ ]?(\d{1,2})(?:[ ]?[-/.月][ ]?(\d{1,2})[ ]?日?|[ ]?月)?"
    r"|(\d{1,2})[ ]?月[ ]?(\d{1,2})[ ]?日)(?!\d)"
)
_MONTHS = {
    name: f"{number:02}"
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DAY_FIRST = regex(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?[ ](?:of[ ])?{_MONTH}\.?,?[ ](\d{{4}})\b", re.IGNORECASE)
_MONTH_FIRST = regex(rf"\b{_MONTH}\.?[ ](\d{{1,2}})(?:st|nd|rd|th)?,?[ ](\d{{4}})\b", re.IGNORECASE)
_MONTH_ONLY = regex(rf"\b{_MONTH}\.?,?[ ](\d{{4}})\b", re.IGNORECASE)
_CN_NUMBER = regex(r"[零〇一二两三四五六七八九十百千万]+(?=[个种次天年月日号位条项步点倍成小分秒周名页章台元])")
_CN_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CN_UNITS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000}
_EN_NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
_WORDED = regex(rf"\b(?:{'|'.join(_EN_NUMBERS)})\b|[零〇一二两三四五六七八九十百千万]+", re.IGNORECASE)
_UNITS = {
    "ms": r"ms|milliseconds?|毫秒",
    "s": r"s|secs?|seconds?|秒钟?",
    "min": r"mins?|minutes?|分钟?",
    "h": r"h|hrs?|hours?|个?小时|个?钟头",
    "d": r"days?|天|日",
    "w": r"weeks?|周|个?星期",
    "mon": r"months?|个?月",
    "a": r"years?|年",
    "kb": r"kb|kib|kilobytes?",
    "mb": r"mb|mib|megabytes?|兆",
    "gb": r"gb|gib|gigabytes?",
    "tb": r"tb|tib|terabytes?",
    "%": r"%|percent|per cent",
    "eur": r"euros?|eur|€|欧元",
    "usd": r"dollars?|usd|美元",
    "cny": r"yuan|rmb|cny|元|人民币",
    "mm": r"mm|millimet(?:er|re)s?|毫米",
    "cm": r"cm|centimet(?:er|re)s?|厘米",
    "m": r"m|met(?:er|re)s?|米",
    "km": r"km|kilomet(?:er|re)s?|公里|千米",
    "g": r"g|grams?|克",
    "kg": r"kg|kilograms?|公斤|千克",
}
_UNIT = {name: regex(rf"[ ]?(?:{forms})(?![a-z])", re.IGNORECASE) for name, forms in _UNITS.items()}


def numbers(text: str) -> set[str]:
    """Return the numbers a text claims, in one form: 1,000 = 1000, 三个 = 3, three = 3, 2026年3月1日 = 2026-3-1."""
    return {fullest for fullest, _ in _dates(text)} | _plain_numbers(text)


def supplied(text: str) -> set[str]:
    """Return the numbers a quote can prove: what it claims, and of each date the year, year-month and month-day too."""
    return _plain_numbers(text) | {part for _, parts in _dates(text) for part in parts}


def _dates(text: str) -> list[tuple[str, set[str]]]:
    """Return each date in its fullest form, with everything it proves."""
    found = []
    for match in _DATE.finditer(dated(unicodedata.normalize("NFKC", text))):
        year, month, day = (part.lstrip("0") if part else "" for part in match.groups()[:3])
        if not year:
            month, day = match[4].lstrip("0"), match[5].lstrip("0")
        forms = [year, f"{year}-{month}" if year else "", f"{month}-{day}" if day else ""]
        full = "-".join(part for part in (year, month, day) if part)
        found.append((full, {form for form in (*forms, full) if form}))
    return found


def _plain_numbers(text: str) -> set[str]:
    """Return the numbers outside dates."""
    text = _DATE.sub(" ", dated(unicodedata.normalize("NFKC", text)))
    found = {part for match in _NUMBER.findall(text) for part in _parts(match)}
    found |= {str(_chinese(match)) for match in _CN_NUMBER.findall(text)}
    return found | {_EN_NUMBERS[w] for w in re.findall(r"[a-z]+", text.lower()) if w in _EN_NUMBERS}


def dated(text: str) -> str:
    """Return a text with its English dates as 2026-03-01."""
    text = _DAY_FIRST.sub(lambda m: f"{m[3]}-{_MONTHS[m[2][:3].lower()]}-{m[1]}", text)
    text = _MONTH_FIRST.sub(lambda m: f"{m[3]}-{_MONTHS[m[1][:3].lower()]}-{m[2]}", text)
    return _MONTH_ONLY.sub(lambda m: f"{m[2]}-{_MONTHS[m[1][:3].lower()]}", text)


def remeasured(text: str, quotes: str) -> bool:
    """Say whether a number has another unit than everywhere in the quotes: 15 hours for 15 minutes."""
    mine, theirs = _measures(text), _measures(quotes)
    return any(theirs.get(number) and not units & theirs[number] for number, units in mine.items())


def _measures(text: str) -> dict[str, set[str]]:
    """Return the units that follow each number; of a number that also stands alone, none."""
    found: dict[str, set[str]] = {}
    text = unicodedata.normalize("NFKC", text)
    for match in (*_NUMBER.finditer(text), *_WORDED.finditer(text)):
        value = next(iter(_plain_numbers(match[0])), match[0])
        found.setdefault(value, set()).update(n for n, unit in _UNIT.items() if unit.match(text, match.end()))
    return {number: units for number, units in found.items() if units}


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
