"""What one page could have a wiki page for: all that its author titled, marked, linked or defined, best first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from compiler.enrich.aliases import acronym_of, pairs, says_also
from compiler.enrich.definitions import ENOUGH, definitions, does_what, opens_with, says_what, summary_score
from compiler.enrich.folding import key_of
from compiler.enrich.glosses import glosses, spelt_out
from compiler.enrich.naming import is_noun, name_of, script_of, thing_of, without_class
from compiler.enrich.prose import Prose, Sentence, first_sentence, lang_of
from compiler.enrich.protocol import Candidate, Reading, Statement
from compiler.enrich.terms import key_terms
from query_fn.text import plain

MOST = 24  # candidates of a page that are no sections of their own and not defined
ALL = 240  # and at most: the longest glossaries
_WEIGHT = {
    "title": 5.0,
    "heading": 3.0,
    "defined": 3.0,
    "bold": 1.5,
    "link": 1.0,
    "quoted": 1.0,
    "italic": 1.0,
    "code": 0.5,
    "key": 1.0,
    "name": 0.7,
}
_MARKED = (
    ("bold", re.compile(r"\*\*([^*\n]{2,60})\*\*|__([^_\n]{2,60})__")),
    (
        "italic",
        re.compile(
            r"(?<![*\w])\*([^*\s][^*\n]{0,58}[^*\s])\*(?![*\w])|"
            r"(?<![_\w])_([^_\s][^_\n]{0,58}[^_\s])_(?![_\w])"
        ),
    ),
    ("quoted", re.compile(r"[“「『]([^”」』\n]{2,40})[”」』]")),
    ("link", re.compile(r"(?<!!)\[([^\[\]\n]{2,60})\]\((?!https?:)[^()\n]*\)")),
    ("code", re.compile(r"(?<!`)`([A-Za-z_][\w.:-]{3,40})`(?!`)")),
)
_MARK = re.compile(r"[*_“「『\[`]")  # how each of them begins
_NAME = re.compile(
    r"(?<![\w.])[A-Z][A-Za-z0-9]*(?:[A-Z0-9][A-Za-z0-9]*)+\b|"
    r"(?<=[a-z,，的、] )[A-Z][a-z]{2,}(?: [A-Z][a-z]+){0,2}\b"
)
_IDENTIFIER = re.compile(r"[a-z0-9][A-Z]|[_.:-]|^[A-Z0-9]{2,}$")
_LEAD = re.compile(
    r"^\s*(?:>\s*)*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(\[?\*\*|__|`|\[\[|"
    r"\[)([^*`\]\n]{2,50})(?:\*\*|__|`|\]\]|\]\([^)\n]*\))(?:\]\([^)\n]*\))?\s*(?:[:：]|"
    r"\s[—–-]+\s|,\s(?=(?:an?|the|with)\s))\s*(?=\S.{10})"
)
_LEAD_INSIDE = re.compile(
    r"^\s*(?:>\s*)*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(\*\*|__)([^*_\n]{2,50})[:：]\s*(?:\*\*|"
    r"__)\s*(?=\S.{10})"
)
_LISTED = re.compile(r"^([^\n:：|>#`-][^\n|]{0,60})\n+:[ \t]+(?=\S)")
_CALLED = {
    "en": re.compile(
        r"(?:called|known as|termed|call (?:this|it|these|them|that)[^.“\"*_]{0,40}|are named|"
        r"is named)\s+(?:an? |the )?[“\"*_]{0,3}$",
        re.I,
    ),
    "zh": re.compile(r"(?:(?<!简)称为|称之为|称作|叫做|叫作|被称为|统称为|即|也就是)\s*[“「*]{0,3}$"),
}
_CALLED_PLAIN = {
    "en": re.compile(r"(?:called|known as)\s+(?:an? |the )?([A-Z][\w-]+(?: [A-Z][\w-]+){0,2})(?=[.,;)])"),
    "zh": re.compile(
        r"(?:(?<!简)称为|称之为|称作|叫做|统称为)(?:一个|一种)?\s*([A-Za-z][\w-]+(?: [A-Z]\w+)?|"
        r"[\u4e00-\u9fff]{2,8})(?=[，。）)；、])"
    ),
}
_CALLS = {"en": re.compile("call|known as|termed|named", re.I), "zh": re.compile("[称叫即]|也就是")}  # a word of each
_POINTS_BACK = re.compile(r"(?:this|that|these|those|it|they|we|let|you|here|so|and|also)\b|[这那此它其我]|该", re.I)
_COMPOUND = re.compile(r"[a-z0-9][A-Z]|\w[_.:-]\w")
_NOUNS = re.compile(r"(?:[A-Z]\w*|[a-z]\w*)(?: \w+){0,3}$")


@dataclass(slots=True)
class _Found:
    """What is known of one candidate so far."""

    forms: Counter[str] = field(default_factory=Counter)
    signals: Counter[str] = field(default_factory=Counter)
    definition: Statement | None = None
    aliases: dict[str, None] = field(default_factory=dict)


def candidates(prose: Prose) -> tuple[Candidate, ...]:
    """Return the candidates of a page, best first; of what only its words suggest, at most 24."""
    page, found = prose.reading, dict[str, _Found]()
    for signal, name in _signals(prose):
        if name:
            one = found.setdefault(key_of(name), _Found())
            one.signals[signal] += 1
            one.forms[name] += 3 if signal in ("title", "heading") else 1
    for name, statement in _defined(prose, found):
        one = found.setdefault(key_of(name), _Found())
        one.forms[name] += 1
        one.signals["defined"] = 1
        if one.definition is None or statement.score > one.definition.score:
            one.definition = statement
    _name_others(prose, found)
    made = sorted((_candidate(one, page) for one in found.values()), key=lambda c: (-c.salience, c.name))
    sure = [c for c in made if c.titled or c.headed or c.definition]
    rest = [c for c in made if not (c.titled or c.headed or c.definition)]
    return tuple(sorted((*sure[:ALL], *rest[: max(4, MOST - len(sure))]), key=lambda c: (-c.salience, c.name)))


def _candidate(one: _Found, page: Reading) -> Candidate:
    name = min(one.forms, key=lambda form: (-one.forms[form], form))
    salience = sum(_WEIGHT[signal] * min(n, 4) ** 0.5 for signal, n in one.signals.items())
    titled, headed = one.signals["title"] > 0, one.signals["heading"] > 0
    return Candidate(name, round(salience, 3), titled, headed, one.definition, tuple(one.aliases))


def _signals(prose: Prose) -> Iterator[tuple[str, str]]:
    """Yield (signal, name) for all that is marked in any way; the name is "" where it can be none."""
    page = prose.reading
    lang = "zh" if page.article.lang == "zh" else "en"
    for part in _titles(page):
        yield "title", name_of(part)
    for node in page.nodes[1:]:
        yield "heading", name_of(node.title)
        yield "bold", thing_of(node.title)
    names: Counter[str] = Counter()
    for sentence in prose.sentences:
        for signal, pattern in _MARKED if _MARK.search(sentence.raw) else ():
            for match in pattern.finditer(sentence.raw):
                label = next(group for group in match.groups() if group)
                yield signal, name_of(label) if signal != "code" or _IDENTIFIER.search(label) else ""
        names.update(match[0] for match in _NAME.finditer(sentence.text))
    for name, n in names.items():
        if n > 1 or not name.istitle():
            yield "name", name_of(name)
    text = " ".join(sentence.text for sentence in prose.sentences)
    for term in key_terms("", text, lang, 12):
        yield "key", name_of(term)


def _titles(page: Reading) -> Iterator[str]:
    """Yield the page's title, and the last part of one that is a path."""
    yield page.article.title.rsplit("/", 1)[-1]
    if page.nodes[0].title != page.article.title:
        yield page.nodes[0].title


