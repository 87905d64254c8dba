"""Sentences that say what their subject is, found by their form. One table of forms per language, best first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from compiler.enrich.folding import key_of, level

ENOUGH = 0.6  # a sentence under this does not say what its subject is

_DET = r"(?:(?:A|An|The|Each|Every|Our|Your|[A-Z]\w+[’']s)\s+)?"
_CONTEXT = r"(?:(?:Actually,|In fact,|Remember that|Note that)\s+)?(?:(?:In|For|Within|With)\s+[^,.]{2,30},\s+)?"
_SUBJECT_EN = r"(?P<subject>[\w`“\"'][^.!?:;—()]{0,58}?)[”\"`]?"
_ASIDE = (
    r"(?:\s+or\s+[“\"][^”\"]{2,50}[”\"]|\s*\([^)]{1,80}\)|,\s+(?:also|sometimes|often|"
    r"formerly|or)\s[^,]{2,50},|\s+[—–-]{1,2}\s[^—–]{3,60}\s[—–-]{1,2})?"
)
_SELF = r"(?:\s+(?:itself|themselves))?"
_YOU_CAN = {
    "en": re.compile(
        rf"^(?:You (?:can|could) (?:define|declare|create|add|write|"
        rf"use) (?:your own )?{_DET}{_SUBJECT_EN}\s+(?:to|that|which|so that)\b"
        rf"|(?:With|Using) {_DET}(?P<tool>[\w`][^.!?:;,()]{{0,40}}?),? you (?:can|could)\s"
        rf"|(?:To [^,]{{5,60}}, )?[Uu]se {_DET}(?P<use>[\w`][^.!?:;,()]{{0,40}}?) to\s)"
    ),
    "zh": re.compile(
        r"^(?:你|您)?(?:可以|能够?)(?:定义|声明|创建|添加|编写)(?:一个|一些)?[^，。：]{4,40}的(?P<subject>[^，。：的\s]{2,14})(?=[，。]|$)"
        r"|^(?:使用|借助|有了)\s*(?P<tool>[^，。：的]{2,20})，(?:你|您)?(?:可以|能够?)"
        r"|^(?:你|您)?(?:可以|应该)?(?:使用|用)\s*(?P<use>[A-Za-z`][^，。：的]{1,30}?)\s*来"
    ),
}
_THINK = re.compile(rf"^(?:You (?:can|could|may) )?[Tt]hink (?:of|about) {_DET}{_SUBJECT_EN}\s+as\s+(?:an?|the)\b")
_EN = tuple(
    (
        re.compile(
            rf"^{_CONTEXT}{_DET}{_SUBJECT_EN}{_ASIDE}(?:\s+(?:itself|themselves))?\s+{verb}", re.I if insensitive else 0
        ),
        score,
    )
    for verb, score, insensitive in (
        (
            r"(?:is|are)\s+(?:simply\s+|just\s+|basically\s+|essentially\s+|actually\s+)?(?:a|an|"
            r"one of|another|any|some kind of|the (?:name|term|process|set|collection|part|"
            r"component|way|ability|practice|act|standard|tool|place|time|number|method|mechanism|"
            r"language|format|team|group|default|primary|main|official|central|core))\b",
            1.0,
            True,
        ),
        (
            r"(?:means|refers? to|stands for|is short for|denotes?|is defined as|are defined as|"
            r"is known as|is called)\b",
            1.0,
            True,
        ),
        (r"(?:is|are)\s+the\b", 0.85, True),
        (
            r"(?:is|are)\s+(?:used (?:to|for|by|as|in)|designed (?:to|for)|responsible for|"
            r"intended (?:to|for)|meant (?:to|for)|where|how|what|when|made (?:up )?of|composed of|"
            r"based on|built on)\b",
            0.8,
            True,
        ),
        (
            r"(?:is|are)\s+(?!not\b|no\b|also\b|always\b|never\b|only\b|now\b|still\b|required\b|"
            r"supported\b|available\b|enabled\b|disabled\b|deprecated\b|optional\b|important\b|"
            r"possible\b|ready\b|done\b|true\b|false\b|often\b|usually\b|currently\b|in\b|on\b|at\b|"
            r"all\b|very\b|too\b|so\b|already\b|as\b|to\b|being\b|going\b|more\b|less\b|both\b|"
            r"great\b|easy\b|up\b|empty\b|there\b|set\b|given\b|shown\b|returned\b|ignored\b|"
            r"executed\b|called\b|created\b|added\b|located\b|"
            r"stored\b)(?:[\w-]+\s+){1,4}?[\w-]*(?:s|er|or|on|nt|ty|ge|ce|ing|ers|ss|ew|xt|rk|em|ol|"
            r"le|re|te|ce)\b(?=[\s,.]|$)",
            0.65,
            True,
        ),
        (
            r"(?:represents?|describes?|defines?|allows?|lets?|enables?|provides?|contains?|stores?|"
            r"holds?|keeps?|shows?|displays?|lists?|tracks?|specifies|specify|controls?|manages?|"
            r"handles?|helps?|gives?|makes?|turns?|takes?|works as|acts as|serves? as|consists? of|"
            r"implements?|inherits?(?: directly)? from|extends|wraps?|generates?|converts?|"
            r"collects?|measures?|ensures?|supports?|offers?|"
            r"renders?|runs?|returns?|combines?|extends?|adds?|opens?|sends?|uses?|includes?|"
            r"covers?|focus(?:es)? on|creates?|builds?|determines?|indicates?|exposes?|maps?|loads?|"
            r"parses?|can be used (?:to|for|as)|can be seen as)\s+(?!if\b|when\b|that\b|this\b|it\b|"
            r"for\b)\S",
            0.7,
            True,
        ),
    )
)
_NAME_ZH = r"[^\s，。：:；、,（()）“”「」！？!?|]"
_SUBJECT_ZH = rf"(?P<subject>[“「『`《]?{_NAME_ZH}(?:{_NAME_ZH}|[ ]){{0,34}}?)[”」』`》]?"
_ASIDE_ZH = r"(?:\s*[（(][^）)]{1,80}[）)]|，(?:又称|也称|又叫|也叫|简称|亦称|也就是|即)[^，。]{2,40}，)?"
_CONTEXT_ZH = (
    r"(?:(?:在|对于|与)[^，。]{2,24}，|(?:其中|总的来说|简单来说|换句话说|通常)，|所谓\s*)?(?:一个|一种|每个)?"
)
_ZH = tuple(
    (re.compile(rf"^{_CONTEXT_ZH}{_SUBJECT_ZH}{_ASIDE_ZH}\s*(?P<verb>{verb})"), score)
    for verb, score in (
        (
            r"是(?:指|一种|一个|一款|一类|一套|一组|一项|一系列|一门|一段|一份|一条|一次|由)|指的是|(?:是|为)[^，。]{2,40}的(?:一种|一个|简称|"
            r"缩写|统称|总称)|的(?:任务|作用|目的|功能|职责|含义|用途|意思)(?:就|便|主要)?(?:是|为)|(?:意思是|意味着|定义为)",
            1.0,
        ),
        (
            r"，?指(?!定|向|示|出|标|数|针|引|导|令|南)|(?:，|\s)?即|是(?!否|不|当时|目前|最好|最佳|首选|以下|如何|什么|怎|因为|通过|在|可|已|"
            r"从|对|非|必|按|用来)(?=[^，。]{4,})",
            0.85,
        ),
        (
            r"(?:主要|可以|通常|专门|仅|只)?(?:可)?用(?:于|来|以)|是用来|表示|代表|负责|(?:被)?(?:称为|称作)|承担着?|相当于|"
            r"(?:主要)?由[^，。]{2,40}(?:组成|构成)",
            0.8,
        ),
        (
            r"(?:主要)?包(?:含|括)|描述|(?:能够|可以|能|可)(?:让|帮助|将|把|为|在|使|对|提供|通过|实现|保证|自动)|(?:旨在|致力于)|(?:会|"
            r"将)(?:把|对|在|根据|自动)|提供|允许|支持|使得?|让|作为|基于|实现|存储|保存|记录|管理|控制|指定|决定|定义|帮助|适用于|通过|采用|"
            r"返回|显示|展示|指示|规定",
            0.68,
        ),
    )
)
_BAD_SUBJECT = re.compile(
    r"^(?:because|since|although|though|while|once|unless|until|after|before|this|that|"
    r"these|those|it|its|they|there|here|you|we|he|she|i|what|which|who|where|how|why|when|"
    r"if|as|to|for|by|in|on|at|and|but|or|so|"
    r"then|note|also|one|another|some|all|both|each|every|any|most|many|now|let|let's|please|see|with|without|from|"
    r"above|below|following|example|examples|the following|everything|nothing|something|"
    r"same|other|others|first|second|next)\b"
    r"|^(?:这|那|该|此|其|它|他|她|我|你|您|本|以下|以上|如|若|当|因|但|而|并|也|还|就|都|则|或|和|与|及|在|从|对|为|由|将|把|被|使|让|不|没|有|无|可|能|"
    r"会|要|请|所有|每|某|上述|下面|首先|然后|最后|目前|默认|其中|例如|比如|通过|使用|需要|注意|另外|此外|同时|因此|所以|由于|一般|通常|用户|大家|"
    r"只|上表|下表|下图|上图|图中|表中|取值|而是|用于|从而|假设|定义)|[的了中上下时后前里内不可也均都应能会]$|可以$|\b(?:below|above|"
    r"following|here|there|then|the)$|^(?:consider|use|see|note)\b|^\d",
    re.I,
)
_POINTING = re.compile(r"(?:[:：]|as follows|the following|如下|以下|下列|下面|下图|下表)[^。.]{0,12}$", re.I)
_ABOUT_THE_PAGE = re.compile(
    r"^(?:了解|介绍|学习|本文|本节|本章|本页|如何|怎样|说明|查看|learn|how|this (?:page|guide|document|section|"
    r"article)|see|about|docs?\b|documentation)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Definition:
    """What a sentence defines: its subject as written, and how surely it says what that is."""

    subject: str
    score: float


@lru_cache(maxsize=1 << 12)  # a sentence is asked about by everything that is made of its page
def definitions(text: str, lang: str) -> tuple[Definition, ...]:
    """Return the subjects that a sentence may define; which one is a name, the caller knows."""
    return tuple(_definitions(text, lang))


def _definitions(text: str, lang: str) -> Iterator[Definition]:
    if _POINTING.search(text) or len(text) < 12:
        return
    if lang == "en" and (found := _THINK.match(text)):
        yield Definition(found["subject"].strip(), 0.9)
    if found := _YOU_CAN[lang].match(text):
        yield Definition((found["subject"] or found["tool"] or found["use"]).strip(), 0.78)
    for pattern, score in _ZH if lang == "zh" else _EN:
        found = pattern.match(text)
        if found and not _BAD_SUBJECT.search(found["subject"]):
            rest = len(text) - found.end()
            if rest >= (4 if lang == "zh" else 10):
                yield Definition(found["subject"].strip(), score)


def summary_score(summary: str, name: str, lang: str) -> float:
    """Return how surely the summary that an author gave a page says what the page's subject is."""
    if not summary or _ABOUT_THE_PAGE.match(summary) or len(summary) < 12:
        return 0.0
    if any(key_of(found.subject) == key_of(name) for found in definitions(summary, lang)):
        return 0.9
    return 0.85 if re.match(r"(?:An?|The|One of|Any)\s", summary) else 0.0


