"""One question on its way through HTTP: conversation opened, events written out, conversation signed again."""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncIterator, Callable, Iterator

from msgspec.structs import replace

from query_fn import service, wire
from query_fn.agent.events import Done, Event, Sentence
from query_fn.agent.phrases import say
from query_fn.agent.purse import never
from query_fn.guard.answers import key_of, slim, worth_keeping
from query_fn.guard.guards import Guards
from query_fn.guard.session import Binding, open_token, sign
from query_fn.live import Build
from query_fn.model import Turn
from query_fn.pump import pumped
from query_fn.records import asked as asked_of
from query_fn.requests import ChatRequest
from query_fn.settings import Settings
from query_fn.text import script_lang

SILENCE = 10.0  # seconds after which a waiting reader is told that somebody is still at work
_log = logging.getLogger("geosmin.talk")


def site_of(build: Build) -> wire.Site:
    """Return what the wire needs to know about a build's site."""
    manifest = build.deps.store.manifest
    return wire.Site(manifest.base_path, manifest.build_id)


class Talk:
    """Answers one request, as an object or as a stream."""

    def __init__(self, asked: ChatRequest, build: Build, settings: Settings, *, guards: Guards, pays: bool) -> None:
        manifest = build.deps.store.manifest
        site = f"{manifest.site_url}{manifest.base_path}"
        self._settings = settings
        self._site = site_of(build)
        self._binding = Binding(site, manifest.build_id, build.deps.clock())
        past = open_token(asked.conversation, settings.secret, binding=self._binding)
        notes = (*build.deps.notes, past.note) if past.note else build.deps.notes
        if build.deps.paid is not None and not pays:
            notes = (*notes, "model_off")
        paid = build.deps.paid if pays else None
        self._deps = replace(build.deps, notes=notes, budget=guards.budget, paid=paid)
        self._ask = replace(asked.ask, turns=past.turns)
        self._answers = guards.answers
        said = asked_of(self._ask.question, secret=settings.secret, words=settings.log_words)
        self.facts: dict[str, object] = {**said}  # for the owner's log, filled while the answer is made
        made_with = ("paid" if paid else "free", *notes)
        self._key = key_of(self._ask, manifest, made_with) if asked.conversation is None else ""

    def whole(self, gone: Callable[[], bool] = never) -> wire.Json:
        """Return the answer object."""
        done = next(event for event in self._events(gone) if isinstance(event, Done))
        return wire.answer(done.answer, self._site, conversation=self._token(done))

    async def stream(self) -> AsyncIterator[str]:
        """Yield server-sent events; a fault after the start ends the stream with a sentence, not a stack."""
        yield wire.begin(uuid.uuid4().hex)
        try:
            async for line in pumped(self._lines, silence=SILENCE):
                yield line
        except Exception:  # noqa: BLE001 - the edge: headers are sent, so the fault becomes the stream's last event
            _log.exception("a stream failed")
            for line in wire.broken(say("failed", self._ask.lang or script_lang(self._ask.question))):
                yield line

    def _lines(self, gone: Callable[[], bool]) -> Iterator[str]:
        first = True
        for event in self._events(gone):
            if isinstance(event, Done):
                yield from wire.finish(event, self._site, conversation=self._token(event))
                return
            yield from wire.parts(event, self._site, first=first)
            first = first and not isinstance(event, Sentence)

    def _events(self, gone: Callable[[], bool]) -> Iterator[Event]:
        """Yield the events of the answer, those of an earlier one when it is the same question."""
        now, manifest = self._deps.clock(), self._deps.store.manifest
        if self._key and (kept := self._answers.get(self._key, now)):
            self.facts |= {"kept": True, **_facts(kept[-1])}
            yield from kept
            return
        events = []
        for event in service.answer(self._ask, self._deps, gone=gone):
            events.append(slim(event))
            self.facts |= _facts(event)
            if isinstance(event, Done) and self._key and not gone() and worth_keeping(events, manifest, now):
                self._answers.put(self._key, events, manifest.next_change)
            yield event

    def _token(self, done: Done) -> str | None:
        """Return the signed conversation with this turn added, None when follow-ups are off."""
        if self._settings.secret is None:
            return None
        evidence = tuple(e.locator for e in done.answer.evidence)
        turn = Turn(self._ask.question, done.standalone, done.answer.answer, evidence)
        seconds = self._settings.conversation_seconds
        return sign((*self._ask.turns, turn), self._settings.secret, binding=self._binding, seconds=seconds)


def _facts(event: Event) -> dict[str, object]:
    """Return what the owner's log says of an answer: how it ended, and which pages it stands on or lies near to."""
    if not isinstance(event, Done):
        return {}
    answer = event.answer
    return {
        "outcome": answer.status.value,
        "confidence": round(answer.confidence, 3),
        "pages": list(dict.fromkeys(e.url.split("#")[0] for e in answer.evidence)),
        "nearest": list(dict.fromkeys(c.url.split("#")[0] for c in answer.nearest)),
        "degraded": list(answer.diagnostics.degraded),
        "usd": answer.diagnostics.spent.get("usd", 0.0),
        "timings": dict(answer.diagnostics.timings_ms),
    }
