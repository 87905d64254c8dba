"""The query function on this machine: the settings that serve a local build, and one question or search against it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import structs

from compiler.embed import model_folder
from compiler.errors import SettingsError
from compiler.settings import Settings as BuildSettings
from query_fn import environment, service, wire
from query_fn.agent.chat.scripted import Scripted
from query_fn.agent.events import Done, Event
from query_fn.app import dist_settings
from query_fn.environment import chat_from, claude_from
from query_fn.live import Build, Live
from query_fn.model import Ask, Scope
from query_fn.settings import Settings
from query_fn.trace import moves_of, observed, question_of, written


def function_settings(settings: BuildSettings) -> Settings:
    """Return the settings that serve ``--out`` locally; conversations are signed for this process only.

    Who answers stands in the environment, as for a deployed function. Raises SettingsError.
    """
    found = dist_settings(settings.out)
    try:
        chat, claude = chat_from(os.environ), claude_from(os.environ)
    except environment.SettingsError as error:
        raise SettingsError(str(error)) from None
    model, secret = model_folder(settings.embed), secrets.token_bytes(32)
    return structs.replace(found, model=model, secret=secret, chat=chat, claude=claude)


@dataclass(frozen=True, slots=True)
class Local:
    """An open local build."""

    build: Build

    @classmethod
    def open(cls, settings: BuildSettings) -> Local:
        """Open the current build below ``--out``. Raises ArtifactError when there is none that can be served."""
        return cls(Live(function_settings(settings)).current())

    def ask(self, question: str, lang: str | None) -> Iterator[Event]:
        """Yield the events of one answer."""
        yield from service.answer(Ask(question, lang=lang), self.build.deps)

    def replay(self, trace: Mapping[str, Any]) -> Iterator[Event]:
        """Yield the events of a run that was written down. Raises SettingsError for another build's."""
        if trace.get("build_id") != self.site.build_id:
            raise SettingsError("the trace was made with another build; only that one gives the same answer")
        now, model = int(trace.get("now", 0)), Scripted(moves_of(trace))
        deps = structs.replace(self.build.deps, model=model, paid=None, clock=lambda: now)
        yield from service.answer(question_of(trace), deps)

    def trace(self, ask: Ask, done: Done) -> dict[str, Any]:
        """Return everything about a run, as JSON values."""
        now, answer = self.build.deps.clock(), wire.answer(done.answer, self.site, conversation=None)
        kept = written(ask, build_id=self.site.build_id, now=now, moves=done.moves)
        return {**kept, "seen": observed(done.seen), "answer": answer}

    def search(self, query: str, limit: int) -> wire.Json:
        """Return a search result as the API gives it."""
        found = self.build.deps.searcher.search(query, scope=Scope(), limit=limit, now=self.build.deps.clock())
        return wire.search(found, self.site)

    @property
    def site(self) -> wire.Site:
        """What the wire needs to know of the build."""
        manifest = self.build.deps.store.manifest
        return wire.Site(manifest.base_path, manifest.build_id)
