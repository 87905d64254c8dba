"""Text to vectors: an ONNX model and a sentencepiece tokeniser from a verified folder.

One text a run: with batches a vector would depend on its neighbours. onnxruntime releases the GIL, so worker threads
with one core each are as fast as a batch.
"""

from __future__ import annotations

import base64
import os
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from query_fn.contract import Embedding
from query_fn.errors import ArtifactDamaged, RouteFailed
from query_fn.retrieve.model_folder import MODEL, TOKENS, read_model, verify

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

Progress = Callable[[int, int], None]  # texts done, texts in all

HEADING_TOKENS = 60
_MAX_CHARS = 8_000  # no 510 tokens are longer; keeps the tokeniser's time bounded
# sentencepiece's nmt_nfkc: control characters vanish, odd blanks become spaces, then NFKC.
_CONTROL: dict[int, str | None] = {
    **dict.fromkeys([*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x200B, 0x200C, 0x200E, 0x200F, 0xFEFF]),
    **dict.fromkeys([0, 9, 10, 12, 13, 0x1680, 0x2028, 0x2029, 0x200D], " "),
}
# onnxruntime 1.29 and later report sessions to their vendor unless this is set before they are loaded.
_NO_REPORTS = "ORT_DISABLE_TELEMETRY"
_FAULTS = (ArtifactDamaged, RuntimeError, OSError)  # of opening; onnxruntime has its own beside them


class QueryEmbedder(Protocol):
    """What search needs of an embedder."""

    @property
    def profile(self) -> Embedding:
        """What makes two vectors comparable."""

    def query(self, text: str) -> Floats:
        """Return the unit vector (dimension,) of a question. Raises RouteFailed."""


class Reader(QueryEmbedder, Protocol):
    """What an answer needs of an embedder: every token of a question and of what was read, each in its context."""

    @property
    def reads(self) -> bool:
        """Tell whether the model gives token states at all."""

    def asked(self, question: str) -> Floats:
        """Return the states (tokens, dimension) of a question. Raises RouteFailed."""

    def read(self, heading: str, pieces: Sequence[str]) -> tuple[Floats, list[Floats]]:
        """Return the states of a heading and of each piece of the text below it. Raises RouteFailed."""

    def token_mean(self, lang: str, side: str) -> Floats | None:
        """Return what the tokens of any "query" or "passage" of a language share; None when it was not measured."""


