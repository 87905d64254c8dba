"""What can be the name of something: a title, heading, label or marked word, made clean; "" when it names nothing."""

from __future__ import annotations

import re
from functools import lru_cache

from compiler.enrich.terms import says_something
from query_fn.text import plain

MOST = 40  # characters of a name
_NUMBER = re.compile(
    r"^(?:(?:第\s*[一二三四五六七八九十\d]+\s*[步章节条部篇][：:、.\s]*)|(?:步骤\s*[一二三四五六七八九十\d]+[：:、.\s]*)|"
    r"(?:[一二三四五六七八九十]+、\s*)|(?:\d+(?:\.\d+)*[.、)）]\s*)|(?:Step \d+[.:]?\s*))",
    re.I,
)
_FRAME = re.compile(
    r"^(?:什么是|关于|认识|初识|了解|理解|introduction to|intro to|about|what (?:is|are)|understanding|an? |the )\s*"
    r"|\s*(?:简介|概述|概览|介绍|说明|简述|总览|概念|基本概念|是什么|入门|overview|introduction|basics|explained)\s*[?？]?$",
    re.I,
)
_INSIDE = re.compile(r"^[^中的]{1,20}(?:中的|里的|的)\s*(?=[A-Z])")
_EDGE = " \t.:：,，。;；!！?？、*_`~#\"'“”‘’「」『』《》<>|-–—=+"
_BRACKET = re.compile(r"^(.{2,60}?)\s*[（(]([^()（）]{2,60})[）)]$")
_NOT_NAME = re.compile(r"[。，：；？！,;!?…=<>{}|\[\]\\“”\"\n]|: |\bto\b|https?:|::|\.\.|^/|/$|^[-.$@#\d]|^\W+$")
_SENTENCE_EN = re.compile(
    r"\b(?:is|are|was|were|will|can|should|must|you|your|we|our|i|it|this|that|these|there|"
    r"do|does|don't|let's|else|how|why|when|if|what|which|who|vs|versus)\b",
    re.I,
)
_SENTENCE_ZH = re.compile(
    r"如何|怎么|怎样|为什么|什么|哪|吗|呢|我们|你|的时候|[了的]$|^[的对在从为被将把让使由与和或及以按][^\w]?|^(?:不|无|未|没有|支持|使用|通过|进行|"
    r"查看|配置|设置|启用|禁用|开启|关闭|修改|删除|创建|添加|更新|安装|部署|升级|准备|检查|执行|运行|测试|验证|选择|确认|获取|导入|导出|限制|注意|"
    r"示例|参考|相关|其他|更多|以下|下一步|生成|接收|步骤|阶段)"
)
_VERB_EN = re.compile(
    r"^(?:use|using|add|adding|create|creating|make|making|set|setting|run|running|install|"
    r"installing|configure|configuring|deploy|deploying|"
    r"get|getting|check|build|building|declare|declaring|define|defining|import|importing|"
    r"return|returning|handle|handling|test|testing|"
    r"update|updating|upgrade|upgrading|enable|disable|remove|removing|write|writing|read|"
    r"reading|change|changing|open|try|start|see|"
    r"understand|know|learn|help|join|contribute|manage|managing|include|including|extend|"
    r"extending|customize|customizing|override|overriding|"
    r"generate|generating|send|find|recap|more|other|some|another|next|first|all|new|same|"
    r"also|note|tip|warning|info|example|examples|usage|notes|faq|details|"
    r"for|with|without|in|on|at|by|from|to|as|and|or|not|no|yes)\b",
    re.I,
)
_WORDS = re.compile(r"[A-Za-z][\w.+#'/-]*")
_SHORT = re.compile("[A-Z][A-Z0-9]")  # an acronym of two letters
_PHRASE = re.compile(r"(?:\w{3,}\s+){4}")  # four words and more beside Chinese
_HAN = re.compile("[\u3400-\u9fff]")


@lru_cache(maxsize=1 << 15)
def name_of(text: str) -> str:
    """Return a label as a name without numbers and frames, "" when it can be no name.

    >>> name_of("什么是 TiKV？"), name_of("How to install it")
    ('TiKV', '')
    """
    shown = _NUMBER.sub("", " ".join(plain(text).split()))
    if found := _BRACKET.match(shown):
        shown = found[1]
    bare = _FRAME.sub("", _FRAME.sub("", shown)).strip(_EDGE)
    name = _INSIDE.sub("", bare if len(bare) > 1 else shown.strip(_EDGE))
    return name if _is_name(name) else ""


def _is_name(name: str) -> bool:
    if len(name) > MOST or _NOT_NAME.search(name) or not (says_something(name) or _SHORT.fullmatch(name)):
        return False
    if name.count("(") != name.count(")") or name.count("（") != name.count("）"):
        return False
    if _HAN.search(name):
        return not _SENTENCE_ZH.search(name) and len(_HAN.findall(name)) <= 14 and not _PHRASE.search(name)
    words = _WORDS.findall(name)
    if len(words) == 1 and name.islower() and name.endswith("ly"):
        return False
    return bool(words) and len(words) <= 5 and not _SENTENCE_EN.search(name) and not _VERB_EN.match(name)


_DONE_TO = re.compile(
    r"^(?:define|create|use|using|add|adding|declare|import|about|with|introducing|enable|"
    r"configure)\s+(?:an?\s|the\s|your\s)?"
    r"|^(?:定义|创建|使用|添加|声明|导入|配置|启用|了解|关于|引入)(?:一个)?\s*",
    re.I,
)


def thing_of(heading: str) -> str:
    """Return what a heading such as "Define a route" does something to, "" when it names no thing."""
    bare = without_number(" ".join(plain(heading).split()))
    found = _DONE_TO.match(bare)
    return name_of(bare[found.end() :]) if found else ""


def script_of(name: str) -> str:
    """Return the script that a name is written in: "han" when any of it is."""
    return "han" if _HAN.search(name) else "latin"


_CLASS = re.compile(
    r"\s*(?:功能|特性|语句|函数|机制|工具|命令|变量|系统变量|服务|组件|语法|协议|模型|参数|配置项|选项|算子|类型|插件|接口|模块|"
    r"objects?|features?|modules?|apis?|commands?|functions?|statements?|variables?|"
    r"parameters?|tools?|protocols?|syntax|widgets?|classes|class)$",
    re.I,
)


def without_class(name: str) -> str:
    """Return a name without the word for its kind: "relation objects" is "relation", where a text has that name."""
    return _CLASS.sub("", name)


def is_noun(name: str) -> bool:
    """Tell whether the last word of a Chinese name is a noun."""
    from rjieba import tag  # loads its dictionary, 0.2 CPU s: only when it is needed

    words = tag(name)
    return (
        bool(words)
        and words[-1][1].startswith(("n", "vn", "eng", "j", "l", "x"))
        and not words[0][1].startswith(("p", "c", "r", "d", "v", "u"))
    )


def without_number(heading: str) -> str:
    """Return a heading without the number of its step or chapter."""
    return _NUMBER.sub("", heading).strip()
