"""Pushes that race: whatever order they arrive in, what is live at the end was made from the newest commit."""

from __future__ import annotations

import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import boto3
import pytest
from msgspec.structs import replace

from compiler.errors import LockedError
from compiler.order import Commit
from compiler.upload import Origin, make_keys, pointer, rollback, stage, switch_to, upload
from query_fn.bucket import Place
from query_fn.contract import MANIFEST, dump_manifest
from query_fn.signature import key_from
from tests.artifacts import make_artifacts
from tests.aws import REGION
from tests.deploy.test_publish import commit, git

PRIVATE, PUBLIC = (key_from(key) or b"" for key in make_keys())
PUSHES = 20


@pytest.fixture(scope="module")
def pushes(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, Origin]]:
    """Twenty commits, one after the other, each with a build of its own."""
    folder = tmp_path_factory.mktemp("notes")
    git(folder, "init", "-q", "-b", "main")
    made, template = [], tmp_path_factory.mktemp("template")
    manifest = make_artifacts(template)
    for number in range(PUSHES):
        (folder / "page.md").write_text(str(number))
        id_ = commit(folder)
        artifacts = tmp_path_factory.mktemp("builds") / f"build-{number}"
        shutil.copytree(template, artifacts)
        (artifacts / MANIFEST).write_text(dump_manifest(replace(manifest, build_id=f"build-{number}")), "utf-8")
        made.append((artifacts, Origin(folder, Commit(id_, 1_800_000_000))))
    return made


def bucket(name: str) -> Place:
    """Return a new place."""
    boto3.client("s3").create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
    return Place(name, "")


@pytest.mark.parametrize("seed", range(5))
def test_the_newest_of_racing_pushes_is_live(cloud: str, pushes: list[tuple[Path, Origin]], seed: int) -> None:
    """Twenty uploads at once, in any order: the newest commit's build is current at the end."""
    place = bucket(f"race-{seed}")
    stage(pushes[0][0], place, PRIVATE)
    order = random.Random(seed).sample(range(PUSHES), PUSHES)

    def push(number: int) -> bool:
        try:
            switch_to(place, f"build-{number}", pushes[number][1], seen=pointer(place))
        except LockedError:
            return False
        return True

    with ThreadPoolExecutor(PUSHES) as pool:
        done = dict(zip(order, pool.map(push, order), strict=True))
    assert done[PUSHES - 1]
    now = pointer(place)
    assert now is not None and now.build_id == f"build-{PUSHES - 1}"


def test_a_push_that_was_overtaken_says_so(cloud: str, pushes: list[tuple[Path, Origin]]) -> None:
    """An older commit is refused after a newer one, also after a rollback, and the pointer stays."""
    place = bucket("overtaken")
    for artifacts, made_from in (pushes[3], pushes[7]):
        upload(artifacts, place, PRIVATE, made_from)
    rollback(pushes[7][0], place, "build-3", public=PUBLIC)
    with pytest.raises(LockedError, match="older"):
        upload(*pushes[5][:1], place, PRIVATE, pushes[5][1])
    now = pointer(place)
    assert now is not None and now.build_id == "build-3"


def test_a_shallow_clone_goes_by_time(cloud: str, pushes: list[tuple[Path, Origin]]) -> None:
    """Where the other commit is not known, the committer's time tells which is older."""
    place = bucket("shallow")
    upload(pushes[0][0], place, PRIVATE, Origin(pushes[0][1].content, Commit("f" * 40, 1_900_000_000)))
    with pytest.raises(LockedError, match="older"):
        upload(pushes[1][0], place, PRIVATE, pushes[1][1])
