"""What kind of question this is. Rules only; a hint that never removes a tool."""

from __future__ import annotations

import re
from enum import StrEnum

from query_fn.agent.parallel import is_parallel, put_in_place
from query_fn.regex import regex
from query_fn.retrieve.confidence import asked_for


class Intent(StrEnum):
    """The shape of the answer a question asks for."""

    FACT = "fact"
    COUNT = "count"  # wants a number
    TIME = "time"  # wants a date or a time
    PERSON = "person"  # wants a name
    STEPS = "steps"  # wants a procedure or a list
    SECTIONS = "sections"  # wants the outline of a page
    PAGES = "pages"  # wants pages to read
    DEFINITION = "definition"
    YES_NO = "yes_no"
    SMALL_TALK = "small_talk"
    ABOUT = "about"  # what can you answer?


_LISTING = r"\b(list|what are|which are|name|give me)\b.{0,30}"
# The first rule that matches decides.
_RULES: tuple[tuple[Intent, tuple[str, ...]], ...] = (
    (
        Intent.ABOUT,
        (
            r"what (can|do) you (do|answer|know)|who are you|how (do|can) i use (you|this)",
            r"你(能|可以)(做|回答|干|帮)|你是谁|你会什么",
        ),
    ),
    (
        Intent.SMALL_TALK,
        (
            r"^(hi|hello|hey|thanks?|thank you|good (morning|evening)|bye)[\s!.,~]*$",
            r"^(你好|您好|嗨|谢谢|多谢|早上好|再见)[\s!！.。,，~]*$",
        ),
    ),
    (
        Intent.PAGES,
        (
            r"\b(which|what) (pages?|articles?|documents?|docs)\b|where (can|do) i read",
            r"^(which|what) (?:[\w-]+ ){1,3}(?:are|is) about\b",
            r"哪(些|个|几个)?(页面|页|文章|文档)|在哪(里|儿)?(可以)?(看|读|查)",
        ),
    ),
    (
        Intent.SECTIONS,
        (
            r"\b(which|what|list)( are)?( all)?( the)? (sections?|chapters?|headings?)\b",
            r"\b(outline|table of contents|structure) of\b",
            r"(哪些|什么|几个|列出).{0,4}(章节|小节|部分|标题)|目录|大纲",
        ),
    ),
    (
        Intent.STEPS,
        (
            _LISTING + r"\b(steps?|ways?|options?|types?|kinds?|rules?|values?)\b",
            _LISTING + r"\b(reasons?|requirements?|features?|methods?|prerequisites?)\b",
            r"^how (do|can|should|would|to)\b|\bsteps? (to|for)\b",
            r"^(which|what) (?:[\w-]+ ){0,2}[a-z]{3,}s (?:should|can|could|do|are|must|may|will|have)\b",
            r"\bstands? for\b",
            r"步骤|哪些|哪几|有什么(方法|办法|要求|限制|功能|选项)|怎么|怎样|如何|列出",
        ),
    ),
    (
        Intent.COUNT,
        (
            r"\bhow (many|much|long|often|big|large|far|high|old)\b|\bnumber of\b|\b(maximum|minimum|percentage)\b",
            r"\b(what|which) (\w+ ){0,3}(port|amount|size|limit|price|cost|rate|threshold|timeout)\b",
            r"多少|几(个|种|次|天|年|位|条|项|小时|分钟)|多(长|久|大|远|高)|最(多|少|大|小|长|短|高|低)|上限|阈值|百分之几|哪个端口",
        ),
    ),
    (
        Intent.TIME,
        (
            r"^when\b|\b(what|which) (date|day|year|month|time)\b|\bsince when\b",
            r"什么时候|何时|哪(一)?(年|天|月)|几(月|号|点)|时间是",
        ),
    ),
    (Intent.PERSON, (r"^who(se|m)?\b|\bwho (is|are|was|should|can|do)\b", r"谁|哪位|什么人|负责人")),
    (
        Intent.DEFINITION,
        (
            r"^what (is|are|does .{1,40} mean|was)\b|^define\b|\bmeaning of\b",
            r"是什么|什么是|是指|什么意思|的定义",
        ),
    ),
    (
        Intent.YES_NO,
        (
            r"^(is|are|does|do|can|could|should|will|was|were|has|have|may)\b",
            r"吗[？?]?$|是否|能不能|可不可以|是不是|有没有",
        ),
    ),
)
_COMPILED = tuple((intent, regex("|".join(patterns), re.IGNORECASE)) for intent, patterns in _RULES)


