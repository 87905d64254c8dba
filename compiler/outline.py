"""PageIndex trees: one per article, a node for each heading, with a summary taken from the node's own text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from compiler.enrich.definitions import ENOUGH, definitions
from compiler.enrich.folding import key_of
from compiler.enrich.naming import name_of
from compiler.model import Document, Section
from query_fn.contract import NodeRow
from query_fn.text import plain, sentences

HAN_PER_MINUTE, WORDS_PER_MINUTE = 350, 220
_HAN = re.compile("[\u4e00-\u9fff]+")
SUMMARY = 160  # characters of a node summary
LOOKED_AT = 5  # sentences of a section among which the one that defines its heading is looked for
_NOT_PROSE = ("#", "|", "```", "~~~", "![", "<", "{{", "{%", "$$")
_ENDS = tuple(".。!！?？;；:：…,，、—)）”\"'")
_EDGE = " \t.:：,，。;；!！?？*_`"


def outline(document: Document, first_n: int) -> list[NodeRow]:
    """Return the nodes of one document in document order, numbered from `first_n`; the first is the root.

    A page whose first block is its only h1 has that heading as its root, so every page has exactly one.
    """
    article, text, sections = document.article, document.text, document.sections
    titled = bool(sections) and sections[0].level == 1 and sum(s.level == 1 for s in sections) == 1
    rest = [s for s in sections if s.level] if not titled else list(sections[1:])
    root_end = rest[0].start if rest else len(text)
    root_anchor = sections[0].anchor if titled else ""
    levels = [0, *(s.level for s in rest)]
    spans = [
        (0, root_end, len(text)),
        *((s.start, s.end, end) for s, end in zip(rest, _subtree_ends(rest, len(text)), strict=True)),
    ]
    titles = [article.title, *(s.title for s in rest)]
    anchors = [root_anchor, *(s.anchor for s in rest)]
    paths = [(), *(s.path for s in rest)]
    parents = _parents(levels)
    ids = [article.id if i == 0 else f"{article.id}#{anchor}" for i, anchor in enumerate(anchors)]
    below: list[list[str]] = [[] for _ in levels]
    for title, parent in zip(titles[1:], parents[1:], strict=True):
        below[parent].append(title)
    nodes = []
    for i, level in enumerate(levels):
        start, own_end, end = spans[i]
        own = article.summary if i == 0 else ""
        summary = own or summarise(text[start:own_end], below[i], article.lang, title=titles[i])
        nodes.append(
            NodeRow(
                n=first_n + i,
                id=ids[i],
                article_id=article.id,
                parent_id=None if i == 0 else ids[parents[i]],
                ordinal=i,
                level=level,
                title=titles[i],
                path=paths[i],
                anchor=anchors[i],
                summary=summary,
                start=start,
                own_end=own_end,
                end=end,
                not_after=article.not_after,
                sources=(article.id,),
            )
        )
    return nodes


def summarise(markdown: str, children: Sequence[str], lang: str, *, title: str = "") -> str:
    """Return what a section says, up to 160 characters of plain text: its sentences from the one that tells most.

    That is the sentence that says what the heading names, else the first one that neither repeats the heading nor only
    points to what follows. A section without sentences is told by the titles of the parts below it, the columns of its
    table, or the first line of its code.
    """
    told = list(_told(markdown))
    out = ""
    for sentence in told[_first(told, title) :]:
        if out and (len(out) + len(sentence) > SUMMARY or _points(sentence)):
            break
        out += _between(out, lang) + sentence
    if not out:
        out = ("、" if lang == "zh" else " · ").join(filter(None, children)) or _shown(markdown)
    return out if len(out) <= SUMMARY else out[: SUMMARY - 1].rstrip() + "…"


def _between(before: str, lang: str) -> str:
    """Return what stands before the next sentence; an item of a list without a mark at its end gets one."""
    if not before:
        return ""
    ended = before.endswith(_ENDS)
    return ("" if ended else "；") if lang == "zh" else (" " if ended else "; ")


def _told(markdown: str) -> Iterator[str]:
    """Yield the sentences of a text up to its second heading; code, tables and pictures are none."""
    begun = False
    for start, end in sentences(markdown[: 20 * SUMMARY]):
        raw = markdown[start:end]
        if begun and raw.startswith("#"):
            return
        if not raw.lstrip().startswith(_NOT_PROSE) and (sentence := " ".join(plain(raw).split())):
            begun = True
            yield sentence


def _first(told: Sequence[str], title: str) -> int:
    """Return which sentence a summary begins with."""
    named = key_of(name_of(title) or title)
    for n, sentence in enumerate(told[:LOOKED_AT]):
        lang = "zh" if _HAN.search(sentence) else "en"
        if any(key_of(found.subject) == named and found.score >= ENOUGH for found in definitions(sentence, lang)):
            return n
    bare = key_of(title.strip(_EDGE))
    full = (n for n, one in enumerate(told) if key_of(one.strip(_EDGE)) != bare and not _points(one))
    return next(full, 0)


def _points(sentence: str) -> bool:
    """Tell whether a sentence only announces what follows it."""
    return sentence.endswith((":", "："))


def _shown(markdown: str) -> str:
    """Return what a section shows that has no sentence: the head of a table, else the first line of its code."""
    lines = [line.strip() for line in markdown.split("\n")]
    tables = (" · ".join(filter(None, map(plain, line.strip("|").split("|")))) for line in lines if line[:1] == "|")
    code = (lines[n + 1] for n, line in enumerate(lines[:-1]) if line.startswith(("```", "~~~")) and lines[n + 1])
    return next(chain(tables, code), "")


def reading_minutes(text: str) -> int:
    """Return the minutes a person needs for a text: 350 Han characters or 220 words a minute, at least one."""
    han = len(text) - len(_HAN.sub("", text))
    words = len(plain(text).split()) if han * 4 < len(text) else 0
    return max(1, round(han / HAN_PER_MINUTE + words / WORDS_PER_MINUTE))


def _parents(levels: Sequence[int]) -> list[int]:
    parents, stack = [0], [0]
    for i, level in enumerate(levels[1:], 1):
        while len(stack) > 1 and levels[stack[-1]] >= level:
            stack.pop()
        parents.append(stack[-1])
        stack.append(i)
    return [-1, *parents[1:]]


def _subtree_ends(sections: Sequence[Section], end: int) -> list[int]:
    """Return for each section where the next one of its level or above begins."""
    ends = [end] * len(sections)
    opened: list[int] = []
    for i, section in enumerate(sections):
        while opened and sections[opened[-1]].level >= section.level:
            ends[opened.pop()] = section.start
        opened.append(i)
    return ends
