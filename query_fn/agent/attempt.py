"""One question through the models in order: run, check, at most one more draft; a model that fails hands over.

The next model goes on from what was found so far, and the failure is named.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from query_fn.agent.chat.base import ChatModel, Draft, Grader, Move, View
from query_fn.agent.events import Step
from query_fn.agent.evidence import Book
from query_fn.agent.gate import Verdict, judge
from query_fn.agent.grading import graded, struck
from query_fn.agent.loop import Ending, run
from query_fn.agent.purse import Purse
from query_fn.agent.tools import Tools
from query_fn.agent.useful import lacking
from query_fn.errors import ModelFailed

Attempt = tuple[ChatModel, Purse]


class Outcome(Struct, frozen=True):
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
            ending, verdict = _checked(ending, _Check(view, tools.book, model.grader), model)
            outcome = Outcome(ending, verdict)
            failures += [f"grading_failed:{verdict.ungraded}"] if verdict.ungraded else []
        moves += ending.moves
        if not ending.failed or purse.gone():
            break
        failures.append(f"model_failed:{ending.failed}")
        view = replace(view, seen=ending.seen)
    return replace(outcome, failures=tuple(failures), moves=tuple(moves))


class _Check(Struct, frozen=True):
    """What drafts of one question are checked with."""

    view: View
    book: Book
    grader: Grader | None

    def __call__(self, draft: Draft) -> Verdict:
        asked, lang = self.view.asked, self.view.lang
        verdict = graded(judge(draft.sentences, self.book, asked=asked, lang=lang), self.book, self.grader)
        cited = [citation for passed in verdict.passed for citation in passed.citations]
        if not verdict.passed:
            return verdict
        return replace(verdict, lacks=lacking(asked, self.view.intent, verdict.passed, self.book.names(cited)))


def _checked(ending: Ending, check: _Check, model: ChatModel) -> tuple[Ending, Verdict]:
    """Judge a draft; ask for one more when nothing of it stands, or when it lacks what was asked for.

    A second draft counts only when more of it stands, or when it has what the first one lacked.
    """
    verdict = check(ending.draft)
    ending = replace(ending, moves=(*ending.moves[:-1], struck(ending.draft, verdict)))
    lacks = verdict.lacks if model.writes else ""
    if not lacks and (verdict.passed or not verdict.dropped):
        return ending, verdict
    rejected = tuple(sentence for sentence, _ in verdict.dropped)
    try:
        move = model.next(replace(check.view, seen=ending.seen, rejected=rejected, lacks=lacks, final=True))
    except ModelFailed as failure:
        return (ending if verdict.passed else replace(ending, failed=failure.code)), verdict
    draft = move if isinstance(move, Draft) else Draft(())
    again = check(draft)
    moves = (*ending.moves, struck(draft, again) if draft is move else move)
    if verdict.passed and (again.lacks or not again.passed):
        return replace(ending, moves=moves), verdict
    return replace(ending, draft=draft, moves=moves), again
