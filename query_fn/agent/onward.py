"""Questions that count: "the next one", "第三步", "which step is …". What they point at, by rules. Pure."""

from __future__ import annotations

import re

from msgspec import Struct

from query_fn.regex import regex

_THING = (
    r"(?:one|item|step|type|kind|level|layer|row|point|option|entry|section|stage|part|way|method|rule|line|phase"
    r"|category|reason|requirement|command|key|value)s?"
)
_COUNTED = r"[个步项条点种级层类行节章段]"
_EN_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_EN_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
# What is counted in the calendar, or is no place in a row.
_TIMES = r"(?:days?|weeks?|months?|quarters?|years?|half|halves|times?|century|centuries|person|party|parties|floors?)"
_CN_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2}
_AT_ONCE = r"(?:(?:right|just|immediately|directly) )?"
_POINTED = r"(?: (?:that|it|this))?\b(?! \w)"
_END = r"(?=\s*(?:[?？.,，。!]|$))"

_NEXT = regex(
    rf"\b(?:the )?(?:next|following|subsequent)(?: {_THING}(?: (?:down|below|after))?\b|{_END})"
    rf"|\b(?:the )?{_THING} {_AT_ONCE}(?:after|below|beneath|under){_POINTED}"
    rf"|\b{_THING} (?:further )?down\b|\b(?:after|below) (?:that|it|this){_END}|\bcomes? next\b"
    rf"|(?:再)?(?:往)?(?:下面?|后面?|接下来)(?:的)?(?:一|那一?){_COUNTED}|(?:之|以)后(?:的)?(?:一|那一?){_COUNTED}"
    rf"|^(?:那么?)?(?:再往下|接下来|下一个|然后|之后|再然后)呢",
    re.IGNORECASE,
)
_PREVIOUS = regex(
    rf"\b(?:the )?(?:previous|preceding|prior)(?: {_THING}\b|{_END})"
    rf"|\b(?:the )?{_THING} {_AT_ONCE}(?:before|above|over){_POINTED}"
    rf"|\b{_THING} up\b|\b(?:before|above) (?:that|it|this){_END}"
    rf"|(?:再)?(?:往)?(?:上面?|前面?)(?:的)?(?:一|那一?){_COUNTED}|(?:之|以)前(?:的)?(?:一|那一?){_COUNTED}",
    re.IGNORECASE,
)
_LAST = regex(
    rf"\b(?:the )?(?:very )?(?:last|final)(?: of the (?:\w+ )?(?P<of>{_THING})| (?P<thing>{_THING}))\b"
    rf"|\b(?:comes?|stands?|is|are|ranks?|listed|named) last\b"
    rf"|(?:最后|倒数第一)(?:的)?(?:一|那)?(?P<zh>{_COUNTED})|排(?:在)?最后",
    re.IGNORECASE,
)
_NTH = regex(
    rf"\b(?:comes?|stands?|is|are|ranks?|listed|named) (?P<place>{'|'.join(_EN_ORDINALS)})\b"
    rf"|\b(?:the )?(?P<first>first)(?: of the (?:\w+ )?(?={_THING})|(?: (?P<thing>{_THING}))\b|{_END})"
    rf"|\b(?:the )?(?P<nth>{'|'.join(_EN_ORDINALS[1:])}|\d{{1,2}}(?:st|nd|rd|th))"
    rf"(?: of the | (?!{_TIMES}\b)(?P<any>[a-z]+)\b(?: of advice)?|{_END})"
    rf"|\b(?P<kind>{_THING[:-2]}) (?:number |no\.? ?|#)?(?P<number>\d{{1,2}}|{'|'.join(_EN_NUMBERS)})\b"
    rf"|(?:排(?:在)?)?第(?P<zh>[一二两三四五六七八九十]{{1,3}}|\d{{1,2}})(?:个)?(?P<counted>步骤?|{_COUNTED})"
    rf"|排(?:在)?第(?P<rank>[一二两三四五六七八九十]{{1,3}}|\d{{1,2}})",
    re.IGNORECASE,
)
_NUMBERS = ("place", "first", "nth", "number", "zh", "rank")
_THINGS = ("thing", "any", "kind", "counted")
_OF_SO_MANY = regex(
    rf"\bof the (?:{'|'.join(_EN_NUMBERS)}|\d+)\b|这?[两二三四五六七八九十\d]+[个步项条点种级层类]里?(?:面|中)?", re.I
)
_WHICH = regex(
    r"\b(?:which|what) (?:step|stage)(?: number)?\b|\bat (?:which|what) (?:step|stage)\b|第几步|哪一步|第几个步骤",
    re.IGNORECASE,
)


class Onward(Struct, frozen=True):
    """Where a question points: `by` places on (+) or back (-) from what was answered, or to the `nth` from the top.

    `nth` counts from 1, -1 is the last one, 0 means that `by` counts. `rest` is what else the question says, `thing`
    what is counted: a step, a stage, advice.
    """

    rest: str
    by: int = 0
    nth: int = 0
    thing: str = ""


def onward(question: str) -> Onward | None:
    """Return where a question points, None when it does not count."""
    if match := _NTH.search(question):
        return Onward(_without(question, match), nth=_value(_held(match, _NUMBERS)), thing=_held(match, _THINGS))
    if match := _LAST.search(question):
        return Onward(_without(question, match), nth=-1, thing=_held(match, ("of", "thing", "zh")))
    for pattern, by in ((_NEXT, 1), (_PREVIOUS, -1)):
        if match := pattern.search(question):
            return Onward(_without(question, match), by=by)
    return None


def asks_which_step(question: str) -> str:
    """Return what is done in the step whose number is asked for, "" when none is."""
    match = _WHICH.search(question)
    return _without(question, match) if match else ""


def _held(match: re.Match[str], groups: tuple[str, ...]) -> str:
    return next((match[name] for name in groups if match[name]), "")


def _without(question: str, match: re.Match[str]) -> str:
    rest = f"{question[: match.start()]} {question[match.end() :]}"
    return " ".join(_OF_SO_MANY.sub(" ", rest).split())


def _value(written: str) -> int:
    """Return the number of an ordinal: third, 3rd, 三, 十二."""
    word = written.lower()
    if word in _EN_ORDINALS:
        return _EN_ORDINALS.index(word) + 1
    if word in _EN_NUMBERS:
        return _EN_NUMBERS.index(word) + 1
    if digits := re.match(r"\d+", word):
        return int(digits[0])
    tens, mark, ones = word.rpartition("十")
    return (_CN_DIGITS.get(tens, 1) * 10 if mark else 0) + _CN_DIGITS.get(ones, 0)
