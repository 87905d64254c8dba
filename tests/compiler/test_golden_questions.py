"""The golden questions and term lists: each is true of its pages, and each half is the one its hash gives.

They are kept in halves, so that whoever tunes on `open` measures on `held_out`. A question belongs to a half by a hash
of its words: nobody chooses. The corpora are no part of the project; what is said of their pages is skipped without them.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from compiler.evaluate.metrics import contains
from compiler.evaluate.sets import Question, read_golden
from query_fn.text import normalise

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("GEOSMIN_SHARED") or ROOT.parent / "shared")
QUESTIONS, TERMS = ROOT / "tests" / "golden" / "questions", ROOT / "tests" / "golden" / "terms"
HALVES = ("open", "held_out")
TYPES = ("fact", "structure", "comparison", "follow-up", "other-language", "unanswerable", "paraphrase", "counting")
HANDBOOK = "handbook"
CORPORA = ("silverbullet-docs", "fastapi-docs-en-zh", "gitlab-handbook", "tidb-docs-cn")
LISTS = ("silverbullet-docs", "fastapi-docs-en-zh", "tidb-docs-cn")
SETS = (HANDBOOK, *CORPORA)
EACH = {HANDBOOK: 10} | dict.fromkeys(CORPORA, 3)  # questions per type at least
HELD = [HANDBOOK, *(pytest.param(name, marks=pytest.mark.corpus) for name in CORPORA)]  # whose pages are read
SHORT = 36  # characters of a text that an answer must hold
MARKUP = re.compile(r"(`+)(.+?)\1|!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]|!?\[([^\]]*)\]\([^)\n]*\)|\*+")  # and what it leaves
WORDS, HAN = 12, 25  # a longer run of a page's own words is a copy


@dataclass(frozen=True, slots=True)
class Asked:
    """A golden question and the half it is kept in."""

    half: str
    question: Question


def asked(name: str) -> list[Asked]:
    """Return the questions of a set, both halves."""
    return [Asked(half, q) for half in HALVES for q in read_golden(QUESTIONS / half / f"{name}.yml").questions]


def content(name: str) -> Path:
    """Return the folder of pages a set is about; skips where it is absent."""
    folder = ROOT / "content" if name == HANDBOOK else SHARED / "corpora" / name
    if not folder.is_dir():
        pytest.skip(f"the corpus {name} is absent: set GEOSMIN_SHARED to the folder that holds corpora/")
    return folder


def terms(name: str) -> list[dict[str, Any]]:
    """Return a term list."""
    found: list[dict[str, Any]] = yaml.safe_load((TERMS / f"{name}.yml").read_text("utf-8"))
    return found


def seen(text: str) -> str:
    """Return Markdown without its marks: what code, links and emphasis leave of themselves on a page."""
    return MARKUP.sub(lambda mark: mark[2] or mark[3] or mark[4] or "", text)


def runs(text: str) -> set[str]:
    """Return what a copy would share with its source: runs of words and of Han characters, one longer than allowed."""
    plain = normalise(text)
    words = re.findall(r"[^\W\d_]+|\d+", plain)
    han = "".join(re.findall(r"[\u3400-\u9fff]", plain))
    of_words = {" ".join(words[n : n + WORDS + 1]) for n in range(len(words) - WORDS)}
    return of_words | {han[n : n + HAN + 1] for n in range(len(han) - HAN)}


@pytest.mark.parametrize("name", SETS)
def test_every_type_is_asked_often_enough(name: str) -> None:
    """Every set holds every type of question, and no other."""
    count = Counter(item.question.type for item in asked(name))
    assert set(count) == set(TYPES)
    assert {kind: n for kind, n in count.items() if n < EACH[name]} == {}


@pytest.mark.parametrize("name", SETS)
def test_a_hash_decides_the_half(name: str) -> None:
    """A question whose hash begins with an even byte is open, any other one is held out."""
    wrong = [
        item.question.text
        for item in asked(name)
        if item.half != HALVES[hashlib.sha256(item.question.text.encode()).digest()[0] % 2]
    ]
    assert wrong == []


def test_nothing_is_asked_twice() -> None:
    """A question with its previous turn stands in one set and one half."""
    count = Counter((normalise(q.text), normalise(q.previous)) for name in SETS for q in map(_question, asked(name)))
    assert [key for key, n in count.items() if n > 1] == []


@pytest.mark.parametrize("name", HELD)
def test_questions_are_true_of_their_pages(name: str) -> None:
    """Every page exists, and each text that an answer must hold stands in what one of them shows."""
    folder, lost = content(name), []
    for question in map(_question, asked(name)):
        texts = [seen((folder / page).read_text("utf-8")) for page in question.relevant]
        missing = [text for text in question.must_contain if not any(contains(page, (), (text,)) for page in texts)]
        lost += [(question.text, missing)] if missing else []
    assert lost == []


@pytest.mark.parametrize("name", SETS)
def test_a_follow_up_follows(name: str) -> None:
    """A follow-up, and nothing else, comes with the question before it."""
    assert [q.text for q in map(_question, asked(name)) if (q.type == "follow-up") != bool(q.previous)] == []


@pytest.mark.parametrize("name", SETS)
def test_comparisons_are_held_to_both_sides(name: str) -> None:
    """At least four comparisons of a set want a text of each side."""
    compared = [q for q in map(_question, asked(name)) if q.type == "comparison"]
    assert sum(len(q.must_contain) > 1 for q in compared) >= 4


def test_marks_leave_what_they_hold() -> None:
    """Code keeps its stars, a link its words, emphasis nothing but its text."""
    assert seen("`SB_*` and **bold** [[a|b]] ![x](y.png) ~~[c](d)~~") == "SB_* and bold b x ~~c~~"


@pytest.mark.parametrize("name", SETS)
def test_expected_texts_are_short(name: str) -> None:
    """What an answer must hold is a number, a name or a few words, never a sentence."""
    expected = [text for question in map(_question, asked(name)) for text in question.must_contain]
    assert [text for text in expected if len(text) > SHORT] == []


@pytest.mark.parametrize("name", HELD)
def test_no_sentence_is_copied(name: str) -> None:
    """No run of a question's or an expected text's words is a page's own."""
    folder, copied = content(name), []
    for question in map(_question, asked(name)):
        own = set().union(*map(runs, (question.text, question.previous, *question.must_contain)))
        pages = set().union(*(runs((folder / page).read_text("utf-8")) for page in question.relevant if own))
        copied += sorted(own & pages)
    assert copied == []


