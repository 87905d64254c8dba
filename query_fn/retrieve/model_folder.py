"""The folder of an embedding model: what its configuration says, and that its files are the ones it names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from query_fn.contract import Embedding
from query_fn.errors import ArtifactDamaged, ArtifactMissing, ProfileMismatch

CONFIG = "geosmin-model.json"
MODEL, TOKENS = "model.onnx", "tokens.spm"
_FIXED = {"format": 1, "pooling": "mean+l2", "metric": "cosine", "tokeniser": "sentencepiece"}


class ModelConfig(Struct, frozen=True):
    """What `geosmin-model.json` says beyond the profile."""

    profile: Embedding
    pooled: bool  # the first output is one unit vector; False: it is the last hidden states, pooled here
    states: str  # the output with a vector a token, "" = the graph has none
    bos: int
    eos: int
    token_means: Mapping[str, Mapping[str, str]]  # language → "query" and "passage" → base64 of f32: what tokens share
    files: Mapping[str, str]  # name → the SHA-256 it must have


def read_model(folder: Path) -> ModelConfig:
    """Return the configuration of a model folder. Its files are there and of their size; `verify` hashes them.

    Raises ArtifactMissing (no configuration), ArtifactDamaged (a file is not there or the configuration is
    incomplete), ProfileMismatch (a format, pooling, metric or tokeniser this version does not know).
    """
    try:
        data = json.loads((folder / CONFIG).read_text("utf-8"))
    except OSError:
        raise ArtifactMissing(f"no {CONFIG} in the model folder {folder.name}") from None
    except ValueError as error:
        raise ArtifactDamaged(f"{CONFIG} is not JSON: {error}") from None
    for name, known in _FIXED.items():
        if data.get(name) != known:
            raise ProfileMismatch(f"embedder.{name}: {data.get(name)!r} is not supported, only {known!r}")
    try:
        files = {name: str(data["files"][name]["sha256"]) for name in sorted(data["files"])}
        for name in (*files, MODEL, TOKENS):  # what is opened is among what is hashed
            path = folder / name
            if Path(name).name != name or not path.is_file() or path.stat().st_size != data["files"][name]["size"]:
                raise ArtifactDamaged(f"model/{name} is missing or of another size")
        return _config(data, files)
    except (KeyError, TypeError) as error:
        raise ArtifactDamaged(f"{CONFIG} is incomplete: {error}") from None


def embedding(folder: Path) -> Embedding:
    """Return the profile of a model folder, its files verified. Raises like `read_model` and `verify`."""
    config = read_model(folder)
    verify(folder, config.files)
    return config.profile


def verify(folder: Path, files: Mapping[str, str]) -> None:
    """Raise ArtifactDamaged that names a file which differs from its SHA-256. All of a model cost 25 ms."""
    for name, expected in files.items():
        with (folder / name).open("rb") as handle:
            if hashlib.file_digest(handle, "sha256").hexdigest() != expected:
                raise ArtifactDamaged(f"model/{name} differs from its SHA-256")


def _config(data: dict[str, Any], files: dict[str, str]) -> ModelConfig:
    sha256 = hashlib.sha256("".join(f"{name} {digest}\n" for name, digest in files.items()).encode()).hexdigest()
    names = [name for name in Embedding.__struct_fields__ if name != "sha256"]
    profile = Embedding(**{name: data[name] for name in names}, sha256=sha256)
    means = data.get("token_means", {})
    marks = int(data["bos"]), int(data["eos"])
    return ModelConfig(profile, bool(data["pooled"]), data.get("states", ""), *marks, means, files)
