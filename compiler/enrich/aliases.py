"""Other names that a text itself gives: an acronym beside its full name, a pair in brackets, "also known as"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.enrich.folding import level

_BRACKET = re.compile(r"([^()（）\n。；;!?]{2,80}?)[”\"*_`]*\s*[（(]([^()（）\n]{2,80})[）)]")
_ALSO = {
    "en": re.compile(
        r"([\w][\w /.-]{1,50}?)\s*[,(]?\s*(?:also (?:known|referred to) as|also called|"
        r"a\.k\.a\.|aka|or simply)\s+[“\"_*]*([\w][\w /.-]{1,40}?)[”\"_*]*(?=[,).;]|\s+(?:is|"
        r"are)\b)"
    ),
    "zh": re.compile(
        r"([\w][\w /.-]{1,30}?)\s*[，,（(]?(?:又称为?|也称为?|又叫做?|也叫做?|亦称|简称为?|"
        r"也被称为)\s*[“「]?([\w][\w /.-]{1,30}?)[”」]?(?=[，。）)；、])"
    ),
}
# What each of them has: a sentence without it is told in a tenth of the time.
_SAYS_ALSO = {"en": re.compile(r"also |a\.k\.a|aka|or simply"), "zh": re.compile("[称叫]")}
_HAN = re.compile("[\u3400-\u9fff]")
_LATIN = re.compile("[A-Za-z]{2}")
_SMALL = frozenset("of and the for to in on a an with by".split())
_ACRONYM = re.compile(r"^[A-Z][A-Za-z0-9]*[A-Z0-9][A-Za-z0-9]*s?$")
_WORD = re.compile(r"[A-Za-z][\w']*")


def pairs(text: str, lang: str) -> Iterator[tuple[str, str]]:
    """Yield (name, other name) of a sentence as written; words that are not its own may stand before the first."""
    for found in _BRACKET.finditer(text) if "(" in text or "（" in text else ():
        before, inside = found[1].strip(), found[2].strip()
        parts = re.split(r"\s*[,，、;；/]\s*", inside)
        examples = len(parts) > 1 and not any(acronym_of(a, b) for a in parts for b in parts)
        for part in parts:
            if full := acronym_of(part, before):
                yield full, part
            elif (shown := _acronym_before(before)) and acronym_of(shown, part) == part:
                yield part, shown
            elif not examples and _two_scripts(before, part):
                yield before, part
    yield from _also(text, "zh" if lang == "zh" else "en")


def says_also(text: str, alias: str) -> bool:
    """Tell whether a sentence gives a name as "also known as"."""
    return any(other == alias for lang in _ALSO for _, other in _also(text, lang))


def _also(text: str, lang: str) -> Iterator[tuple[str, str]]:
    for found in _ALSO[lang].finditer(text) if _SAYS_ALSO[lang].search(text) else ():
        yield found[1].strip(), found[2].strip()


def acronym_of(short: str, full: str) -> str:
    """Return the last words of `full` whose initials are the letters of `short`, "" when there are none.

    Small words may be skipped: ``CRUD`` is "create, read, update and delete".
    """
    letters = [c for c in short.rstrip("s") if c.isalnum()]
    if not _ACRONYM.match(short) or len(letters) < 2:
        return ""
    words = list(_WORD.finditer(full))
    if not words or full[words[-1].end() :].strip():
        return ""
    at = len(words) - 1
    for letter in reversed(letters):
        while at >= 0 and words[at][0].lower() in _SMALL and level(words[at][0][0]) != letter.lower():
            at -= 1
        if at < 0 or words[at][0][0].lower() != letter.lower():
            return ""
        at -= 1
    return full[words[at + 1].start() :].strip()


def _acronym_before(text: str) -> str:
    last = text.rsplit(None, 1)[-1] if text.split() else ""
    return last if _ACRONYM.match(last) else ""


def _two_scripts(first: str, second: str) -> bool:
    """Tell whether one is Chinese and the other Latin."""
    han, latin = (
        (bool(_HAN.search(text)) for text in (first, second)),
        (bool(_LATIN.search(t)) for t in (first, second)),
    )
    (h1, h2), (l1, l2) = tuple(han), tuple(latin)
    return (h1 and not h2 and l2) or (h2 and not h1 and l1)
