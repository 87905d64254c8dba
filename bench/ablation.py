"""What each route and step of the search earns: ``python -m bench.ablation DIR [--pages CORPUS] [--mix DIR]``.

Every question is searched once with everything and once without each of them. A row whose figures are above those of
the first one is a step that costs more than it brings on this set. The vectors are those of ``geosmin eval``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from unittest.mock import patch

from compiler.evaluate.asking import Found, search
from compiler.evaluate.bases import Base
from compiler.evaluate.command import Where, base_of
from compiler.evaluate.metrics import mean, ndcg
from compiler.evaluate.sets import Question, QuestionSet
from compiler.progress import Clock, Silent
from query_fn.retrieve import fuse, select
from query_fn.retrieve import search as searching
from query_fn.text import Analyser

QUESTIONS = ("question_words", "question_vector")


def main() -> None:
    """Print a Markdown table: nDCG@10 of the fused order and of what the reader gets, by language if there are two."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("set", type=Path)
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--mix", type=Path)
    asked = parser.parse_args()
    with _base(asked, Analyser.BIGRAM) as (held, base):
        questions = [question for question in held.questions if question.relevant]
        print(
            f"{held.name}, {len(questions)} questions, nDCG@10\n\n| without | fused | selected | selected by language |"
        )
        print("|---|---|---|---|")
        for name, change in _changes():
            print(_row(name, change, questions, base), flush=True)
    with _base(asked, Analyser.JIEBA) as (_, words):
        print(_row("bigrams: the analyser `jieba`", nullcontext(), questions, words))


def _base(asked: argparse.Namespace, analyser: Analyser) -> AbstractContextManager[tuple[QuestionSet, Base]]:
    where = Where(Path("content"), Path("dist"), Path(".geosmin"), None, [f"search.analyser={analyser}"])
    return base_of(asked.set, where, pages=asked.pages, mix=asked.mix, clock=Clock(Silent()))


def _changes() -> Iterator[tuple[str, AbstractContextManager[object]]]:
    """Yield each step with what takes it out for a while."""
    yield "nothing", nullcontext()
    for route in ("chunk_words", "chunk_vector", *QUESTIONS, "wiki_words", "headings"):
        yield f"`{route}`", _without(route)
    yield "both question routes", _without(*QUESTIONS)
    yield "clauses and sides of a question", patch.object(searching, "rewrite", lambda question, _: (question,))
    yield "re-rank by coverage", patch.object(select, "COVERAGE_SHARE", 0.0)
    yield "room for other articles", patch.object(select, "PER_ARTICLE", searching.MAX_LIMIT)
    yield "near duplicates dropped", patch.object(select, "DUPLICATE", 2.0)


@contextmanager
def _without(*routes: str) -> Iterator[None]:
    """Take routes out of the sum; a vector hit in another language has a weight of its own."""
    foreign = 0.0 if "chunk_vector" in routes else fuse.CROSS_LANGUAGE
    with patch.dict(fuse.WEIGHTS, dict.fromkeys(routes, 0.0)), patch.object(fuse, "CROSS_LANGUAGE", foreign):
        yield


def _row(name: str, change: AbstractContextManager[object], questions: Sequence[Question], base: Base) -> str:
    with change:
        found = [search(question, base) for question in questions]
    langs = sorted({item.lang for item in found})
    split = [f"{lang} {_gain([item for item in found if item.lang == lang], 'selected')}" for lang in langs]
    return f"| {name} | {_gain(found, 'fused')} | {_gain(found, 'selected')} | {' · '.join(split)} |"


def _gain(found: Sequence[Found], step: str) -> str:
    value = mean(ndcg(item.lists[step], item.question.relevant) for item in found)
    return f"{100 * (value or 0.0):.1f}"


if __name__ == "__main__":
    main()
