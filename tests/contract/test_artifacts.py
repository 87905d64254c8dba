"""Build and function agree, or the function refuses before a native library sees a byte."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from compiler.errors import BuildError
from compiler.index.rows import BuildMeta
from compiler.index.texts import texts_of
from compiler.index.write import verify, write_artifacts
from query_fn.contract import MANIFEST, ManifestError, dump_manifest, file_entry, load_manifest
from query_fn.errors import ArtifactDamaged, ArtifactMissing, ProfileMismatch
from query_fn.retrieve.search import Searcher
from query_fn.store import open_store
from query_fn.text import TOKENISERS, Analyser
from tests.artifacts import NOW, make_artifacts, make_rows

FILES = [
    "knowledge.db",
    "fold.json",
    "exact/published.txt",
    "exact/shown.pieces",
    "lexical/chunks/meta.json",
    "lexical/questions/67656f736d696e308000000000000001.idx",
    "lexical/nodes/67656f736d696e308000000000000001.term",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_artifacts(tmp_path / "artifacts")
    return tmp_path / "artifacts"


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _swap(path: Path) -> None:
    other = next(p for p in path.parent.iterdir() if p.is_file() and p != path)
    path.write_bytes(other.read_bytes())


def _remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("harm", [_truncate, _flip, _swap, _remove])
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_named(folder: Path, name: str, harm: Callable[[Path], None]) -> None:
    """Truncated, bit-flipped, swapped or missing: both sides refuse and name the file."""
    harm(folder / name)
    with pytest.raises(ArtifactDamaged, match=name.replace(".", r"\.")):
        open_store(folder)
    with pytest.raises(BuildError, match=name.replace(".", r"\.")):
        verify(folder)


def test_damage_is_found_before_any_native_library_is_loaded(folder: Path) -> None:
    """The refusal comes from hashes alone."""
    _flip(folder / "knowledge.db")
    code = (
        "import sys; from pathlib import Path; from query_fn.store import open_store\n"
        "from query_fn.errors import ArtifactDamaged\n"
        f"try: open_store(Path({str(folder)!r}))\n"
        "except ArtifactDamaged: print([m for m in ('tantivy', 'usearch', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_build_is_missing(tmp_path: Path) -> None:
    """An empty or absent folder is a missing build, not a damaged one."""
    with pytest.raises(ArtifactMissing):
        open_store(tmp_path)
    with pytest.raises(ArtifactMissing):
        open_store(tmp_path / "nowhere")


def _edit(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    data = json.loads((folder / MANIFEST).read_text("utf-8"))
    change(data)
    (folder / MANIFEST).write_text(json.dumps(data), "utf-8")


@pytest.mark.parametrize(("field", "value"), [("schema", 99), ("chunker", 1), ("tokeniser", "jieba-1")])
def test_another_profile_is_refused_by_the_name_of_its_field(folder: Path, field: str, value: object) -> None:
    """The message says which of the versions differs."""
    _edit(folder, lambda data: data["profile"].update({field: value}))
    with pytest.raises(ProfileMismatch, match=rf"profile\.{field}"):
        open_store(folder)


def test_a_build_cut_by_words_is_searched_by_words(tmp_path: Path) -> None:
    """The manifest says which analyser cut the text, and the question is cut by the same one."""
    texts = texts_of(make_rows(), Analyser.JIEBA)
    write_artifacts(make_rows(), tmp_path / "a", meta=BuildMeta("b", 0, "t", ("zh", "en")), texts=texts)
    store = open_store(tmp_path / "a")
    assert store.manifest.profile.tokeniser == TOKENISERS[Analyser.JIEBA]
    assert Searcher(store).search("没有网络怎么离线安装？", now=NOW).candidates[0].chunk_id == "安装.1"
    assert store.lexical("chunks").searcher().doc_freq("body", "网络") == 1


def test_words_without_the_dictionary_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function without rjieba does not open a build that needs it, and says what is missing."""
    _edit(folder, lambda data: data["profile"].update(tokeniser=TOKENISERS[Analyser.JIEBA]))
    monkeypatch.setattr("query_fn.store.find_spec", lambda _: None)
    with pytest.raises(ProfileMismatch, match="rjieba, which is not installed"):
        open_store(folder)


def test_an_unknown_schema_is_refused(folder: Path) -> None:
    """A manifest of another schema is a mismatch that names both numbers."""
    _edit(folder, lambda data: data.update(schema=1))
    with pytest.raises(ProfileMismatch, match="schema 1, this function reads 6"):
        open_store(folder)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"schema": 1}', "\x00"])
def test_a_broken_manifest_is_damage(folder: Path, text: str) -> None:
    """Anything but a full manifest is refused, whatever it is."""
    (folder / MANIFEST).write_text(text, "utf-8")
    with pytest.raises((ArtifactDamaged, ProfileMismatch)):
        open_store(folder)


def test_the_manifest_survives_the_round_trip(folder: Path) -> None:
    """dump and load are inverse, and an unknown field is refused by its path."""
    text = (folder / MANIFEST).read_text("utf-8")
    assert dump_manifest(load_manifest(text)) == text
    with pytest.raises(ManifestError, match=r"unknown field `surprise` - at `\$\.profile`"):
        load_manifest(text.replace('"profile": {', '"profile": {"surprise": 1,'))


def test_the_same_rows_give_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    """Two builds of the same input are equal file by file, the manifest included."""
    make_artifacts(tmp_path / "again")
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert names == sorted(p.relative_to(tmp_path / "again") for p in (tmp_path / "again").rglob("*") if p.is_file())
    assert [n for n in names if file_entry(folder / n) != file_entry(tmp_path / "again" / n)] == []


def test_a_stray_file_fails_the_self_check(folder: Path) -> None:
    """What is not in the manifest may not be deployed."""
    (folder / "notes.txt").write_text("x", "utf-8")
    with pytest.raises(BuildError, match=r"notes\.txt"):
        verify(folder)


def test_counts_must_agree_with_the_indexes(folder: Path) -> None:
    """A manifest whose hashes hold but whose counts lie is refused by the build."""
    manifest = load_manifest((folder / MANIFEST).read_text("utf-8"))
    counts = {**manifest.counts, "chunks": manifest.counts["chunks"] + 1}
    (folder / MANIFEST).write_text(dump_manifest(replace(manifest, counts=counts)), "utf-8")
    with pytest.raises(BuildError, match="chunks"):
        verify(folder)
