"""One question through the models in order: run, check, at most one more draft; a model that fails hands over.

The next model goes on from what was found so far, and the failure is named.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from query_fn.agent.chat.base import ChatModel, Draft, Move, View
from query_fn.agent.events import Step
from query_fn.agent.evidence import Book
from query_fn.agent.gate import Verdict, judge
from query_fn.agent.loop import Ending, run
from query_fn.agent.purse import Purse
from query_fn.agent.tools import Tools
from query_fn.agent.useful import lacking
from query_fn.errors import ModelFailed

Attempt = tuple[ChatModel, Purse]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a question ended, what of its draft stands, and why models before the last one gave up."""

    ending: Ending
    verdict: Verdict
    failures: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()  # of all models, in order


def attempt(view: View, tools: Tools, *, models: Sequence[Attempt]) -> Generator[Step, None, Outcome]:
    """Yield the steps of every model that is needed and return how it ended; of a last model that fails, nothing."""
    failures, moves = list[str](), list[Move]()
    outcome = Outcome(Ending(view.seen, Draft(()), ""), Verdict((), ()))
    for model, purse in models:
        ending = yield from run(view, tools, model=model, purse=purse)
        if not ending.failed:
            ending, verdict = _checked(ending, view, tools, model=model)
            outcome = Outcome(ending, verdict)
        moves += ending.moves
        if not ending.failed or purse.gone():
            break
        failures.append(f"model_failed:{ending.failed}")
        view = replace(view, seen=ending.seen)
    return replace(outcome, failures=tuple(failures), moves=tuple(moves))


def _checked(ending: Ending, view: View, tools: Tools, *, model: ChatModel) -> tuple[Ending, Verdict]:
    """Judge a draft; ask for one more when nothing of it stands, or when it lacks what was asked for.

    A second draft counts only when more of it stands, or when it has what the first one lacked.
    """
    verdict = _judged(ending.draft, view, tools.book)
    lacks = verdict.lacks if model.writes else ""
    if not lacks and (verdict.passed or not verdict.dropped):
        return ending, verdict
    rejected = tuple(sentence for sentence, _ in verdict.dropped)
    try:
        move = model.next(replace(view, seen=ending.seen, rejected=rejected, lacks=lacks, final=True))
    except ModelFailed as failure:
        return (ending if verdict.passed else replace(ending, failed=failure.code)), verdict
    draft = move if isinstance(move, Draft) else Draft(())
    again = _judged(draft, view, tools.book)
    moves = (*ending.moves, move)
    if verdict.passed and (again.lacks or not again.passed):
        return replace(ending, moves=moves), verdict
    return replace(ending, draft=draft, moves=moves), again


def _judged(draft: Draft, view: View, book: Book) -> Verdict:
    verdict = judge(draft.sentences, book, asked=view.asked, lang=view.lang)
    cited = [citation for passed in verdict.passed for citation in passed.citations]
    lacks = lacking(view.asked, view.intent, verdict.passed, book.names(cited)) if verdict.passed else ""
    return replace(verdict, lacks=lacks)
