"""Questions that one passage answers, made from what it says: its heading, definitions, purposes, reasons, defaults."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.enrich.definitions import definitions
from compiler.enrich.folding import singular
from compiler.enrich.naming import is_noun, name_of, without_number
from compiler.enrich.prose import lang_of
from compiler.enrich.soundness import sound, tells_topic
from compiler.enrich.terms import key_terms
from query_fn.contract import ArticleRow, ChunkRow
from query_fn.text import normalise, plain, sentences

SURE = 0.8  # score of a definition from which its subject may be asked for
LONGEST = 120  # characters of a question that a person would type
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
        r"^(install|configur|set up|setting up|us|creat|delet|remov|updat|upgrad|deploy|enabl|"
        r"disabl|view|add|writ|publish|run|import|export|"
        r"back up|backing up|restor|migrat|connect|call|manag|test|debug|optimi[sz]|"
        r"troubleshoot|choos|link|shar|build|mak|get|start|edit|handl|"
        r"declar|pass|return|defin|send|check|work)(?:e|[tnp]?ing)?(?:\s+(?=\w)|$)",
        re.I,
    ),
}
_COMPOUND = re.compile(r"[A-Za-z]\w*(?:[_.:-]\w+)+|[A-Za-z]+[a-z0-9][A-Z]\w*")  # an identifier
_FILE = re.compile(r"\.(?:md|py|ya?ml|json|txt|html?|jsx?|tsx?|toml|xml|csv|png|svg|sh|sql|log)$|^v?\d")  # or a version
_ARTICLE = re.compile(r"An? ")
_ARTICLE_SMALL = re.compile(r"an? ")
_CODE = re.compile(r"`([^`\n]{2,40})`")
_HOW_TO = re.compile(r"How to ([A-Za-z])(.+)")
# Ends of verbs before "ing" that have an e without it: creating, using, sharing; not of editing, adding, starting.
_SILENT = (
    *("at", "us", "ar", "ag", "ut", "ov", "id", "ur", "iz", "in", "ak", "os", "anc", "arg", "erg", "iv"),
    *("writ", "upgrad", "invit", "delet", "complet", "enabl", "disabl", "handl", "schedul", "compil"),
    *("profil", "measur"),
)
_NOT_SILENT = (
    "join",
    "contain",
    "explain",
    "train",
    "pin",
    "begin",
    "login",
    "plugin",
    "input",
    "focus",
    "maintain",
    "obtain",
)
_STEPS = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_PURPOSE = {
    "en": re.compile(
        r"\b(?:allows? you to|lets? you|enables? you to|you can|you may|can be used to|"
        r"is used to|are used to|if you want to|"
        r"if you need to|in order to|helps? you(?: to)?|makes it (?:easy|"
        r"possible) to)\s+(?:also |then |easily |simply |basically |directly |just |even |already |now )?"
        r"((?!be\b|see\b|find\b|also\b|not\b|use (?:it|this|that|them)\b|do (?:it|this|that)\b|"
        r"have\b)[a-z]+ [^.,;:()!?—]{6,80})(?=[.,;:()!?—]|$)",
        re.I,
    ),
    "zh": re.compile(
        r"(?:用于|用来|可以用来|如果(?:你|您|用户)?(?:想要?|需要|希望)|(?:你|您|用户)(?:可以|可)(?:通过[^，。]{2,30}来)?|以便)"
        r"((?!参考|参见|看到|在|对于|不|是|将其|使用(?:它|该|此)|通过)[\u4e00-\u9fff][^，。；：:（）()！？]{4,40})(?=[，。；：:（）()！？]|$)"
    ),
}
_REASON_ZH = re.compile(r"(?:因为|由于)[^，。]{4,60}，(?:所以|因此)?([^，。；：这该此它其]{6,40})[。；]")
_DEFAULT = {
    "en": re.compile(
        r"`?([A-Za-z_][\w.-]{3,40})`?[^.\n]{0,60}\b(?:defaults? to|default (?:value )?(?:is|of)|"
        r"by default)\b",
        re.I,
    ),
    "zh": re.compile(r"`?([A-Za-z_][\w.-]{3,40})`?[^。\n]{0,40}默认(?:值)?(?:为|是|：)"),
}
_LIMIT = {
    "en": re.compile(r"\b(?:limitations?|not supported|does not support|unsupported|restrictions?)\b", re.I),
    "zh": re.compile(r"限制|不支持"),
}
_WORDING = {
    "zh": {
        "how": "如何{h}？",
        "steps": "{h}有哪些步骤？",
        "term": "{k}是什么？",
        "purpose": "如何{h}？",
        "why": "为什么{h}？",
        "default": "{k}的默认值是什么？",
        "limit": "{h}有哪些限制？",
        "differ": "{k}和{j}有什么区别？",
        "ask": "{h}？",
        "topic": "《{t}》里“{h}”讲了什么？",
        "work": "{k}怎么用？",
    },
    "en": {
        "how": "How do I {h}?",
        "steps": "What are the steps to {h}?",
        "term": "What {b} {k}?",
        "purpose": "How can I {h}?",
        "why": "Why {h}?",
        "default": "What is the default of {k}?",
        "limit": "What are the limits of {h}?",
        "differ": "What is the difference between {k} and {j}?",
        "ask": "{h}?",
        "topic": "What does “{t}” say about “{h}”?",
        "work": "How is {k} used?",
    },
}
_FEW = r"\w[\w-]*(?: [\w-]+){0,2}"  # words
_DIFFER = {
    "en": re.compile(rf"\bdifferences? between (?:the |an? )?({_FEW}) and (?:the |an? )?({_FEW})(?=[,.;:)]|$)"),
    "zh": re.compile(
        r"([^，。；：、\s]{2,20}?)\s*[和与跟]\s*([^，。；：、\s]{2,20}?)\s*(?:之间)?的?(?:主要)?(?:区别|差异|不同)"
    ),
}
_MINE = (
    (re.compile(r"\byourself\b", re.I), "myself"),
    (re.compile(r"\byours\b", re.I), "mine"),
    (re.compile(r"\byour\b", re.I), "my"),
    (re.compile(r"\byou\b", re.I), "I"),
)


def questions(article: ArticleRow, chunk: ChunkRow, count: int) -> tuple[str, ...]:
    """Return up to `count` questions in the chunk's language; none repeats the title or another question."""
    found: dict[str, str] = {}
    lang, forbidden = "zh" if chunk.lang == "zh" else "en", normalise(article.title).rstrip("?？ ")
    for question in _asked(article, chunk, lang) if count > 0 else ():
        folded = normalise(question).rstrip("?？ ")
        if folded != forbidden and len(question) <= LONGEST and sound(question, lang):
            found.setdefault(folded, question)
        if len(found) >= count:
            break
    return tuple(found.values())


