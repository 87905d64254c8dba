"""What a sentence claims, beyond numbers, names and polarity: nothing at all, a direction, or code. Pure."""

from __future__ import annotations

import re
import unicodedata

from query_fn.text import tokenise

# Words that lead over to what follows and say nothing of the matter.
_LEADING = re.compile(
    r"根据|按照|依据|基于|已?发布的?|页面|文档|文章|资料|来源|上述|以下|下面|如下|所示|内容|信息|说明|介绍|可以|分别|具体|主要"
    r"|总之|综上|所述|因此|另外|此外|其中|首先|其次|最后|步骤|方法|方式|如何|包括|有|是|为|的|了|在|和|与|或|这些|这个|请|您|你|：|，"
    r"|\b(?:according|based|here|these|this|those|that|following|below|above|as|follows|see|pages?|published|documents?"
    r"|documentation|sources?|steps?|ways?|list|answer|summary|short|brief|in|on|to|of|the|a|an|is|are|and|or|also|then"
    r"|first|second|finally|additionally|moreover|however|for|by|with|it|they|you|can|do|does|say|says|state|states"
    r"|there|which|what|how|include|includes|including|both|each|described?|from)\b",
    re.IGNORECASE,
)
_SAYS = re.compile(r"\d|[*_`<>|$#]|https?:", re.IGNORECASE)
# Pairs of opposite directions.
_DIRECTIONS = tuple(
    (re.compile(one, re.IGNORECASE), re.compile(other, re.IGNORECASE))
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
            r"\b(?:decrease[sd]?|falls?|fell|drop(?:s|ped)?)\b|减少|下降|降低",
        ),
        (r"\benabled?\b|\bswitched on\b|启用|开启|打开", r"\bdisabled?\b|\bswitched off\b|禁用|停用|关闭"),
        (r"\ballow(?:s|ed)?\b|允许", r"\b(?:forbid\w*|prohibit\w*)\b|禁止"),
    )
)
_CODE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)\n?[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`([^`\n]+)`")
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s)>\]`\"'，。；）]+", re.IGNORECASE)


def claims_nothing(text: str, asked: str) -> bool:
    """Say whether a sentence only leads over, or repeats words of the question: no number, no markup, no new word."""
    if _SAYS.search(text):
        return False
    left = set(tokenise(_LEADING.sub(" ", text)))
    return not left - set(tokenise(asked))


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
