"""How well a span answers a question: words in common, the headings it stands under, the shape asked for, meaning."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import unquote

from msgspec import Struct

from query_fn.agent.chat.closeness import Close, Closeness, Passage
from query_fn.agent.chat.spans import Span
from query_fn.agent.chat.words import keywords, subject
from query_fn.agent.router import Intent
from query_fn.regex import regex
from query_fn.text import Fold, script_lang, tokenise

Idf = Callable[[str], float]  # of a token, over all passages of the base

# Weights: tried on questions over two real knowledge bases; only their order of size matters.
OWN = 1.0  # question words in the span itself
CONTEXT = 0.35  # question words that only its headings and title hold
SHAPE = 0.15  # a number for how many, a name for who, …
FORM = 0.15  # an address, a command, a variable where one is asked for
MEANING = 20.0  # closeness above that of the least close piece: the differences are small and tell most
HELD = 0.55  # share of the question that a span or its headings must hold to answer it whatever else is said
HEADED = 0.6  # the headings above it are the question
FADE = 0.15  # of that for each piece between the heading and the span: a section answers by its opening
RANK = 0.12  # evidence that search put first
FOREIGN = 0.85  # factor for a language the reader did not ask in
# Levels of closeness where nothing answers and where a piece does: in one language the medians of XQuAD-zh; across two
# those of zh → en, 0.32 and 0.43, moved up: one in ten answerable questions is refused, four in five of the others.
ALIKE, ACROSS = (0.36, 0.60), (0.345, 0.45)
PIECE_CHARS = 600
READ_SIZE = 1_000  # `size_of` what is read for one question, 0.3 ms each
LATIN = 1 / 3  # of a Chinese character: what a Latin one says, and what it costs to read

_HAN = regex(r"[\u3400-\u9fff]")
_NUMBER = regex(
    r"\d|[一二两三四五六七八九十百千万](?=[个种次天年月日位条项步倍小分秒])|\b(?:one|two|three|four|five|six|ten)\b",
    re.I,
)
_PRICE = regex(r"\b(?:price|pricing|cost|costs|fee|fees)\b|价格|多少钱|售价|费用|[订用月年会]\w{0,2}费(?!用)", re.I)
_AMOUNT = regex(
    r"[$€£¥￥]\s?\d|\d[\d,.]*\s?(?:USD|EUR|GBP|RMB|CNY|dollars?|euros?|cents?|美元|元|块)|\bfree\b|免费", re.I
)
_DATE = regex(
    r"\b(?:19|20)\d\d\b|\d{1,2}[:/月日号]|\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|\bmay \d"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)?day|night|week|month|quarter|year|hour|minute)(?:s|ly)?\b|\bdaily\b"
    r"|v?\d+\.\d+|每|周|天|年|[上下中]午|小时|分钟",
    re.I,
)
_NAME = regex(
    r"\b[A-Z][a-z]+ [A-Z][a-z]+|\bby [A-Z]\w+|@\w|[\u4e00-\u9fff]{2,4}(?:先生|女士|老师|经理|团队|部门)"
    r"|\b(?:team|manager|engineer|owner|lead)\b"
)
_STEP = regex(
    r"^(?:\d|[-*+]|first|then|next|click|run|open|select|use|to )"
    r"|首先|然后|点击|打开|运行|执行|输入|选择|使用",
    re.I,
)
# What a word of the question promises to look like in the answer, whatever the language of either.
_FORMS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (regex(asked, re.I), regex(form))
    for asked, form in (
        (r"\be-?mail\b|邮箱|邮件地址", r"\S@\w"),
        (r"\burl\b|\bweb ?site\b|\bweb address\b|网址|网站", r"https?://|\b\w+\.(?:com|org|net|io|dev|new|cn|md)\b"),
        (r"\bchannel\b|频道", r"#[a-z]"),
        (r"\benvironment variable|\benv var|环境变量", r"\b[A-Z]{2,}_[A-Z_]*[A-Z]\b"),
        (r"\bcommand\b|命令", r"`[^`\n]+`"),
        (r"\bshortcut\b|\bhot ?keys?\b|快捷键", r"\b(?:Ctrl|Cmd|Alt|Mod|Shift|Option)\b"),
    )
)
_SHAPES: dict[Intent, re.Pattern[str]] = {
    Intent.COUNT: _NUMBER,
    Intent.TIME: _DATE,
    Intent.PERSON: _NAME,
    Intent.STEPS: _STEP,
}


def asks_price(question: str) -> bool:
    """Say whether a question asks what something costs."""
    return bool(_PRICE.search(question))


def has_shape(intent: Intent, text: str, *, question: str = "") -> bool:
    """Say whether a text has what the intent asks for and the question does not hold itself; True without a shape."""
    pattern = _AMOUNT if intent is Intent.COUNT and asks_price(question) else _SHAPES.get(intent)
    if intent is Intent.PERSON and not text.isascii() and script_lang(text) == "zh":
        return True  # a Chinese name has no shape of its own
    return pattern is None or any(match[0] not in question for match in pattern.finditer(text))


def has_form(question: str, text: str) -> bool:
    """Say whether a text looks like the kind of thing a question names: an address, a command, a variable."""
    return any(asked.search(question) and form.search(text) for asked, form in _FORMS)


class Scored(Struct, frozen=True):
    """A span and its score; `own` is the share of the question's words that the span itself holds.

    `meaning` is closeness on a scale where 0 answers nothing and 1 does, whatever the languages; None: not measured.
    `headed` says in 0..1 how far the headings above it are the question, whatever the span says.
    """

    span: Span
    score: float
    own: float
    meaning: float | None = None
    headed: float = 0.0


class Question(Struct, frozen=True):
    """What spans are scored against."""

    text: str
    lang: str
    intent: Intent
    fold: Fold | None = None
    idf: Idf | None = None
    across: str = ""  # the question in the other language of what was read
    said: str = ""  # the end of `text` that a follow-up adds to the turn before

    def words(self, *, foreign: bool = False) -> tuple[str, ...]:
        """Return the content words, for `foreign` text those of the translation."""
        return keywords((foreign and self.across) or subject(self.text, self.intent), self.fold)

    def foreign(self, span: Span) -> bool:
        """Say whether a span is in another language; a Chinese section of an English page is not."""
        chinese = self.lang == "zh" and _HAN.search(span.text + span.heading) is not None
        return span.evidence.lang != self.lang and not chinese


def score(spans: Sequence[Span], question: Question, measure: Closeness | None = None) -> list[Scored]:
    """Return the spans with their scores, in the order given. `measure` is absent without an embedder."""
    tokens = [frozenset(tokenise(span.text, question.fold)) for span in spans]
    foreign = [question.foreign(span) for span in spans]
    headings = {side: _headings(question, tokens, foreign, side) for side in set(foreign)}
    ranks = {e: i for i, e in enumerate(dict.fromkeys(span.evidence.id for span in spans))}
    headed = [headings[far].match(span) / (1 + FADE * span.nth) for span, far in zip(spans, foreign, strict=True)]
    bases = [
        _base(span, found, question=question, headings=headings[far]) + HEADED * match
        for span, found, far, match in zip(spans, tokens, foreign, headed, strict=True)
    ]
    bases = [base + RANK / (1 + ranks[span.evidence.id]) for span, base in zip(spans, bases, strict=True)]
    closes = _closeness(spans, bases, question, measure)
    least = min((close.order for close in closes.values()), default=0.0)
    return [
        Scored(
            span,
            (base + MEANING * (closes[i].order - least if i in closes else 0.0)) * (FOREIGN if foreign[i] else 1.0),
            share(tokens[i], headings[foreign[i]].weights),
            _meaning(closes[i].level, ACROSS if foreign[i] else ALIKE) if i in closes else None,
            headed[i],
        )
        for i, (span, base) in enumerate(zip(spans, bases, strict=True))
    ]


def _headings(question: Question, tokens: Sequence[frozenset[str]], foreign: Sequence[bool], side: bool) -> _Headings:
    """Return the question's words, weighed among the spans of one side, to compare headings with."""
    own = [found for found, far in zip(tokens, foreign, strict=True) if far == side]
    return _Headings(_weights(question.words(foreign=side), own, question.idf), question.fold)


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


