"""Builds in S3: uploaded under a prefix of their own, signed, and switched to by one conditional write.

The function fetches what the pointer names (`query_fn/bucket.py`). Two uploads at the same time cannot both win.
"""

from __future__ import annotations

import base64
import json
import sqlite3
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from compiler.errors import BuildError
from query_fn.bucket import BUILDS_KEY, POINTER_KEY, Place, read_manifest, read_pointer, s3_client, telling
from query_fn.contract import MANIFEST, STORE, Manifest, dump_manifest, file_entry
from query_fn.errors import ArtifactDamaged, ArtifactMissing
from query_fn.signature import check, message
from query_fn.store import open_store

_SENDERS = 8


def make_keys() -> tuple[str, str]:
    """Return a new private key and its public key, each as base64 of 32 bytes."""
    key = Ed25519PrivateKey.generate()
    return _text(key.private_bytes_raw()), _text(key.public_key().public_bytes_raw())


def signed(manifest: Manifest, private: bytes) -> Manifest:
    """Return the manifest with the owner's signature."""
    return replace(manifest, signature=_text(Ed25519PrivateKey.from_private_bytes(private).sign(message(manifest))))


def upload(artifacts: Path, place: Place, private: bytes) -> str:
    """Upload a build and move the pointer to it; return its id. Files first, then the manifest, the pointer last.

    Raises ArtifactError when the build is damaged or the bucket cannot be reached, and BuildError when somebody else
    moved the pointer meanwhile.
    """
    client, store = s3_client(), open_store(artifacts)
    tag = _pointer_tag(client, place)
    manifest = signed(store.manifest, private)

    def put(name: str) -> None:
        with telling(name):
            client.upload_file(str(store.folder / name), place.bucket, _key(place, manifest.build_id, name))

    with ThreadPoolExecutor(_SENDERS) as pool:
        list(pool.map(put, manifest.files))
    with telling("the manifest"):
        body = dump_manifest(manifest).encode()
        client.put_object(Bucket=place.bucket, Key=_key(place, manifest.build_id, MANIFEST), Body=body)
    _move(client, place, manifest.build_id, tag)
    return manifest.build_id


def rollback(artifacts: Path, place: Place, build_id: str, *, public: bytes) -> None:
    """Move the pointer back to a build that is still in the bucket.

    Raises BuildError when it holds a page that is not public now: not in the build that is served, or not in the local
    one in `artifacts`. Raises ArtifactError when the earlier build is not there or was not signed by the owner.
    """
    client = s3_client()
    served_id, tag = read_pointer(client, place)
    earlier = _articles(client, place, build_id, public)
    now = _articles(client, place, served_id, public) & {row.id for row in open_store(artifacts).articles()}
    if gone := earlier - now:
        raise BuildError(
            f"build {build_id} holds {len(gone)} pages that are not public now; build and upload what is right instead"
        )
    _move(client, place, build_id, tag)


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


def _pointer_tag(client: Any, place: Place) -> str | None:
    try:
        return read_pointer(client, place)[1]
    except ArtifactMissing:
        return None


def _move(client: Any, place: Place, build_id: str, tag: str | None) -> None:
    """Write the pointer if it is still the one that was read. Raises BuildError when it is not."""
    from botocore.exceptions import ClientError

    unchanged: Mapping[str, str] = {"IfNoneMatch": "*"} if tag is None else {"IfMatch": tag}
    body = json.dumps({"build_id": build_id}).encode()
    with telling("the pointer"):
        try:
            client.put_object(Bucket=place.bucket, Key=place.key(POINTER_KEY), Body=body, **unchanged)
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") not in ("PreconditionFailed", "ConditionalRequestConflict"):
                raise
            raise BuildError("somebody else moved the pointer meanwhile; nothing was switched, try again") from error


def _key(place: Place, build_id: str, name: str) -> str:
    return place.key(BUILDS_KEY, build_id, name)


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
