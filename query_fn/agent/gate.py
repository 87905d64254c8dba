"""The gate: a sentence stands only when its quotes are real and say the same numbers, names and polarity.

Pure apart from the book of evidence it asks. What fails is dropped and named; nothing is repaired.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from msgspec import Struct

from query_fn.agent.chat.base import Quoted
from query_fn.agent.claims import claims_nothing, elsewhere, invented_code, names, replaced, turned
from query_fn.agent.evidence import Book
from query_fn.agent.numbers import dated, numbers, remeasured, supplied
from query_fn.agent.shifts import shifted
from query_fn.model import Citation
from query_fn.regex import regex
from query_fn.text import plain, script_lang, sentences, tokenise

_NEGATION = regex(
    r"\b(?:not|no|never|none|neither|nor|cannot|without|nothing|nobody)\b|n['’]t\b"
    r"|(?<![非除])[不未](?!同|仅|但|断|过|管|论|久|少|错|妨|来|必说)|没有?|(?<!除)非(?!常)|无(?!论|数|限)|勿|切莫|禁止",
    re.IGNORECASE,
)
# What says no without a word for it.
_HALTS = regex(r"\b(?:stops?|stopped|ceases?|free|off|refuses?|lacks?)\b|停止|断开|断电|禁|免费|除非|缺", re.IGNORECASE)
_GLOSSED = regex(r"[A-Z][\w-]*(?: [A-Z][\w-]*)* ?[(（]([\u3400-\u9fff]+)[)）]")  # Lin Lan (林岚)
ONE = frozenset({"1"})  # "one of them", 一次: it counts nothing
SLACK = 12  # characters by which a clause may be longer than the shortest that shares as many words
_CLAUSE = regex(r"(?<=[,;，；、])\s*")


class Passed(Struct, frozen=True):
    """A sentence that stands, with its verified citations; `doubted` when another one of it was not real."""

    sentence: Quoted
    citations: tuple[Citation, ...]
    doubted: bool = False


class Verdict(Struct, frozen=True):
    """What stands, what was dropped with the reason for each, and the phrase key of what the whole lacks.

    `ungraded` names why a grader that was asked could not tell."""

    passed: tuple[Passed, ...]
    dropped: tuple[tuple[Quoted, str], ...]
    lacks: str = ""
    ungraded: str = ""


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

    "number", "unit", "name", "negation", "direction", "modality", "scope", "swap", "code" or "matter". `context` are
    the headings that the quotes stand below: a name may come from there.
    """
    quotes = "\n".join(c.quote for c in citations)
    said, above = plain(quotes), f"{quotes}\n{context}"
    if text.split() in (said.split(), quotes.split()):
        return ""  # the quote itself, without its markup or with it
    if numbers(text) - supplied(said) - supplied(quotes) - ONE:
        return "number"
    if remeasured(text, said):
        return "unit"
    if _misnamed(text, above):
        return "name"
    if turn := _turn(text, _closest(text, said), quotes):
        return turn
    if invented_code(text, quotes):
        return "code"
    return "matter" if elsewhere(text, above, lang) else ""


def _misnamed(text: str, above: str) -> bool:
    """Say whether a sentence names what neither its quotes nor the headings above them do."""
    folded = unicodedata.normalize("NFKC", above).lower()
    spoken = _GLOSSED.sub(lambda m: m[1] if m[1] in folded else m[0], dated(text))
    return any(name.lower() not in folded for name in names(spoken)) or replaced(text, above)


def _turn(text: str, closest: Sequence[str], quotes: str) -> str:
    """Return how a sentence turns what the closest pieces of its quotes say, "" when it keeps to one of them."""
    if not any(negated(text) == negated(piece) or _HALTS.search(f"{text} {piece}") for piece in closest):
        return "negation"
    if turned(text, quotes) or all(turned(text, piece) for piece in closest):
        return "direction"
    return min((shifted(text, piece, plain(quotes)) for piece in closest), key=len)


def negated(text: str) -> bool:
    """Say whether a text carries a negation; two of them count as one."""
    return bool(_NEGATION.search(text))


def _closest(text: str, quotes: str) -> list[str]:
    """Return the sentences and clauses of the quotes that share most words with `text`: their polarity counts.

    Two languages share no words: then every one of them may be meant.
    """
    wanted = set(tokenise(text))
    spans = [quotes[a:b] for a, b in sentences(quotes)] or [quotes]
    pieces = [piece for span in spans for piece in (span, *_CLAUSE.split(span)) if piece.strip()] or [quotes]
    if script_lang(text) != script_lang(quotes):
        return pieces
    shared = [len(wanted & set(tokenise(piece))) for piece in pieces]
    best = [piece for piece, count in zip(pieces, shared, strict=True) if count == max(shared)]
    return [piece for piece in best if len(piece) <= min(map(len, best)) + SLACK]