_NOMINAL = {
    "en": re.compile(
        r"(?:[a-z]+ed (?:at|by|for|to|in|on|with|as)|an?|the|any|one|all|each|with|whether|"
        r"number|name|list|path|used)\b|"
        r"[a-z]+(?:[^s]s|es)\s(?!a\.k)",
        re.I,
    ),
    "zh": re.compile(
        r"(?:用于|用来|表示|指|是(?!否)|即|一[种个款类套组项]|该|控制|指定|负责|存储|记录|描述|统计|显示|返回|代表|由|基于|定义|执行)"
        r"|[^，。；：]{2,40}的[^，。；：的]{1,14}(?:[，。；（(]|$)"
    ),
}
_NOT_NOMINAL = re.compile(
    r"(?:(?:updated|added|removed|fixed|changed|moved|renamed)\b|介绍|它(?!是)|他|先|会|可|将|在|对|把|"
    r"如果|当(?!前)|请|见|参见|参考|例如|比如|默认|支持|不|可以|需要|通过|无|"
    r"see|e\.g|for example|if|when|in this)",
    re.I,
)


_OTHER_SUBJECT = re.compile(
    r"(?:the|an?)\s+(?:(?!that\b|which\b|who\b|where\b)[\w-]+\s+){1,4}(?:is|are|was|were|can|will|must|should|has|have)\b",
    re.I,
)
_DOES = re.compile(r"[a-z]+(?:[^s]s|es)\s(?!a\.k)", re.I)