def _defined(prose: Prose, known: dict[str, _Found]) -> Iterator[tuple[str, Statement]]:
    """Yield (name, statement) for each sentence that says what a name is."""
    page = prose.reading
    title, abstract = name_of(page.article.title.rsplit("/", 1)[-1]), first_sentence(page.abstract)
    if title and (score := summary_score(abstract, title, page.article.lang)) >= ENOUGH and page.chunks:
        yield title, Statement(abstract, page.chunks[0].id, "", score)
    before: Sentence | None = None
    for sentence in prose.sentences:
        yield from _by_form(prose, sentence, known)
        yield from _by_lead(prose, sentence)
        yield from _by_call(prose, sentence, before)
        yield from _by_heading(prose, sentence)
        yield from _by_list(prose, sentence)
        yield from glosses(prose, sentence, before)
        before = sentence


def _by_form(prose: Prose, sentence: Sentence, known: dict[str, _Found]) -> Iterator[tuple[str, Statement]]:
    lang = lang_of(sentence.text)
    heading = key_of(name_of(prose.reading.nodes[sentence.node].title) or "?")
    about = key_of(name_of(prose.reading.nodes[0].title) or "?")
    for found in definitions(sentence.text, lang):
        name = name_of(found.subject)
        if name and key_of(name) != heading and key_of(bare := without_class(name)) in (heading, *known) and bare:
            name = bare
        key = key_of(name)
        marked = key in known and known[key].signals.keys() - {"key", "name"}
        if not name or not (marked or (found.score >= 0.8 and _could_be(name, lang, sure=found.score >= 1.0))):
            continue
        own = 0.15 if key == heading else 0.1 if key == about else 0.0
        size = 0.1 if not 24 <= len(sentence.text) <= 220 else 0.0
        yield name, prose.statement(sentence, found.score * 0.8 + own - size + (0.05 if sentence.first else 0.0))


def _could_be(name: str, lang: str, *, sure: bool) -> bool:
    """Tell whether a subject that nothing marks is a name and not any phrase."""
    if lang == "zh" and script_of(name) == "han":
        return len(name) <= 10 and "的" not in name and (sure or is_noun(name))
    return bool(_IDENTIFIER.search(name) or (name[:1].isupper() and _NOUNS.fullmatch(name) and len(name.split()) <= 2))


