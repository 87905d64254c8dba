"""The story of a question: understand, search, read, answer, check. Yields events as they happen.

Everything it needs stands in Deps; it knows nothing of HTTP, AWS or the environment.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from query_fn.agent.chat.base import ChatModel, Draft, Quoted, View
from query_fn.agent.compose import answered, pieces, plain_reply, starters, trace, unanswered
from query_fn.agent.events import Done, Event, Sentence, Source
from query_fn.agent.evidence import Book
from query_fn.agent.gate import judge
from query_fn.agent.loop import Ending, Limits, run
from query_fn.agent.phrases import say
from query_fn.agent.router import Intent, classify, standalone
from query_fn.agent.tools import Tools
from query_fn.model import Answer, Ask
from query_fn.retrieve.search import Searcher
from query_fn.settings import Settings
from query_fn.store import Store
from query_fn.text import script_lang
from query_fn.visibility import Visibility


def _epoch() -> int:
    return int(time.time())


@dataclass(frozen=True, slots=True)
class Deps:
    """What an answer is made with. `clock` gives UTC epoch seconds and decides what has expired."""

    store: Store
    searcher: Searcher
    model: ChatModel
    settings: Settings
    clock: Callable[[], int] = _epoch
    notes: tuple[str, ...] = ()  # fallbacks named before the question came, e.g. a damaged newer build


def answer(ask: Ask, deps: Deps) -> Iterator[Event]:
    """Yield steps, sources, sentences and at last Done. Text leaves only after its quotes are verified."""
    lang = ask.lang or script_lang(ask.question)
    last = ask.turns[-1] if ask.turns else None
    question = standalone(ask.question, last.standalone if last else None)
    carried = last.evidence if last and question != ask.question else ()
    tools = _tools(ask, deps)
    intent = classify(ask.question)
    if text := _without_search(intent, lang, tools):
        diagnostics = trace(None, notes=deps.notes, model=deps.model.name)
        yield from _tell(plain_reply(text, diagnostics=diagnostics, follow_ups=starters(tools)), question)
        return
    rounds, said = deps.settings.retrieval_rounds, ask.question if question != ask.question else ""
    view = View(question, lang, intent, turns=ask.turns, rounds=rounds, carried=carried, said=said)
    limits = Limits(deps.settings.max_steps, deps.settings.deadline_seconds)
    ending = yield from run(view, tools, model=deps.model, limits=limits)
    verdict = judge(ending.draft.sentences, tools.book)
    if verdict.dropped and not verdict.passed:
        ending = _again(ending, view, model=deps.model, rejected=tuple(s for s, _ in verdict.dropped))
        verdict = judge(ending.draft.sentences, tools.book)
    diagnostics = trace(ending, notes=deps.notes, model=deps.model.name)
    if not verdict.passed:
        yield from _tell(unanswered(ending, tools=tools, lang=lang, diagnostics=diagnostics), question)
        return
    done = answered(verdict, ending, tools=tools, lang=lang, diagnostics=diagnostics)
    yield from (Source(e) for e in done.evidence)
    yield from pieces(verdict.passed)
    yield Done(done, question)


def _tools(ask: Ask, deps: Deps) -> Tools:
    now = deps.clock()
    book = Book(deps.store, Visibility(now, ask.scope))
    return Tools(deps.store, deps.searcher, book, ask.scope, now, deps.settings.tools_off)


def _without_search(intent: Intent, lang: str, tools: Tools) -> str:
    """Return the reply that needs no search, "" when one is needed."""
    if not tools.store.articles_by_id:
        return say("nothing_published", lang)
    return say("about", lang) if intent in (Intent.ABOUT, Intent.SMALL_TALK) else ""


def _tell(reply: Answer, question: str) -> Iterator[Event]:
    yield Sentence(reply.answer, ())
    yield Done(reply, question)


def _again(ending: Ending, view: View, *, model: ChatModel, rejected: tuple[Quoted, ...]) -> Ending:
    """Ask for one more draft, without tools, and tell the model what did not stand."""
    move = model.next(replace(view, seen=ending.seen, rejected=rejected, final=True))
    return Ending(ending.seen, move if isinstance(move, Draft) else Draft(()), ending.stop)
