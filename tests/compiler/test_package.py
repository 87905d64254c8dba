"""`geosmin package`: what the zip holds, and that it answers when there is nothing else."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from compiler.errors import BuildError
from compiler.index.export import export_model
from compiler.package import bundle as bundles
from compiler.package import wheels
from compiler.package.bundle import Bundle, Order, package
from compiler.package.target import ARCHES, Target
from compiler.package.trim import trim
from compiler.package.zipped import write_zip
from query_fn.errors import ArtifactError
from tests import container
from tests.artifacts import make_build
from tests.runtime_api import question, url_event

HERE = next(name for name, machine in ARCHES.items() if machine == platform.machine())
AWAY = next(name for name in ARCHES if name != HERE)
MB = 1_000_000


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder that every user may enter; the test runner's own is private."""
    folder = Path(tempfile.mkdtemp(prefix="geosmin-test-"))
    folder.chmod(0o755)
    yield folder
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def artifacts(place: Path) -> Path:
    """The tiny bilingual base with vectors."""
    return make_build(place / "out", model=export_model())


@pytest.fixture(scope="module")
def made(place: Path, artifacts: Path) -> tuple[Path, Bundle]:
    """The whole bundle for this machine."""
    file = place / "function.zip"
    return file, package(Order(Target(HERE), artifacts, export_model()), file)


@pytest.mark.slow
def test_the_bundle_is_small(made: tuple[Path, Bundle]) -> None:
    """With the model a bundle stays under 200 MB unzipped and 90 MB zipped, and its sizes add up."""
    file, found = made
    with zipfile.ZipFile(file) as archive:
        assert found.unzipped == sum(entry.file_size for entry in archive.infolist())
    assert found.zipped == file.stat().st_size
    assert found.unzipped <= 200 * MB
    assert found.zipped <= 90 * MB


@pytest.mark.slow
def test_a_bundle_for_the_other_processor(place: Path, artifacts: Path) -> None:
    """Every wheel and every library of the other bundle is for that processor, and none for this one."""
    file = place / "away.zip"
    found = package(Order(Target(AWAY), artifacts, export_model()), file)
    folder = place / "away"
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    assert list(wheels.foreign(folder, Target(AWAY))) == []
    assert len(list(folder.rglob("*.so*"))) > 10
    assert list(wheels.foreign(folder, Target(HERE))) != []
    assert found.unzipped <= 200 * MB
    assert found.zipped <= 90 * MB


@pytest.mark.slow
def test_words_only(place: Path, artifacts: Path) -> None:
    """Without the model a bundle stays under 80 MB, says so, and has the same bytes when it is made again."""
    order = Order(Target(HERE), artifacts, None)
    found = package(order, place / "words.zip")
    package(order, place / "again.zip")
    assert found.unzipped <= 80 * MB
    assert any(note.startswith("words only") for note in found.notes)
    assert (place / "words.zip").read_bytes() == (place / "again.zip").read_bytes()


@pytest.mark.slow
def test_the_bundle_answers_alone(place: Path, made: tuple[Path, Bundle]) -> None:
    """From the zip alone, read-only and as nobody, the runtime searches, answers with vectors, and stays warm."""
    task = container.unpack(made[0], place / "task")
    home = container.interpreter(place / "python")
    client = container.runtime_client(place / "client")
    command, environment = container.start(home, task=task, client=client)
    started = container.container(command, task=task, temp=place / "temp", environment=environment)
    with started as (api, process):
        search = api.ask(url_event(method="GET", path="/api/public/search", query="q=backups")).json()
        answers = [json.loads(api.ask(url_event(question())).json()["body"]) for _ in range(3)]
        health = json.loads(api.ask(url_event(method="GET", path="/healthz")).json()["body"])
        with Path(f"/proc/{process.pid}/status").open() as handle:
            owner = next(line for line in handle if line.startswith("Uid:")).split()[1]
    assert json.loads(search["body"])["candidates"]
    assert all("14 days" in answer["answer"] for answer in answers)
    assert all(answer["diagnostics"]["degraded"] == ["no_model"] for answer in answers)  # every route, vectors too
    assert health["degraded"] == ["no_model"]  # no paid one; the embedder is there
    assert owner != "0" or os.getuid() != 0