def share(found: frozenset[str], weights: Mapping[str, float]) -> float:
    """Return the share of the weights whose words were found, in 0..1."""
    whole = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in found) / whole if whole else 0.0


def above(span: Span) -> tuple[str, ...]:
    """Return what stands above a span: the page's title and file name, its headings, what introduces it."""
    return (span.evidence.title, _file_name(span.evidence.url), *span.path, span.context)


def _file_name(url: str) -> str:
    """Return the last two parts of a page's address as words: in many vaults the file name is the title."""
    parts = unquote(url.partition("#")[0]).strip("/").split("/")
    return " ".join(parts[-2:]).replace("-", " ")


class _Headings:
    """Tells how far the headings above a span are the question; each distinct text is cut once."""

    def __init__(self, weights: Mapping[str, float], fold: Fold | None) -> None:
        self.weights = weights
        self._fold = fold
        self._tokens: dict[str, frozenset[str]] = {}
        self._words: dict[str, frozenset[str]] = {}

    def tokens(self, *texts: str) -> frozenset[str]:
        """Return the tokens of some texts."""
        found = [self._tokens.setdefault(t, frozenset(tokenise(t, self._fold))) for t in texts if t]
        return frozenset().union(*found)

    def match(self, span: Span) -> float:
        """Return the share of the question that the headings hold times the share of the last heading it asks for."""
        names = [span.heading] if span.path else [span.evidence.title, _file_name(span.evidence.url).split(" ")[-1]]
        near = max(self._asked(name) for name in names)
        whole = share(self.tokens(span.evidence.title, _file_name(span.evidence.url), *span.path), self.weights)
        return near * whole

    def _asked(self, heading: str) -> float:
        """Return the share of a heading's content words that stand in the question."""
        words = self._words.setdefault(heading, frozenset(keywords(heading, self._fold)))
        return len(words & self.weights.keys()) / len(words) if words else 0.0