def _asked(article: ArticleRow, chunk: ChunkRow, lang: str) -> Iterator[str]:
    """Yield questions, the surest first."""
    text = plain(chunk.text)
    if not re.search(r"\w", text):
        return
    words, heading = _WORDING[lang], without_number(" ".join(plain(chunk.title).split())) or article.title
    first = [question for question in _of_heading(heading, chunk.text, lang) if sound(question, lang)]
    yield from first
    spoken = [plain(chunk.text[a:b]) for a, b in sentences(chunk.text) if b - a < 400]
    own = [" ".join(s.split()) for s in spoken if s and lang_of(s) == lang]
    code = frozenset(name for name in _CODE.findall(chunk.text) if _COMPOUND.fullmatch(name) and not _FILE.search(name))
    told = [list(_of_sentence(sentence, lang, code)) for sentence in own]
    ranked = [question for kind in range(5) for asked in told for rank, question in asked if rank == kind]
    said = [question for question in ranked if sound(question, lang)]
    yield from said
    if first or said:
        return
    asked = _QUESTION[lang].search(heading) or _ACTION[lang].match(heading)
    limited = article.title if _LIMIT[lang].search(heading) else heading
    if _LIMIT[lang].search(text) and name_of(limited) == limited and not asked:
        yield words["limit"].format(h=limited)
    if heading != article.title and tells_topic(heading) and not asked:
        yield words["topic"].format(h=heading, t=article.title)
    named = normalise(f"{article.title} {heading}")  # a word of the title says nothing new
    terms = [t for t in key_terms(chunk.text, text, lang, 10) if t in code and normalise(t) not in named]
    yield from (words["work"].format(k=term) for term in terms)


