"""The gate: a sentence stands only when its quotes are real and say the same numbers, names and polarity.

Pure apart from the book of evidence it asks. What fails is dropped and named; nothing is repaired.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from query_fn.agent.chat.base import Quoted
from query_fn.agent.claims import claims_nothing, elsewhere, invented_code, names, replaced, turned
from query_fn.agent.evidence import Book
from query_fn.agent.numbers import dated, numbers, remeasured, supplied
from query_fn.model import Citation
from query_fn.text import plain, sentences, tokenise

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|cannot|without|nothing|nobody)\b|n['’]t\b"
    r"|(?<![非除])[不未](?!同|仅|但|断|过|管|论|久|少|错|妨|来|必说)|没有?|(?<!除)非(?!常)|无(?!论|数|限)|勿|切莫|禁止",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=[,;，；、])\s*")


@dataclass(frozen=True, slots=True)
class Passed:
    """A sentence that stands, with its verified citations; `doubted` when another one of it was not real."""

    sentence: Quoted
    citations: tuple[Citation, ...]
    doubted: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What stands, what was dropped with the reason for each, and the phrase key of what the whole lacks."""

    passed: tuple[Passed, ...]
    dropped: tuple[tuple[Quoted, str], ...]
    lacks: str = ""


def judge(draft: Sequence[Quoted], book: Book, *, asked: str = "", lang: str = "") -> Verdict:
    """Check each sentence on its own: a bad one never takes a good one with it.

    A sentence without citations stands only in front of one that has some, and only when it claims nothing that the
    question `asked` does not already say. `lang` is the language that the reader wants.
    """
    passed, dropped, leading = list[Passed](), list[tuple[Quoted, str]](), list[Passed]()
    for sentence in draft:
        if not sentence.quotes and claims_nothing(sentence.text, asked):
            leading.append(Passed(sentence, ()))
            continue
        citations = [book.cite(evidence, quote) for evidence, quote in sentence.quotes]
        found = tuple(c for c in citations if c is not None)
        if reason := unsupported(sentence.text, found, book.names(found), lang=lang) if found else "citation":
            dropped.append((sentence, reason))
        else:
            passed += [*leading, Passed(sentence, found, doubted=len(found) < len(citations))]
        leading = []
    return Verdict(tuple(passed), tuple(dropped))


def unsupported(text: str, citations: Sequence[Citation], context: str = "", *, lang: str = "") -> str:
    """Return why the quotes do not support a sentence, "" when they do.

    "number", "unit", "name", "negation", "direction", "code" or "matter". `context` are the headings that the quotes
    stand below: a name may come from there.
    """
    quotes = "\n".join(c.quote for c in citations)
    if text.split() == plain(quotes).split():
        return ""  # the quote itself
    if numbers(text) - supplied(plain(quotes)) - supplied(quotes):
        return "number"
    if remeasured(text, plain(quotes)):
        return "unit"
    folded = unicodedata.normalize("NFKC", f"{quotes}\n{context}").lower()
    if any(name.lower() not in folded for name in names(dated(text))) or replaced(text, f"{quotes}\n{context}"):
        return "name"
    if negated(text) != negated(_closest(text, plain(quotes))):
        return "negation"
    if turned(text, quotes):
        return "direction"
    if invented_code(text, quotes):
        return "code"
    return "matter" if elsewhere(text, f"{quotes}\n{context}", lang) else ""


def negated(text: str) -> bool:
    """Say whether a text carries a negation; two of them count as one."""
    return bool(_NEGATION.search(text))


def _closest(text: str, quotes: str) -> str:
    """Return the shortest sentence or clause of the quotes that shares most words with `text`: its polarity counts."""
    wanted = set(tokenise(text))
    if plain(quotes) == plain(text):
        return quotes
    spans = [quotes[a:b] for a, b in sentences(quotes)] or [quotes]
    pieces = [piece for span in spans for piece in (span, *_CLAUSE.split(span))]
    return max(pieces, key=lambda piece: (len(wanted & set(tokenise(piece))), -len(piece)))
