"""What a page says of a name without a sentence about it: in brackets, in a tooltip, below its heading, before it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from compiler.enrich.aliases import acronym_of
from compiler.enrich.definitions import definitions
from compiler.enrich.folding import key_of
from compiler.enrich.naming import name_of
from compiler.enrich.prose import Prose, Sentence, lang_of
from compiler.enrich.protocol import Statement
from query_fn.text import plain

TOOLTIP, BELOW, BRACKET, BESIDE, NAMED, SPELT = 0.68, 0.66, 0.64, 0.62, 0.62, 0.61  # how surely each says what it is
LONGEST = 240  # characters of a sentence with an apposition
_TOOLTIP = re.compile(r"<(?:dfn|abbr)\s+title=([\"'])(?P<gloss>.{3,240}?)\1\s*>(?P<name>[^<>\n]{2,60})</(?:dfn|abbr)>")
_NO_GLOSS = re.compile(
    r"(?:sometimes |also |often |technically|actually)*(?:known as|called|for example|e\.g\.|technically|actually)\b"
    r"|.{0,40}[!?！？]|.*\b(?:joke|just in case|you|we|don't)\b|(?:也)?(?:又|也|被|亦)+(?:称|叫)|例如|比如|.*玩笑",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s*(?:[:：]| - )")
_LABEL = (
    r"(?:\*\*(?P<bold>[^*\n]{2,40})\*\*|`(?P<code>[A-Za-z_][\w.:-]{2,40})`"
    r"|\[(?P<link>[^\[\]\n]{2,40})\]\([^()\n]*\)|"
)
_BRACKET = {
    "en": re.compile(
        _LABEL + r"(?<!the )(?P<name>\b[A-Z][a-z]\w+(?: [A-Z]\w+){0,2}))"
        r"(?:\s+\(|,? which (?:is|are) (?=an?\s))"
        r"(?P<gloss>(?:an?|any|one of)\s(?!\w+ (?:can|is|are|will|must|may|has)\b)[a-z][^().,\n]{10,140})(?:\)|[.,])"
    ),
    "zh": re.compile(
        _LABEL + r"(?P<name>[A-Za-z][\w.-]{2,30}))\s*"
        r"[（(](?P<gloss>(?:即|是)?一(?:种|个|款|类|套|组|项)[^（）()\n]{4,80})[）)]"
    ),
}
_QUOTED = r"[\"“「*_`]{1,3}(?P<name>[^\"”」*_`\n]{2,40})[\"”」*_`]{1,3}"
_IT_IS = {
    "en": re.compile(rf"^(?:It|This|That)(?:[’']s| is) (?:the|our|an?) {_QUOTED}[.:]?$"),
    "zh": re.compile(rf"^(?:这|它|那)(?:个)?(?:就)?是(?:一个|我们的|所谓的)?\s*{_QUOTED}[。：:]?$"),
}
# What stands beside a name at the end of a sentence; with a verb of its own it is another sentence.
_PHRASE = r", (?:the|an?) (?!same\b|[^,]*(?<!that)(?<!which) (?:is|are|was|were|will|can|has|have) )[a-z]"
_BESIDE = re.compile(
    rf"(?:\*\*|\*|\[|`)([A-Za-z][^*\[\]`\n]{{2,40}})(?:\*\*|\*|\]\([^)\n]*\)|`)+{_PHRASE}[\w ,'-]{{8,90}}[.!]?$"
    rf"|(?<=[a-z,] )([A-Z]\w+(?: [A-Z]\w+){{0,2}}){_PHRASE}[\w '-]{{8,90}}[.!]?$"
)
# What stands below the heading of a thing and leaves the thing itself out: "It is a …", "Returns the …".
_BELOW = {
    "en": re.compile(
        r"^(?:(?:It|They)(?:[’']s|[’']re| is| are) (?=(?:an?|one of|used (?:to|for))\b)|(?="
        r"(?:Adds|Allows|Asynchronously|Checks|Contains|Controls|Converts|Creates|Declares|Defines|Describes|Enables|Enforces"
        r"|Generates|Gets|Handles|Helps|Holds|Indicates|Lets|Lists|Loads|Makes|Provides|Reads|Receives|Renders|Represents"
        r"|Returns|Runs|Sends|Sets|Shows|Specifies|Stores|Streams|Takes|Used (?:to|for)|Validates|Writes) \w))"
        r"(?P<rest>.{20,240}[.!])$"
    ),
    "zh": re.compile(
        r"^(?:(?:它|其)(?:就)?是(?=一[种个款类套组项])|(?=(?:强制|处理|返回|接收|接受|检查|用于|用来|表示|指定|控制|生成|提供)"
        r"(?!以下|如下)))(?P<rest>.{8,120}。)$"
    ),
}


def glosses(prose: Prose, sentence: Sentence, before: Sentence | None) -> Iterator[tuple[str, Statement]]:
    """Yield (name, statement) for each name that a sentence explains in passing."""
    yield from _in_tooltips(prose, sentence)
    for found in _BRACKET[lang_of(sentence.text)].finditer(sentence.raw):
        label = found["bold"] or found["code"] or found["link"] or found["name"]
        yield from _told(prose, sentence, label, found["gloss"], score=BRACKET)
    yield from _below_its_heading(prose, sentence)
    yield from _beside(prose, sentence)
    if before:
        yield from _named_after(prose, sentence, before)


def spelt_out(raw: str) -> Iterator[tuple[str, str]]:
    """Yield (acronym, its words) for each tooltip of a sentence that gives them."""
    for found in _TOOLTIP.finditer(raw):
        name, words = plain(found["name"]).strip('"“”'), re.split(r"\s*(?:[:：]| - )", html.unescape(found["gloss"]))[0]
        if acronym_of(name, words) == words:
            yield name, words


def _in_tooltips(prose: Prose, sentence: Sentence) -> Iterator[tuple[str, Statement]]:
    for found in _TOOLTIP.finditer(sentence.raw):
        gloss, name = " ".join(html.unescape(found["gloss"]).split()), plain(found["name"])
        words = _PARTS.split(gloss, maxsplit=1)  # of an acronym, which are a name of it and no more
        spelt = bool(acronym_of(name, words[0])) and (len(words) < 2 or " - " in gloss)
        if not _NO_GLOSS.match(gloss):
            yield from _told(prose, sentence, name, gloss, score=SPELT if spelt else TOOLTIP)


def _beside(prose: Prose, sentence: Sentence) -> Iterator[tuple[str, Statement]]:
    """Yield a marked or capitalised name that a sentence ends with, and what it says beside it: "X, the standard …"."""
    found = _BESIDE.search(sentence.raw)
    if found and (name := name_of(found[1] or found[2])) and len(sentence.text) < LONGEST:
        yield name, prose.statement(sentence, BESIDE, sentence.text)


def _below_its_heading(prose: Prose, sentence: Sentence) -> Iterator[tuple[str, Statement]]:
    if not sentence.first or sentence.item or not (found := _BELOW[lang_of(sentence.text)].match(sentence.text)):
        return
    name = name_of(prose.reading.nodes[sentence.node].title)
    if name:
        joint = "：" if lang_of(found["rest"]) == "zh" else ": "
        yield name, prose.statement(sentence, BELOW, f"{name}{joint}{found['rest']}")


def _named_after(prose: Prose, sentence: Sentence, before: Sentence) -> Iterator[tuple[str, Statement]]:
    """Yield what a sentence says whose successor gives it a name: "It is the “path operation decorator”." """
    lang = lang_of(sentence.text)
    named = _IT_IS[lang].match(sentence.raw)
    together = before.node == sentence.node and sentence.start - before.end < 3 and not before.item
    if named and together and (name := name_of(named["name"])):
        joint, end = ("", "。") if lang == "zh" else (" ", ".")
        yield name, prose.statement(before, NAMED, before.text + joint + sentence.text.rstrip(".:。：") + end)


def _told(prose: Prose, sentence: Sentence, label: str, gloss: str, *, score: float) -> Iterator[tuple[str, Statement]]:
    """Yield what brackets or a tooltip say of a name, as the entry of a definition list would."""
    name, told = name_of(plain(label)), plain(gloss).strip(" .。")
    zh = lang_of(told) == "zh"
    if not name or len(told) * zh + len(told.split()) * 2 < 4:
        return
    if told.casefold().count(name.casefold()) < 2 and not told.casefold().startswith(name.casefold()):
        yield name, prose.statement(sentence, score, f"{name}：{told}。" if zh else f"{name}: {told}.")
    elif any(key_of(found.subject) == key_of(name) for found in definitions(told, "zh" if zh else "en")):
        yield name, prose.statement(sentence, score, told + ("。" if zh else "."))