def _of_heading(heading: str, markdown: str, lang: str) -> Iterator[str]:
    words = _WORDING[lang]
    if lang == "en" and (how := _HOW_TO.match(heading)):
        yield words["how"].format(h=_mine(how[1].lower() + how[2].rstrip("? ")))
    elif _QUESTION[lang].search(heading):
        yield words["ask"].format(h=heading.rstrip("?？ "))
    elif _ACTION[lang].search(heading):
        action = heading if lang == "zh" else _mine(imperative(heading))
        yield words["how"].format(h=action)
        if len(_STEPS.findall(markdown)) > 2:
            yield words["steps"].format(h=action)


def _of_sentence(sentence: str, lang: str, code: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Yield (rank, question) for what a sentence answers: 0 what it is, 1 how, 2 why, 3 which value, 4 what differs."""
    words = _WORDING[lang]
    found = next(iter(definitions(sentence, lang)), None)
    if found and found.score >= SURE and (name := name_of(found.subject)):
        article = _ARTICLE.match(sentence)
        asked = f"{article[0].lower()}{name}" if article and found.subject in sentence[:60] else name
        if _is_noun(asked, lang):
            yield 0, words["term"].format(k=asked, b=_be(name))
    if purpose := _PURPOSE[lang].search(sentence):
        yield 1, words["purpose"].format(h=_mine(purpose[1]) if lang == "en" else purpose[1].strip())
    if lang == "zh" and ("因为" in sentence or "由于" in sentence) and (reason := _REASON_ZH.search(sentence)):
        yield 2, words["why"].format(h=reason[1].strip())
    said = "默认" in sentence if lang == "zh" else "default" in sentence.lower()
    if said and (value := _DEFAULT[lang].search(sentence)) and value[1] in code:
        yield 3, words["default"].format(k=value[1])
    if (two := _DIFFER[lang].search(sentence)) and all(name_of(one) and _is_noun(one, lang) for one in two.groups()):
        yield 4, words["differ"].format(k=two[1], j=two[2])


def _is_noun(name: str, lang: str) -> bool:
    """Tell whether one can ask what a name is: an English word in small letters needs an article or more than one."""
    if lang == "zh":
        return is_noun(name)
    return not name[0].islower() or bool(_COMPOUND.fullmatch(name) or _ARTICLE_SMALL.match(name)) or _be(name) == "are"


def _be(name: str) -> str:
    """Return the verb for a name by its last word."""
    last = name.lower().rpartition(" ")[2]
    return "are" if singular(last) != last else "is"


def _mine(words: str) -> str:
    """Return what "you" can do as what "I" can do."""
    for pattern, mine in _MINE:
        words = pattern.sub(mine, words)
    return words.strip()


def imperative(heading: str) -> str:
    """Return a heading such as "Creating pages" as what to do: "create pages"."""
    first, _, rest = heading.partition(" ")
    verb = first.lower()
    if verb.endswith("ing") and len(verb) > 4:
        stem = verb[:-3]
        doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "ls"
        silent = stem.endswith(_SILENT) and not stem.endswith(_NOT_SILENT)
        verb = stem[:-1] if doubled else stem + ("e" if silent else "")
    return f"{verb} {rest}".strip()