def test_a_copy_would_be_seen() -> None:
    """Thirteen equal words or twenty-six equal Han characters are a copy, one fewer are not."""
    words, han = " ".join("abcdefghijklm"), "一个问题通常由一段话就能回答小的片段和问题比较起来更准"
    assert runs(words) & runs(f"x {words}, y")
    assert runs(han[:26]) & runs(f"甲{han[:26]}乙")
    assert runs(words[:-2]) == runs(han[:25]) == set()


@pytest.mark.parametrize("name", LISTS)
def test_term_lists_hold_fifty_terms(name: str) -> None:
    """A list has fifty terms, and no name stands for two of them."""
    found = terms(name)
    names = Counter(text.casefold() for item in found for text in {item["term"], *item["aliases"]})
    assert len(found) == 50
    assert [text for text, n in names.items() if n > 1] == []


@pytest.mark.corpus
@pytest.mark.parametrize("name", LISTS)
def test_terms_stand_on_their_pages(name: str) -> None:
    """The page of a term exists and holds it, or an alias, in its text or its name."""
    folder, lost = content(name), []
    for item in terms(name):
        page = folder / item["page"]
        text = f"{page.stem}\n{page.read_text('utf-8')}".casefold()
        lost += [] if any(word.casefold() in text for word in (item["term"], *item["aliases"])) else [item["term"]]
    assert lost == []


def _question(item: Asked) -> Question:
    return item.question
