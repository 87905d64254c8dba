"""What a sentence claims beside numbers and polarity: nothing at all, a name, a direction, code, its matter. Pure."""

from __future__ import annotations

import re
import unicodedata

from query_fn.regex import regex
from query_fn.text import script_lang, tokenise

# Words that lead over to what follows and say nothing of the matter.
_LEADING = regex(
    r"根据|按照|依据|基于|已?发布的?|页面|文档|文章|资料|来源|上述|以下|下面|如下|所示|内容|信息|说明|介绍|可以|分别|具体|主要"
    r"|总之|综上|所述|因此|另外|此外|其中|首先|其次|最后|步骤|方法|方式|如何|包括|有|是|为|的|了|在|和|与|或|这些|这个|请|您|你|：|，"
    r"|\b(?:according|based|here|these|this|those|that|following|below|above|as|follows|see|pages?|published|documents?"
    r"|documentation|sources?|steps?|ways?|list|answer|summary|short|brief|in|on|to|of|the|a|an|is|are|and|or|also|then"
    r"|first|second|finally|additionally|moreover|however|for|by|with|it|they|you|can|do|does|say|says|state|states"
    r"|there|which|what|how|include|includes|including|both|each|described?|from)\b",
    re.IGNORECASE,
)
HELD = 0.34  # share of a sentence's words that must stand in its quotes or the headings above them
_COMMON = """
the a an this that these those it its they them their there here is are was were be been being do
does did have has had can could may might must shall should will would need needs to of in on at by
for from with without into about as and or but if when while than then so also only not no you your
we our i he she his her all each every any some one use uses used using 的 了 是 在 和 与 或 有 也 都 就 把 被 对
为 从 到 可 以 可以 会 要 请 你 您 我 它 这 那 该
"""
COMMON = frozenset(_COMMON.split())
_HAN = regex(r"[\u3400-\u9fff]")
_NAME = regex(
    r"(?:(?<![.!?。！？]\s)(?<!^)|(?<=\bMs\.\s)|(?<=\bMr\.\s)|(?<=\bDr\.\s)|(?<=\bMrs\.\s)|(?<=\bProf\.\s))"
    r"\b[A-Z][A-Za-z]*[a-z][A-Za-z]*\b|\b[A-Z]{2,}\b"
)
_LATIN = regex(r"[A-Z][A-Za-z]*[a-z][A-Za-z]*|[A-Z]{2,}")
_SAYS = regex(r"\d|[*_`<>|$#]|https?:", re.IGNORECASE)
# Pairs of opposite directions.
_DIRECTIONS = tuple(
    (regex(one, re.IGNORECASE), regex(other, re.IGNORECASE))
    for one, other in (
        (
            r"\b(?:more|greater|larger|bigger|higher|longer|above|over|exceed\w*)\b"
            r"|(?<!不)(?:超过|大于|高于|多于|长于)|以上|不少于|不低于",
            r"\b(?:less|fewer|smaller|lower|shorter|below|under)\b"
            r"|(?<!不)(?:小于|低于|少于|短于)|以下|以内|不超过|不高于|不大于",
        ),
        (r"\b(?:at least|minimum|no less)\b|至少|最少|最低", r"\b(?:at most|maximum|up to|no more)\b|至多|最多|最高"),
        (r"\b(?:before|earlier|prior)\b|之前|以前|早于", r"\b(?:after|later)\b|之后|以后|晚于"),
        (r"\b(?:faster|quicker)\b|更快|快于", r"\bslower\b|更慢|慢于"),
        (
            r"\b(?:increase[sd]?|rises?|rose|grows?)\b|增加|上升|提高|增长",
            r"\b(?:decrease[sd]?|reduce[sd]?|falls?|fell|drop(?:s|ped)?)\b|减少|下降|降低",
        ),
        (r"\benabled?\b|\bswitched on\b|启用|开启|打开", r"\bdisabled?\b|\bswitched off\b|禁用|停用|关闭"),
        (r"\ballow(?:s|ed)?\b|允许", r"\b(?:forbid\w*|prohibit\w*)\b|禁止"),
    )
)
_CODE = regex(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)\n?[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_INLINE = regex(r"`([^`\n]+)`")
_ADDRESS = regex(r"(?:https?://|www\.)[^\s)>\]`\"'，。；）]+", re.IGNORECASE)


def claims_nothing(text: str, asked: str) -> bool:
    """Say whether a sentence only leads over, or repeats words of the question: no number, no markup, no new word."""
    if _SAYS.search(text):
        return False
    left = set(tokenise(_LEADING.sub(" ", text)))
    return not left - set(tokenise(asked))


def names(text: str) -> list[str]:
    """Return the proper names of a text: its capitalised words, but for one that opens a sentence of Latin words."""
    return (_LATIN if _HAN.search(text) else _NAME).findall(text)


def replaced(text: str, quotes: str) -> bool:
    """Say whether a sentence repeats its quotes about somebody else: all its words are theirs but the first, a name."""
    first, _, rest = text.strip().partition(" ")
    if not re.fullmatch(r"[A-Z][a-z]+", first) or not rest:
        return False
    own, held = tokenise(first), set(tokenise(quotes))
    return first.lower() not in COMMON and not set(own) & held and set(_matter(rest)) <= held


def elsewhere(text: str, quotes: str, lang: str = "") -> bool:
    """Say whether a sentence is about something else than its quotes: hardly a word of it stands there.

    Two languages share no words, so a translation into the reader's language `lang` is not judged by them.
    """
    matter, own = _matter(text), script_lang(text)
    if not matter or own != script_lang(quotes):
        return bool(matter and lang and (own == "zh") != (lang == "zh"))
    held = set(tokenise(quotes))
    return sum(word in held for word in matter) < HELD * len(matter)


def _matter(text: str) -> list[str]:
    """Return the words of a text that carry its matter; numbers are judged apart."""
    return [word for word in tokenise(text) if word not in COMMON and not any(map(str.isdigit, word))]


def turned(text: str, quotes: str) -> bool:
    """Say whether a sentence has a direction that its quotes have only the other way round."""
    for one, other in _DIRECTIONS:
        for mine, theirs in ((one, other), (other, one)):
            if mine.search(text) and not theirs.search(text) and theirs.search(quotes) and not mine.search(quotes):
                return True
    return False


def invented_code(text: str, quotes: str) -> bool:
    """Say whether a sentence shows code or an address that its quotes do not hold letter by letter."""
    shown = [match[2] for match in _CODE.finditer(text)] or _INLINE.findall(text)
    held = _squeezed(quotes)
    return any(_squeezed(code) not in held for code in (*shown, *_ADDRESS.findall(text)))


def _squeezed(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split()).casefold()
