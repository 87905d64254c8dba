"""Ways in which a sentence says more than the words it quotes: must for may, all for most, another name. Pure."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from query_fn.agent.claims import COMMON
from query_fn.regex import regex

LONGEST = 3  # words, or Chinese characters, that stand in the place of others
HELD = 0.6  # share of a sentence that stands in the quote word by word around them
LEAST = 4  # words, or Chinese characters, of that share
_MUST = regex(r"\b(?:must|required?|requires|have to|has to|mandatory)\b|必须|务必|一定要|不得不", re.IGNORECASE)
_MAY = regex(r"\b(?:may|can|could|optional(?:ly)?|allowed)\b|(?<!不)(?:可以|允许|可选)", re.IGNORECASE)
_ALL = regex(
    r"\b(?:all|every|each|always|everyone|everybody|any(?:one|body)?)\b|一律|都|全部|所有|任何|总是|始终|全年",
    re.IGNORECASE,
)
_SOME = regex(
    r"\b(?:most|some|few|several|only|unless|except|many|usually|sometimes)\b|多数|部分|少数|只|仅|除非|除了|有时|通常|自己",
    re.IGNORECASE,
)
_ONLY = regex(r"\bonly\b|只有?|仅", re.IGNORECASE)
# Pronouns, and what is judged for itself: numbers, polarity, directions, duties.
_JUDGED = regex(
    r"\d|\b(?:it|they|this|these|he|she|we|you|one|two|three|four|five|six|seven|eight|nine|ten|not?|none|never"
    r"|larger|greater|more|less|fewer|smaller|longer|shorter|above|below|over|under|than|need|needs|must|may|can)\b"
    r"|[它他她这那一二两三四五六七八九十百千不没无未过大小多少高低于]",
    re.IGNORECASE,
)
_PIECE = regex(r"[A-Za-z][\w'-]*|\d[\d.,]*|[\u3400-\u9fff]")


def shifted(text: str, closest: str, quotes: str) -> str:
    """Return "modality", "scope" or "swap", "" for none. `closest` is the sentence of the quotes that is most alike."""
    if (_MUST.search(text) and not _MUST.search(quotes) and _MAY.search(quotes)) or (
        _MAY.search(text) and not _MAY.search(quotes) and _MUST.search(quotes)
    ):
        return "modality"
    if _ALL.search(text) and not _ALL.search(quotes) and _SOME.search(quotes):
        return "scope"
    if _ONLY.search(text) and not _SOME.search(quotes):
        return "scope"
    return "swap" if swapped(text, closest) else ""


def swapped(text: str, closest: str) -> bool:
    """Say whether a sentence repeats its quote word by word, but for one place where something else stands."""
    mine, theirs = _PIECE.findall(text.lower()), _PIECE.findall(closest.lower())
    blocks = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    equal = sum(b - a for kind, a, b, _, _ in blocks if kind == "equal")
    changed = [(mine[a:b], theirs[c:d]) for kind, a, b, c, d in blocks if kind == "replace"]
    added = any(kind == "insert" for kind, *_ in blocks[1:-1]) or any(kind == "delete" for kind, *_ in blocks)
    if len(changed) != 1 or added or equal < max(LEAST, HELD * len(mine)):
        return False
    new, old = changed[0]
    if len(new) > LONGEST or len(old) > LONGEST + 1 or _JUDGED.search(" ".join((*new, "|", *old))):
        return False
    return all(any(word not in COMMON for word in side) for side in (new, old))
