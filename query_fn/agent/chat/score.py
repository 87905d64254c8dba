"""How well a span answers a question: words in common, the headings it stands under, the shape asked for, meaning."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from query_fn.agent.chat.spans import Span
from query_fn.agent.router import Intent
from query_fn.text import Fold, script_lang, tokenise

Similarity = Callable[[str, Sequence[str]], Sequence[float]]  # cosine of a question with each text
Idf = Callable[[str], float]  # of a token, over all passages of the base

# Weights: tried on questions over two real knowledge bases; only their order of size matters.
OWN = 1.0  # question words in the span itself
CONTEXT = 0.35  # question words that only its headings and title hold
SHAPE = 0.15  # a number for how many, a name for who, …
MEANING = 0.8  # cosine above the level of unrelated text
RANK = 0.12  # evidence that search put first
FOREIGN = 0.85  # factor for a language the reader did not ask in
COSINE_SAME = (0.80, 0.92)  # e5, best sentence of a page: unrelated 0.82, right 0.915 (medians over 40 questions)
COSINE_CROSS = (0.72, 0.84)  # the same across languages: 0.734 and 0.805
MEANING_SPANS, MEANING_CROSS = 16, 32  # texts embedded a question, 10 ms each; words cannot choose across languages

_EN_STOP_WORDS = """
use using used
a an the of to in on at for by with from as is are was were be been being do does did doing have has
had can could should would will shall may might must i you we they he she it its this that these
those my your our their there here what which who whom whose when where why how and or but if then
than so not no about into over any some all me us them please tell list give show many much long
often
"""
_CN_STOP = re.compile(
    r"请问|请|告诉我|一下|是什么|什么是|什么|怎么样|怎么|怎样|如何|为什么|哪些|哪个|哪里|哪|多少|几个|有没有|是否|是不是|可以|能不能|应该|需要|"
    r"吗|呢|吧|啊|了|的|地|得|是|有|在|和|与|或|及|我|你|们|它|他|她|这|那|个|里|中|上|下|要|会|能|用|来|去|做|把|被|对"
)
_ABOUT_PAGES = re.compile(
    r"\b(?:pages?|articles?|documents?|docs|mentions?|talks?|covers?|describes?|explains?|read|sections?|chapters?"
    r"|headings?|outline|table of contents|structure)\b"
    r"|页面|文章|文档|提到|提及|介绍|讲到|讲|说明|关于|看|读|查|章节|小节|部分|标题|目录|大纲|列出",
    re.I,
)
_NUMBER = re.compile(
    r"\d|[一二两三四五六七八九十百千万](?=[个种次天年月日位条项步倍小分秒])|\b(?:one|two|three|four|five|six|ten)\b",
    re.I,
)
_DATE = re.compile(
    r"\d{4}|\d{1,2}[:/月日号]|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b"
    r"|day|night|week|month|quarter|year|每|周|天|年|[上下中]午",
    re.I,
)
_NAME = re.compile(
    r"\b[A-Z][a-z]+ [A-Z][a-z]+|\bby [A-Z]\w+|@\w|[\u4e00-\u9fff]{2,4}(?:先生|女士|老师|经理|团队|部门)"
    r"|\b(?:team|manager|engineer|owner|lead)\b"
)
_STEP = re.compile(
    r"^(?:\d|[-*+]|first|then|next|click|run|open|select|use|to )"
    r"|首先|然后|点击|打开|运行|执行|输入|选择|使用",
    re.I,
)
_SHAPES: dict[Intent, re.Pattern[str]] = {
    Intent.COUNT: _NUMBER,
    Intent.TIME: _DATE,
    Intent.PERSON: _NAME,
    Intent.STEPS: _STEP,
}


@cache
def _stop_words() -> frozenset[str]:
    """Return the English function words as written and stemmed; at the first question, the stemmer costs 30 ms."""
    return frozenset((*_EN_STOP_WORDS.split(), *tokenise(_EN_STOP_WORDS)))


def subject(question: str, intent: Intent) -> str:
    """Return what a question for pages or sections is about, without the words that ask for them."""
    if intent not in (Intent.PAGES, Intent.SECTIONS):
        return question
    rest = _ABOUT_PAGES.sub(" ", question)
    words = [w for w in re.findall(r"[^\s?？,，.。]+", rest) if w.lower() not in _stop_words()]
    return " ".join(_CN_STOP.sub(" ", " ".join(words)).split()) or question


def keywords(question: str, fold: Fold | None = None) -> tuple[str, ...]:
    """Return the content tokens of a question, in order, each once.

    Function words are gone, Chinese stands as bigrams, a compound (``GPT-4o``) as a whole: its parts would count twice.
    """
    kept = _CN_STOP.sub(" ", question)
    tokens = [t for t in tokenise(kept, fold) if t not in _stop_words()]
    covered = {c for t in tokens if len(t) == 2 and not t.isascii() for c in t}
    compound = {part for word in kept.split() for part in tokenise(word, fold)[1:] if part.isascii()}
    return tuple(dict.fromkeys(t for t in tokens if not (len(t) == 1 and t in covered) and t not in compound))


def has_shape(intent: Intent, text: str, *, question: str = "") -> bool:
    """Say whether a text has what the intent asks for and the question does not hold itself; True without a shape."""
    pattern = _SHAPES.get(intent)
    if intent is Intent.PERSON and not text.isascii() and script_lang(text) == "zh":
        return True  # a Chinese name has no shape of its own
    return pattern is None or any(match[0] not in question for match in pattern.finditer(text))


@dataclass(frozen=True, slots=True)
class Scored:
    """A span and its score; `own` is the share of the question's words that the span itself holds."""

    span: Span
    score: float
    own: float
    meaning: float


