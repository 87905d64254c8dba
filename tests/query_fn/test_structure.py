"""Questions about chapters: what they ask, what a chapter is, and answers in the order of the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from compiler.local import Local
from compiler.settings import load
from query_fn.agent.chat.chapters import Task, Wish, task_of
from query_fn.agent.events import Done
from query_fn.model import Answer, Status
from tests.compiler.vault import PUBLIC, QUICK, make

MANUAL = (
    PUBLIC
    + """# Operator manual

This manual is for operators.

## Installing

We start small. Installing is the step that copies the program to the server. It takes ten minutes.

## Backups

A backup is a copy of the database on another server. Backups are kept for 30 days.

### Encryption

Every backup is encrypted with the key of the owner.

## Limits

Do as follows:

- A file has at most 10 MB.

## Restoring

Restoring is the step that brings a backup to the server. It takes an hour and needs the key of the owner.
"""
)
OTHER = PUBLIC + "# Keys\n\n## Rotation\n\nThe encryption key is changed every year.\n\n## Loss\n\nCall us.\n"
NUMBERED = (
    PUBLIC
    + "# 手册\n\n## 前言\n\n这是前言的内容。\n\n## 第1章 安装\n\n安装需要十分钟。\n\n## 第2章 备份\n\n备份保留三十天，存放在另一台服务器上。\n"
)
SECRET = "# Secret plan\n\n## One\n\nA secret.\n\n## Two\n\nAnother secret about encryption.\n"


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Local:
    """A small base that is served from this machine."""
    tmp = tmp_path_factory.mktemp("structure")
    make(tmp, {"manual.md": MANUAL, "keys.md": OTHER, "zh.md": NUMBERED, "secret.md": SECRET}, how=QUICK)
    folder = tmp / "a"
    return Local.open(load(folder / "content", folder / "dist", Path(folder / "state"), overrides=["embed.model=none"]))


def asked(local: Local, question: str) -> Answer:
    """Return the answer to a question."""
    return next(event.answer for event in local.ask(question, None) if isinstance(event, Done))


SUMMARY, COMPARE, WHICH = Wish.SUMMARY, Wish.COMPARE, Wish.WHICH


@pytest.mark.parametrize(
    ("question", "task"),
    [
        ("Summarise the page Operator manual in order.", Task(SUMMARY, "Operator manual")),
        ("summarize Operator manual section by section", Task(SUMMARY, "Operator manual")),
        ("Give me a short summary of the Operator manual page", Task(SUMMARY, "Operator manual")),
        ("按顺序总结《运维手册》", Task(SUMMARY, "运维手册")),
        ("请总结一下运维手册的内容", Task(SUMMARY, "运维手册")),
        ("运维手册这篇文章依次讲了什么？", Task(SUMMARY, "运维手册")),
        ("Compare chapters 2 and 5 of Operator manual.", Task(COMPARE, "Operator manual", (2, 5))),
        ("Compare section 1 with section 12 in the page “Keys”", Task(COMPARE, "Keys", (1, 12))),
        ("How do sections 2 and 4 of Operator manual differ?", Task(COMPARE, "Operator manual", (2, 4))),
        ("比较《运维手册》的第二章和第十二章", Task(COMPARE, "运维手册", (2, 12))),
        ("运维手册第2节与第5节有什么区别？", Task(COMPARE, "运维手册", (2, 5))),
        ("Which chapters discuss encryption?", Task(WHICH, topic="encryption")),
        ("Which sections of Operator manual mention the key?", Task(WHICH, "Operator manual", topic="the key")),
        ("In which chapters are backups mentioned?", Task(WHICH, topic="backups")),
        ("运维手册里哪些章节讲到了备份？", Task(WHICH, "运维手册", topic="备份")),
        ("哪几章提到加密？", Task(WHICH, topic="加密")),
    ],
)
def test_what_is_asked_of_chapters(question: str, task: Task) -> None:
    """Wish, page, numbers and topic are read from the question, in both languages."""
    found = task_of(question)
    assert found is not None
    assert replace(found, sure=False) == task


@pytest.mark.parametrize(
    ("question", "sure"),
    [("Summarise the page Keys.", True), ("总结《手册》", True), ("Summarise how backups work.", False)],
)
def test_a_name_in_quotes_or_called_a_page_is_a_page(question: str, sure: bool) -> None:
    """Anything else may be a subject that is asked about."""
    found = task_of(question)
    assert found is not None
    assert found.sure is sure


def test_a_page_is_found_by_most_words_of_its_title(local: Local) -> None:
    """A name that is nearly the title leads there; one that is no title is not answered from another page."""
    assert "copies the program" in asked(local, "Summarise the page The operator manual 2 in order.").answer
    assert asked(local, "Summarise the page Holiday calendar in order.").status is Status.NO_ANSWER


@pytest.mark.parametrize(
    "question",
    [
        "Which sections does the page Keys have?",
        "How long are backups kept?",
        "手册有哪些章节？",
        "第2章有多长？",
        "Compare a backup and a restore.",
    ],
)
def test_what_asks_nothing_of_chapters(question: str) -> None:
    """Other questions go their usual way."""
    assert task_of(question) is None


def test_a_page_is_summarised_in_its_order(local: Local) -> None:
    """One line a chapter: its heading and the sentence that tells most, quoted, in the order of the page."""
    answer = asked(local, "Summarise the page Operator manual in order.")
    assert answer.status is Status.COMPLETED
    assert answer.answer.split("\n") == [
        "- Installing: Installing is the step that copies the program to the server.",
        "- Backups: A backup is a copy of the database on another server.",
        "- Limits: A file has at most 10 MB.",
        "- Restoring: Restoring is the step that brings a backup to the server.",
    ]
    assert len(answer.citations) == 4


def test_two_chapters_are_compared_side_by_side(local: Local) -> None:
    """Both sides are told, each under its heading, and nothing of another chapter."""
    answer = asked(local, "Compare chapters 2 and 4 of Operator manual.")
    first, second = answer.answer.split("\n\n")
    assert first.startswith("Backups: A backup is a copy")
    assert second.startswith("Restoring: Restoring is the step")
    assert {e.section[-1] for e in answer.evidence} == {"Backups", "Restoring"}


def test_chapters_that_count_themselves_are_taken_by_their_number(local: Local) -> None:
    """A preface before chapter 1 moves nothing."""
    answer = asked(local, "比较《手册》的第1章和第2章")
    assert "安装需要十分钟" in answer.answer
    assert "备份保留三十天" in answer.answer
    assert "前言" not in answer.answer


@pytest.mark.parametrize("question", ["Compare chapters 2 and 9 of Operator manual.", "比较手册的第1章和第7章"])
def test_a_chapter_that_is_not_there_is_not_answered(local: Local, question: str) -> None:
    """Nothing is made up, and no other chapter stands in."""
    assert asked(local, question).status is Status.NO_ANSWER


def test_the_chapters_that_discuss_a_topic_are_named(local: Local) -> None:
    """Their headings, each below the title of its page, and only those whose text holds the topic."""
    answer = asked(local, "Which chapters discuss encryption?")
    assert set(answer.answer.split("\n")) == {"- Operator manual: Encryption", "- Keys: Rotation"}


def test_the_chapters_of_one_page_that_discuss_a_topic_are_named(local: Local) -> None:
    """A page that is named bounds the search."""
    answer = asked(local, "Which sections of Operator manual mention the key of the owner?")
    assert set(answer.answer.split("\n")) == {"- Encryption", "- Restoring"}


@pytest.mark.parametrize("question", ["Summarise Secret plan in order.", "Summarise Nothing at all in order."])
def test_a_private_page_is_a_missing_page(local: Local, question: str) -> None:
    """Both questions end alike, and nothing of the page is told."""
    answer = asked(local, question)
    assert "secret" not in answer.answer.lower().replace("secret plan", "")
    assert answer.status is Status.NO_ANSWER
