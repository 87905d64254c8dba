"""The build that is being served: opened at the first request, opened again when the pointer moves.

A damaged new build never replaces a good old one: the old one goes on and its answers name what happened.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from query_fn.agent.chat.base import ChatModel
from query_fn.agent.chat.claude.client import Client
from query_fn.agent.chat.claude.grader import ClaudeGrader
from query_fn.agent.chat.claude.model import Claude
from query_fn.agent.chat.closeness import closeness
from query_fn.agent.chat.extractive import Extractive
from query_fn.agent.purse import Purse
from query_fn.bucket import Bucket, Place
from query_fn.contract import LEXICAL
from query_fn.errors import ArtifactDamaged, ArtifactError, ArtifactMissing, OtherBuild, RouteFailed
from query_fn.retrieve.embed import Embedder, Reader
from query_fn.retrieve.lexical import Lexical
from query_fn.retrieve.search import Searcher
from query_fn.service import Deps
from query_fn.settings import ClaudeSettings, Settings
from query_fn.signature import check
from query_fn.store import Store, check_embedder, open_store

_log = logging.getLogger("geosmin.live")


class Build(Struct, frozen=True):
    """An open build: what a question needs, and a searcher without vectors for every-key-stroke search."""

    target: Path
    deps: Deps
    lexical: Searcher
    embedder: Embedder | None = None

    def faults(self) -> tuple[str, ...]:
        """Load what the first question would wait for, and return the names of what cannot be loaded."""
        try:
            if self.embedder is not None:
                self.embedder.prepare()
        except RouteFailed as error:
            _log.error("%s", error)
            return ("route_failed:embedder",)
        return ()


class Source(Protocol):
    """Where builds come from."""

    refused: str  # why a newer build than the one in use is not used, "" when there is none

    def target(self) -> Path:
        """Return the folder of the build to use. Raises ArtifactError when there is none."""
        ...

    def look(self) -> None:
        """Let the next `target` see what is there now, and not what was a while ago."""
        ...


class Folder:
    """Builds on this disk, behind a symbolic link."""

    refused = ""

    def __init__(self, path: Path) -> None:
        self._path = path

    def target(self) -> Path:
        """Return what the link leads to now."""
        return self._path.resolve()

    def look(self) -> None:
        """Do nothing: a link is followed each time."""


class Live:
    """Hand out the current build. Thread-safe; opening happens once, the others wait."""

    def __init__(self, settings: Settings, *, clock: Callable[[], int] | None = None) -> None:
        self._settings = settings
        self._source = _source(settings)
        self._clock = clock
        self._lock = threading.Lock()
        self._build: Build | None = None
        self._refused: tuple[Path, float] | None = None  # a damaged build is read once, not at every request

    def current(self) -> Build:
        """Return the build behind the pointer. Raises ArtifactError when there is none that can be served."""
        with self._lock:
            target = self._source.target()
            if self._build is None or (target != self._build.target and (target, _stamp(target)) != self._refused):
                self._build = self._reopen(target)
            return _noted(self._build, self._source.refused)

    def agreeing(self, build_id: str) -> Build:
        """Return the current build, which is the one that the reader's site names; "" is a reader without a site.

        Raises OtherBuild when it is not, even after looking again, and ArtifactError as `current` does.
        """
        build = self.current()
        if build_id and build_id != build.deps.store.manifest.build_id:
            with self._lock:
                self._source.look()
            build = self.current()
        if build_id and build_id != build.deps.store.manifest.build_id:
            raise OtherBuild("The site and the answers are being renewed. Try again in a moment.")
        return build

    def warm(self) -> None:
        """Open the build and load the model, so that the first question does not wait for them. Raises nothing.

        What fails here is tried again, and told, when a question comes.
        """
        try:
            self.current().faults()
        except ArtifactError as error:
            _log.warning("not warm: %s", error)

    def _reopen(self, target: Path) -> Build:
        try:
            return self._open(target)
        except ArtifactError as error:
            _log.error("build refused: %s: %s", error.code, error)
            if self._build is None:
                raise
            self._refused = (target, _stamp(target))
            return _noted(self._build, error.code)

    def _open(self, target: Path) -> Build:
        store = open_store(target, model=self._settings.model)
        if self._settings.verify_key is not None:
            check(store.manifest, self._settings.verify_key)
        for name in LEXICAL:  # opened now: the folder of a superseded build goes away
            store.lexical(name)
        embedder, notes = _embedder(store)
        if embedder and not embedder.reads:
            notes = (*notes, "embedder_without_states")
        searcher = Searcher(store, embedder)
        model = chat_model(store, embedder)
        paid = paid_model(self._settings)
        if paid is None and self._settings.chat != model.name:
            notes = (*notes, f"chat_unavailable:{self._settings.chat}")
        deps = Deps(store, searcher, model, self._settings, notes=notes, paid=paid)
        deps = replace(deps, clock=self._clock) if self._clock else deps
        return Build(target, deps, Searcher(store, None) if embedder else searcher, embedder)


def _source(settings: Settings) -> Source:
    place = Place.of(settings.bucket)
    if place is None or settings.verify_key is None:
        return Folder(settings.artifacts)
    return Bucket(place, settings.verify_key, seconds=settings.refresh_seconds)


def _noted(build: Build, refused: str) -> Build:
    """Return the build with the name of the newer one's fault, "" for none."""
    if not refused:
        return build
    notes = tuple(dict.fromkeys((*build.deps.notes, f"new_build_refused:{refused}")))
    return replace(build, deps=replace(build.deps, notes=notes))


def chat_model(store: Store, embedder: Reader | None) -> ChatModel:
    """Return the chat model: extractive, which needs no key."""
    return Extractive(closeness(embedder) if embedder and embedder.reads else None, store.fold, Lexical(store).idf)


def paid_model(settings: Settings) -> Callable[[Purse], ChatModel] | None:
    """Return what makes the paid model of one question; None when none is wanted, or its SDK or key is missing."""
    claude = settings.claude
    if settings.chat != "claude" or find_spec("anthropic") is None:
        return None
    if claude.provider == "anthropic" and claude.key is None:
        return None
    return partial(_paid, Client(claude), _grader(claude), off=settings.tools_off)


def _grader(claude: ClaudeSettings) -> Client | None:
    """Return the connection to the model that grades; None when none is wanted."""
    price = claude.grader
    return None if price is None else Client(replace(claude, model=price.model, price=price))


def _paid(client: Client, grader: Client | None, purse: Purse, *, off: tuple[str, ...]) -> Claude:
    """Return one question's model and its grader, which spend from the same purse."""
    return Claude(client, client.settings, purse, off, ClaudeGrader(grader, purse) if grader else None)


def _embedder(store: Store) -> tuple[Embedder | None, tuple[str, ...]]:
    """Return the build's embedder, or None and the name of the reason. Raises ProfileMismatch for another model."""
    notes = store.manifest.degraded
    if store.manifest.profile.embedder is None:
        return None, notes or ("no_embedder",)
    if store.model is None:
        return None, (*notes, "embedder_missing")
    try:
        embedder = Embedder(store.model)
    except (ArtifactMissing, ArtifactDamaged) as error:
        _log.error("embedder refused: %s", error)
        return None, (*notes, error.code.replace("artifacts", "embedder"))
    check_embedder(store.manifest, embedder.profile)
    return embedder, notes


def _stamp(target: Path) -> float:
    try:
        return (target / "manifest.json").stat().st_mtime
    except OSError:
        return 0.0
