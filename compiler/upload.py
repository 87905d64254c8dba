"""Builds in S3: uploaded under a prefix of their own, signed, and switched to by one conditional write.

The function fetches what the pointer names (`query_fn/bucket.py`). Of two uploads at the same time the one of the newer
commit stays, whichever comes first.
"""

from __future__ import annotations

import base64
import json
import sqlite3
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import structs

from compiler import order
from compiler.errors import BuildError
from query_fn.bucket import BUILDS_KEY, POINTER_KEY, Place, Pointer, read_manifest, read_pointer, s3_client, telling
from query_fn.contract import MANIFEST, STORE, Manifest, dump_manifest, file_entry
from query_fn.errors import ArtifactDamaged, ArtifactMissing
from query_fn.signature import check, message
from query_fn.store import open_store

_SENDERS = 8
_TRIES = 40  # conditional writes against others; each that fails means that somebody else's succeeded


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a build came from: the content folder, whose history tells which commit is older, and the commit."""

    content: Path
    commit: order.Commit


def make_keys() -> tuple[str, str]:
    """Return a new private key and its public key, each as base64 of 32 bytes."""
    key = Ed25519PrivateKey.generate()
    return _text(key.private_bytes_raw()), _text(key.public_key().public_bytes_raw())


def signed(manifest: Manifest, private: bytes) -> Manifest:
    """Return the manifest with the owner's signature."""
    signature = Ed25519PrivateKey.from_private_bytes(private).sign(message(manifest))
    return structs.replace(manifest, signature=_text(signature))


def origin(content: Path, state: Path) -> Origin | None:
    """Return where the build that was made last came from, None without Git."""
    commit = order.built(state)
    return Origin(content, commit) if commit else None


def pointer(place: Place) -> Pointer | None:
    """Return what the pointer says, None when there is none yet. Raises ArtifactError when nobody can tell."""
    return _pointer(s3_client(), place)


def upload(artifacts: Path, place: Place, private: bytes, made_from: Origin | None = None) -> str:
    """Upload a build and move the pointer to it; return its id. Files first, then the manifest, the pointer last.

    Raises ArtifactError when the build is damaged or the bucket cannot be reached, LockedError when the pointer names a
    build of a newer commit, and BuildError when somebody else moved it meanwhile and no commit tells who is first.
    """
    seen = pointer(place)
    build_id = stage(artifacts, place, private)
    switch_to(place, build_id, made_from, seen=seen)
    return build_id


def stage(artifacts: Path, place: Place, private: bytes) -> str:
    """Upload a build, signed, and leave the pointer where it is; return the build's id. Raises ArtifactError."""
    client, store = s3_client(), open_store(artifacts)
    manifest = signed(store.manifest, private)

    def put(name: str) -> None:
        with telling(name):
            client.upload_file(str(store.folder / name), place.bucket, _key(place, manifest.build_id, name))

    with ThreadPoolExecutor(_SENDERS) as pool:
        list(pool.map(put, manifest.files))
    with telling("the manifest"):
        body = dump_manifest(manifest).encode()
        client.put_object(Bucket=place.bucket, Key=_key(place, manifest.build_id, MANIFEST), Body=body)
    return manifest.build_id


def switch_to(place: Place, build_id: str, made_from: Origin | None, *, seen: Pointer | None) -> None:
    """Move the pointer to a build that was staged; `seen` is what it was when the upload began.

    Raises LockedError and BuildError as `upload` does; the pointer is then where it was.
    """
    client = s3_client()
    for _ in range(_TRIES):
        if made_from and seen and (newest := order.commit_of(seen.commit)):
            order.refuse(made_from.content, made_from.commit, newest, "published")
        if _moved(client, place, build_id, seen=seen, commit=made_from.commit if made_from else None):
            return
        if made_from is None:
            break
        seen = _pointer(client, place)
    raise BuildError("somebody else moved the pointer meanwhile; nothing was switched, try again")


def rollback(artifacts: Path, place: Place, build_id: str, *, public: bytes) -> None:
    """Move the pointer back to a build that is still in the bucket.

    Raises BuildError when it holds a page that is not public now: not in the build that is served, or not in the local
    one in `artifacts`. Raises ArtifactError when the earlier build is not there or was not signed by the owner.
    """
    client = s3_client()
    served = read_pointer(client, place)
    earlier = _articles(client, place, build_id, public)
    now = _articles(client, place, served.build_id, public) & {row.id for row in open_store(artifacts).articles()}
    if gone := earlier - now:
        raise BuildError(
            f"build {build_id} holds {len(gone)} pages that are not public now; build and upload what is right instead"
        )
    # the newest commit stays noted, so a push that was overtaken cannot come after a rollback either
    if not _moved(client, place, build_id, seen=served, commit=order.commit_of(served.commit)):
        raise BuildError("somebody else moved the pointer meanwhile; nothing was switched, try again")


def _articles(client: Any, place: Place, build_id: str, public: bytes) -> set[str]:
    """Return the ids of the articles of a build in the bucket, read from its verified database."""
    manifest, _ = read_manifest(client, place, build_id)
    check(manifest, public)
    with tempfile.TemporaryDirectory(prefix="geosmin-") as name:
        path = Path(name) / STORE
        with telling(STORE):
            client.download_file(place.bucket, _key(place, build_id, STORE), str(path))
        if file_entry(path) != manifest.files[STORE]:
            raise ArtifactDamaged(f"{STORE} of {build_id} differs from its manifest")
        database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            return {row[0] for row in database.execute("SELECT id FROM articles")}
        finally:
            database.close()


def _pointer(client: Any, place: Place) -> Pointer | None:
    try:
        return read_pointer(client, place)
    except ArtifactMissing:
        return None


def _moved(client: Any, place: Place, build_id: str, *, seen: Pointer | None, commit: order.Commit | None) -> bool:
    """Write the pointer if it is still the one that was read; tell whether it was."""
    from botocore.exceptions import ClientError

    unchanged: Mapping[str, str] = {"IfMatch": seen.tag} if seen else {"IfNoneMatch": "*"}
    body = {"build_id": build_id, **({"commit": asdict(commit)} if commit else {})}
    with telling("the pointer"):
        try:
            client.put_object(
                Bucket=place.bucket, Key=place.key(POINTER_KEY), Body=json.dumps(body).encode(), **unchanged
            )
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") not in ("PreconditionFailed", "ConditionalRequestConflict"):
                raise
            return False
    return True


def _key(place: Place, build_id: str, name: str) -> str:
    return place.key(BUILDS_KEY, build_id, name)


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
