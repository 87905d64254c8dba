"""The embedding stage: which embedder there is, and the vectors of all rows through the cache."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

from compiler.derive import Derivation
from compiler.errors import BuildError
from compiler.index.embed_cache import Clock, EmbedCache
from compiler.index.export import NO_EMBEDDER, export_model
from compiler.index.rows import Vectors
from compiler.index.vectors import embed_all
from compiler.progress import Progress
from compiler.settings import EmbedSettings, Settings
from query_fn.contract import Embedding
from query_fn.errors import ArtifactError
from query_fn.retrieve.embed import Embedder
from query_fn.retrieve.model_folder import embedding

DEFAULT_MODEL = "multilingual-e5-small"


@dataclass(frozen=True, slots=True)
class Choice:
    """The embedder of a build, or the named reason why there is none."""

    embedder: Embedder | None
    degraded: tuple[str, ...] = ()

    @property
    def profile(self) -> Embedding | None:
        """What the embedder's vectors are compared by."""
        return self.embedder.profile if self.embedder else None


def choose_embedder(settings: EmbedSettings) -> Choice:
    """Return the configured embedder, exported on first use. Without its packages the build goes on and says so."""
    folder = model_folder(settings)
    if folder is None:
        return Choice(None, (NO_EMBEDDER,))
    try:
        embedding(folder)
        return Choice(Embedder(folder))
    except (ArtifactError, OSError, ValueError) as error:
        raise BuildError(f"embed.model {settings.model}: {error}") from error


def model_folder(settings: EmbedSettings) -> Path | None:
    """Return where the configured model lies, exported there on first use; None when there is none to be had."""
    if settings.model == "none":
        return None
    return export_model(script=settings.script) if settings.model == DEFAULT_MODEL else Path(settings.model)


def embed_rows(
    derived: Derivation, choice: Choice, settings: Settings, *, progress: Progress, anew: bool = False
) -> Vectors | None:
    """Return the vectors of all rows, None without an embedder. Only new texts are embedded, `anew` all."""
    if choice.embedder is None:
        return None
    cache = EmbedCache(settings.state / "vectors.db", anew=anew)
    try:
        deadline = time.monotonic() + settings.embed.seconds if settings.embed.seconds else None
        clock = Clock(deadline, progress.update, settings.embed.threads or os.cpu_count() or 1)
        vectors = embed_all(derived.rows, choice.embedder, cache=cache, clock=clock, texts=derived.texts)
        return replace(vectors, note=cache.note)
    finally:
        cache.close()
        choice.embedder.release()
