"""What an enricher does. `local` needs no key and no network; a model-backed one follows the same protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from query_fn.contract import ArticleRow, ChunkRow


class Enricher(Protocol):
    """Derives questions from chunks. `name` and `version` are part of every cache key."""

    @property
    def name(self) -> str:
        """Who derives: "local" or a model's provider."""

    @property
    def version(self) -> str:
        """Changes when the same input would give another result."""

    def questions(self, article: ArticleRow, chunk: ChunkRow, count: int) -> Sequence[str]:
        """Return up to `count` distinct questions that the chunk alone answers, in the chunk's language."""
