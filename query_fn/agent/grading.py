"""A second opinion after the gate: does a sentence follow from its quotes? An option, for owners with a key.

Rules see numbers, names and polarity; who does what to whom takes a reader. A grader only takes away: what the rules
dropped stays dropped. One that gives no answer is named, and the sentences stand by the rules alone.
"""

from __future__ import annotations

from msgspec.structs import replace

from query_fn.agent.chat.base import Claim, Draft, Grader
from query_fn.agent.evidence import Book
from query_fn.agent.gate import Passed, Verdict
from query_fn.errors import ModelFailed

GRADER = "grader"  # the reason for which a sentence was dropped
_UNPROVEN = (("", ""),)


def graded(verdict: Verdict, book: Book, grader: Grader | None) -> Verdict:
    """Return the verdict without what does not follow; `ungraded` names why nobody could tell."""
    asked = [passed for passed in verdict.passed if _claims(passed)]
    if grader is None or not asked:
        return verdict
    try:
        follows = grader.follow([_claim(passed, book) for passed in asked])
    except ModelFailed as failure:
        return replace(verdict, ungraded=failure.code)
    fallen = [passed for passed, held in zip(asked, follows, strict=True) if not held]
    standing = tuple(passed for passed in verdict.passed if passed not in fallen)
    dropped = (*verdict.dropped, *((passed.sentence, GRADER) for passed in fallen))
    # A sentence that only leads over has nothing to lead to when all others fell.
    return replace(verdict, passed=standing if any(p.citations for p in standing) else (), dropped=dropped)


def struck(draft: Draft, verdict: Verdict) -> Draft:
    """Return a draft as it is written down: what the grader took out has lost its proof, so that a replay drops it."""
    fallen = [sentence for sentence, reason in verdict.dropped if reason == GRADER]
    return replace(draft, sentences=tuple(replace(s, quotes=_UNPROVEN) if s in fallen else s for s in draft.sentences))


def _claims(passed: Passed) -> bool:
    """Say whether there is anything to ask: a sentence that is its quote follows from it."""
    quotes = " ".join(citation.quote for citation in passed.citations)
    return bool(passed.citations) and passed.sentence.text.split() != quotes.split()


def _claim(passed: Passed, book: Book) -> Claim:
    return Claim(passed.sentence.text, tuple(c.quote for c in passed.citations), book.names(passed.citations))
