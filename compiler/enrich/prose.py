"""A page as sentences that know where they stand. What is code, a table, a formula or a picture is no sentence."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from compiler.enrich.protocol import Reading, Statement
from query_fn.text import plain, sentences

LONGEST = 320  # characters of a sentence that can be shown; longer ones are lists and dumps in disguise
_NOT_PROSE = ("|", "```", "~~~", "![", "<", "{{", "{%", "    ", "\t", "$$", ":::", "///", "---", "===")
_HAN = re.compile("[\u3400-\u9fff]")
_ITEM = re.compile(r"^\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])\s+")
_LISTED = re.compile(r"^([^\n|]{1,80})\n+:[ \t]+")
_CUT_TAG = re.compile(r"<[a-z]+\s[^<>]*$|^[^<>]*[\"']>[^<>]*</[a-z]+>")  # a sentence that ends or begins inside a tag
_MARKUP = re.compile(r"\$\{[^\n]*\}|\{\{[^}]*\}\}|\{[#.:][^}]*\}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: as written, as shown, and where."""

    raw: str
    text: str
    start: int  # in the article's text
    end: int
    node: int  # row of the node in Reading.nodes
    item: bool  # of a list
    first: bool  # of its section


@dataclass(frozen=True, slots=True)
class Prose:
    """A page's sentences, and how an offset becomes a place."""

    reading: Reading
    sentences: tuple[Sentence, ...]
    chunk_starts: tuple[int, ...]

    def statement(self, sentence: Sentence, score: float, text: str = "") -> Statement:
        """Return a sentence as a statement with the passage and the heading it stands under."""
        chunk = self.reading.chunks[max(0, bisect_right(self.chunk_starts, sentence.start) - 1)]
        anchor = self.reading.nodes[sentence.node].anchor if sentence.node else ""
        return Statement(text or sentence.text, chunk.id, anchor, round(min(score, 1.0), 4))


def prose_of(reading: Reading) -> Prose:
    """Return the sentences of a page in order."""
    text, out = reading.article.text, []
    starts = [node.start for node in reading.nodes]
    seen = -1
    for start, end in sentences(text):
        raw = text[start:end]
        if raw.lstrip().startswith("#") or raw.startswith(_NOT_PROSE) or len(raw) > 4 * LONGEST:
            continue
        shown = " ".join(plain(_MARKUP.sub("", _LISTED.sub(_colon, raw))).split())
        if not shown or len(shown) > LONGEST or _CUT_TAG.search(raw):
            continue
        node = max(0, bisect_right(starts, start) - 1)
        out.append(Sentence(raw, shown, start, end, node, _ITEM.match(raw) is not None, node != seen))
        seen = node
    return Prose(reading, tuple(out), tuple(chunk.start for chunk in reading.chunks))


def _colon(entry: re.Match[str]) -> str:
    """Return the beginning of an entry of a definition list as it reads in one line."""
    return entry[1] + ("：" if _HAN.search(entry[1]) else ": ")


def first_sentence(text: str) -> str:
    """Return the first sentence of a plain text."""
    return next((text[start:end] for start, end in sentences(text)), "")


def lang_of(text: str) -> str:
    """Return whose forms a sentence is read by: Chinese when any of it is, else English."""
    return "zh" if _HAN.search(text) else "en"
