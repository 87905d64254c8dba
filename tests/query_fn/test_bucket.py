"""Artifacts in S3: only what the owner signed is served, the old build goes on, and nothing private comes back."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import boto3
import pytest
from msgspec import structs
from starlette.testclient import TestClient

from compiler.errors import BuildError
from compiler.upload import make_keys, rollback, signed, upload
from query_fn.app import create_app
from query_fn.bucket import Bucket, Place, Pointer
from query_fn.contract import MANIFEST, dump_manifest, load_manifest
from query_fn.errors import ArtifactDamaged, ArtifactError, ArtifactMissing, ArtifactUnreachable, ArtifactUnsigned
from query_fn.settings import Settings
from query_fn.signature import key_from
from tests.artifacts import BUILD_ID, make_artifacts, make_rows
from tests.aws import REGION

PRIVATE, PUBLIC = (key_from(key) or b"" for key in make_keys())
_names = itertools.count()


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny bilingual base."""
    folder = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder)
    return folder


@pytest.fixture
def place(cloud: str) -> Place:
    """A new bucket."""
    name = f"geosmin-{next(_names)}"
    boto3.client("s3").create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
    return Place(name, "wiki/")


def _other(tmp_path: Path, build_id: str, *, without: str = "") -> Path:
    """Return another build: the same base under another id, perhaps without one article and all that is made of it."""
    rows = make_rows()
    if without:
        rows = type(rows)(
            **{
                name: tuple(
                    structs.replace(row, n=n) for n, row in enumerate(r for r in found if without not in _about(r))
                )
                for name, found in ((f, getattr(rows, f)) for f in rows.__dataclass_fields__)
            }
        )
    folder = tmp_path / build_id
    manifest = make_artifacts(folder, rows=rows)
    (folder / MANIFEST).write_text(dump_manifest(structs.replace(manifest, build_id=build_id)), "utf-8")
    return folder


def _about(row: Any) -> tuple[str, ...]:
    return (*row.sources, getattr(row, "id", ""))


def _bucket(place: Place, now: list[float] | None = None, key: bytes = PUBLIC) -> Bucket:
    return Bucket(place, key, seconds=10, clock=(lambda: now[0]) if now else lambda: 0.0)


def _put(place: Place, name: str, body: bytes, build_id: str = BUILD_ID) -> None:
    boto3.client("s3").put_object(Bucket=place.bucket, Key=place.key("builds", build_id, name), Body=body)


def test_the_function_answers_from_the_bucket(place: Place, artifacts: Path) -> None:
    """An uploaded build is fetched, verified and answered from, and the answer names it."""
    assert upload(artifacts, place, PRIVATE) == BUILD_ID
    settings = Settings(Path("nowhere"), bucket=f"s3://{place.bucket}/{place.prefix}", verify_key=PUBLIC)
    client = TestClient(create_app(settings))
    found = client.post("/api/public/qa/chat", json={"question": "How long are backups kept?", "stream": False}).json()
    assert "14 days" in found["answer"]
    assert found["build_id"] == BUILD_ID


def test_the_new_build_is_seen_after_a_while(place: Place, artifacts: Path, tmp_path: Path) -> None:
    """The pointer is looked at every N seconds, not at every request; both builds lie apart."""
    now = [0.0]
    upload(artifacts, place, PRIVATE)
    bucket = _bucket(place, now)
    first = bucket.target()
    upload(_other(tmp_path, "build-2"), place, PRIVATE)
    now[0] = 9.0
    assert bucket.target() == first
    now[0] = 11.0
    assert bucket.target().name == "build-2"
    assert first.is_dir()  # somebody may still be answered from it


@pytest.mark.parametrize(
    ("harm", "error"),
    [
        (lambda place, m: _put(place, "fold.json", b"{}"), ArtifactDamaged),
        (lambda place, m: _put(place, "knowledge.db", b""), ArtifactDamaged),
        (lambda place, m: _put(place, MANIFEST, b"{"), ArtifactDamaged),
        (lambda place, m: _put(place, MANIFEST, b"\xff"), ArtifactDamaged),
        (lambda place, m: _put(place, MANIFEST, dump_manifest(m).encode()), ArtifactUnsigned),
        (
            lambda place, m: _put(place, MANIFEST, dump_manifest(structs.replace(m, signature="x")).encode()),
            ArtifactUnsigned,
        ),
        (
            lambda place, m: _put(
                place, MANIFEST, dump_manifest(structs.replace(signed(m, PRIVATE), title="Evil")).encode()
            ),
            ArtifactUnsigned,
        ),
        (
            lambda place, m: _put(place, MANIFEST, dump_manifest(signed(m, key_from(make_keys()[0]) or b"")).encode()),
            ArtifactUnsigned,
        ),
        (
            lambda place, m: _put(
                place, MANIFEST, dump_manifest(signed(structs.replace(m, build_id="build-9"), PRIVATE)).encode()
            ),
            ArtifactDamaged,
        ),
        (
            lambda place, m: _put(
                place, MANIFEST, dump_manifest(structs.replace(m, files={"../evil": m.files["fold.json"]})).encode()
            ),
            ArtifactDamaged,
        ),
    ],
)
def test_what_the_owner_did_not_sign_is_not_used(place: Place, artifacts: Path, harm: Any, error: type) -> None:
    """Whoever may write into the bucket but has no key can change no answer: at the first fetch nothing is served."""
    upload(artifacts, place, PRIVATE)
    harm(place, load_manifest((artifacts / MANIFEST).read_text("utf-8")))
    with pytest.raises(error):
        _bucket(place).target()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"build_id": 7}', b'{"build_id": "../x"}', b"\xff" * 20_000])
