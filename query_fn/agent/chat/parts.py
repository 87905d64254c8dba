"""A question that asks two things is two questions: each is searched, read and answered for itself. Pure."""

from __future__ import annotations

import re

from query_fn.agent.chat.words import keywords
from query_fn.regex import regex

MAX_PARTS = 3
MOST = 4  # sentences of one part
_ASKS = r"(?:which|what|how|when|where|who|why)\b"
_CUT_EN = regex(rf"\s*[,;?]\s*(?:(?:and|or|but|also)\s+)?(?={_ASKS})|\s+and\s+(?={_ASKS})", re.IGNORECASE)
_CUT_ZH = regex(r"[？?；;]\s*|[，,]\s*(?:(?:并且|而且|以及|还有|另外|同时|那么?)\s*)?")
_ASKS_ZH = regex(r"多少|多[大久长高远]|几|哪|什么|怎|如何|谁|何时|是否|吗")
_NAMED = regex(r"\b(?:which|what)\s+([\w-]+(?:\s+variable)?)", re.IGNORECASE)


def parts(question: str) -> tuple[str, ...]:
    """Return the questions that one sentence asks, at most three; the question alone when it asks one thing.

    "which one" in a later part gets the noun of the first: "Which key opens A, and which one opens B?".
    """
    han = len(re.findall(r"[\u3400-\u9fff]", question))
    found = _chinese(question) if han * 4 > len(question) else [p for p in _CUT_EN.split(question) if p.strip()]
    found = [part.strip(" ?？,，;；") for part in found]
    if not 1 < len(found) <= MAX_PARTS or any(len(keywords(part)) < 2 for part in found):
        return (question,)
    noun = _NAMED.search(found[0])
    named = [re.sub(r"\b(which|what) one\b", rf"\1 {noun[1]}", p, flags=re.I) if noun else p for p in found[1:]]
    mark = "？" if han * 4 > len(question) else "?"
    return tuple(part + mark for part in (found[0], *named))


def _chinese(question: str) -> list[str]:
    """Return the clauses that ask, each with the clauses before it that only set the scene."""
    out: list[str] = []
    open_clause = ""
    for clause in (c for c in _CUT_ZH.split(question) if c.strip()):
        open_clause = f"{open_clause}，{clause}" if open_clause else clause
        if _ASKS_ZH.search(clause):
            out.append(open_clause)
            open_clause = ""
    return out
