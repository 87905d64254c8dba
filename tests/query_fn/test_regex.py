"""Patterns that are compiled at their first use behave like compiled ones."""

from __future__ import annotations

import re

import pytest

from query_fn.regex import regex

TEXT = "Ab1 ab2\nAB3"


@pytest.mark.parametrize("method", ["findall", "fullmatch", "match", "search", "split"])
def test_a_late_pattern_finds_what_a_compiled_one_does(method: str) -> None:
    """Every method gives the same, at the first use and at the next, flags included."""
    late, compiled = regex(r"(ab)\d", re.I), re.compile(r"(ab)\d", re.I)
    for _ in range(2):
        assert str(getattr(late, method)(TEXT)) == str(getattr(compiled, method)(TEXT))


def test_a_late_pattern_replaces_and_walks() -> None:
    """Replacing, counting and iterating too; the source can be read without compiling."""
    late = regex(r"\d")
    assert (late.sub("-", TEXT), late.subn("", "a1b2")) == ("Ab- ab-\nAB-", ("ab", 2))
    assert [match[0] for match in late.finditer(TEXT)] == ["1", "2", "3"]
    assert regex("(").pattern == "("


def test_a_wrong_pattern_is_named_at_its_first_use() -> None:
    """Nothing hides a mistake: the error is that of `re`."""
    with pytest.raises(re.error):
        regex("(").search(TEXT)
