"""Which chapters a question names: "summarise P in order", "compare chapters 2 and 5 of P", "which chapters discuss X".

Rules only, for both languages; the trees of the pages decide what a chapter is. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from query_fn.contract import NodeRow
from query_fn.regex import regex

_CHAPTER = r"(?:chapters?|sections?|parts?)"
_CHAPTER_ZH = r"(?:章节|章|小节|节|部分)"
_N_ZH = r"(?:\d{1,3}|[一二三四五六七八九十]{1,3})"
_ASIDE = (
    r"(?:in order|in sequence|step by step|(?:section|chapter|part) by (?:section|chapter|part)|from (?:the )?beginning"
    r"(?: to (?:the )?end)?)"
)
_ASIDE_ZH = r"(?:按顺序|依次|顺序|逐章|逐节|逐段|从头到尾)(?:地)?"
_DISCUSS = (
    r"(?:discuss(?:es)?|mentions?|covers?|describes?|explains?|talks? about|deals? with|treats?|(?:is|are) about"
    r"|say something about|address(?:es)?)"
)
_DISCUSS_ZH = r"(?:讨论|提到|提及|讲到|讲解|讲述|讲|谈到|介绍|涉及|说明|说到|写到|描述)(?:了|过)?"
_COMPARE = (
    regex(
        rf"\b(?:compare|(?:what is|what's) the difference between|how do)\s+(?:the\s+)?{_CHAPTER}\s+(?P<a>\d+)"
        rf"\s*(?:and|with|to|&|,)\s*(?:{_CHAPTER}\s+)?(?P<b>\d+)\s+(?:of|in|from)\s+(?P<page>.+?)(?:\s+(?:differ|compare))?$",
        re.I,
    ),
    regex(rf"^in (?P<page>.+?),? compare {_CHAPTER}\s+(?P<a>\d+)\s*(?:and|with|to|&)\s*(?P<b>\d+)\s*$", re.I),
    regex(
        rf"^(?:请)?(?:比较|对比)(?:一下)?(?P<page>.+?)(?:的|中|里)?第(?P<a>{_N_ZH}){_CHAPTER_ZH}?"
        rf"(?:和|与|跟|同|、)(?:第)?(?P<b>{_N_ZH}){_CHAPTER_ZH}"
    ),
    regex(
        rf"^(?P<page>.+?)(?:的|中|里)?第(?P<a>{_N_ZH}){_CHAPTER_ZH}?(?:和|与|跟|同|、)(?:第)?(?P<b>{_N_ZH}){_CHAPTER_ZH}"
        r"(?:有什么|有何|的)(?:不同|区别|异同|差别)"
    ),
)
_SUMMARY = (
    regex(rf"^(?:please |can you |could you )?(?:{_ASIDE},? )?summari[sz]e (?P<page>.+?)(?:,? {_ASIDE})?$", re.I),
    regex(
        rf"^(?:please )?(?:give|write)(?: me)? (?:a|the) (?:short |brief )?summary of (?P<page>.+?)(?:,? {_ASIDE})?$",
        re.I,
    ),
    regex(rf"^(?:请)?(?:{_ASIDE_ZH})?(?:总结|概括|概述|归纳)(?:一下)?(?P<page>.+?)(?:的内容|{_ASIDE_ZH})?$"),
    regex(rf"^(?:请)?(?:{_ASIDE_ZH})(?:说明|介绍)(?:一下)?(?P<page>.+?)(?:的内容|讲了什么)?$"),
    regex(rf"^(?P<page>.+?)(?:{_ASIDE_ZH})?(?:都)?讲了(?:些)?什么$"),
)
_WHICH = (
    regex(rf"\b(?:which|what)\s+{_CHAPTER}(?:\s+(?:of|in)\s+(?P<page>.+?))?\s+{_DISCUSS}\s+(?P<topic>.+?)$", re.I),
    regex(
        rf"^in which {_CHAPTER}(?: (?:of|in) (?P<page>.+?))? (?:is|are) (?P<topic>.+?) "
        r"(?:discussed|mentioned|covered|described|explained|talked about|dealt with|treated|addressed)$",
        re.I,
    ),
    regex(
        rf"^(?P<page>.*?)(?:的|中|里|里面)?(?:有)?哪(?:些|几|几个|一|个)?{_CHAPTER_ZH}(?:里|中)?(?:有)?{_DISCUSS_ZH}(?P<topic>.+?)$"
    ),
)
_TOPIC_PAGE = regex(r"^(?P<topic>.+?) (?:in|of) (?:the )?(?:page|article|document) (?P<page>.+)$", re.I)
_WRAP = " \t\"'“”‘’《》「」『』"
_PAGE_WORDS = regex(
    r"^(?:the )?(?:page|article|document) (?:called |named )?|^the (?=.+ (?:page|article|document)$)"
    r"| (?:page|article|document)$|^(?:页面|文章|文档)|(?:这个|这一|这篇)?(?:页面|文章|文档|一文|这篇|页)$",
    re.I,
)
_DIGITS = {char: n for n, char in enumerate("零一二三四五六七八九十")}
_OWN_NUMBER = regex(rf"^(?:{_CHAPTER}\s+(\d+)|第\s*({_N_ZH})\s*[章节部]|(\d+)(?:[.、．)]|\s|$)(?!\d))", re.I)


class Wish(StrEnum):
    """What is asked of the chapters."""

    SUMMARY = "summary"
    COMPARE = "compare"
    WHICH = "which"


class Task(Struct, frozen=True):
    """A question about chapters: the page it names ("" = any), two numbers to compare, or a topic.

    It is `sure` when what it names can only be a page: in quotation marks, or called one.
    """

    wish: Wish
    page: str = ""
    numbers: tuple[int, ...] = ()
    topic: str = ""
    sure: bool = False


def task_of(question: str) -> Task | None:
    """Return what a question asks of chapters, None when it asks nothing of them.

    >>> task_of("Compare chapters 2 and 5 of the page Backups.")
    Task(wish=<Wish.COMPARE: 'compare'>, page='Backups', numbers=(2, 5), topic='', sure=True)
    """
    text = " ".join(question.split()).rstrip(" ?？.。!！")
    if found := _first(_COMPARE, text):
        return Task(Wish.COMPARE, _page(found["page"]), (_number(found["a"]), _number(found["b"])), sure=True)
    if found := _first(_WHICH, text):
        page, topic = found["page"] or "", found["topic"]
        if inner := _TOPIC_PAGE.match(topic):
            page, topic = inner["page"], inner["topic"]
        return Task(Wish.WHICH, _page(page), topic=topic.strip(_WRAP), sure=_page(page) != page.strip())
    if found := _first(_SUMMARY, text):
        return Task(Wish.SUMMARY, _page(found["page"]), sure=_page(found["page"]) != found["page"].strip())
    return None


def chapters(nodes: Sequence[NodeRow]) -> tuple[NodeRow, ...]:
    """Return the chapters of a page: the headings of the highest level that it has more than one of, else of any."""
    levels = Counter(node.level for node in nodes if node.level)
    chosen = min((level for level, n in levels.items() if n > 1), default=min(levels, default=0))
    return tuple(node for node in nodes if node.level == chosen and chosen)


def numbered(nodes: Sequence[NodeRow], number: int) -> NodeRow | None:
    """Return the chapter with this number: the one whose heading says so, else the one at this place."""
    own = [_own_number(node.title) for node in nodes]
    if any(own):
        return next((node for node, n in zip(nodes, own, strict=True) if n == number), None)
    return nodes[number - 1] if 0 < number <= len(nodes) else None


def _own_number(title: str) -> int:
    found = _OWN_NUMBER.match(title)
    return _number(next(group for group in found.groups() if group)) if found else 0


def _first(patterns: Sequence[re.Pattern[str]], text: str) -> re.Match[str] | None:
    return next((found for pattern in patterns if (found := pattern.search(text))), None)


def _page(name: str) -> str:
    return _PAGE_WORDS.sub("", name.strip(_WRAP)).strip(_WRAP)


def _number(text: str) -> int:
    """Return the value of a number up to 99, in digits or Chinese."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.partition("十")
    if not ten:
        return _DIGITS.get(text, 0)
    return 10 * (_DIGITS.get(tens, 1) if tens else 1) + (_DIGITS.get(ones, 0) if ones else 0)
