"""What a build is: a hash of its public inputs. The same inputs have the same id and the same bytes."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from compiler.model import Article
from compiler.read import Sources
from compiler.settings import Settings, public_view
from query_fn.contract import Embedding

_CODE = ("compiler", "site_template")
_SHARED = ("contract.py", "text.py", "retrieve/embed.py")  # what of query_fn shapes a build


def build_id(sources: Sources, settings: Settings, embedding: Embedding | None, *, waiting: int = 0) -> str:
    """Return the id of the build that these inputs make; `waiting` counts vectors that a time budget left out."""
    inputs: dict[str, Any] = {
        "code": code_fingerprint(),
        "settings": public_view(settings),
        "articles": [{k: v for k, v in dataclasses.asdict(a).items() if k != "source"} for a in sources.articles],
        "attachments": [(a.url, a.sha256) for a in sources.attachments],
        "embedding": dataclasses.asdict(embedding) if embedding else None,
        "waiting": waiting,
        "stamp": stamp(sources.articles),
    }
    return hashlib.sha256(json.dumps(inputs, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]


@cache
def code_fingerprint() -> str:
    """Return a hash of the installed code and templates: a new version of the compiler makes a new build."""
    digest = hashlib.sha256()
    roots = {package: Path(str(files(package))) for package in (*_CODE, "query_fn")}
    paths = [p for package in _CODE for p in roots[package].rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    for path in sorted(paths) + [roots["query_fn"] / name for name in _SHARED]:
        digest.update(path.relative_to(roots["query_fn"].parent).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def stamp(articles: Sequence[Article]) -> int:
    """Return the time outputs carry: SOURCE_DATE_EPOCH, else the newest `updated` of the public pages (00:00 UTC)."""
    if epoch := source_date_epoch():
        return epoch
    newest = max((a.updated for a in articles if a.updated), default="1980-01-01")
    day = date.fromisoformat(newest)
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def source_date_epoch() -> int:
    """Return SOURCE_DATE_EPOCH as a number, 0 when it is unset or not one."""
    value = os.environ.get("SOURCE_DATE_EPOCH", "")
    return int(value) if value.isdigit() else 0
