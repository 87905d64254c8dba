"""Typed relations, read from sentences that name two subjects with a telling word between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compiler.enrich.protocol import Mention

BETWEEN = 40  # characters that may stand between two names; a longer way holds other subjects
_OF = r"(?:\s+(?:a|an|the|its|other|another|different|several|multiple|some|your|all|any|one|more))*\s*"
_EN: tuple[tuple[str, str], ...] = (
    (
        "differs-from",
        r"(?:differs? from|(?:is|are) (?:different|distinct) from|unlike|(?:is|are) not|"
        r"as opposed to|in contrast to)",
    ),
    (
        "part-of",
        r"(?:(?:is|are) (?:a )?(?:part|component|piece|member|element|section|subset|"
        r"feature)s? of|belongs? to|(?:is|are) (?:included|contained|built|bundled) in(?:to)?|"
        r"ships? with)",
    ),
    (
        "is-a",
        r"(?:is|are) (?:simply |just |basically |actually |essentially |also )?(?:an?|"
        r"one of the|another|the) (?:[\w-]+ ){0,3}?|(?:is|are) (?:kind|type|sort|form|instance|"
        r"example|subclass)s? of (?:an? )?",
    ),
    (
        "depends-on",
        r"(?:(?:is|are) based on|(?:is|are) built (?:on|with|upon)|depends? on|rel(?:y|ies) on|"
        r"requires?|needs?|(?:is|are) powered by|inherits? (?:directly )?from)",
    ),
    (
        "has-part",
        r"(?:consists? of|contains?|includes?|has|have|(?:is|are) (?:made|composed) (?:up )?of|"
        r"comes? with|provides?|offers?|exposes?)",
    ),
    (
        "replaces",
        r"(?:replaces?|supersedes?|(?:is|are) (?:a |an )?(?:replacement|alternative)s? (?:for|"
        r"to)|obsoletes?)",
    ),
    ("stores-in", r"(?:(?:is|are) (?:stored|kept|saved|written|located|placed|recorded) (?:in|on|to|as|inside))"),
    (
        "configures",
        r"(?:configures?|controls?|customi[sz]es?|sets|specif(?:y|ies)|defines?|determines?|"
        r"manages?|modif(?:y|ies)|overrides?)",
    ),
    (
        "supports",
        r"(?:supports?|(?:is|are) (?:compatible|integrated) with|works? with|integrates? with|"
        r"allows?|enables?|lets? you)",
    ),
    (
        "uses",
        r"(?:uses?|us(?:es|ing)|(?:is|are) used (?:by|in|for|with|to)|runs?(?: on)?|calls?|"
        r"reads?|writes?|renders?|generates?|returns?|creates?|shows?|handles?|extends?|"
        r"implements?|via|through)",
    ),
)
_ZH: tuple[tuple[str, str], ...] = (
    ("differs-from", r"(?:与|和|跟)?(?:不同于|区别于|不等同于|不是)"),
    ("part-of", r"(?:属于|位于|隶属于|内置于|包含在|集成在|内嵌于)"),
    ("is-a", r"是(?:一[种个款类套项组]|指)[^，。的]{0,8}的?|(?:也)?是"),
    ("depends-on", r"(?:基于|依赖于?|依靠|需要|要求|取决于|建立在|继承自?|借助)"),
    ("has-part", r"(?:主要)?(?:由|包括|包含|分为|含有|拥有|具有|提供了?|内置了?|下有|组成)"),
    ("replaces", r"(?:替代|取代|代替|替换)了?"),
    (
        "stores-in",
        r"(?:数据)?(?:被)?(?:存储|存放|保存|写入|记录|持久化|复制|同步|导入|导出|备份|恢复|迁移)(?:到|在|于|至|进)",
    ),
    ("configures", r"(?:用于)?(?:控制|配置|设置|指定|决定|管理|修改|调整|定义|调度|监控)"),
    ("supports", r"(?:支持|兼容|允许|适用于|支撑|对接|集成)了?"),
    (
        "uses",
        r"(?:使用|采用|利用|调用|通过|借助|用于|用来|访问|读取|查询|扫描|处理|执行|连接|创建|删除|生成|返回|显示|查看|发送|收集)了?",
    ),
)
_FORMS = {
    lang: tuple(
        (
            kind,
            re.compile(
                rf"\s*(?:[（(][^）)]{{0,40}}[）)])?\s*(?:\w+ly\s|can\s|will\s|may\s|also\s|then\s|可以?|会|将|"
                rf"能够?|也|还|均|都|主要|目前|已|不仅|默认)?\s*(?:{words})(?:{_OF}|[\s\w、]{{0,6}}?的?\s*)$",
                re.I,
            ),
        )
        for kind, words in table
    )
    for lang, table in (("en", _EN), ("zh", _ZH))
}
_ENDS = {
    "en": re.compile(
        r"\s*(?:$|[,.;:!?)]|(?:that|which|who|for|to|in|on|of|with|used|and|or|where|as|from|by|"
        r"when)\b)"
    ),
    "zh": re.compile(r"\s*(?:$|[，。；：、！？（(])"),
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two keys and how the sentence relates them."""

    subject: str
    kind: str
    object: str


def relations(text: str, found: Sequence[Mention], span: tuple[int, int], lang: str) -> Iterator[Pair]:
    """Yield the relations that a sentence at `span` of `text` states between names that follow each other in it."""
    for at, first in enumerate(found):
        for second in found[at + 1 : at + 3]:
            between = text[first.end : second.start]
            if first.key == second.key or len(between) > BETWEEN or re.search(r"[。！？；;!?]|\. ", between):
                break
            kind = _kind(_bare(between), lang)
            if kind == "is-a" and not _ENDS[lang].match(_bare(text[second.end : second.end + 24])):
                break  # "is a TiDB tool" says nothing of being TiDB
            if kind and _begins(text[span[0] : first.start], lang):
                yield Pair(first.key, kind, second.key)
                break


def _kind(between: str, lang: str) -> str:
    return next((kind for kind, form in _FORMS[lang] if form.match(between)), "")


def _begins(before: str, lang: str) -> bool:
    """Tell whether the first name is the subject of its clause and not the end of a longer phrase."""
    clause = re.split(r"[，,：:；;（(]\s*|\b(?:and|that|which|because|so|but)\s", _bare(before))[-1]
    limit = 4 if lang == "zh" else 24
    return len(clause.strip(" \"'“「-*>")) <= limit


def _bare(text: str) -> str:
    """Return text without the signs of markup and the targets of links."""
    return re.sub(r"\]\([^)\n]*\)|[\[\]*`_\"“”「」]|\]\([^)\n]*$", "", text)
