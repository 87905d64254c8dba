"""What each route and step of the search earns: ``python -m bench.ablation SET [--pages CORPUS] [--mix DIR]``.

Every question is searched once with everything and once without each of them. A row whose figures are above those of
the first one is a step that costs more than it brings on this set. The vectors are those of ``geosmin eval``. With
``--twice`` every document stands in the base two times, as the pages of an older release do: a copy counts as the
document, and a place in the list that says nothing new is lost.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from compiler.evaluate.asking import Found, search
from compiler.evaluate.bases import Base
from compiler.evaluate.command import Where, base_of
from compiler.evaluate.metrics import mean, ndcg
from compiler.evaluate.sets import DOCS, QUERIES, Question, QuestionSet
from compiler.progress import Clock, Silent
from query_fn.retrieve import fuse, select
from query_fn.retrieve import search as searching
from query_fn.text import Analyser

QUESTIONS = ("question_words", "question_vector")
COPY = "@copy"  # ends the id of a document that stands in the base a second time


def main() -> None:
    """Print a Markdown table: nDCG@10 of the fused order and of what the reader gets, by language if there are two."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("set", type=Path)
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--mix", type=Path)
    parser.add_argument("--content", type=Path, default=Path("content"))
    parser.add_argument("--out", type=Path, default=Path("dist"), help="the build that a file of golden questions asks")
    parser.add_argument("--twice", action="store_true", help="every document two times")
    asked = parser.parse_args()
    with ExitStack() as stack:
        if asked.twice:
            asked.set = _twice(asked.set, Path(stack.enter_context(TemporaryDirectory())))
        held, base = stack.enter_context(_base(asked, Analyser.BIGRAM))
        questions = [question for question in held.questions if question.relevant]
        print(
            f"{held.name}, {len(questions)} questions, nDCG@10\n\n| without | fused | selected | selected by language |"
        )
        print("|---|---|---|---|")
        for name, change in _changes():
            print(_row(name, change, questions, base), flush=True)
        if asked.set.is_dir():  # a file asks a build that is there, made with the analyser it was made with
            _, words = stack.enter_context(_base(asked, Analyser.JIEBA))
            print(_row("bigrams: the analyser `jieba`", nullcontext(), questions, words))


def _twice(folder: Path, scratch: Path) -> Path:
    """Return a copy of a set in which every document stands twice."""
    place = scratch / folder.name
    place.mkdir()
    shutil.copy(folder / QUERIES, place)
    docs = [json.loads(line) for line in (folder / DOCS).read_text("utf-8").splitlines()]
    copies = [doc | {"id": doc["id"] + COPY} for doc in docs]
    (place / DOCS).write_text("".join(json.dumps(doc) + "\n" for doc in (*docs, *copies)), "utf-8")
    return place


def _base(asked: argparse.Namespace, analyser: Analyser) -> AbstractContextManager[tuple[QuestionSet, Base]]:
    where = Where(asked.content, asked.out, Path(".geosmin"), None, [f"search.analyser={analyser}"])
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
    value = mean(ndcg(_originals(item.lists[step]), item.question.relevant) for item in found)
    return f"{100 * (value or 0.0):.1f}"


def _originals(names: Sequence[str]) -> tuple[str, ...]:
    """Return a ranking with copies named as their documents; the second of the two is a place lost."""
    named, lost = [name.removesuffix(COPY) for name in names], ""
    return tuple(name if name not in named[:place] else lost for place, name in enumerate(named))


if __name__ == "__main__":
    main()