def classify(question: str) -> Intent:
    """Return the intent of a question; FACT when no rule matches."""
    text = question.strip()
    return next((intent for intent, pattern in _COMPILED if pattern.search(text)), Intent.FACT)


# "that" and "there" mostly open a clause or say that something exists, so alone they point to nothing.
_POINTS_BACK = r"(?:is|are|was|were|does|do|did|can|about|of|for|with|to|after|before|like|than|in|on|why|how)"
_ELLIPTIC = regex(
    r"\b(?:it|its|they|them|their|this|these|those|he|she|his|her|former|latter)\b"
    rf"|\b{_POINTS_BACK} that\b|\b(?:first|second|third|last|next|other|that|which) one\b"
    r"|\bsuch an?\b|\b(?:too|as well|instead)\s*\?"
    r"|^(?:and|or|but|so|then|also|what about|how about|why|yes|no|ok|sure|more|continue|go on|tell me more)\b"
    r"|它|他们|她|这个|那个|这些|那些|这样|那样|上面|前者|后者|其中|(?<!应)该(?!怎)"
    r"|第[一二三四五六七八九十\d]+(?:点|个|步|条|项|种)|^(?:那|还有|为什么|然后|继续|是的|对$|好的|嗯|再)",
    re.IGNORECASE,
)


def is_elliptic(question: str) -> bool:
    """Say whether a question leans on the one before: a pronoun, a bare connective, or hardly a word at all."""
    words, han = re.findall(r"[A-Za-z0-9]+", question), re.findall(r"[\u3400-\u9fff]", question)
    return bool(_ELLIPTIC.search(question)) or len(words) + len(han) <= (3 if han else 2)


_OPENING = regex(r"^(?:and|or|but|so|then|also)\b[, ]*|^(?:那么?|还有|然后|再)", re.IGNORECASE)
_BREAK = regex(r"[,，;；]|\b(?:when|if|because|while|and|but|after|before|since|once|so)\b", re.IGNORECASE)
_NAMED = regex(r"`[^`]+`|[《「“][^》」”]+[》」”]|(?<!^)(?<![.!?]\s)\b[A-Z][A-Za-z0-9.+-]+")
_SETTING = regex(r"如果|假如|要是|[当若的了时候后在被]")
SUBJECT_WORDS, SUBJECT_HAN = 2, 4  # content of a clause that names what the question is about


def has_subject(question: str, previous: str) -> bool:
    """Say whether an elliptic question changes the topic: it names what it is about, so it leans on nothing before.

    Its pronoun stands in a later clause than its subject ("If the port is taken, how do I change it?"), or a whole
    question with a name of its own only opens with "and".
    """
    rest = _OPENING.sub("", question.strip())
    pointing = _ELLIPTIC.search(rest)
    if pointing:
        breaks = [match.start() for match in _BREAK.finditer(rest, 0, pointing.start())]
        return rest == question.strip() and bool(breaks) and _names_something(rest[: breaks[-1]])
    own = set(_NAMED.findall(rest)) - set(_NAMED.findall(f". {previous}"))
    asks = asked_for(rest) != rest
    return rest != question.strip() and asks and not is_parallel(question) and any(n not in previous for n in own)


def _names_something(clause: str) -> bool:
    content = _SETTING.sub("", asked_for(clause))
    words = [word for word in re.findall(r"[A-Za-z0-9]+", content) if len(word) > 1]
    return len(words) >= SUBJECT_WORDS or len(re.findall(r"[\u3400-\u9fff]", content)) >= SUBJECT_HAN


def standalone(question: str, previous: str | None) -> str:
    """Return what a follow-up asks: the previous question about another thing, else both, the previous one in front.

    A question with a subject of its own stands for itself.
    """
    if not previous or not is_elliptic(question):
        return question
    if same := put_in_place(question, previous):
        return same
    return question if has_subject(question, previous) else f"{previous} {question}"