def test_a_broken_pointer(place: Place, artifacts: Path, body: bytes) -> None:
    """A pointer that names no build leaves the old one in use, by name; without an old one nothing is served."""
    now = [0.0]
    upload(artifacts, place, PRIVATE)
    bucket = _bucket(place, now)
    first = bucket.target()
    boto3.client("s3").put_object(Bucket=place.bucket, Key=place.key("current"), Body=body)
    now[0] = 11.0
    assert bucket.target() == first
    assert bucket.refused == "artifacts_damaged"
    with pytest.raises(ArtifactDamaged):
        _bucket(place).target()


def test_a_damaged_new_build_leaves_the_old_one(place: Place, artifacts: Path, tmp_path: Path) -> None:
    """The old build goes on and the reason is named; a mended pointer clears it."""
    now = [0.0]
    upload(artifacts, place, PRIVATE)
    bucket = _bucket(place, now)
    first = bucket.target()
    upload(_other(tmp_path, "build-2"), place, PRIVATE)
    _put(place, "fold.json", b"{}", "build-2")
    now[0] = 11.0
    assert bucket.target() == first
    assert bucket.refused == "artifacts_damaged"
    now[0] = 22.0
    assert bucket.target() == first
    assert bucket.refused == "artifacts_damaged"
    upload(artifacts, place, PRIVATE)
    now[0] = 33.0
    assert bucket.target() == first
    assert bucket.refused == ""


def test_nothing_there(place: Place) -> None:
    """An empty bucket and one that cannot be reached have names of their own."""
    with pytest.raises(ArtifactMissing):
        _bucket(place).target()
    with pytest.raises(ArtifactMissing):
        _bucket(Place("no-such-bucket-here", "")).target()


def test_an_outage_is_no_reason_to_stop(place: Place, artifacts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While S3 gives no answer the build that is open goes on, and is looked for again later."""
    now = [0.0]
    upload(artifacts, place, PRIVATE)
    bucket = _bucket(place, now)
    first = bucket.target()
    client = bucket._opened()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    bucket._client = None
    now[0] = 11.0
    assert bucket.target() == first
    assert bucket.refused == "artifacts_unreachable"
    with pytest.raises(ArtifactUnreachable):
        _bucket(place).target()
    bucket._client = client
    now[0] = 22.0
    assert bucket.target() == first
    assert bucket.refused == ""


def test_going_back(place: Place, artifacts: Path, tmp_path: Path) -> None:
    """An earlier build with the same pages is switched to again."""
    upload(artifacts, place, PRIVATE)
    upload(_other(tmp_path, "build-2"), place, PRIVATE)
    rollback(artifacts, place, BUILD_ID, public=PUBLIC)
    assert _bucket(place).target().name == BUILD_ID


@pytest.mark.parametrize("where", ["served", "local"])
def test_what_is_not_public_now_does_not_come_back(place: Place, artifacts: Path, tmp_path: Path, where: str) -> None:
    """An earlier build with a page that is gone now is refused, and its title is not told."""
    upload(artifacts, place, PRIVATE)
    smaller = _other(tmp_path, "build-2", without="billing")
    upload(smaller if where == "served" else _other(tmp_path, "build-3"), place, PRIVATE)
    with pytest.raises(BuildError, match="1 pages that are not public now") as caught:
        rollback(artifacts if where == "served" else smaller, place, BUILD_ID, public=PUBLIC)
    assert "billing" not in str(caught.value).lower()
    assert _bucket(place).target().name != BUILD_ID


def test_going_back_to_nothing(place: Place, artifacts: Path) -> None:
    """A build that is not in the bucket, or was not signed by the owner, is not switched to."""
    upload(artifacts, place, PRIVATE)
    with pytest.raises(ArtifactMissing):
        rollback(artifacts, place, "build-7", public=PUBLIC)
    with pytest.raises(ArtifactError):
        rollback(artifacts, place, BUILD_ID, public=key_from(make_keys()[1]) or b"")


def test_two_uploads_at_once(place: Place, artifacts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that read an older pointer does not switch, and says so."""
    upload(artifacts, place, PRIVATE)
    monkeypatch.setattr(
        "compiler.upload._pointer", lambda client, place: Pointer("x", '"0123456789abcdef0123456789abcdef"')
    )
    with pytest.raises(BuildError, match="somebody else"):
        upload(artifacts, place, PRIVATE)
    monkeypatch.setattr("compiler.upload._pointer", lambda client, place: None)
    with pytest.raises(BuildError, match="somebody else"):
        upload(artifacts, place, PRIVATE)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("s3://bucket", Place("bucket", "")),
        ("s3://bucket/", Place("bucket", "")),
        ("s3://bucket/a/b/", Place("bucket", "a/b/")),
        ("s3://b", None),
        ("https://bucket/x", None),
        ("s3://Bucket/x", None),
        ("", None),
        ("artifacts", None),
    ],
)
def test_places(url: str, expected: Place | None) -> None:
    """A place is a bucket and a prefix, or none."""
    assert Place.of(url) == expected
