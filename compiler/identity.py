"""What a build is: a hash of its public inputs. The same inputs have the same id and the same bytes."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from msgspec import to_builtins

from compiler.cache import digest_of
from compiler.errors import SettingsError
from compiler.model import Article, SourcePath
from compiler.read import Sources
from compiler.settings import Settings, public_view
from compiler.version import compiler_version, template_version
from query_fn.contract import Embedding

YEAR = 366 * 86_400  # seconds


def build_id(
    sources: Sources, settings: Settings, embedding: Embedding | None, *, waiting: int = 0, answers: str = ""
) -> str:
    """Return the id of the build that these inputs make.

    `waiting` counts vectors that a time budget left out; `answers` is the hash of what a model answered.
    """
    inputs: dict[str, Any] = {
        "code": (compiler_version(), template_version()),
        "settings": public_view(settings),
        "theme": digest_of(settings.theme),
        "articles": digest_of([dataclasses.replace(a, source=SourcePath("")) for a in sources.articles]),
        "attachments": [(a.url, a.sha256) for a in sources.attachments],
        "embedding": to_builtins(embedding) if embedding else None,
        "waiting": waiting,
        "answers": answers,
        "stamp": stamp(sources.articles),
    }
    return hashlib.sha256(json.dumps(inputs, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]


def stamp(articles: Sequence[Article]) -> int:
    """Return the time outputs carry: SOURCE_DATE_EPOCH, else the newest `updated` of the public pages (00:00 UTC)."""
    if epoch := source_date_epoch():
        return epoch
    newest = max((a.updated for a in articles if a.updated), default="1980-01-01")
    day = date.fromisoformat(newest)
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def source_date_epoch() -> int:
    """Return SOURCE_DATE_EPOCH in seconds, 0 when it is unset.

    Raises SettingsError when it is no number, or over a year ahead of the clock: every page that expires would be gone.
    """
    value = os.environ.get("SOURCE_DATE_EPOCH", "").strip()
    if not value:
        return 0
    if not re.fullmatch(r"[0-9]{1,12}", value) or int(value) > time.time() + YEAR:
        raise SettingsError(f"SOURCE_DATE_EPOCH is {value!r}; accepted: seconds since 1970, at most a year from now")
    return int(value)
