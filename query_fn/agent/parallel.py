"""A follow-up that asks the same of another thing: "And 2?", "那乙呢？". The other thing takes the place of its like.

A like is found by its form alone: a number for a number, an identifier for an identifier, a name for a name, a noun
with the same head. Pure. Where the question before holds none or several, nothing is put in: the two stand together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from query_fn.regex import regex

LONGEST = (5, 12)  # Latin words, Chinese characters of the other thing
_OPENS = r"(?:(?:and|but|so|then|ok|okay)\b,? *)?"
_ASKED_EN = regex(
    rf"^{_OPENS}(?:(?:what|how) (?:about|of)|and)? *(?:(?:for|in|on|with|to|of|from|about|if it is) )? *"
    r"(?P<thing>[^,;?？]+?)(?:,[^,?？]*)?(?: then| too)?[?？.]*$",
    re.IGNORECASE,
)
_ASKED_ZH = regex(r"^(?:那么?|还有|换成|如果是)?(?P<thing>[^，,。；;？?]+?)(?:呢|又?(?:是什么|怎么样|如何))[？?]*$")
_LEADS = regex(r"^(?:(?:and|but|so|then|ok|okay)\b|(?:what|how) (?:about|of)\b)", re.IGNORECASE)
_PARALLEL = regex(
    r"^(?:and|but|so|then)?,?\s*(?:(?:what|how) about|(?:for|in|on|with|to|of|from|about) (?!(?:which|what|how)\b))"
    r"|^(?:and|but) [^,]{1,30}[?？]?$"
    r"|^(?:那么?|还有)?[^，,]{1,20}呢[？?]?$",
    re.IGNORECASE,
)
_VERB = regex(r"\b(?:is|are|was|were|do|does|did|can|could|should|will|would|has|have|may|must)\b", re.IGNORECASE)
_ASKS_ZH = regex(r"[怎什哪谁几]|为何|多[少大久长]|能|可以|要|会")
_NUMBER = regex(r"(?<![\w.])v?\d+(?:\.\d+)*(?![\w.]*\w)")
_CODE = regex(r"(?<![\w-])(?=[\w.-]*[a-z])[A-Za-z][\w.]*(?:[-_.][\w]+)+(?![\w-])|`[^`]+`")
_LATIN = regex(r"[A-Za-z][\w.+#-]*(?: [A-Z][\w.+#-]*)*")
_NAME = regex(r"(?<![.!?] )(?<!^)\b[A-Z][\w+#]+(?: [A-Z][\w+#]+)*")
_HAN = regex(r"[\u3400-\u9fff]")


def is_parallel(question: str) -> bool:
    """Say whether a follow-up asks the same of another thing: "And for B?", "那乙呢？"."""
    return bool(_PARALLEL.search(question.strip()))


def put_in_place(said: str, previous: str) -> str:
    """Return the previous question about the other thing, "" when it is not clear of what it takes the place."""
    thing = _other(said.strip())
    if not thing:
        return ""
    for likes in (_numbers, _codes, _names, _heads, _ends):
        found = dict.fromkeys(like for like in likes(thing, previous) if like.lower() != thing.lower())
        if len(found) == 1:
            return previous.replace(next(iter(found)), thing, 1)
    return ""


def _other(said: str) -> str:
    """Return the other thing that a follow-up names, "" when it asks more than that."""
    chinese = bool(_HAN.search(said))
    match = (_ASKED_ZH if chinese else _ASKED_EN).match(said)
    if match is None or (not chinese and not _LEADS.match(said)):
        return ""
    thing = re.sub(r"^(?:the|a|an) ", "", match["thing"].strip(" \"'“”"), flags=re.IGNORECASE)
    asks = _ASKS_ZH.search(thing) if chinese else _VERB.search(thing)
    long = len(thing) > LONGEST[1] and not thing.isascii() if chinese else len(thing.split()) > LONGEST[0]
    return "" if asks or long else thing


def _numbers(thing: str, previous: str) -> Iterator[str]:
    if _NUMBER.fullmatch(thing):
        yield from (match[0] for match in _NUMBER.finditer(previous))


def _codes(thing: str, previous: str) -> Iterator[str]:
    """Yield what is written like an identifier; in a Chinese question every Latin word is."""
    if _CODE.fullmatch(thing):
        yield from (match[0] for match in _CODE.finditer(previous))
    elif _LATIN.fullmatch(thing) and _HAN.search(previous):
        yield from (match[0] for match in _LATIN.finditer(previous))


def _names(thing: str, previous: str) -> Iterator[str]:
    if thing[:1].isupper() and _LATIN.fullmatch(thing):
        yield from (match[0] for match in _NAME.finditer(previous))


def _heads(thing: str, previous: str) -> Iterator[str]:
    """Yield the nouns with the same last word, and the noun that ends the question."""
    if not thing.isascii():
        return
    words = thing.split()
    if len(words) > 1:
        same = re.compile(rf"\b(?:[\w-]+ ){{{len(words) - 1}}}{re.escape(words[-1])}\b", re.IGNORECASE)
        yield from (match[0] for match in same.finditer(previous))
    elif ending := re.search(r"\bthe ([\w-]+)[?？.]*$", previous):
        yield ending[1]


def _ends(thing: str, previous: str) -> Iterator[str]:
    """Yield the Chinese words of the same length that end alike: 中文 for 英文."""
    if len(thing) < 2 or not all(map(_HAN.match, thing)):
        return
    for at in range(len(previous) - len(thing) + 1):
        part = previous[at : at + len(thing)]
        if part[-1] == thing[-1] and all(map(_HAN.match, part)):
            yield part