class Embedder:
    """A loaded model. Thread-safe; the files are verified and opened at the first text."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._config = read_model(folder)
        self._lock = Lock()
        self._session: Any = None
        self._tokens: Any = None
        self._errors: tuple[type[Exception], ...] = _FAULTS

    @property
    def profile(self) -> Embedding:
        """What makes two vectors comparable."""
        return self._config.profile

    def release(self) -> None:
        """Let go of the native parts, 120 MB; the next text loads them again."""
        with self._lock:
            self._session = self._tokens = None

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

    @property
    def reads(self) -> bool:
        """Tell whether the model gives token states at all."""
        return bool(self._config.states)

    def asked(self, question: str) -> Floats:
        """Return the states (tokens, dimension) of a question, without the prefix and the marks around it."""
        head, own = self._pieces(self.profile.query_prefix), self._pieces(question)
        kept = own[: self.profile.max_tokens - len(head)]
        return self._states([*head, *kept])[1 + len(head) : 1 + len(head) + len(kept)]

    def read(self, heading: str, pieces: Sequence[str]) -> tuple[Floats, list[Floats]]:
        """Return the states of a heading and of each piece of the text below it.

        Pieces are read together, as many as the model takes at once, each time below the heading. A piece alone that is
        longer is cut, a heading is cut at HEADING_TOKENS.
        """
        head = self._pieces(self.profile.passage_prefix)
        above = self._pieces(heading)[:HEADING_TOKENS]
        start, room = 1 + len(head) + len(above), self.profile.max_tokens - len(head) - len(above)
        states: list[Floats] = []
        first: Floats | None = None
        for window in _windows([self._pieces(piece)[:room] for piece in pieces], room):
            found = self._states([*head, *above, *(token for piece in window for token in piece)])
            first = found[1 + len(head) : start] if first is None else first
            ends = list(accumulate(map(len, window), initial=start))
            states += [found[a:b] for a, b in pairwise(ends)]
        return (first if first is not None else self._states([*head, *above])[1 + len(head) : start]), states

    def token_mean(self, lang: str, side: str) -> Floats | None:
        """Return what the tokens of any "query" or "passage" of a language share; None when it was not measured."""
        import numpy as np

        means = self._config.token_means.get(lang) or self._config.token_means.get("en")
        return np.frombuffer(base64.b64decode(means[side]), "<f4") if means else None

    def _run(self, text: str) -> Floats:
        """Return one unit vector. Raises RouteFailed when the model cannot be opened or run."""
        out = self._infer(self._pieces(text)[: self.profile.max_tokens], None)
        import numpy as np  # loaded with the model, while the vocabulary is read

        vector: Floats = (out if self._config.pooled else out.mean(axis=0)).astype(np.float32)
        return vector if self._config.pooled else vector / np.linalg.norm(vector)

    def _states(self, tokens: Sequence[int]) -> Floats:
        """Return the state of every token, with those of the marks at both ends."""
        states: Floats = self._infer(tokens, self._config.states)
        return states

    def _pieces(self, text: str) -> list[int]:
        """Return the tokens of a text. Raises RouteFailed when the model cannot be opened."""
        self._load()
        tokens: list[int] = self._tokens.encode(unicodedata.normalize("NFKC", text[:_MAX_CHARS].translate(_CONTROL)))
        return tokens

    def _infer(self, tokens: Sequence[int], output: str | None) -> Floats:
        """Run the model on one text and return one output, None = its first. Raises RouteFailed."""
        import numpy as np

        ids = np.array([[self._config.bos, *tokens, self._config.eos]], np.int64)
        name = output or self._session.get_outputs()[0].name
        try:
            found: Floats = self._session.run([name], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
        except self._errors as error:
            raise RouteFailed(f"the embedder failed: {error}") from error
        return found

    def prepare(self) -> None:
        """Open the model before it is needed. Raises RouteFailed."""
        self._load()

    def _load(self) -> None:
        """Verify and open model and vocabulary once, beside each other: neither needs the GIL for long."""
        with self._lock:
            if self._session is not None:
                return
            import sentencepiece  # 10 ms, and 0.15 s for a vocabulary

            try:
                with ThreadPoolExecutor(1, thread_name_prefix="vocabulary") as aside:
                    tokens = aside.submit(self._vocabulary, sentencepiece.SentencePieceProcessor)
                    session = self._opened()
                    self._tokens = tokens.result()
                self._session = session
            except self._errors as error:
                raise RouteFailed(f"the embedder cannot be opened: {error}") from error

    def _vocabulary(self, processor: Callable[..., Any]) -> Any:
        verify(self._folder, {TOKENS: self._config.files[TOKENS]})
        return processor(model_file=str(self._folder / TOKENS))

    def _opened(self) -> Any:
        """Return a session on one core; the weights are memory-mapped."""
        verify(self._folder, {name: digest for name, digest in self._config.files.items() if name != TOKENS})
        os.environ[_NO_REPORTS] = "1"
        import onnxruntime as ort  # 80 ms, with numpy
        from onnxruntime.capi import onnxruntime_pybind11_state as native

        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._errors = (*_FAULTS, native.Fail, native.InvalidArgument, native.InvalidGraph, native.RuntimeException)
        self._errors += (native.NotImplemented, native.NoSuchFile, native.InvalidProtobuf)
        return ort.InferenceSession(str(self._folder / MODEL), options, providers=["CPUExecutionProvider"])


def _windows(pieces: Sequence[list[int]], room: int) -> Iterator[list[list[int]]]:
    """Yield runs of pieces that together have at most `room` tokens; each piece has no more."""
    window: list[list[int]] = []
    size = 0
    for piece in pieces:
        if window and size + len(piece) > room:
            yield window
            window, size = [], 0
        window.append(piece)
        size += len(piece)
    if window:
        yield window
