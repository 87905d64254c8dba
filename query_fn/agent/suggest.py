"""What may be asked next: generated questions of passages nearby that were not read. The base answers them.

Such a question is cut from, or was written for, one public passage, so nothing needs to be searched to know that there
is an answer: of 150 questions of the handbook the model without a key answers 149.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from query_fn.agent.tools import Tools
from query_fn.contract import ChunkRow
from query_fn.model import Candidate, Evidence
from query_fn.text import script_lang, tokenise
from query_fn.visibility import Visibility

MOST = 3
PAGES = 4  # pages that are looked at
ALIKE = 0.6  # token Jaccard from which two questions ask the same


def follow_ups(
    tools: Tools, cited: Sequence[Evidence], *, asked: Sequence[str], found: Sequence[Candidate] = ()
) -> tuple[str, ...]:
    """Return at most MOST questions: of the cited pages, nearest first, then of other pages that the search found.

    `asked` are the questions of this conversation, the newest first; none of them, and nothing like them, is suggested.
    Questions in another language than the newest one are, when there is no other.
    """
    near = dict.fromkeys((*(e.article_id for e in cited), *(c.article_id for c in found)))
    texts = [text for article in list(near)[:PAGES] for text in _unread(tools, article, cited)]
    native = [text for text in texts if script_lang(text) == script_lang(asked[0])]
    return _new(native or texts, asked)


def _new(texts: Sequence[str], asked: Sequence[str]) -> tuple[str, ...]:
    """Return the first MOST texts that are not like what was asked, nor like one another."""
    known, out = [set(tokenise(question)) for question in asked], list[str]()
    for text in texts:
        words = set(tokenise(text))
        if len(out) < MOST and not any(_alike(words, other) for other in known):
            known.append(words)
            out.append(text)
    return tuple(out)


def starters(tools: Tools) -> tuple[str, ...]:
    """Return one generated question each of the first visible pages: what can be asked here."""
    seen = Visibility(tools.now, tools.scope)
    found: list[str] = []
    for article in tools.store.articles():
        questions = tools.store.questions_of(article.id) if len(found) < MOST else ()
        found += [q.text for q in questions if seen.sees(q, tools.store.articles_by_id)][:1]
    return tuple(found)


def _unread(tools: Tools, article: str, cited: Sequence[Evidence]) -> Iterator[str]:
    """Yield a question for each passage of a page that nobody has read, nearest to what was cited first."""
    seen, articles = Visibility(tools.now, tools.scope), tools.store.articles_by_id
    read = [e for e in tools.book.evidence if e.article_id == article]
    held = {e.locator for e in cited}
    chunks = tools.store.chunks_of(article)
    places = [c.ordinal for c in chunks if c.id in held] or [0]
    questions = {q.chunk_id: q for q in reversed(tools.store.questions_of(article))}
    for chunk in sorted(chunks, key=lambda c: (min(abs(c.ordinal - place) for place in places), c.ordinal)):
        question = questions.get(chunk.id)
        if question and seen.sees(question, articles) and not any(_holds(e, chunk) for e in read):
            yield question.text


def _holds(read: Evidence, chunk: ChunkRow) -> bool:
    return read.locator == chunk.id or chunk.text[chunk.prefix : len(chunk.text) - chunk.suffix].strip() in read.text


def _alike(one: set[str], other: set[str]) -> bool:
    return len(one & other) >= ALIKE * len(one | other)
