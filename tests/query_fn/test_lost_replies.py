"""Services that are half down: replies that get lost, are cut short, or come later. Money and old builds stay safe."""

from __future__ import annotations

import itertools
import resource
import socket
import time
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import boto3
import httpx
import pytest

from compiler.upload import make_keys, upload
from query_fn.bucket import Bucket, Place
from query_fn.errors import ArtifactDamaged, ArtifactUnreachable
from query_fn.guard.budget import DailyBudget
from query_fn.guard.dynamo import DynamoCounters
from query_fn.guard.table import Table
from query_fn.prices import Spending
from query_fn.settings import Settings
from query_fn.signature import key_from
from tests.artifacts import BUILD_ID, make_artifacts
from tests.aws import REGION, make_table
from tests.lossy import BUSY, CUT, LOST, Harm, lossy
from tests.query_fn.claude_app import served

PRIVATE, PUBLIC = (key_from(key) or b"" for key in make_keys())
_numbers = itertools.count()


def first(fate: str, word: bytes) -> Harm:
    """Let the first request with a word in its body meet its fate, and no other."""
    open_once = [fate]
    return lambda _, body: open_once.pop() if word in body and open_once else ""


def spent(table: str) -> int:
    """Return what the table says was spent today, in millionths of a dollar."""
    item = boto3.client("dynamodb").get_item(TableName=table, Key={"id": {"S": "spent:0"}})["Item"]
    return int(item["n"]["N"])


@pytest.mark.parametrize("fate", [LOST, BUSY])
@pytest.mark.parametrize("word", [b'"-', b'"900000"'], ids=["settling", "reserving"])
def test_a_lost_reply_gives_no_money_back_twice(cloud: str, fate: str, word: bytes) -> None:
    """Whatever becomes of a reservation or of what is given back, the day has at least what was really used."""
    name = make_table(f"lossy-{next(_numbers)}")
    budget = DailyBudget(DynamoCounters(Table(name)), Spending(9.0), clock=lambda: 0.0)
    assert budget.reserve(Spending(0.5))
    with lossy(cloud, first(fate, word)):
        other = DailyBudget(DynamoCounters(Table(name)), Spending(9.0), clock=lambda: 0.0)
        assert other.reserve(Spending(0.9))
        other.settle(Spending(0.9), Spending(0.1))
    assert spent(name) >= 600_000


def test_a_table_that_hangs_holds_nobody_up(cloud: str, tmp_path: Path) -> None:
    """It takes a connection and says nothing: the first question waits for it once, the next ones not at all."""
    make_artifacts(tmp_path / "artifacts")
    limits: dict[str, Any] = {"rate_per_minute": 9, "rate_all_per_minute": 9, "shared_answers_seconds": 60}
    settings, took = Settings(tmp_path / "artifacts", table="t", **limits), []
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with served(settings) as port:
            for n in range(3):
                body, began = {"question": f"How long are backups kept, {n}?", "stream": False}, time.monotonic()
                reply = httpx.post(f"http://127.0.0.1:{port}/api/public/qa/chat", json=body, timeout=30)
                took.append(time.monotonic() - began)
                assert (reply.status_code, "14 days" in reply.json()["answer"]) == (200, True)
    assert took[0] < 4.0
    assert max(took[1:]) < 1.0


@pytest.fixture
def place(cloud: str, tmp_path: Path) -> Place:
    """A bucket with the tiny bilingual base."""
    found = Place(f"lossy-{next(_numbers)}", "wiki/")
    where = {"LocationConstraint": REGION}
    boto3.client("s3").create_bucket(Bucket=found.bucket, CreateBucketConfiguration=where)
    make_artifacts(tmp_path / "artifacts")
    upload(tmp_path / "artifacts", found, PRIVATE)
    return found


def of(name: str, fate: str) -> Harm:
    """Let every request for an object of the build meet a fate."""
    return lambda path, _: fate if path.split("?")[0].endswith(name) else ""


@pytest.mark.parametrize("fate", [CUT, LOST])
@pytest.mark.parametrize("name", ["current", "manifest.json", "knowledge.db"])
def test_a_build_that_arrives_in_part_is_fetched_again(cloud: str, place: Place, name: str, fate: str) -> None:
    """A reply that breaks off is an outage by name, leaves nothing on the disk, and the next look succeeds."""
    before = set(Path(gettempdir()).glob("geosmin-build-*"))
    with lossy(cloud, of(name, fate)):
        bucket = Bucket(place, PUBLIC, seconds=0.0)
        with pytest.raises(ArtifactUnreachable):
            bucket.target()
    assert set(Path(gettempdir()).glob("geosmin-build-*")) == before
    assert Bucket(place, PUBLIC, seconds=0.0).target().name == BUILD_ID


def test_an_object_that_would_fill_the_disk_is_not_fetched(cloud: str, place: Place) -> None:
    """A size that is not the manifest's is seen before the bytes are taken."""
    key = place.key("builds", BUILD_ID, "fold.json")
    boto3.client("s3").put_object(Bucket=place.bucket, Key=key, Body=b" " * 5_000_000)
    asked: list[str] = []
    with lossy(cloud, lambda path, _: asked.append(path) or ""), pytest.raises(ArtifactDamaged, match="5000000 bytes"):
        Bucket(place, PUBLIC, seconds=0.0).target()
    assert [path for path in asked if path.endswith("fold.json")]


def test_a_full_disk_is_an_outage(place: Place) -> None:
    """What cannot be kept is tried again later, by name, and the half of it goes away."""
    before, limits = set(Path(gettempdir()).glob("geosmin-build-*")), resource.getrlimit(resource.RLIMIT_FSIZE)
    bucket = Bucket(place, PUBLIC, seconds=0.0)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, limits[1]))
    try:
        with pytest.raises(ArtifactUnreachable, match="cannot be kept"):
            bucket.target()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert set(Path(gettempdir()).glob("geosmin-build-*")) == before
    assert bucket.target().name == BUILD_ID
