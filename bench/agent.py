"""What the answerer without a key reads and says, by kind of question: ``python -m bench.agent DIR|FILE``.

`read`: of the passages that hold the truth, all were read; `fact`: the answer holds what it must. A follow-up is asked
after its previous turn was answered, as in a conversation. The vectors are those of ``geosmin eval``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from compiler.evaluate.bases import Base
from compiler.evaluate.command import Where, base_of
from compiler.evaluate.metrics import contains
from compiler.evaluate.sets import QUERIES, Question
from compiler.progress import Clock, Silent
from query_fn import service
from query_fn.agent.events import Done
from query_fn.agent.evidence import Book
from query_fn.model import Ask, Scope, Turn
from query_fn.text import plain
from query_fn.visibility import Visibility

HELD = 0.6  # share of a passage's lines that must stand in what was read: the two are not cut alike


@dataclass(frozen=True, slots=True)
class Seen:
    """One question: the texts that were read, the article each is of, and the answer."""

    question: Question
    texts: tuple[str, ...]
    pages: frozenset[str]
    answer: str


def main() -> None:
    """Print for each type how many questions were read right and answered right; with `--show` each question."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("set", type=Path)
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--type", default="")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--content", type=Path, default=Path("content"))
    parser.add_argument("--out", type=Path, default=Path("dist"))
    asked = parser.parse_args()
    where = Where(asked.content, asked.out, Path(".geosmin"), None, [])
    passages = _passages(asked.set)
    counts: dict[str, list[int]] = {}
    with base_of(asked.set, where, pages=asked.pages, mix=None, clock=Clock(Silent())) as (held, base):
        for question in held.questions:
            if asked.type and question.type != asked.type:
                continue
            seen = _ask(question, base)
            marks = (_read(seen, passages.get(question.id, ())), _fact(seen))
            counts.setdefault(question.type, [0, 0, 0])
            counts[question.type] = [a + b for a, b in zip(counts[question.type], (1, *marks), strict=True)]
            if asked.show:
                _show(seen, marks)
    print("| type | questions | read | fact |\n|---|---|---|---|")
    for kind, (total, read, fact) in sorted(counts.items()):
        print(f"| {kind} | {total} | {read} | {fact} |")


def _passages(folder: Path) -> Mapping[str, tuple[str, ...]]:
    """Return the passages that hold the truth of each question of a folder; a file of golden questions has none."""
    if folder.is_file():
        return {}
    texts = {item["id"]: item["text"] for item in _lines(folder / "docs.jsonl")}
    return {item["id"]: tuple(texts[name] for name in item["relevant"]) for item in _lines(folder / QUERIES)}


def _lines(path: Path) -> Iterator[dict[str, str]]:
    return map(json.loads, path.read_text("utf-8").splitlines())


def _ask(question: Question, base: Base) -> Seen:
    turns: tuple[Turn, ...] = ()
    if question.previous:
        before = _done(Ask(question.previous), base)
        evidence = tuple(item.locator for item in before.answer.evidence)
        turns = (Turn(question.previous, before.standalone, before.answer.answer, evidence),)
    done = _done(Ask(question.text, turns=turns), base)
    named = [name for step in done.answer.diagnostics.steps for name in step["args"].get("locators", ())]
    read = Book(base.deps.store, Visibility(base.deps.clock(), Scope())).read(named).evidence
    pages = frozenset(base.names[e.article_id] for e in read)
    return Seen(question, tuple(plain(e.text) for e in read), pages, done.answer.answer)


def _done(ask: Ask, base: Base) -> Done:
    return next(event for event in service.answer(ask, base.deps) if isinstance(event, Done))


def _read(seen: Seen, passages: tuple[str, ...]) -> bool:
    """Say whether all passages were read; without any, whether a page that holds the truth was."""
    if not passages:
        return not seen.pages.isdisjoint(seen.question.relevant)
    every = " ".join(" ".join(seen.texts).split())
    return all(_held(passage, every) for passage in passages)


def _held(passage: str, every: str) -> bool:
    lines = [" ".join(line.split()) for line in plain(passage).splitlines() if line.strip()]
    return sum(line in every for line in lines) >= HELD * len(lines)


def _fact(seen: Seen) -> bool:
    question = seen.question
    return contains(seen.answer, question.answers, question.must_contain)


def _show(seen: Seen, marks: tuple[bool, bool]) -> None:
    question = seen.question
    before = f"{question.previous} ⇒ " if question.previous else ""
    wanted = ", ".join((*question.answers, *question.must_contain))
    print(f"{'r' if marks[0] else '-'}{'f' if marks[1] else '-'} [{question.id}] {before}{question.text}  → {wanted}")
    print("    " + seen.answer.replace("\n", "\n    ")[:600], "\n", flush=True)


if __name__ == "__main__":
    main()
