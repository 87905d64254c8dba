"""The static site in a bucket behind CloudFront: what went is deleted first, `build.json` comes last."""

from __future__ import annotations

import hashlib
import mimetypes
import os
import re
import shutil
import uuid
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from compiler.errors import SettingsError
from query_fn.bucket import Place, s3_client, telling
from query_fn.contract import POINTER

PROTECTED = "protected/p"  # the pointer to the set of password pages in use
LAST = "build.json"  # tells which build the site is
_SENDERS = 8
_NAMED_BY_CONTENT = re.compile(r"assets/[0-9a-f]{12}/")
_TYPES = {
    ".md": "text/markdown; charset=utf-8",
    ".xml": "application/xml; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".wasm": "application/wasm",
}


def files(out: Path) -> dict[str, Path]:
    """Return every file that readers may fetch by its path: the current site, and the password pages beside it."""
    return {**_below(out / POINTER / "site", ""), **_below(out / PROTECTED, f"{PROTECTED}/")}


def copy(wanted: Mapping[str, Path], folder: Path) -> None:
    """Write the files into a new folder, for a host that takes folders. Raises SettingsError when it is in use."""
    if folder.exists() and any(folder.iterdir()):
        raise SettingsError(f"--to {folder}: not an empty folder, and what lies there might not be public")
    for name, path in wanted.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def publish(wanted: Mapping[str, Path], place: Place) -> tuple[int, int]:
    """Make the bucket hold exactly these files; return how many were written and gone.

    A page that is no longer public goes before anything else is done, so a run that stops halfway shows too little
    rather than too much. Raises ArtifactError when the bucket cannot be reached.
    """
    client = s3_client()
    there = dict(_there(client, place))
    gone = sorted(set(there) - set(wanted))
    changed = [name for name, path in sorted(wanted.items()) if name != LAST and _tag(path) != there.get(name)]

    def put(name: str) -> None:
        with telling(name):
            extra = {"ContentType": _type(name), "CacheControl": _cache(name)}
            client.put_object(Bucket=place.bucket, Key=place.key(name), Body=wanted[name].read_bytes(), **extra)

    with ThreadPoolExecutor(_SENDERS) as pool:
        list(pool.map(lambda name: _delete(client, place, name), gone))
        list(pool.map(put, changed))
    if LAST in wanted:
        put(LAST)
    return len(changed), len(gone)


def purge(distribution: str) -> None:
    """Let CloudFront give up its copies of every page."""
    import boto3  # 0.4 s

    paths = {"Quantity": 1, "Items": ["/*"]}
    with telling(f"the distribution {distribution}"):
        boto3.client("cloudfront").create_invalidation(
            DistributionId=distribution, InvalidationBatch={"Paths": paths, "CallerReference": uuid.uuid4().hex}
        )


def _below(folder: Path, prefix: str) -> dict[str, Path]:
    found = (Path(place, name) for place, _, names in os.walk(folder, followlinks=True) for name in names)
    return {prefix + path.relative_to(folder).as_posix(): path for path in found}


def _there(client: Any, place: Place) -> Iterator[tuple[str, str]]:
    with telling("the site's bucket"):
        for part in client.get_paginator("list_objects_v2").paginate(Bucket=place.bucket, Prefix=place.prefix):
            for item in part.get("Contents", ()):
                yield item["Key"].removeprefix(place.prefix), item["ETag"].strip('"')


def _delete(client: Any, place: Place, name: str) -> None:
    with telling(name):
        client.delete_object(Bucket=place.bucket, Key=place.key(name))


def _tag(path: Path) -> str:
    """Return the ETag that S3 gives an object that was put in one piece."""
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()


def _type(name: str) -> str:
    suffix = Path(name).suffix
    return _TYPES.get(suffix) or mimetypes.types_map.get(suffix, "application/octet-stream")


def _cache(name: str) -> str:
    """Only files whose folder is named by their content may be kept unasked."""
    return "public, max-age=31536000, immutable" if _NAMED_BY_CONTENT.match(name) else "no-cache"
