"""Claude as a chat model: a view becomes a request, the answer becomes a move. Made anew for every question."""

from __future__ import annotations

from dataclasses import dataclass, replace

from query_fn.agent.chat.base import Call, Calls, Move, View
from query_fn.agent.chat.claude.client import Client
from query_fn.agent.chat.claude.messages import request, weight
from query_fn.agent.chat.claude.reply import move
from query_fn.agent.purse import Purse
from query_fn.prices import Usage
from query_fn.settings import ClaudeSettings


@dataclass(frozen=True, slots=True)
class Claude:
    """One question's model. It keeps nothing: the whole conversation is in the view, what it may cost in the purse."""

    client: Client
    settings: ClaudeSettings
    purse: Purse
    off: tuple[str, ...] = ()
    name: str = "claude"

    def next(self, view: View) -> Move:
        """Search first, without asking; then let the model decide. Raises ModelFailed when it cannot be asked.

        A turn that may use tools is only taken when the purse holds an answer after it.
        """
        if not view.seen and not view.final and "search" not in self.off:
            self.client.prepare()
            return Calls((Call("search", {"query": view.question}),))
        body, worst = self._request(view)
        twice = Usage(cache_write=2 * worst.cache_write + worst.output, output=2 * worst.output)
        if not view.final and self.purse.lacking(twice, self.settings.price):
            view = replace(view, final=True)
            body, worst = self._request(view)
        return move(self.client.ask(body, self.purse, worst), final=view.final)

    def _request(self, view: View) -> tuple[dict[str, object], Usage]:
        """Return a request and the most that it can use: every input token written to the cache, a full answer."""
        tokens = self.settings.turn_tokens
        body = request(view, model=self.settings.model, max_tokens=tokens, off=self.off)
        return body, Usage(cache_write=weight(body), output=tokens)