def _by_lead(prose: Prose, sentence: Sentence) -> Iterator[tuple[str, Statement]]:
    """Yield what a line says after its bold, linked or code first word and a colon."""
    found = _LEAD.match(sentence.raw) or _LEAD_INSIDE.match(sentence.raw)
    if not found or sentence.text.endswith((":", "：")):
        return
    name, rest = name_of(found[2]), plain(sentence.raw[found.end() :])
    lang = lang_of(sentence.text)
    if not name or (found[1] == "`" and not _COMPOUND.search(name)):
        return
    if does_what(rest) and found[1] != "`" and not _IDENTIFIER.search(name):
        return  # "Headings: moves sections" tells of a command and not of headings
    if says_what(rest, lang) or any(key_of(d.subject) == key_of(name) for d in definitions(rest, lang)):
        yield name, prose.statement(sentence, 0.72 if found[1] != "`" else 0.66)


def _by_call(prose: Prose, sentence: Sentence, before: Sentence | None) -> Iterator[tuple[str, Statement]]:
    """Yield what a sentence says before it calls it by a name; "let's call it" takes the sentence before along."""
    lang = lang_of(sentence.text)
    for at, label in _called(sentence.raw, lang):
        name = name_of(label)
        if not name or not (lang == "zh" or name[:1].isupper() or " " in name or _IDENTIFIER.search(name)):
            continue
        if not _POINTS_BACK.match(sentence.text):
            if at > 24:
                yield name, prose.statement(sentence, 0.64)
        elif before and before.node == sentence.node and sentence.start - before.end < 3:
            joint = "" if lang == "zh" else " "
            yield name, prose.statement(before, 0.62, before.text + joint + sentence.text)


def _called(raw: str, lang: str) -> Iterator[tuple[int, str]]:
    """Yield (offset, name) of what a sentence calls by a name, marked or not."""
    if not _CALLS[lang].search(raw):
        return
    for _, pattern in _MARKED[:4]:
        for match in pattern.finditer(raw):
            if _CALLED[lang].search(raw[: match.start()]):
                yield match.start(), next(group for group in match.groups() if group)
    for match in _CALLED_PLAIN[lang].finditer(raw):
        yield match.start(), match[1]


def _by_heading(prose: Prose, sentence: Sentence) -> Iterator[tuple[str, Statement]]:
    """Yield the sentence with which a section begins, when it is about what the heading names."""
    node = prose.reading.nodes[sentence.node]
    if not sentence.first or sentence.item or not sentence.text.endswith((".", "。", "!", "！")):
        return
    name = name_of(node.title.rsplit("/", 1)[-1] if sentence.node == 0 else node.title)
    if name and opens_with(sentence.text, name):
        yield name, prose.statement(sentence, 0.62)


def _by_list(prose: Prose, sentence: Sentence) -> Iterator[tuple[str, Statement]]:
    """Yield the entry of a definition list."""
    found = _LISTED.match(sentence.raw)
    if found and (name := name_of(found[1])) and len(sentence.raw) - found.end() >= 6:
        yield name, prose.statement(sentence, 0.9)


def _name_others(prose: Prose, found: dict[str, _Found]) -> None:
    """Give each candidate the other names that the page states."""
    page = prose.reading
    texts = [s.text for s in prose.sentences] + [n.title for n in page.nodes]
    for text in texts:
        lang = lang_of(text)
        for before, other in pairs(text, lang):
            name, alias = _known_end(before, found), name_of(other)
            if name and alias and key_of(alias) != key_of(name) and _are_names_of_one(name, alias, text):
                found[key_of(name)].aliases[alias] = None
    for short, words in (pair for sentence in prose.sentences for pair in spelt_out(sentence.raw)):
        if key_of(short) in found and (full := name_of(words)) and key_of(full) != key_of(short):
            found[key_of(short)].aliases[full] = None
            spelt = found.setdefault(key_of(full), _Found())
            spelt.forms[full] += 1
            spelt.signals["name"] += 1
    title = key_of(name_of(page.article.title.rsplit("/", 1)[-1]) or "?")
    if title in found:
        for alias in page.article.aliases:
            if clean := name_of(alias.rsplit("/", 1)[-1]):
                found[title].aliases[clean] = None


def _are_names_of_one(name: str, alias: str, text: str) -> bool:
    """Tell whether two names are an acronym and its words, of two scripts, or called the same in so many words."""
    acronym = acronym_of(alias, name) == name or acronym_of(name, alias) == alias
    return acronym or script_of(name) != script_of(alias) or says_also(text, alias)


def _known_end(text: str, found: dict[str, _Found]) -> str:
    """Return the longest candidate that ends a text; the whole text when it is one."""
    for start in range(max(0, len(text) - 40), len(text) - 1):
        if start and text[start].isascii() and text[start - 1].isascii() and (text[start] + text[start - 1]).isalnum():
            continue
        key = key_of(text[start:])
        if key in found and text[start:].strip():
            return min(found[key].forms, key=lambda form: (-found[key].forms[form], form))
    return ""
