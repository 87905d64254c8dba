"""The structural chunker, algorithm version 3 (query_fn.contract.CHUNKER). Sizes are characters of text.

Short neighbouring sections are merged, oversized ones are split into windows, and nothing is lost: the chunks'
own spans tile the document's text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from compiler.model import Document, Section
from compiler.parse.blocks import Block, blocks
from compiler.parse.language import language
from compiler.settings import ChunkSettings
from compiler.stuffing import hollow
from query_fn.contract import ChunkRow

DOMINANT = 0.6  # share of a merged chunk's text at which one section names it
_SENTENCE = re.compile(r"[。！？；…]+[”’」』）】》]*|[.!?]+[\"')\]]*(?=\s)")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of the text and the text around it that a chunk repeats."""

    start: int
    end: int
    prefix: str = ""
    suffix: str = ""


def chunk(document: Document, sizes: ChunkSettings, first_n: int) -> list[ChunkRow]:
    """Return the chunks of one document, in order, numbered from `first_n`."""
    text, article = document.text, document.article
    spans: list[Span] = []
    inner = blocks(text) if any(s.end - s.start > sizes.cap for s in document.sections) else ()
    for group in _groups(document.sections, sizes):
        start, end = group[0].start, group[-1].end
        spans += windows(text, start, end, sizes, inner) if end - start > sizes.cap else [Span(start, end)]
    spans = [s for s in spans if s.end > s.start]
    lines = _lines(text, spans, article.body_line)
    starts = [section.start for section in document.sections]
    return [
        _row(document, span, first_n + i, i, line=line, section=_naming_section(document, span, starts))
        for i, (span, line) in enumerate(zip(spans, lines, strict=True))
    ]


def topic_level(sections: Sequence[Section]) -> int:
    """Return the level of the top-level topics: the highest heading level that occurs more than once, else 1."""
    counts = Counter(s.level for s in sections if s.level)
    return min((level for level, count in counts.items() if count > 1), default=1)


def windows(text: str, start: int, end: int, sizes: ChunkSettings, inner: Sequence[Block]) -> list[Span]:
    """Return overlapping windows over an oversized stretch of text; code blocks stay whole up to twice the cap."""
    out: list[Span] = []
    at, prefix, inside = start, "", sorted((b for b in inner if b.start < end and b.end > start), key=lambda b: b.start)
    while end - at > sizes.target + sizes.tail:
        cut, suffix, head = _cut(text, at, end, sizes, inside)
        if cut >= end:
            break
        out.append(Span(at, cut, prefix, suffix))
        prefix = head if head or _within(inside, cut) else _overlap(text, at, cut, sizes, inside)
        at = cut
    return [*out, Span(at, end, prefix)]


def _groups(sections: Sequence[Section], sizes: ChunkSettings) -> Iterator[list[Section]]:
    """Yield the sections of each chunk-to-be; sections are merged within one topic only."""
    level = topic_level(sections)
    topic: list[Section] = []
    for section in sections:
        if topic and 0 < section.level <= level:
            yield from _merge(topic, sizes)
            topic = []
        topic.append(section)
    if topic:
        yield from _merge(topic, sizes)


def _merge(topic: Sequence[Section], sizes: ChunkSettings) -> list[list[Section]]:
    groups: list[list[Section]] = []
    current: list[Section] = []
    for section in topic:
        size, own = _size(current), _size([section])
        if current and size >= sizes.tail and size + own > sizes.target:
            groups.append(current)
            current = []
        current.append(section)
    if current and groups and _size(current) < sizes.tail and _size([*groups[-1], *current]) <= sizes.cap:
        groups[-1] += current
    elif current:
        groups.append(current)
    return groups


def _size(sections: Sequence[Section]) -> int:
    return sections[-1].end - sections[0].start if sections else 0


