"""Question sets as they are read: documents and questions, golden YAML, two sets mixed, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.errors import SettingsError
from compiler.evaluate.sets import (
    Doc,
    Question,
    QuestionSet,
    below,
    located,
    mixed,
    read_golden,
    read_queries,
    read_set,
)

from .evaluate_sample import QUERIES, TEXTS, make_pages, make_set

GOLDEN = """
- question: How hot does the kiln get?
  page: en/kiln
  heading: Firing
  must_contain: 1,240
- question: And in winter?
  previous: When is the garden open?
  page: [zh/菜园, zh/围栏]
  type: follow-up
- question: Which airline flies to Reykjavik?
  must_refuse: true
"""


def test_a_folder_is_a_set(tmp_path: Path) -> None:
    """Documents and questions are read in order, a previous turn and a missing answer included."""
    found = read_set(make_set(tmp_path / "small"))
    assert (found.name, [doc.id for doc in found.docs]) == ("small", list(TEXTS))
    assert found.docs[0] == Doc("kiln", *TEXTS["kiln"])
    by_id = {question.id: question for question in found.questions}
    assert list(by_id) == [item["id"] for item in QUERIES]
    assert by_id["e4"].previous == "How hot does the kiln get?"
    assert (by_id["n1"].refuse, by_id["u1"].refuse) == (True, False)


def test_golden_questions_are_yaml(tmp_path: Path) -> None:
    """A page, a heading, text that must stand in the answer, a previous turn and a refusal can be asked for."""
    place = tmp_path / "mine.yml"
    place.write_text(GOLDEN, "utf-8")
    found = read_golden(place)
    assert (found.name, found.docs) == ("mine", ())
    assert found.questions == (
        Question("1", "How hot does the kiln get?", ("en/kiln",), must_contain=("1,240",), heading="Firing"),
        Question("2", "And in winter?", ("zh/菜园", "zh/围栏"), previous="When is the garden open?", type="follow-up"),
        Question("3", "Which airline flies to Reykjavik?", refuse=True),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: b", "expected a list"),
        ("[]", "expected a list"),
        ("- question", "question 1: expected a mapping"),
        ("- {question: a, pages: b}", "question 1: unknown key `pages`"),
        ("- {question: a}", "give `page` or `must_contain`"),
        ("- {question: a, page: b, must_refuse: true}", "or else `must_refuse: true`"),
        ("- {question: a, page: b, must_refuse: yes}", "`must_refuse` is true or false"),
        ("- {question: a, must_contain: b, heading: c}", "`heading` needs the `page`"),
        ("- {question: a, page: {b: c}}", "`page` should be text or a list"),
        ("- {question: [a], page: b}", "`question` should be text"),
        ("- {question: ", "not readable as YAML"),
    ],
)
def test_what_is_no_golden_file_is_told(tmp_path: Path, text: str, said: str) -> None:
    """A mistake in a golden file names the question and what is accepted."""
    place = tmp_path / "golden.yml"
    place.write_text(text, "utf-8")
    with pytest.raises(SettingsError, match=said):
        read_golden(place)


@pytest.mark.parametrize(
    ("docs", "said"),
    [
        (None, "docs.jsonl: no such file"),
        ("", "there must be one"),
        ('{"id": "a", "text": "b"}\n{"id": "a", "text": "c"}', "an id of its own"),
        ('{"id": "a"', "docs.jsonl:1: not JSON"),
        ('\n["a"]', "docs.jsonl:2: expected an object"),
        ('{"id": "a", "text": 7}', "a: `text` should be text"),
    ],
)
def test_what_is_no_set_is_told(tmp_path: Path, docs: str | None, said: str) -> None:
    """A mistake in a set names the file and the line or the document."""
    if docs is not None:
        (tmp_path / "docs.jsonl").write_text(docs, "utf-8")
    with pytest.raises(SettingsError, match=said):
        read_set(tmp_path)


def test_mixing_takes_every_other_document() -> None:
    """Even documents come from one set, odd ones from the other; each question is asked where its document is."""
    asked = tuple(Question(name, name, (name,)) for name in "abcd")
    nothing = Question("x", "x", refuse=True)
    first = QuestionSet("one", (*asked, nothing), tuple(Doc(name, "", "1") for name in "abcd"))
    second = QuestionSet("two", (*asked, nothing), tuple(Doc(name, "", "2") for name in "abcd"))
    found = mixed(first, second)
    assert (found.name, [(doc.id, doc.text) for doc in found.docs]) == (
        "one+two", [("a", "1"), ("c", "1"), ("b", "2"), ("d", "2")],
    )  # fmt: skip
    assert [question.id for question in found.questions] == ["a", "c", "x", "b", "d"]


def test_mixing_needs_parallel_sets() -> None:
    """Two documents of one name cannot be told apart, so such sets are refused."""
    first = QuestionSet("one", (), (Doc("a", "", ""), Doc("b", "", "")))
    second = QuestionSet("two", (), (Doc("b", "", ""), Doc("a", "", "")))
    with pytest.raises(SettingsError, match="share an id"):
        mixed(first, second)


def test_pages_are_found_below_the_folder_that_holds_most(tmp_path: Path) -> None:
    """Questions name pages from the root of a site; the folder that is this root is worked out."""
    asked = read_queries(make_pages(tmp_path), pages=True)
    sources = ["README.md", *(f"site/en/{name}.md" for name in ("kiln", "glaze", "wheel")), "old/en/kiln.md"]
    assert below(asked, sources) == "site/"
    assert below(asked, ["en/kiln.md", "en/glaze.md"]) == ""


def test_a_page_that_is_not_public_is_told() -> None:
    """A question about a page that is not in the base is a mistake, not a miss."""
    with pytest.raises(SettingsError, match="question 7: no public page secret"):
        located([Question("7", "?", ("secret",))], {"public": "p"}, "golden.yml")
