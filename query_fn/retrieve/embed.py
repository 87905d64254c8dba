"""Text to vectors: an ONNX model and a sentencepiece tokeniser from a verified folder.

One text a run: with batches a vector would depend on its neighbours. onnxruntime releases the GIL, so worker threads
with one core each are as fast as a batch.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from query_fn.contract import Embedding
from query_fn.errors import ArtifactDamaged, ArtifactMissing, ProfileMismatch, RouteFailed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

CONFIG = "geosmin-model.json"
Progress = Callable[[int, int], None]  # texts done, texts in all

_FIXED = {"format": 1, "pooling": "mean+l2", "metric": "cosine", "tokeniser": "sentencepiece"}
_MAX_CHARS = 8_000  # no 510 tokens are longer; keeps the tokeniser's time bounded
# sentencepiece's nmt_nfkc: control characters vanish, odd blanks become spaces, then NFKC.
_CONTROL: dict[int, str | None] = {
    **dict.fromkeys([*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x200B, 0x200C, 0x200E, 0x200F, 0xFEFF]),
    **dict.fromkeys([0, 9, 10, 12, 13, 0x1680, 0x2028, 0x2029, 0x200D], " "),
}


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """What `geosmin-model.json` says beyond the profile."""

    profile: Embedding
    pooled: bool  # the graph gives one unit vector; False: last hidden states, pooled here
    bos: int
    eos: int


def read_model(folder: Path) -> ModelConfig:
    """Return the verified configuration of a model folder.

    Raises ArtifactMissing (no configuration), ArtifactDamaged (a file differs from its SHA-256 or the configuration is
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
        return _config(data, _verified(folder, data["files"]))
    except (KeyError, TypeError) as error:
        raise ArtifactDamaged(f"{CONFIG} is incomplete: {error}") from None


def embedding(folder: Path) -> Embedding:
    """Return the profile of a model folder, its files verified. Raises like `read_model`."""
    return read_model(folder).profile


def _verified(folder: Path, files: dict[str, dict[str, Any]]) -> str:
    """Check every file and return the SHA-256 over their sorted names and hashes."""
    total = hashlib.sha256()
    for name in sorted(files):
        path = folder / name
        digest = hashlib.sha256()
        if Path(name).name != name or not path.is_file() or path.stat().st_size != files[name]["size"]:
            raise ArtifactDamaged(f"model/{name} is missing or of another size")
        with path.open("rb") as handle:
            digest = hashlib.file_digest(handle, "sha256")
        if digest.hexdigest() != files[name]["sha256"]:
            raise ArtifactDamaged(f"model/{name} differs from its SHA-256")
        total.update(f"{name} {digest.hexdigest()}\n".encode())
    return total.hexdigest()


def _config(data: dict[str, Any], sha256: str) -> ModelConfig:
    names = [name for name in Embedding.__dataclass_fields__ if name != "sha256"]
    profile = Embedding(**{name: data[name] for name in names}, sha256=sha256)
    return ModelConfig(profile, bool(data["pooled"]), int(data["bos"]), int(data["eos"]))


class QueryEmbedder(Protocol):
    """What search needs of an embedder."""

    @property
    def profile(self) -> Embedding:
        """What makes two vectors comparable."""

    def query(self, text: str) -> Floats:
        """Return the unit vector (dimension,) of a question. Raises RouteFailed."""


class TextEmbedder(QueryEmbedder, Protocol):
    """What an answer needs of an embedder: sentences are compared with the question."""

    def passages(self, texts: Sequence[str]) -> Floats:
        """Return the unit vectors (n, dimension) of passages. Raises RouteFailed."""


class Embedder:
    """A loaded model. Thread-safe; the native parts are loaded at the first text."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._config = read_model(folder)
        self._lock = Lock()
        self._session: Any = None
        self._tokens: Any = None
        self._errors: tuple[type[Exception], ...] = ()

    @property
    def profile(self) -> Embedding:
        """What makes two vectors comparable."""
        return self._config.profile

    def query(self, text: str) -> Floats:
        """Return the unit vector (dimension,) of a question."""
        return self._run(self.profile.query_prefix + text)

    def queries(self, texts: Sequence[str], *, threads: int = 2, progress: Progress | None = None) -> Floats:
        """Return the unit vectors (n, dimension) of questions, each as `query` gives it."""
        return self._many([self.profile.query_prefix + text for text in texts], threads, progress)

    def passages(self, texts: Sequence[str], *, threads: int = 2, progress: Progress | None = None) -> Floats:
        """Return the unit vectors (n, dimension) of passages; `progress` is called with (done, total)."""
        return self._many([self.profile.passage_prefix + text for text in texts], threads, progress)

    def _many(self, texts: list[str], threads: int, progress: Progress | None) -> Floats:
        """Embed each text in a run of its own, longest first so that the workers end together."""
        import numpy as np  # 60 ms

        out = np.zeros((len(texts), self.profile.dimension), np.float32)
        order = sorted(range(len(texts)), key=lambda i: (-len(texts[i]), i))
        self._load()
        with ThreadPoolExecutor(max(1, threads)) as pool:
            for done, (i, vector) in enumerate(pool.map(lambda i: (i, self._run(texts[i])), order), 1):
                out[i] = vector
                if progress:
                    progress(done, len(texts))
        return out

    def _run(self, text: str) -> Floats:
        """Return one unit vector. Raises RouteFailed when the model cannot be opened or run."""
        import numpy as np

        self._load()
        clean = unicodedata.normalize("NFKC", text[:_MAX_CHARS].translate(_CONTROL))
        pieces = self._tokens.encode(clean)[: self.profile.max_tokens]
        ids = np.array([[self._config.bos, *pieces, self._config.eos]], np.int64)
        try:
            out = self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0]
        except self._errors as error:
            raise RouteFailed(f"the embedder failed: {error}") from error
        vector: Floats = (out[0] if self._config.pooled else out[0].mean(axis=0)).astype(np.float32)
        return vector if self._config.pooled else vector / np.linalg.norm(vector)

    def _load(self) -> None:
        """Open model and tokeniser once; the weights are memory-mapped."""
        with self._lock:
            if self._session is not None:
                return
            import onnxruntime as ort  # 65–280 ms
            import sentencepiece  # 10 ms, and 0.1 s for the model's vocabulary
            from onnxruntime.capi import onnxruntime_pybind11_state as native

            options = ort.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.log_severity_level = 3
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            self._errors = (native.Fail, native.InvalidArgument, native.InvalidGraph, native.RuntimeException)
            self._errors += (native.NotImplemented, native.NoSuchFile, native.InvalidProtobuf)
            try:
                self._tokens = sentencepiece.SentencePieceProcessor(model_file=str(self._folder / "tokens.spm"))
                model = str(self._folder / "model.onnx")
                self._session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
            except (*self._errors, RuntimeError, OSError) as error:
                raise RouteFailed(f"the embedder cannot be opened: {error}") from error