def _base(span: Span, found: frozenset[str], *, question: Question, headings: _Headings) -> float:
    context, weights = headings.tokens(*above(span)), headings.weights
    own = share(found, weights)
    shape = question.intent in _SHAPES and has_shape(question.intent, span.text, question=question.text)
    definition = question.intent is Intent.DEFINITION and _defines(span.text, weights)
    form = has_form(question.text, span.raw)
    return OWN * own + CONTEXT * (share(found | context, weights) - own) + SHAPE * (shape or definition) + FORM * form


def _defines(text: str, weights: Mapping[str, float]) -> bool:
    """Say whether a sentence opens with a question word and then says what it is."""
    head = text[:80]
    opening = frozenset(tokenise(head[:30]))
    return bool(opening & set(weights)) and bool(re.search(r"\b(?:is|are|means|refers to)\b|是|指|：|:|—|-", head))


def _closeness(
    spans: Sequence[Span], bases: Sequence[float], question: Question, measure: Closeness | None
) -> dict[int, Close]:
    """Return the closeness of the spans that are read again: those that look best by words, as far as they fit."""
    if measure is None or not spans:
        return {}
    chosen = _to_read(spans, bases)
    own = {e: [i for i in chosen if spans[i].evidence.id == e] for e in dict.fromkeys(s.evidence.id for s in spans)}
    parts = [part for part in own.values() if part]
    passages = [_passage([spans[i] for i in part]) for part in parts]
    found = measure(question.text, question.lang, passages, len(question.said) or len(question.text))
    return {i: close for part, closes in zip(parts, found, strict=True) for i, close in zip(part, closes, strict=True)}


def _to_read(spans: Sequence[Span], bases: Sequence[float]) -> list[int]:
    """Return the places of the spans to read, in order: the best by words first until READ_SIZE is spent."""
    chosen: list[int] = []
    size = 0.0
    for i in sorted(range(len(spans)), key=lambda i: -bases[i]):
        size += size_of(spans[i].text[:PIECE_CHARS])
        if chosen and size > READ_SIZE:
            break
        chosen.append(i)
    return sorted(chosen)


def size_of(text: str) -> float:
    """Return the length of a text in Chinese characters; in a text without them, three say as much as one."""
    return len(text) if _HAN.search(text) else LATIN * len(text)


def _passage(spans: Sequence[Span]) -> Passage:
    """Return what is read at once: the spans of one piece of evidence below the page's title and the section's."""
    evidence = spans[0].evidence
    heading = " ".join(dict.fromkeys((evidence.title, *evidence.section)))
    return Passage(evidence.lang, heading, [(s.text[:PIECE_CHARS], s.kind == "heading") for s in spans])


def _meaning(level: float, scale: tuple[float, float]) -> float:
    nothing, right = scale
    return (level - nothing) / (right - nothing)
