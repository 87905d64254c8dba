"""Which questions a reader would ask: those that are understood alone and read as one. A doubtful one is left out.

A question made by rules adds nothing to what its passage says, so that one too few costs nothing and a silly one stands
on the page.
"""

from __future__ import annotations

import re

_UNSOUND = {
    "en": re.compile(
        r"\b(?:it|its|them|they|these|those|this)\b|\bthat\?$|\bas follows\b|\band \w+ing\b"  # points elsewhere
        r"|^need help|^\w+\?$|\s[-–—]\s"
        r"|^(?:what|how|why|when|where|who)(?:['’]s)? (?:the|an?|we|you|they|my|your|next)\b"  # a statement
        r"|^(?:do not|don['’]t)\b"
        r"|^How can I (?:decide|want|wish|need|prefer|like|follow|learn more|refer|check out|know|expect|think)\b"
        r"|^What (?:is|are) (?:usually|often|also|now|currently|generally|typically|always|never|only|just|even|still|"
        r"already|instead|however|otherwise|similarly|additionally|specifically|finally)\b",
        re.I,
    ),
    "zh": re.compile(
        r"它|此|这|那(?:个|些)|其(?!他|它|中)|该|上述|以下|如下|上文|下文|本(?:文|节|章|页|例)|前者|后者|另一"
        r"|^如何(?:以|先|也|更|就|再|还|直接|轻松|方便|自动|需要|根据|针对|基于|按照?|外部|使用情况|限制？)"
        r"|^为什么 ?(?:导致|也|就|才|会|都|则|而|使|可能|因此|所以|很|更|还|又)"
        r"|^(?:需要|现在|如果|即使|当前|第)|^如何[^？]*，|时(?![间区序钟候长段刻效延])"
        r"|^如何(?:使用(?:概览|说明|示例|限制|场景|指南|方法|建议|须知)|(?:安装|部署|升级|迁移|恢复|备份)(?:要求|说明|须知|指南|步骤|流程|方案|方式|"
        r"架构|模式|拓扑|策略|类型|包|前)|配置(?:说明|示例|要求|项|格式)|(?:更新|发布)(?:日志|说明|记录|版本|周期)|测试(?:环境|结果|方案|报告|场景|数据|目的|"
        r"方法)|管理(?:工具|员)|运行(?:环境|状态|机制|原理|要求)|连接(?:池|方式|数)|限制(?:条件|说明|场景)|开始(?:之前|前)|优化(?:器|建议|方向)|"
        r"选择器)？"
    ),
}
_PAIRS = ("“”", "‘’", "()", "（）", "「」", "《》", "[]")
_LOOSE = re.compile(r"[{}<>$|]|^[^\"]*(?:\"[^\"]*\"[^\"]*)*\"[^\"]*$")  # pieces of markup, a quotation that is cut off

# Headings under which any page says anything.
_ANYWHERE = frozenset(
    "see also|notes|note|internal|docs|fixes|refactors|translations|features|upgrades|overview|introduction|example|"
    "examples|summary|recap|tip|tips|faq|references|resources|links|contents|changelog|related|more|details|description|"
    "syntax|usage|parameters|options|background|purpose|scope|goals|status|breaking changes|synopsis|about|misc|other|"
    "highlights|things to keep in mind|more info|additional features|"
    "示例|语法|语法图|另请参阅|概述|简介|概览|总结|小结|说明|注意|注意事项|参考|参考资料|相关文档|更多|目录|常见问题|背景|目的|其他|更多细节|结果|例子|探索更多|下一步|前提条件|准备工作|"
    "使用示例|相关资源|另见|参见".split("|")
)


def sound(question: str, lang: str) -> bool:
    """Tell whether a question in "zh" or "en" can stand alone.

    >>> sound("How do I run it?", "en"), sound("How do I run a build?", "en")
    (False, True)
    """
    whole = all(question.count(pair[0]) == question.count(pair[1]) for pair in _PAIRS)
    return whole and not _LOOSE.search(question) and not _UNSOUND[lang].search(question)


def tells_topic(heading: str) -> bool:
    """Tell whether a heading names what is said below it: not "Example", not a date."""
    return heading.casefold() not in _ANYWHERE and not heading[:1].isdigit()
