"""Paid answers outlive every cache of the CI: they lie in the owner's bucket, and those that were forgotten go there too."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import boto3
import pytest

from compiler.deploy.answers import restore, save
from query_fn.bucket import Place
from query_fn.errors import ArtifactError
from tests.aws import REGION

_numbers = itertools.count()
NAMES = ("ab/abcd.json", "ab/abef.json", "cd/cdef.json")


@pytest.fixture
def place(cloud: str) -> Place:
    """A new bucket."""
    name = f"answers-{next(_numbers)}"
    boto3.client("s3").create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
    return Place(name, "wiki/")


def write(state: Path, *names: str) -> None:
    """Write answers as a build keeps them."""
    for name in names:
        (state / "claude" / name).parent.mkdir(parents=True, exist_ok=True)
        (state / "claude" / name).write_text(name)


def kept(state: Path) -> dict[str, str]:
    """Return the answers of a state folder."""
    folder = state / "claude"
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.glob("??/*")}


def test_an_evicted_cache_costs_nothing(place: Place, tmp_path: Path) -> None:
    """What was saved is there again on an empty machine; nothing is brought twice."""
    write(tmp_path, *NAMES)
    assert save(tmp_path, place) == (3, 0)
    assert save(tmp_path, place) == (0, 0)
    shutil.rmtree(tmp_path / "claude")
    assert restore(tmp_path, place) == 3
    assert kept(tmp_path) == {name: name for name in NAMES}
    assert restore(tmp_path, place) == 0


def test_what_a_build_forgot_goes(place: Place, tmp_path: Path) -> None:
    """An answer about a page that is private now leaves the bucket; one that this machine never saw stays."""
    write(tmp_path / "a", *NAMES[:2])
    save(tmp_path / "a", place)
    restore(tmp_path / "b", place)
    write(tmp_path / "other", NAMES[2])
    save(tmp_path / "other", place)
    (tmp_path / "b" / "claude" / NAMES[0]).unlink()
    assert save(tmp_path / "b", place) == (0, 1)
    assert restore(tmp_path / "c", place) == 2
    assert set(kept(tmp_path / "c")) == set(NAMES[1:])


def test_a_machine_that_restored_nothing_drops_nothing(place: Place, tmp_path: Path) -> None:
    """An empty folder that is saved takes no answer away."""
    write(tmp_path / "a", *NAMES)
    save(tmp_path / "a", place)
    assert save(tmp_path / "b", place) == (0, 0)
    assert restore(tmp_path / "c", place) == 3


@pytest.mark.parametrize("name", ["../x.json", "ab/../../x.json", "ab/x.txt", "ab/x/y.json", "/ab/x.json", "ab/.json"])
def test_a_strange_name_in_the_bucket_is_left_there(place: Place, tmp_path: Path, name: str) -> None:
    """No object leads a file outside of the folder, whatever it is called."""
    boto3.client("s3").put_object(Bucket=place.bucket, Key=f"{place.prefix}answers/{name}", Body=b"x")
    assert restore(tmp_path / "state", place) == 0
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["restored.json"]


def test_without_an_answer_of_the_bucket_the_run_stops(tmp_path: Path, cloud: str) -> None:
    """A bucket that cannot be read is an error, so that nobody pays because of an outage."""
    with pytest.raises(ArtifactError):
        restore(tmp_path, Place("no-such-bucket-at-all", ""))
