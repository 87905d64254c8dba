"""The enricher without a key: deterministic, extractive, heading-aware."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from compiler.enrich.terms import key_terms
from query_fn.contract import ArticleRow, ChunkRow
from query_fn.text import normalise, plain

_QUESTION = {
    "zh": re.compile(r"^(如何|怎么|怎样|为什么|为何|什么是|哪些|哪个|谁|何时|能否|是否)|[?？吗呢]$"),
    "en": re.compile(r"^(how|what|why|when|where|who|which|can|does|do|is|are|should)\b|\?$", re.I),
}
_ACTION = {
    "zh": re.compile(
        r"^(安装|配置|设置|使用|创建|删除|修改|升级|部署|启用|禁用|开启|关闭|查看|添加|编写|发布|运行|导入|导出|备份|恢复|迁移|连接|调用|"
        r"管理|更新|测试|调试|优化|排查|选择|限制|开始|加入)"
    ),
    "en": re.compile(
        r"^(install|configur|set(ting)? up|us(e|ing)|creat|delet|remov|updat|upgrad|deploy|enabl|disabl|view|add|writ|"
        r"publish|run|import|export|back(ing)? up|restor|migrat|connect|call|manag|test|debug|optimi|troubleshoot|"
        r"choos|link|shar|build|mak|get|start|edit|handl|declar|pass)\w*\b",
        re.I,
    ),
}
_DEFINITION = {
    "zh": re.compile(r"[”」』》*`]*(?:是一|是指|指的是|即|用于|表示|：)"),
    "en": re.compile(r"[”\"*`]*\s+(?:is|are|means|refers to)\s+(?:a|an|the|used|where|how)\b", re.I),
}
_STEPS = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_WORDING = {
    "zh": {
        "how": "如何{h}？",
        "what": "{h}是什么？",
        "about": "{t}的“{h}”说了什么？",
        "steps": "{h}有哪些步骤？",
        "term": "{k}是什么？",
        "role": "关于{k}，“{h}”说了什么？",
        "relation": "{k}和{j}有什么关系？",
        "ask": "{h}？",
    },
    "en": {
        "how": "How do I {h}?",
        "what": "What is {h}?",
        "about": "What does {t} say about {h}?",
        "steps": "What are the steps of {h}?",
        "term": "What is {k}?",
        "role": "What does “{h}” say about {k}?",
        "relation": "How are {k} and {j} related?",
        "ask": "{h}?",
    },
}


@dataclass(frozen=True, slots=True)
class LocalEnricher:
    """Questions from headings, definitions, steps and key terms."""

    name: str = "local"
    version: str = "6"

    def questions(self, article: ArticleRow, chunk: ChunkRow, count: int) -> Sequence[str]:
        """Return up to `count` questions in the chunk's language; none repeats the title or another question."""
        if count <= 0:
            return ()
        found: dict[str, str] = {}
        forbidden = {normalise(article.title).rstrip("?？ ")}
        for question in _candidates(article, chunk):
            folded = normalise(question).rstrip("?？ ")
            if folded not in forbidden and len(question) <= 160:
                found.setdefault(folded, question)
            if len(found) == count:
                break
        return tuple(found.values())


def _candidates(article: ArticleRow, chunk: ChunkRow) -> Iterator[str]:
    lang = "zh" if chunk.lang == "zh" else "en"
    wording, heading = _WORDING[lang], " ".join(plain(chunk.title).split()) or article.title
    text = plain(chunk.text)
    if not re.search(r"\w", text):
        return
    if _QUESTION[lang].search(heading):
        yield wording["ask"].format(h=heading.rstrip("?？ "))
    elif _ACTION[lang].search(heading):
        yield wording["how"].format(h=heading if lang == "zh" else _imperative(heading))
    elif heading != article.title:
        yield wording["about"].format(t=article.title, h=heading)
    if len(_STEPS.findall(chunk.text)) > 2:
        yield wording["steps"].format(h=heading)
    named = normalise(f"{article.title} {heading}")  # a word of the title says nothing new
    terms = [t for t in key_terms(chunk.text, text, lang, 10) if normalise(t) not in named][:6]
    defined = [t for t in terms if _defines(text, t, lang)]
    for term in defined:
        yield wording["term"].format(k=term)
    for term in terms:
        yield wording["role"].format(k=term, h=heading)
    for first, second in pairwise(terms):
        yield wording["relation"].format(k=first, j=second)
    yield wording["what"].format(h=heading)


def _imperative(heading: str) -> str:
    first, _, rest = heading.partition(" ")
    verb = first.lower()
    if verb.endswith("ing") and len(verb) > 5:
        stem = verb[:-3]
        doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "ls"
        verb = (
            stem[:-1]
            if doubled
            else stem + ("e" if stem.endswith(("at", "us", "ar", "ag", "it", "ut", "ov", "id", "ur", "eclar")) else "")
        )
    return f"{verb} {rest}".strip()


def _defines(text: str, term: str, lang: str) -> bool:
    """Tell whether the text says what the term is, right after it names the term."""
    at = text.find(term)
    while at >= 0:
        if _DEFINITION[lang].match(text, at + len(term)):
            return True
        at = text.find(term, at + 1)
    return False
