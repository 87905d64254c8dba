"""What one page says of each name: its best sentences as they stand, and the relations they state."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from compiler.enrich.definitions import ENOUGH, definitions
from compiler.enrich.folding import key_of
from compiler.enrich.naming import name_of
from compiler.enrich.prose import Prose, Sentence, lang_of
from compiler.enrich.protocol import Mention, Relation, Sayings, Statement
from compiler.enrich.relations import Pair, relations

EXPLAINING = 3  # names that one definition can be said to need
SHORTEST = {"zh": 10, "en": 16}  # characters of a sentence that says something
EACH = 2  # sentences that one page gives to one name
_FAINT = re.compile(
    r"^(?:(?:this|that|these|it|they|here|see|for (?:more|details)|note|so|then|but|and|or|"
    r"also)\b|这|那|该|此|它|其|如果|例如|但|而|并|请|参见|更多|注意|另外|此外)",
    re.I,
)
_POINTING = re.compile(r"[:：]$|as follows|如下|下列|见下|^(?:see|read|refer to)\b|^(?:请)?(?:参见|参阅|参考|见)", re.I)
_CODE = re.compile(r"[{}<>=;|\\]|::|\)\.|\$\w")


def sayings(prose: Prose, found: Sequence[Mention]) -> Sayings:
    """Return the best sentences of a page by key, and its relations, each once."""
    starts = [mention.start for mention in found]
    by_key: dict[str, list[tuple[float, int, Statement]]] = {}
    related: dict[tuple[str, str, str], Relation] = {}
    about = key_of(name_of(prose.reading.nodes[0].title) or "?")
    headings = [key_of(name_of(node.title) or "?") for node in prose.reading.nodes]
    for number, sentence in enumerate(prose.sentences):
        inside = found[bisect_left(starts, sentence.start) : bisect_left(starts, sentence.end)]
        if not inside or (base := worth(sentence)) <= 0:
            continue
        for key, score in _scores(prose, sentence, inside, heading=headings[sentence.node], base=base):
            by_key.setdefault(key, []).append((-score, number, prose.statement(sentence, score)))
        for pair in _pairs(prose, sentence, inside, about=about):
            made = Relation(pair.subject, pair.kind, pair.object, prose.statement(sentence, base))
            related.setdefault((pair.subject, pair.kind, pair.object), made)
    best = {key: tuple(s for _, _, s in sorted(items)[:EACH]) for key, items in sorted(by_key.items())}
    return Sayings({key: _distinct(items) for key, items in best.items()}, tuple(related.values()))


def _scores(
    prose: Prose, sentence: Sentence, inside: Sequence[Mention], *, heading: str, base: float
) -> Iterator[tuple[str, float]]:
    """Yield for each name of a sentence how much the sentence is about it."""
    lang, text = lang_of(sentence.text), prose.reading.article.text
    defined = {key_of(name_of(found.subject)) for found in definitions(sentence.text, lang)}
    for key in dict.fromkeys(mention.key for mention in inside):
        first = next(mention for mention in inside if mention.key == key)
        near = first.start - sentence.start < 12
        surface = key_of(text[first.start : first.end])
        yield key, min(1.0, base + 0.35 * (surface in defined) + 0.2 * near + 0.15 * (heading == key))


def _pairs(prose: Prose, sentence: Sentence, inside: Sequence[Mention], *, about: str) -> Iterator[Pair]:
    """Yield what a sentence relates: by its words, as a definition, or as the beginning of a section."""
    text, lang = prose.reading.article.text, lang_of(sentence.text)
    told = list(relations(text, inside, (sentence.start, sentence.end), lang))
    yield from told
    keys = list(dict.fromkeys(mention.key for mention in inside))
    defined = {key_of(name_of(found.subject)) for found in definitions(sentence.text, lang) if found.score >= ENOUGH}
    head = inside[0]
    if key_of(text[head.start : head.end]) in defined:
        known = {frozenset((pair.subject, pair.object)) for pair in told}
        for other in keys[1 : 1 + EXPLAINING]:
            if frozenset((head.key, other)) not in known:
                yield Pair(head.key, "explained-by", other)
    heading = key_of(name_of(prose.reading.nodes[sentence.node].title) or "?")
    if sentence.first and sentence.node and head.key == heading != about and about in keys:
        yield Pair(heading, "topic-of", about)


def worth(sentence: Sentence) -> float:
    """Return how well a sentence can be read alone, 0 when it can't."""
    text = sentence.text
    listed = text.count(" · ") > 1  # cells of a table
    if len(text) < SHORTEST[lang_of(text)] or listed or _POINTING.search(text) or len(_CODE.findall(text)) > 2:
        return 0.0
    whole = text.endswith((".", "。", "!", "！", "?", "？", ")", "）", "”", "；"))
    return (
        0.4
        - 0.15 * (_FAINT.match(text) is not None)
        - 0.1 * sentence.item
        - 0.1 * (not whole)
        - 0.1 * (len(text) > 200)
    )


def _distinct(items: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return statements without repeats; the second only when it is nearly as good as the first."""
    kept: dict[str, Statement] = {}
    for item in items:
        if not kept or item.score >= 0.55:
            kept.setdefault(item.text, item)
    return tuple(kept.values())
