"""Artifacts in S3: one pointer object names a build, each build has a prefix of its own that never changes.

Layout below ``s3://BUCKET/PREFIX/``: ``current`` (JSON: the id of the build, and its commit for whoever uploads next)
and ``builds/<id>/…``, the files of the artifacts folder. A build is fetched into the temporary folder, manifest first,
and used only when all of it verifies.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct

from query_fn import signature
from query_fn.contract import MANIFEST, Manifest, ManifestError, damage, load_manifest
from query_fn.errors import ArtifactDamaged, ArtifactError, ArtifactMissing, ArtifactUnreachable
from query_fn.regex import regex

POINTER_KEY, BUILDS_KEY = "current", "builds"
FETCHERS = 8
MOST_BYTES = 32 * 1024 * 1024  # of a manifest that is read; the largest of our examples has 0.1 MB
LEAST = 1.0  # seconds between two looks at the pointer, however often somebody asks for one
SECONDS = 3.0  # to connect, and without a byte
_ID = regex(r"[0-9a-zA-Z][0-9a-zA-Z._-]{0,99}")
_ABSENT = ("NoSuchKey", "NoSuchBucket", "404")
_log = logging.getLogger("geosmin.bucket")


class Place(Struct, frozen=True):
    """Where builds lie: a bucket and the beginning of every key, "" or ending in a slash."""

    bucket: str
    prefix: str

    @classmethod
    def of(cls, url: str) -> Place | None:
        """Return the place of ``s3://BUCKET/PREFIX``, None for anything else."""
        found = re.fullmatch(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/([\w./-]*?))?/*", url)
        return cls(found[1], f"{found[2]}/" if found[2] else "") if found else None

    def key(self, *parts: str) -> str:
        """Return the key of an object below the place."""
        return self.prefix + "/".join(parts)


def s3_client() -> Any:
    """Return a client that gives up after seconds. Imported here: boto3 takes 0.4 s."""
    import boto3
    from botocore.config import Config

    retries = {"total_max_attempts": 3, "mode": "standard"}
    wanted = Config(connect_timeout=SECONDS, read_timeout=SECONDS, retries=retries, max_pool_connections=FETCHERS)
    return boto3.client("s3", config=wanted)


class Pointer(Struct, frozen=True):
    """Which build is current, the object's ETag, and what the uploader noted of the commit that it was made from."""

    build_id: str
    tag: str
    commit: object = None


@contextmanager
def telling(what: str) -> Iterator[None]:
    """Turn what AWS raises into ArtifactMissing or ArtifactUnreachable."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        raise (ArtifactMissing if code in _ABSENT else ArtifactUnreachable)(f"{what}: {code}") from error
    except BotoCoreError as error:
        raise ArtifactUnreachable(f"{what}: {type(error).__name__}") from error


class Bucket:
    """The build behind the pointer of a place, as a folder. Not for parallel use: `Live` asks under its lock."""

    def __init__(
        self, place: Place, key: bytes, *, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._place = place
        self._key = key
        self._seconds = seconds
        self._clock = clock
        self._client: Any = None
        self._looked = self._look_again = float("-inf")
        self._folder: Path | None = None
        self._old: list[Path] = []
        self._seen = ""  # the id of the build that was fetched or refused last
        self.refused = ""  # why the build that the pointer names is not the one that is used

    def target(self) -> Path:
        """Return the folder of the newest build that verifies. Raises ArtifactError when there has been none yet."""
        if self._folder is not None and self._clock() < self._look_again:
            return self._folder
        self._looked = self._clock()
        self._look_again = self._looked + self._seconds
        try:
            self._refresh()
        except ArtifactError as error:
            if self._folder is None:
                raise
            _log.error("the build in the bucket is not used: %s: %s", error.code, error)
            self.refused = error.code
        assert self._folder is not None
        return self._folder

    def look(self) -> None:
        """Let the next `target` read the pointer, unless it was read within a second."""
        self._look_again = min(self._look_again, self._looked + LEAST)

    def _refresh(self) -> None:
        build_id = read_pointer(self._opened(), self._place).build_id
        if build_id == self._seen and self.refused != ArtifactUnreachable.code:
            return
        if self._folder is None or build_id != self._folder.name:
            folder = self.fetch(build_id)
            self._old = [*self._old, *([self._folder] if self._folder else [])]
            self._folder = folder
            while len(self._old) > 1:  # the last one may still be answering
                shutil.rmtree(self._old.pop(0).parent, ignore_errors=True)
        self._seen, self.refused = build_id, ""

    def fetch(self, build_id: str) -> Path:
        """Return the folder of a build whose manifest is the owner's and whose files are the manifest's.

        Raises ArtifactError when it is not there, damaged, or not signed.
        """
        self._seen = build_id
        home = Path(tempfile.mkdtemp(prefix="geosmin-build-"))
        try:
            return self._fetched(build_id, home / build_id)
        except ArtifactError as error:
            shutil.rmtree(home, ignore_errors=True)
            if isinstance(error, ArtifactUnreachable):
                self._seen = ""  # not the fault of the build: tried again
            raise
        except OSError as error:
            shutil.rmtree(home, ignore_errors=True)
            self._seen = ""
            raise ArtifactUnreachable(f"{build_id} cannot be kept: {error.strerror}") from error

    def _fetched(self, build_id: str, folder: Path) -> Path:
        client, place = self._opened(), self._place
        manifest, raw = read_manifest(client, place, build_id)
        signature.check(manifest, self._key)
        if manifest.build_id != build_id:
            raise ArtifactDamaged(f"the manifest of {build_id} is that of {manifest.build_id}")

        def get(name: str) -> None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with telling(name), path.open("wb") as file:
                found = client.get_object(Bucket=place.bucket, Key=place.key(BUILDS_KEY, build_id, name))
                if found["ContentLength"] != manifest.files[name].size:  # before it fills the disk
                    raise ArtifactDamaged(f"{name} has {found['ContentLength']} bytes, not those of the manifest")
                shutil.copyfileobj(found["Body"], file)

        with ThreadPoolExecutor(FETCHERS) as pool:
            list(pool.map(get, manifest.files))
        for problem in damage(folder, manifest):
            raise ArtifactDamaged(problem)
        (folder / MANIFEST).write_bytes(raw)
        return folder

    def _opened(self) -> Any:
        if self._client is None:
            self._client = s3_client()
        return self._client


def _whole(client: Any, place: Place, *parts: str, most: int) -> tuple[bytes, str]:
    """Return an object and its ETag. Raises ArtifactDamaged above `most` bytes; one that breaks off raises too."""
    found = client.get_object(Bucket=place.bucket, Key=place.key(*parts))
    if found["ContentLength"] > most:
        raise ArtifactDamaged(f"{parts[-1]} has {found['ContentLength']} bytes")
    return found["Body"].read(), str(found["ETag"])


def read_pointer(client: Any, place: Place) -> Pointer:
    """Return what the pointer says. Raises ArtifactError."""
    with telling("the pointer"):
        raw, tag = _whole(client, place, POINTER_KEY, most=10_000)
    try:
        data = json.loads(raw)
        build_id = data["build_id"]
    except (ValueError, KeyError, TypeError):
        build_id = None
    if not isinstance(build_id, str) or not _ID.fullmatch(build_id):
        raise ArtifactDamaged("the pointer names no build")
    return Pointer(build_id, tag, data.get("commit"))


def read_manifest(client: Any, place: Place, build_id: str) -> tuple[Manifest, bytes]:
    """Return a build's manifest and its bytes; nothing of it may be believed yet. Raises ArtifactError."""
    with telling(f"the manifest of {build_id}"):
        raw, _ = _whole(client, place, BUILDS_KEY, build_id, MANIFEST, most=MOST_BYTES)
    try:
        manifest = load_manifest(raw.decode("utf-8"))
    except (UnicodeDecodeError, ManifestError) as error:
        raise ArtifactDamaged(f"the manifest of {build_id}: {error}") from None
    for name in manifest.files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name:
            raise ArtifactDamaged(f"the manifest of {build_id} names a file outside of its folder")
    return manifest, raw
