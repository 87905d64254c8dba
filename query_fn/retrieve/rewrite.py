"""From one question to at most four queries, by rules: no model is asked."""

from __future__ import annotations

import re

from query_fn.regex import regex

MAX_QUERIES = 4
LONGEST = 500  # characters of a query; what is asked stands at the beginning or at the end of a longer one
LONGEST_COMPARISON = 160  # characters
_LONG_HAN, _LONG_WORDS = 18, 14  # a question under both is one query
_CLAUSE = regex(
    r"[？?。；;！!]\s*|[，,、]\s*(?:并且|而且|以及|还有|同时|另外|那么)|，|,?\s+(?:and|but|or)\s+(?=\w+\s+\w+\s+\w+)"
)
_SIDE = r"[^:：,，;；?？。]{1,60}"
_OTHER_HAN = (
    r"(?:[!-~]+ ?)+(?=\s*[\u3400-\u9fff])"
    r"|[^:：,，;；?？。的]{1,24}?(?=\s*(?:[这两的各哪，,：:]|分别|有[什何]|在[哪什]|差[别异多在]))"
)
_ARTICLE = regex(r"^(?:the|an?) ", re.I)
_VERSUS = (
    regex(rf"(?:differences?|compare|comparison) (?:between )?({_SIDE}?) (?:and|with|to|vs\.?) ({_SIDE})", re.I),
    regex(rf"\bwhat (?:sets|tells|distinguishes|separates) ({_SIDE}?) (?:apart )?from ({_SIDE})", re.I),
    regex(rf"^how (?:do|does|is|are) ({_SIDE}?) (?:and|or) ({_SIDE}?) (?:differ|compare|different)\b", re.I),
    regex(rf"^({_SIDE}?) (?:vs\.?|versus) ({_SIDE})", re.I),
    regex(rf"^({_SIDE}?) (?:and|or) ({_SIDE})[:,] (?=.*\b(?:each|both|either|which|differs?|difference)\b)", re.I),
    regex(
        r"\b(?P<by>of|for|in|on|with|by) ((?:[\w-]+ ){1,3})and (?P=by) ((?:[\w-]+ ?){1,3}?)(?= (?:\w+ed|made)\b|$)",
        re.I,
    ),
    regex(
        rf"(?=.*(?:各|分别|区别|不同|差[别异多在]|异同|对比|哪个))(?:^|[，,：:])(?:对比|比较)?(?:[^，,：:]*里)?"
        rf"([^，,：:；;。]{{1,30}}?)\s*(?:和|(?<!参)与|跟|(?<!不)同(?![步样时一])|还是|或)\s*({_OTHER_HAN})"
    ),
)
# One of these stands in whatever matches a pattern above; most questions are done with here, and need none compiled.
_JOINING = ("and", "or", "with", "to", "from", "vs", "versus", "和", "与", "跟", "还是", "或")
_STRUCTURE = regex(
    r"目录|大纲|提纲|结构|章节|哪些(?:部分|章|小节|内容)|讲了什么"
    r"|\b(?:outline|table of contents|structure|sections?|chapters?|overview of)\b",
    re.I,
)


def rewrite(question: str, extra: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the queries to run: the question, the caller's own, the sides of a comparison, the clauses if it is long.

    The question itself is always first; duplicates and fragments of fewer than two words or four Han are left out.
    """
    question = _held(question)
    found = [question, *map(_held, extra), *sides(question), *_clauses(question)]
    queries = [item for at, item in enumerate(found) if at == 0 or _substantial(item)]
    return tuple(dict.fromkeys(queries))[:MAX_QUERIES]


def _held(query: str) -> str:
    """Return a query with single spaces and no half characters; if longer than LONGEST, its beginning and its end."""
    half = LONGEST // 2
    held = query if len(query) <= LONGEST else f"{query[:half]} {query[-half:]}"
    return " ".join(held.encode(errors="ignore").decode().split())


def asks_structure(question: str) -> bool:
    """Tell whether the question is about what a document contains rather than about a fact in it."""
    return bool(_STRUCTURE.search(question))


def sides(question: str) -> list[str]:
    """Return the two things a comparison names; a question too long to be one names none."""
    lower = question.lower()
    if len(question) > LONGEST_COMPARISON or not any(word in lower for word in _JOINING):
        return []
    for pattern in _VERSUS:
        if match := pattern.search(question.rstrip("?？。.")):
            return [_ARTICLE.sub("", side).strip(' ，,"“”') for side in match.groups()[-2:]]
    return []


def _clauses(question: str) -> list[str]:
    han = len(re.findall(r"[\u3400-\u9fff]", question))
    if han < _LONG_HAN and len(question.split()) < _LONG_WORDS:
        return []
    parts = [part.strip() for part in _CLAUSE.split(question) if part.strip()]
    return parts if len(parts) > 1 else []


def _substantial(query: str) -> bool:
    han = len(re.findall(r"[\u3400-\u9fff]", query))
    return han >= 4 or len(query.split()) >= 2 or (query.isascii() and len(query) > 2)