def does_what(rest: str) -> bool:
    """Tell whether the words after a name and a colon begin with a verb: what it does, and not what it is."""
    return _DOES.match(rest) is not None


def says_what(rest: str, lang: str) -> bool:
    """Tell whether the words after a name and a colon say what it is, and not what to do or to know about it."""
    if _OTHER_SUBJECT.match(rest):
        return False
    return not _NOT_NOMINAL.match(rest) and _NOMINAL[lang].match(rest) is not None


_AT_FIRST = re.compile(
    r"(?:an?|the|every|each|in \w+(?: \w+)?,|you can (?:also )?(?:define|add|"
    r"declare|create)(?: an?)?)?\s*"
)
_SAYS_NOTHING = re.compile(
    r"\s*(?:(?:is|are|was|were|does|do|can|has|have|had)(?:n't| not| no)?\s(?:not|been|no|"
    r"still|also|only|happen)\b|(?:is|are) not"
    r"|the same\b|目前|只|不|未|没有|与|和|跟|同|已|还|也|的)"
)
_NEVER_FIRST = re.compile(
    r"(?:if|to|when|for example|see|note|in this|here|如果|若|当|要|本文|本节|例如|请|注意|在使用|为了)", re.I
)


def opens_with(text: str, name: str) -> bool:
    """Tell whether the first sentence below a heading is about what the heading names."""
    if len(text) < 20 or _NEVER_FIRST.match(text) or _POINTING.search(text):
        return False
    before, found, after = level(text).partition(level(name))
    return bool(found) and _AT_FIRST.fullmatch(before) is not None and not _SAYS_NOTHING.match(after)
