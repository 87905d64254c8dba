"""Sub-questions: a complex question's parts are looked into at the same time, by models with a purse of their own.

A helper has the parent's scope, sees what the parent may see, and has no helpers. It proves its answer from evidence of
its own; the parent gets places and reads them itself. One that fails is named, and the parent goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct
from msgspec.structs import replace

from query_fn.agent.chat.base import ChatModel, DelegateResult, Finding, Observation, Result, Task, ToolError, View
from query_fn.agent.evidence import Book
from query_fn.agent.gate import Verdict, judge
from query_fn.agent.loop import Ending, run
from query_fn.agent.manual import Arguments
from query_fn.agent.purse import Purse
from query_fn.agent.router import classify
from query_fn.agent.tools import Tools
from query_fn.model import Candidate, Evidence
from query_fn.visibility import Visibility

LEAST = 2  # steps of a sub-question: it must search and read


class Delegates(Struct, frozen=True):
    """Hands sub-questions to models that `make` gives, one each; `purse` is the parent's."""

    make: Callable[[Purse], ChatModel]
    purse: Purse
    lang: str
    rounds: int

    def __call__(self, args: Arguments, tools: Tools) -> Result:
        """Return what was found for each goal; ToolError when the parent has too little left."""
        goals = tuple(dict.fromkeys(goal for goal in args.texts("goals") if goal.strip()))
        purses = self.purse.shares(len(goals))
        if not goals or purses[0].limits.steps < LEAST:
            return ToolError("not_run", "There is too little left for sub-questions; look yourself, or answer.")
        tasks = [_task(goal, args, purse) for goal, purse in zip(goals, purses, strict=True)]
        try:
            with ThreadPoolExecutor(len(goals), thread_name_prefix="sub-question") as pool:
                findings = tuple(pool.map(lambda task, purse: self._found(task, purse, tools), tasks, purses))
        finally:
            for purse in purses:
                self.purse.absorb(purse)
        return DelegateResult(findings)

    def _found(self, task: Task, purse: Purse, tools: Tools) -> Finding:
        """Run one sub-question with evidence of its own."""
        own = replace(tools, book=Book(tools.store, Visibility(tools.now, tools.scope)), helper=None)
        view = View(task.goal, self.lang, classify(task.goal), rounds=self.rounds, task=task)
        ending = _ended(view, own, self.make(purse), purse)
        verdict = judge(ending.draft.sentences, own.book, asked=task.goal, lang=self.lang)
        said = tuple(passed.sentence.text for passed in verdict.passed)
        return Finding(task, _places(own.book, verdict), said, _used(ending.seen), ending.failed)


def _task(goal: str, args: Arguments, purse: Purse) -> Task:
    limits = purse.limits
    return Task(goal, args.text("inputs"), args.texts("sources"), args.text("expected"), limits.steps, limits.seconds)


def _ended(view: View, tools: Tools, model: ChatModel, purse: Purse) -> Ending:
    """Run to the end; its steps are told by the finding and not as they happen."""
    running = run(view, tools, model=model, purse=purse)
    while True:
        try:
            next(running)
        except StopIteration as stop:
            ending: Ending = stop.value
            return ending


def _places(book: Book, verdict: Verdict) -> tuple[Candidate, ...]:
    """Return what the checked sentences rest on, as places without text."""
    cited = {citation.evidence for passed in verdict.passed for citation in passed.citations}
    return tuple(_place(evidence) for evidence in book.evidence if evidence.id in cited)


def _place(read: Evidence) -> Candidate:
    where = (read.locator, read.article_id, read.title, read.section, read.url)
    return Candidate(*where, summary="", lang=read.lang, score=read.score, routes=("delegate",))


def _used(seen: tuple[Observation, ...]) -> tuple[str, ...]:
    return tuple(observation.call.tool for observation in seen)
