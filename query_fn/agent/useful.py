"""Whether an answer that is true is of use: a number for how many, a date for when, steps for how, both sides. Pure.

The rules only ask for the shape, so an answer that lacks it is not wrong: the paid model may try once more, and what is
still missing is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from query_fn.agent.chat.procedure import wants_steps
from query_fn.agent.chat.score import has_shape
from query_fn.agent.chat.words import keywords
from query_fn.agent.gate import Passed
from query_fn.agent.router import Intent
from query_fn.regex import regex
from query_fn.retrieve.rewrite import sides
from query_fn.text import script_lang

NAMED = 0.5  # share of the words that only one side of a comparison has, from which an answer speaks of that side
_SPAN = regex(r"\bhow (?:often|long|old|soon)\b|多久|多长时间|多频繁|隔多|几点", re.I)
# How many may be answered without a number.
_BOUNDLESS = regex(
    r"\b(?:unlimited|no limit|without limit|as many|any number|none|nothing|not limited)\b"
    r"|不限|无限|没有(?:数量)?(?:上限|限制)|任意|没有任何|全部|每个",
    re.I,
)
_HOW = regex(r"^(?:and |so |but )?how (?:do|can|should|would|to|must)\b|怎么(?!样$)|怎样|如何", re.I)
_WAY = regex(
    r"`|\b(?:you (?:can|must|need|should|have)|by \w+ing|with|via|then|must be|need(?:s)? to|instead of)\b|\bto \w+, "
    r"|^(?:please )?[A-Z][a-z]+ (?:the|a|an|your|it|each|all|in|on|up|into|two|one)\b"
    r"|先|再|然后|需要|可以|通过|用|把|将|请|即可|就|会|由|按",
    re.M,
)
_SEQUENCE = regex(r"\b(?:first|then|next|after that|finally|second)\b|首先|然后|接着|最后|其次|第[一二三四五]", re.I)


def lacking(question: str, intent: Intent, passed: Sequence[Passed], names: str = "") -> str:
    """Return the phrase key of what an answer lacks, "" for nothing; `names` are the headings above its quotes."""
    text = "\n".join(f"{p.sentence.label} {p.sentence.text}".strip() for p in passed)
    if intent is Intent.COUNT and not _counts(question, text):
        return "no_number"
    if intent is Intent.TIME and not has_shape(intent, f"{names}\n{text}", question=question):
        return "no_date"
    if intent is Intent.STEPS and not _steps(question, text, passed):
        return "no_steps"
    return "one_side" if _one_sided(question, f"{names}\n{text}") else "no_order" if _disordered(passed) else ""


def _counts(question: str, text: str) -> bool:
    if has_shape(Intent.COUNT, text, question=question) or _BOUNDLESS.search(text):
        return True
    return bool(_SPAN.search(question)) and has_shape(Intent.TIME, text, question=question)


def _steps(question: str, text: str, passed: Sequence[Passed]) -> bool:
    """Say whether a question for steps got some: several for "the steps", a way to do it for "how"."""
    several = len(passed) > 1
    if wants_steps(question):
        return several or bool(_SEQUENCE.search(text)) or "\n" in text
    return several or not _HOW.search(question) or has_shape(Intent.STEPS, text) or bool(_WAY.search(text))


def _one_sided(question: str, text: str) -> bool:
    """Say whether an answer to a comparison leaves a side out; two languages share no words and are not judged."""
    named = sides(question)
    if len(named) != 2 or script_lang(question) != script_lang(text):
        return False
    words, held = [set(keywords(side)) for side in named], set(keywords(text))
    own = [words[0] - words[1], words[1] - words[0]]
    missing = [len(side & held) < NAMED * len(side) for side in own]
    whole = [side.casefold() in text.casefold() for side in named]
    return all(own) and any(lost and not said for lost, said in zip(missing, whole, strict=True))


def _disordered(passed: Sequence[Passed]) -> bool:
    """Say whether numbered lines that quote one text stand in another order than there."""
    lines = [p.citations[0] for p in passed if p.sentence.number and p.citations]
    return any(b.evidence == a.evidence and b.start < a.start for a, b in pairwise(lines))
