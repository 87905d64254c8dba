"""The content words of a question: what is left when the words that only ask are gone. Pure, for both languages."""

from __future__ import annotations

import re
from functools import cache

from query_fn.agent.router import Intent
from query_fn.regex import regex
from query_fn.text import Fold, tokenise

_EN_STOP_WORDS = """
use using used
a an the of to in on at for by with from as is are was were be been being do does did doing have has
had can could should would will shall may might must i you we they he she it its this that these
those my your our their there here what which who whom whose when where why how and or but if then
than so not no about into over any some all me us them please tell list give show many much long
often set up get want need know way ways somebody someone anybody anyone everybody everyone nobody something
anything most least say said one take takes
"""
# Chinese characters that are mostly grammar, with those that make a content word of them: (before it, after it).
_CN_CHARS: dict[str, tuple[str, str]] = {
    **dict.fromkeys("吗呢吧啊我你们它他她这那里做把被", ("", "")),
    "了": ("", "解"),
    "的": ("目", ""),
    "地": ("本各当", "址区方点图理"),
    "得": ("获取心", "到分"),
    "是": ("于", ""),
    "有": ("所拥", "效关权"),
    "在": ("存", "线"),
    "和": ("", "谐"),
    "与": ("参", ""),
    "或": ("", "许"),
    "及": ("", "时"),
    "个": ("", "人"),
    "中": ("集其", "文国心间断止"),
    "上": ("以", "传线限级下游班"),
    "下": ("", "载线限级游"),
    "要": ("重主摘概", "求点素"),
    "会": ("社协机", "议员话计"),
    "能": ("功性智技", "力源"),
    "用": ("使启作费专通引禁应调占信", "户途法量例"),
    "来": ("未原", "源自"),
    "去": ("", "除重年"),
    "对": ("", "象比话应齐账"),
}
_CN_STOP = regex(
    r"请问|请(?!求|假)|告诉我|一下|是什么|什么是|什么|怎么样|怎么|怎样|如何|为什么|哪些|哪个|哪里|哪|多少|多久|多长时间|有多[重快深]|多[长大远高宽]|几个|有没有|是否|是不是"
    r"|可以|能不能|应该|需要|"
    + "|".join(
        (f"(?<![{before}])" if before else "") + char + (f"(?![{after}])" if after else "")
        for char, (before, after) in _CN_CHARS.items()
    )
)
_ABOUT_PAGES = regex(
    r"\b(?:pages?|articles?|documents?|docs|mentions?|talks?|covers?|describes?|explains?|read|sections?|chapters?"
    r"|headings?|outline|table of contents|structure)\b"
    r"|页面|文章|文档|提到|提及|介绍|讲到|讲|说明|关于|看|读|查|章节|小节|部分|标题|目录|大纲|列出",
    re.I,
)


@cache
def stop_words() -> frozenset[str]:
    """Return the English function words as written and stemmed; at the first question, the stemmer costs 30 ms."""
    return frozenset((*_EN_STOP_WORDS.split(), *tokenise(_EN_STOP_WORDS)))


def subject(question: str, intent: Intent) -> str:
    """Return what a question for pages or sections is about, without the words that ask for them."""
    if intent not in (Intent.PAGES, Intent.SECTIONS):
        return question
    rest = _ABOUT_PAGES.sub(" ", question)
    words = [w for w in re.findall(r"[^\s?？,，.。]+", rest) if w.lower() not in stop_words()]
    return " ".join(_CN_STOP.sub(" ", " ".join(words)).split()) or question


_NAMED = (
    regex(r"[《「“\"]([^》」”\"]+)[》」”\"]"),
    regex(r"\b(?:page|article|document) (?:called |named )?(\w.*?)(?: (?:have|has|contain))?\s*[?？]?$", re.I),
    regex(
        r"\b(?:the|of|in|on|does) (?:the )?((?:(?!\b(?:the|of|in|on)\b)[^?])+?) (?:page|article|document)\b",
        re.I,
    ),
    regex(r"^(.+?)\s*(?:这个|这一|这篇)?(?:页面|文章|文档|页)(?:里|中)?(?:都)?(?:有|分|包含)"),
)


def page_names(question: str) -> tuple[str, ...]:
    """Return what a question for sections may call the page, the most explicit first; its bare subject at last."""
    found = [match[1].strip() for pattern in _NAMED if (match := pattern.search(question))]
    return tuple(dict.fromkeys((*found, subject(question, Intent.SECTIONS))))


def keywords(question: str, fold: Fold | None = None) -> tuple[str, ...]:
    """Return the content tokens of a question, in order, each once.

    Function words are gone, Chinese stands as bigrams, a compound (``GPT-4o``) as a whole: its parts would count twice.
    """
    kept = _CN_STOP.sub(" ", question)
    tokens = [t for t in tokenise(kept, fold) if t not in stop_words()]
    covered = {c for t in tokens if len(t) == 2 and not t.isascii() for c in t}
    compound = {part for word in kept.split() for part in tokenise(word, fold)[1:] if part.isascii()}
    return tuple(dict.fromkeys(t for t in tokens if not (len(t) == 1 and t in covered) and t not in compound))
