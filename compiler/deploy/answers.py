"""A model's paid answers in the owner's private bucket, so that an emptied cache of the CI never means paying again.

Each answer is a small file that never changes, under `answers/` beside the builds; the function may not read there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from query_fn.bucket import Place, s3_client, telling

FOLDER = "claude"  # below the state folder
_PREFIX, _SEEN = "answers/", "restored.json"
_SENDERS = 8


def restore(state: Path, place: Place) -> int:
    """Fetch the answers that are not here and return how many. Raises ArtifactError: then a build must not pay."""
    client, folder = s3_client(), state / FOLDER
    there, here = _there(client, place), _here(folder)

    def get(name: str) -> None:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = target.with_suffix(".part")
        with telling(name):
            client.download_file(place.bucket, place.key(_PREFIX + name), str(aside))
        aside.replace(target)

    _each(get, there - here)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _SEEN).write_text(json.dumps(sorted(there)), "utf-8")
    return len(there - here)


def save(state: Path, place: Place) -> tuple[int, int]:
    """Bring new answers to the bucket and drop those that the build forgot; return how many of each.

    A build forgets the answers about pages that are no longer public. What it never saw here stays in the bucket.
    """
    client, folder = s3_client(), state / FOLDER
    there, here = _there(client, place), _here(folder)
    gone = (_seen(folder) - here) & there

    def put(name: str) -> None:
        with telling(name):
            client.upload_file(str(folder / name), place.bucket, place.key(_PREFIX + name))

    def drop(name: str) -> None:
        with telling(name):
            client.delete_object(Bucket=place.bucket, Key=place.key(_PREFIX + name))

    _each(drop, gone)
    _each(put, here - there)
    return len(here - there), len(gone)


def _each(work: Callable[[str], None], names: Iterable[str]) -> None:
    with ThreadPoolExecutor(_SENDERS) as pool:
        list(pool.map(work, sorted(names)))


def _here(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.glob("??/*.json")}


def _there(client: Any, place: Place) -> set[str]:
    """Return the names in the bucket that can be answers; what else lies there is not touched."""
    prefix, found = place.key(_PREFIX), set()
    with telling("the kept answers"):
        for part in client.get_paginator("list_objects_v2").paginate(Bucket=place.bucket, Prefix=prefix):
            found |= {item["Key"].removeprefix(prefix) for item in part.get("Contents", ())}
    return {name for name in found if _is_answer(name)}


def _is_answer(name: str) -> bool:
    folder, _, file = name.partition("/")
    return len(folder) == 2 and folder.isalnum() and file.removesuffix(".json").isalnum() and file.endswith(".json")


def _seen(folder: Path) -> set[str]:
    try:
        return set(json.loads((folder / _SEEN).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return set()