def _cut(text: str, at: int, end: int, sizes: ChunkSettings, inner: Sequence[Block]) -> tuple[int, str, str]:
    """Return where the window that begins at `at` ends, what closes it, and what reopens the next."""
    low, high = at + sizes.target // 2, min(at + sizes.target, end)
    cut = _boundary(text, low, high)
    block = next((b for b in inner if b.start < cut < b.end), None)
    if block is None:
        return cut, "", ""
    if block.kind == "table":
        line = text.rfind("\n", max(at, block.start + len(block.head)), high) + 1
        line = line or text.find("\n", high, block.end) + 1 or block.end
        return line, "", block.head if line < block.end else ""
    if block.start - at >= sizes.tail:
        return block.start, "", ""
    if block.end - at <= 2 * sizes.cap:
        return block.end, "", ""
    line = text.rfind("\n", max(at + len(block.head), low), at + sizes.cap) + 1 or min(at + sizes.cap, block.end)
    return line, block.tail, block.head


def _boundary(text: str, low: int, high: int) -> int:
    """Return the best cut in ``low..high``: the last blank line, else line break, sentence end, space, else `high`."""
    blank = text.rfind("\n\n", low, high)
    if blank >= 0:
        return blank + 2
    line = text.rfind("\n", low, high)
    if line >= 0:
        return line + 1
    sentence = max((m.end() for m in _SENTENCE.finditer(text, low, high)), default=0)
    if sentence:
        return sentence
    space = text.rfind(" ", low, high)
    return space + 1 if space >= 0 else high


def _overlap(text: str, at: int, cut: int, sizes: ChunkSettings, inner: Sequence[Block]) -> str:
    """Return up to `overlap` characters before the cut, from the start of a line and never from inside a block."""
    low = max(at, cut - sizes.overlap)
    line = text.find("\n", low, cut - 1) + 1
    if not line or any(b.start < cut and b.end > line for b in inner):
        return ""
    return text[line:cut]


def _within(inner: Sequence[Block], place: int) -> bool:
    return any(b.start < place < b.end for b in inner)


def _lines(text: str, spans: Sequence[Span], first: int) -> list[int]:
    """Return the line of the source on which each span begins."""
    out: list[int] = []
    line, at = first, 0
    for span in spans:
        line += text.count("\n", at, span.start)
        at = span.start
        out.append(line)
    return out


def _row(document: Document, span: Span, n: int, ordinal: int, *, line: int, section: Section) -> ChunkRow:
    article = document.article
    text = span.prefix + document.text[span.start : span.end] + span.suffix
    return ChunkRow(
        n=n,
        id=f"{article.id}.{ordinal}",
        article_id=article.id,
        ordinal=ordinal,
        title=section.title or article.title,
        path=section.path,
        anchor=section.anchor,
        lang=language(text, article.lang),
        text=text,
        prefix=len(span.prefix),
        suffix=len(span.suffix),
        start=span.start,
        end=span.end,
        line=line,
        not_after=article.not_after,
        sources=(article.id,),
        hollow=hollow(text),
    )


def _naming_section(document: Document, span: Span, starts: Sequence[int]) -> Section:
    """Return the section that names a chunk: the one with 60 % of its text, else the first with more than a heading."""
    near = document.sections[max(0, bisect_right(starts, span.start) - 1) : bisect_left(starts, span.end)]
    inside = [s for s in near if s.end > span.start] or list(document.sections[:1])
    shares = [(min(s.end, span.end) - max(s.start, span.start)) / (span.end - span.start) for s in inside]
    for section, share in zip(inside, shares, strict=True):
        if share >= DOMINANT:
            return section
    return next((s for s in inside if document.text[s.start : s.end].strip().count("\n")), inside[0])


def tiles(rows: Sequence[ChunkRow], length: int) -> bool:
    """Tell whether the chunks' own spans cover a text of `length` characters exactly once, in order."""
    edges = [(row.start, row.end) for row in rows]
    if not edges:
        return length == 0
    return edges[0][0] == 0 and edges[-1][1] == length and all(a[1] == b[0] for a, b in pairwise(edges))