@pytest.mark.slow
@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("python", ["3.12", "3.13"])
def test_a_bundle_for_another_python(place: Path, artifacts: Path, python: str, arch: str) -> None:
    """Whichever Python makes it, every library is for that processor and that Python, and the bundle answers there.

    Its code is compiled where that Python is found, and it says so loudly where it is not.
    """
    file, folder, target = place / f"{python}-{arch}.zip", place / f"{python}-{arch}", Target(arch, python)
    found = package(Order(target, artifacts, export_model()), file)
    assert (found.unzipped <= 200 * MB, found.zipped <= 90 * MB) == (True, True)
    container.unpack(file, folder)
    tags = {path.name.split(".")[-2] for path in folder.rglob("*.pyc")}
    assert tags == ({f"cpython-{python.replace('.', '')}"} if target.compiler else set())
    assert found.compiled == bool(target.compiler) == (not any(note.startswith("NOT COMPILED") for note in found.notes))
    made_for = {path.name.split(".")[1] for path in folder.rglob("*.cpython-*.so")}
    assert {tag.split("-")[1] for tag in made_for} == {python.replace(".", "")}
    assert list(wheels.foreign(folder, target)) == []
    if arch == HERE and (program := target.compiler):
        home = container.interpreter(place / f"python{python}", program)
        (*command, _), environment = container.start(home, task=folder, client=folder)
        command[-1] = "query_fn.runtime"
        started = container.container(command, task=folder, temp=place / f"temp-{python}", environment=environment)
        with started as (api, _):
            answer = api.ask(url_event(question())).body.partition(b"\0" * 8)[2]
        assert "14 days" in json.loads(answer)["answer"]
        assert json.loads(answer)["diagnostics"]["degraded"] == ["no_model"]  # every route, vectors too


def test_only_the_same_python_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The running one compiles for itself; for another the program is asked for its version, whatever it is called."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Target(HERE).compiler == sys.executable
    assert Target(HERE, "3.99").compiler == ""
    for text, expected in (("exit 127", False), ("echo 3.9", False), ("echo 3.99", True)):
        program = tmp_path / "python3.99"
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
        assert Target(HERE, "3.99").compiler == (str(program) if expected else "")


def test_more_than_lambda_takes_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A bundle over the limit is not written, and the message names the largest parts and a way out."""
    monkeypatch.setattr(bundles, "LIMIT", 1_000)
    with pytest.raises(BuildError, match=r"onnx 2 MB.*--no-model"):
        bundles._check_size([("onnx", 2 * MB), ("numpy", 10)])


def test_artifacts_that_cannot_be_served_are_not_packed(tmp_path: Path) -> None:
    """A damaged build stops before anything is fetched, and nothing is written."""
    artifacts = make_build(tmp_path / "out").resolve()
    (artifacts / "knowledge.db").write_bytes(b"other")
    with pytest.raises(ArtifactError, match=r"knowledge\.db"):
        package(Order(Target(HERE), artifacts, None), tmp_path / "x.zip")
    assert not (tmp_path / "x.zip").exists()


@pytest.mark.parametrize("part", wheels.PARTS)
@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_every_library_is_pinned(part: str, arch: str, python: str) -> None:
    """Every line that pip gets names one version and at least one hash, and no marker is left to pip."""
    lines = wheels.requirements([part], Target(arch, python))
    assert lines
    assert all("==" in line and " --hash=sha256:" in line and ";" not in line for line in lines)


def test_markers_are_decided_for_the_target() -> None:
    """What only an older Python needs is not packed for a newer one."""
    old, new = (wheels.requirements(["words", "vectors"], Target("arm64", python)) for python in ("3.11", "3.13"))
    assert any(line.startswith("typing-extensions==") for line in old)
    assert {line.split("==")[0] for line in old} >= {line.split("==")[0] for line in new}
    numpy = [next(line for line in lines if line.startswith("numpy==")) for lines in (old, new)]
    assert numpy[0] != numpy[1]


def test_locks_agree_with_the_project() -> None:
    """The bundle holds the versions that the project is tested with."""
    text = Path("requirements/base.txt").read_text("utf-8")
    for part in wheels.PARTS:
        for line in wheels.requirements([part], Target(HERE)):
            assert f"\n{line.split()[0]} " in f"\n{text}"


def test_a_foreign_library_is_named(tmp_path: Path) -> None:
    """A file with the machine code of another processor is found by its header."""
    (tmp_path / "a.so").write_bytes(b"\x7fELF" + b"\0" * 14 + b"\xb7\0" + b"\0" * 40)
    assert list(wheels.foreign(tmp_path, Target("arm64"))) == []
    assert list(wheels.foreign(tmp_path, Target("x86_64"))) == ["a.so is not machine code for x86_64"]


def test_trimming(tmp_path: Path) -> None:
    """What the function does not load goes; licences, code and the two services it speaks to stay."""
    names = [
        "numpy/tests/test_a.py",
        "numpy/core.py",
        "numpy/core.pyi",
        "numpy-2.dist-info/RECORD",
        "numpy-2.dist-info/licenses/LICENSE.txt",
        "botocore/data/ec2/2016/service-2.json.gz",
        "botocore/data/s3/2006/service-2.json.gz",
        "botocore/data/endpoints.json",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    trim(tmp_path)
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert left == sorted([names[1], names[4], names[6], names[7]])
    assert not (tmp_path / "numpy" / "tests").exists()


def test_the_zip_depends_on_names_and_contents_alone(tmp_path: Path) -> None:
    """Other dates, modes and orders of creation give the same bytes."""
    for folder, names in (("a", ["x.py", "y.so"]), ("b", ["y.so", "x.py"])):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / name).write_text(name)
    os.utime(tmp_path / "b" / "x.py", (1, 1))
    (tmp_path / "b" / "x.py").chmod(0o600)
    for folder in "ab":
        write_zip(tmp_path / folder, tmp_path / f"{folder}.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