@dataclass(frozen=True, slots=True)
class Question:
    """What spans are scored against."""

    text: str
    lang: str
    intent: Intent
    fold: Fold | None = None
    idf: Idf | None = None


def known(spans: Sequence[Span], question: Question) -> float:
    """Return the share of the question's words, by their rarity in the base, that the evidence and its titles hold."""
    words = keywords(subject(question.text, question.intent), question.fold)
    texts = (" ".join((s.text, s.heading, s.evidence.title, *s.evidence.section)) for s in spans)
    found = frozenset(token for text in texts for token in tokenise(text, question.fold))
    return _share(found, {word: question.idf(word) if question.idf else 1.0 for word in words})


def score(spans: Sequence[Span], question: Question, similarity: Similarity | None = None) -> list[Scored]:
    """Return the spans with their scores, in the order given."""
    words = keywords(subject(question.text, question.intent), question.fold)
    tokens = [frozenset(tokenise(span.text, question.fold)) for span in spans]
    weights = _weights(words, tokens, question.idf)
    ranks = {e: i for i, e in enumerate(dict.fromkeys(span.evidence.id for span in spans))}
    bases = [
        _base(span, found, question=question, weights=weights) + RANK / (1 + ranks[span.evidence.id])
        for span, found in zip(spans, tokens, strict=True)
    ]
    meanings = _meanings(spans, bases, question, similarity)
    return [
        Scored(
            span,
            (base + MEANING * meanings.get(i, 0.0)) * (1.0 if span.evidence.lang == question.lang else FOREIGN),
            _share(tokens[i], weights),
            meanings.get(i, 0.0),
        )
        for i, (span, base) in enumerate(zip(spans, bases, strict=True))
    ]


def _weights(words: Sequence[str], tokens: Sequence[frozenset[str]], idf: Idf | None) -> dict[str, float]:
    """Return what each word weighs: its rarity among the spans, which tells them apart, and its rarity in the base."""
    counts = Counter(word for found in tokens for word in words if word in found)
    total = len(tokens) + 1
    local = {word: 0.25 + math.log(total / (counts[word] + 1)) / math.log(total + 1) for word in words}
    if idf is None:
        return local
    base = {word: idf(word) for word in words}
    scale = max(base.values(), default=0.0) or 1.0
    return {word: weight + 1.25 * base[word] / scale for word, weight in local.items()}


def _share(found: frozenset[str], weights: Mapping[str, float]) -> float:
    whole = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in found) / whole if whole else 0.0


def _base(span: Span, found: frozenset[str], *, question: Question, weights: Mapping[str, float]) -> float:
    context = frozenset(tokenise(" ".join((span.evidence.title, *span.evidence.section, span.heading)), question.fold))
    own = _share(found, weights)
    shape = question.intent in _SHAPES and has_shape(question.intent, span.text, question=question.text)
    definition = question.intent is Intent.DEFINITION and _defines(span.text, weights)
    return OWN * own + CONTEXT * (_share(found | context, weights) - own) + SHAPE * (shape or definition)


def _defines(text: str, weights: Mapping[str, float]) -> bool:
    """Say whether a sentence opens with a question word and then says what it is."""
    head = text[:80]
    opening = frozenset(tokenise(head[:30]))
    return bool(opening & set(weights)) and bool(re.search(r"\b(?:is|are|means|refers to)\b|是|指|：|:|—|-", head))


def _meanings(
    spans: Sequence[Span], bases: Sequence[float], question: Question, similarity: Similarity | None
) -> dict[int, float]:
    """Return closeness in meaning, 0..1, of the MEANING_SPANS spans that look best by words, by index."""
    if similarity is None or not spans:
        return {}
    foreign = sum(span.evidence.lang != question.lang for span in spans) > len(spans) / 2
    most = MEANING_CROSS if foreign else MEANING_SPANS
    best = sorted(range(len(spans)), key=lambda i: -bases[i])[:most]
    cosines = similarity(question.text, [spans[i].text for i in best])
    return {i: _meaning(c, spans[i].evidence.lang == question.lang) for i, c in zip(best, cosines, strict=True)}


def _meaning(cosine: float, same_language: bool) -> float:
    zero, full = COSINE_SAME if same_language else COSINE_CROSS
    return min(1.0, max(0.0, (cosine - zero) / (full - zero)))
