"""The source page of one article: what it says in short, from its own sentences."""

from __future__ import annotations

from compiler.enrich.definitions import definitions
from compiler.enrich.prose import Prose, Sentence, lang_of
from compiler.enrich.protocol import Digest, Statement
from compiler.enrich.statements import worth

LEAST, MOST = 3, 12  # key points


def digest(prose: Prose) -> Digest:
    """Return an article's summary and its key points in the order of the text: the best sentence of each section."""
    best: dict[int, tuple[float, int]] = {}
    scored = [(_value(sentence), at) for at, sentence in enumerate(prose.sentences)]
    for value, at in scored:
        node = prose.sentences[at].node
        if value > best.get(node, (0.0, 0))[0]:
            best[node] = (value, at)
    chosen = {at for _, at in sorted(best.values(), key=lambda item: (-item[0], item[1]))[:MOST]}
    for value, at in sorted(scored, key=lambda item: (-item[0], item[1])):
        if len(chosen) >= LEAST:
            break
        if value > 0:
            chosen.add(at)
    points: dict[str, Statement] = {}
    for at in sorted(chosen):
        points.setdefault(prose.sentences[at].text, prose.statement(prose.sentences[at], scored[at][0]))
    return Digest(prose.reading.article.summary, tuple(points.values()))


def _value(sentence: Sentence) -> float:
    """Return how much a sentence says by itself, 0 for one that can't stand alone."""
    base = worth(sentence)
    if base <= 0.2:
        return 0.0
    defines = bool(definitions(sentence.text, lang_of(sentence.text)))
    number = any(char.isdigit() for char in sentence.text)
    return base + 0.3 * defines + 0.1 * number + 0.15 * sentence.first
