"""The measures: exact values on tables that can be worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.evaluate.metrics import (
    Bin,
    auc,
    calibration_error,
    contains,
    figures,
    mean,
    ndcg,
    percentile,
    recall,
    reciprocal_rank,
    reciprocal_rank_fusion,
    rejected,
    reliability,
)

NAMES = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True)
SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("ranking", "relevant", "at_1", "at_5", "reciprocal", "gain"),
    [
        ("abc", "a", 1.0, 1.0, 1.0, 1.0),
        ("bac", "a", 0.0, 1.0, 1 / 2, 1 / math.log2(3)),
        ("bcdefa", "a", 0.0, 0.0, 1 / 6, 1 / math.log2(7)),
        ("bcdefghijka", "a", 0.0, 0.0, 0.0, 0.0),
        ("", "a", 0.0, 0.0, 0.0, 0.0),
        ("axb", "ab", 0.5, 1.0, 1.0, (1 + 1 / 2) / (1 + 1 / math.log2(3))),
        ("ab", "abcd", 0.25, 0.5, 1.0, (1 + 1 / math.log2(3)) / (1 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5))),
    ],
)
def test_measures_of_one_ranking(
    ranking: str, relevant: str, at_1: float, at_5: float, reciprocal: float, gain: float
) -> None:
    """Recall, reciprocal rank and discounted gain have their textbook values."""
    found = (recall(ranking, relevant, 1), recall(ranking, relevant, 5), reciprocal_rank(ranking, relevant))
    assert found == (at_1, at_5, reciprocal)
    assert ndcg(ranking, relevant) == pytest.approx(gain)


@given(NAMES, st.sets(st.sampled_from("abcdefghijklmnop"), min_size=1))
def test_measures_stay_between_nothing_and_all(ranking: list[str], relevant: set[str]) -> None:
    """Every measure of every ranking is in 0..1, and recall grows with its depth."""
    found = figures([(ranking, relevant)])
    assert all(value is not None and 0 <= value <= 1 + 1e-12 for value in found.values())
    assert found["recall@1"] <= found["recall@5"] <= found["recall@10"]


def test_figures_are_means_over_the_questions() -> None:
    """Each figure is the mean over the questions, and None when there is no question."""
    found = figures([("ab", "a"), ("ab", "b")])
    assert found == {
        "recall@1": 0.5,
        "recall@5": 1.0,
        "recall@10": 1.0,
        "mrr@10": 0.75,
        "ndcg@10": pytest.approx((1 + 1 / math.log2(3)) / 2),
    }
    assert set(figures([]).values()) == {None}


def test_rrf_sums_reciprocal_places() -> None:
    """A document in the middle of two lists beats one at the top of one; equal sums go by name."""
    assert reciprocal_rank_fusion([["a", "b"], ["c", "b"]]) == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("answerable", "others", "area", "refused"),
    [
        ([0.9, 0.8], [0.1, 0.2], 1.0, 1.0),
        ([0.1, 0.2], [0.9, 0.8], 0.0, 0.0),
        ([0.5], [0.5], 0.5, 0.0),
        ([0.4, 0.8], [0.2, 0.6], 0.75, 0.5),
        ([], [0.5], None, None),
        ([0.5], [], None, None),
    ],
)
def test_separation_of_two_kinds_of_question(
    answerable: list[float], others: list[float], area: float | None, refused: float | None
) -> None:
    """AUC counts the pairs in the right order; the rejected are those under every answerable one of so few."""
    assert (auc(answerable, others), rejected(answerable, others)) == (area, refused)


def test_rejection_lets_one_in_twenty_answerable_go() -> None:
    """With twenty answerable questions the lowest may be refused, and the threshold is the next one."""
    answerable = [0.1, *(0.5 + n / 100 for n in range(19))]
    assert rejected(answerable, [0.2, 0.49, 0.5, 0.9]) == 0.5


@given(SCORES, SCORES)
def test_auc_of_the_exchanged_kinds_is_the_rest(a: list[float], b: list[float]) -> None:
    """The chance of one order and that of the other add up to one."""
    assert (auc(a, b) or 0) + (auc(b, a) or 0) == pytest.approx(1.0)


@given(SCORES, SCORES, st.floats(0, 0.99))
def test_rejection_never_refuses_more_answerable_than_it_may(a: list[float], b: list[float], share: float) -> None:
    """At the threshold at most the given share of the answerable lies under it."""
    threshold = sorted(a)[math.floor(share * len(a))]
    assert sum(score < threshold for score in a) <= share * len(a)
    assert rejected(a, b, share) == sum(score < threshold for score in b) / len(b)


def test_reliability_groups_by_confidence() -> None:
    """Bins hold mean confidence, the share that is right and a count; their error is weighted by size."""
    bins = reliability([(0.95, True), (1.0, True), (0.91, False), (0.05, False)])
    assert bins == (Bin(0.05, 0.0, 1), Bin(pytest.approx(2.86 / 3), pytest.approx(2 / 3), 3))
    assert calibration_error(bins) == pytest.approx((0.05 + 3 * (2.86 / 3 - 2 / 3)) / 4)
    assert calibration_error(()) is None


def test_percentiles_are_values_that_were_seen() -> None:
    """The nearest rank is taken; of nothing there is none."""
    values = list(range(1, 101))
    assert (percentile(values, 0.5), percentile(values, 0.99), percentile([7], 0.99)) == (50, 99, 7)
    assert (percentile([], 0.5), mean([])) == (None, None)


@pytest.mark.parametrize(
    ("answer", "one_of", "every", "cut", "held"),
    [
        ("共有 136 次擒杀。", ["136次"], [], None, True),
        ("ＧＰＴ－４", ["gpt-4"], [], None, True),
        ("abcdef", ["ef"], [], 5, False),
        ("abcdef", ["ef", "a"], [], 5, True),
        ("abcdef", [], ["a", "f"], None, True),
        ("abcdef", [], ["a", "z"], None, False),
        ("abcdef", ["x"], ["a"], None, False),
        ("", [], [], 150, True),
    ],
)
def test_containment(answer: str, one_of: list[str], every: list[str], cut: int | None, held: bool) -> None:
    """One of the gold strings and every demanded one must stand before the cut; width, case and blanks do not count."""
    assert contains(answer, one_of, every, cut=cut) is held
