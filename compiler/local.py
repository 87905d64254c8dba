"""The query function on this machine: the settings that serve a local build, and one question or search against it."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Iterator
from dataclasses import dataclass

from compiler.embed import model_folder
from compiler.settings import Settings as BuildSettings
from query_fn import service, wire
from query_fn.agent.events import Event
from query_fn.app import dist_settings
from query_fn.live import Build, Live
from query_fn.model import Ask, Scope
from query_fn.settings import Settings


def function_settings(settings: BuildSettings) -> Settings:
    """Return the settings that serve ``--out`` locally; conversations are signed for this process only."""
    found = dist_settings(settings.out)
    return dataclasses.replace(found, model=model_folder(settings.embed), secret=secrets.token_bytes(32))


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

    def search(self, query: str, limit: int) -> wire.Json:
        """Return a search result as the API gives it."""
        found = self.build.deps.searcher.search(query, scope=Scope(), limit=limit, now=self.build.deps.clock())
        return wire.search(found, self.site)

    @property
    def site(self) -> wire.Site:
        """What the wire needs to know of the build."""
        manifest = self.build.deps.store.manifest
        return wire.Site(manifest.base_path, manifest.build_id)
