"""The story of a question: understand, search, read, answer, check. Yields events as they happen.

Everything it needs stands in Deps; it knows nothing of HTTP, AWS or the environment.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field, structs

from query_fn.agent.attempt import Attempt, attempt
from query_fn.agent.chat.base import ChatModel, View
from query_fn.agent.compose import answered, best_search, declined, pieces, plain_reply, trace, unanswered
from query_fn.agent.delegate import Delegates
from query_fn.agent.events import Done, Event, Sentence, Source
from query_fn.agent.evidence import Book
from query_fn.agent.loop import Ending
from query_fn.agent.phrases import say
from query_fn.agent.purse import Budget, Limits, Purse, Unlimited, never
from query_fn.agent.router import Intent, classify, standalone
from query_fn.agent.suggest import follow_ups, starters
from query_fn.agent.tools import Tools
from query_fn.model import Answer, Ask, Evidence
from query_fn.retrieve.search import Searcher
from query_fn.settings import Settings
from query_fn.store import Store
from query_fn.text import script_lang
from query_fn.visibility import Visibility

HANDOVER = 2.0  # seconds of the deadline that are kept for the free model


def _epoch() -> int:
    return int(time.time())


class Deps(Struct, frozen=True):
    """What an answer is made with. `clock` gives UTC epoch seconds and decides what has expired."""

    store: Store
    searcher: Searcher
    model: ChatModel
    settings: Settings
    clock: Callable[[], int] = _epoch
    paid: Callable[[Purse], ChatModel] | None = None  # makes the paid model of one question
    budget: Budget = field(default_factory=Unlimited)  # of all questions
    notes: tuple[str, ...] = ()  # fallbacks named before the question came, e.g. a damaged newer build


def answer(ask: Ask, deps: Deps, *, gone: Callable[[], bool] = never) -> Iterator[Event]:
    """Yield steps, sources, sentences and at last Done. Text leaves only after its quotes are verified.

    `gone` says whether the reader has left: then nothing more is asked of a model.
    """
    lang = ask.lang or script_lang(ask.question)
    last = ask.turns[-1] if ask.turns else None
    question = standalone(ask.question, last.standalone if last else None)
    carried = last.evidence if last and question != ask.question else ()
    tools = _tools(ask, deps)
    intent = classify(ask.question)
    if text := _without_search(intent, lang, tools):
        diagnostics = trace(None, notes=notes(deps))
        yield from _tell(plain_reply(text, diagnostics=diagnostics, follow_ups=starters(tools)), question)
        return
    rounds, said = deps.settings.retrieval_rounds, _said(ask.question, question)
    intent = intent if said else classify(question)  # "And for B?" asks in the way of the turn before
    view = View(question, lang, intent, turns=ask.turns, rounds=rounds, carried=carried, said=said)
    models = _models(deps, gone)
    tools = structs.replace(tools, helper=Delegates(deps.paid, models[0][1], lang, rounds)) if deps.paid else tools
    out = yield from attempt(view, tools, models=models)
    diagnostics = trace(out.ending, notes=(*notes(deps), *out.failures), purse=models[0][1])
    if out.ending.draft.refused:
        done = declined(out.ending.draft.refused, lang=lang, diagnostics=diagnostics)
    elif not out.verdict.passed:
        done = unanswered(out.ending, tools=tools, lang=lang, diagnostics=diagnostics)
    else:
        done = answered(out.verdict, out.ending, tools=tools, lang=lang, diagnostics=diagnostics)
        done = structs.replace(done, follow_ups=_next(ask, done.evidence, out.ending, tools))
    yield from (Source(e) for e in done.evidence)
    yield from pieces(out.verdict.passed) if done.evidence else [Sentence(done.answer, ())]
    yield Done(done, question, out.ending.seen, out.moves)


def _models(deps: Deps, gone: Callable[[], bool]) -> list[Attempt]:
    """Return who answers, each with what it may cost: the paid model first, then the one that costs nothing."""
    wanted = deps.settings
    free = Purse(Limits(wanted.max_steps, wanted.deadline_seconds), gone=gone)
    if deps.paid is None:
        return [(deps.model, free)]
    seconds = max(1.0, wanted.deadline_seconds - HANDOVER)
    tokens = (wanted.max_input_tokens, wanted.max_output_tokens)
    purse = Purse(Limits(wanted.max_steps, seconds, *tokens, wanted.max_usd), budget=deps.budget, gone=gone)
    return [(deps.paid(purse), purse), (deps.model, free)]


def notes(deps: Deps) -> tuple[str, ...]:
    """Return the fallbacks that are known before a question comes."""
    return deps.notes if deps.paid or deps.model.name != "extractive" else (*deps.notes, "no_model")


def _tools(ask: Ask, deps: Deps) -> Tools:
    now = deps.clock()
    book = Book(deps.store, Visibility(now, ask.scope))
    return Tools(deps.store, deps.searcher, book, ask.scope, now, deps.settings.tools_off)


def _next(ask: Ask, cited: Sequence[Evidence], ending: Ending, tools: Tools) -> tuple[str, ...]:
    """Return what may be asked next."""
    search = best_search(ending)
    asked = (ask.question, *(turn.question for turn in ask.turns))
    return follow_ups(tools, cited, asked=asked, found=search.candidates if search else ())


def _without_search(intent: Intent, lang: str, tools: Tools) -> str:
    """Return the reply that needs no search, "" when one is needed."""
    if not tools.store.articles_by_id:
        return say("nothing_published", lang)
    return say("about", lang) if intent in (Intent.ABOUT, Intent.SMALL_TALK) else ""


def _tell(reply: Answer, question: str) -> Iterator[Event]:
    yield Sentence(reply.answer, ())
    yield Done(reply, question)


def _said(asked: str, question: str) -> str:
    """Return a follow-up in the reader's own words when what is searched for has the turn before in front."""
    return asked if question != asked and question.endswith(asked) else ""
