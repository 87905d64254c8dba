"""Claude as a chat model: a view becomes a request, the answer becomes a move. Made anew for every question."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from query_fn.agent.chat.base import Call, Calls, DelegateResult, Draft, Grader, Move, View
from query_fn.agent.chat.claude.client import Client
from query_fn.agent.chat.claude.messages import request, weight
from query_fn.agent.chat.claude.prompt import repeats
from query_fn.agent.chat.claude.reply import move
from query_fn.agent.chat.parts import parts
from query_fn.agent.purse import Purse
from query_fn.agent.router import Intent
from query_fn.prices import Usage
from query_fn.retrieve.rewrite import sides
from query_fn.settings import ClaudeSettings

SIMPLE = (Intent.FACT, Intent.COUNT, Intent.TIME, Intent.PERSON, Intent.DEFINITION, Intent.YES_NO)
READ_AT_ONCE = 2  # locators of one read for a simple question


class Claude(Struct, frozen=True):
    """One question's model. It keeps nothing: the whole conversation is in the view, what it may cost in the purse."""

    client: Client
    settings: ClaudeSettings
    purse: Purse
    off: tuple[str, ...] = ()
    grader: Grader | None = None
    name: str = "claude"
    writes: bool = True

    def next(self, view: View) -> Move:
        """Search first, without asking, and read again what the turn before cited; then let the model decide.

        A turn that may use tools is only taken when the purse holds an answer after it. Raises ModelFailed when the
        model cannot be asked.
        """
        if not view.seen and not view.final and "search" not in self.off:
            self.client.prepare()
            carried = list(view.carried[:READ_AT_ONCE]) if "read" not in self.off else []
            reading = (Call("read", {"locators": carried}),) if carried else ()
            return Calls((Call("search", {"query": view.question}), *reading))
        body, worst = self._request(view)
        twice = Usage(cache_write=2 * worst.cache_write + worst.output, output=2 * worst.output)
        if not view.final and self.purse.lacking(twice, self.settings.price):
            view = replace(view, final=True)
            body, worst = self._request(view)
        made = move(self.client.ask(body, self.purse, worst), final=view.final)
        return _held(made, view) if isinstance(made, Calls) else _own(made)

    def _request(self, view: View) -> tuple[dict[str, object], Usage]:
        """Return a request and the most that it can use: every input token written to the cache, a full answer."""
        tokens = self.settings.turn_tokens
        body = request(view, model=self.settings.model, max_tokens=tokens, off=self.off)
        return body, Usage(cache_write=weight(body), output=tokens)


def _held(made: Calls, view: View) -> Calls:
    """Return the calls; one that reads more at once than the question is worth is told so instead of being run."""
    if view.intent not in SIMPLE or view.said or _several(view):
        return made
    return Calls(tuple(replace(call, fault=call.fault or _too_much(call)) for call in made.calls))


def _several(view: View) -> bool:
    """Say whether a question has several parts or sides, by its words or because sub-questions were made of it."""
    delegated = any(isinstance(observation.result, DelegateResult) for observation in view.seen)
    return delegated or len(parts(view.asked)) > 1 or bool(sides(view.asked))


def _own(draft: Draft) -> Draft:
    """Return the draft; a sentence that repeats the instructions has no proof."""
    return replace(draft, sentences=tuple(replace(s, quotes=()) if repeats(s.text) else s for s in draft.sentences))


def _too_much(call: Call) -> str:
    locators = call.args.get("locators")
    wide = call.tool == "read" and isinstance(locators, list) and len(locators) > READ_AT_ONCE
    return f"Read at most {READ_AT_ONCE} locators at once for this question." if wide else ""
