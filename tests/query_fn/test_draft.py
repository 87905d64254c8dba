"""What goes into an answer: the section whose heading is the question, lists with their lead-in, sentences that stand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from query_fn.agent.chat.base import Call, Draft, Observation, ReadResult, View
from query_fn.agent.chat.extractive import Extractive
from query_fn.agent.chat.material import shown
from query_fn.agent.chat.score import has_form, has_shape
from query_fn.agent.chat.spans import cut
from query_fn.agent.chat.words import keywords, page_names
from query_fn.agent.router import Intent, classify
from query_fn.model import Candidate, Diagnostics, Evidence, SearchResult
from query_fn.text import script_lang

SHARING = """# Writing

A page is a file. It can be a public page.

## Make a page public

Write `share: public`. Without that line it stays private.

## Delete a page

1. Close it.
2. Remove the file.

## Add a reader

```sh
reader add
```

This asks for a name.

## Sync

Sync happens:

- For the whole space: roughly every 20 seconds
- For the open file: at once

When two people change a file, conflicts may happen. They are kept as copies. Nothing is merged.

## 2012: the first server

It was a small machine in the office of the founders.

## 关闭清理功能

如需关闭清理，可以执行以下语句：

```sql
SET clean = 'OFF';
```

## 修改标题

标题在文件的第一行修改。
"""


def _evidence(text: str = SHARING, identity: str = "e1", *, title: str = "Writing", url: str = "writing/") -> Evidence:
    return Evidence(identity, "page", identity, identity, title, (), url, text, script_lang(text), 1.0, None)


def _draft(question: str, *evidence: Evidence, confidence: float = 0.9) -> Draft:
    candidate = Candidate("a.0", "a", "A", ("A",), "a/", "", "en", 1.0, ("lexical",))
    found = SearchResult("q", (candidate,), confidence, True, Diagnostics())
    seen = (
        Observation(Call("search", {"query": "q"}), found, 1.0),
        Observation(Call("read", {"locators": []}), ReadResult(evidence or (_evidence(),)), 1.0),
    )
    move = Extractive().next(View(question, script_lang(question), classify(question), seen=seen))
    assert isinstance(move, Draft)
    return move


def _lines(question: str, *evidence: Evidence) -> list[str]:
    return [line.text for line in _draft(question, *evidence).sentences]


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("How do I make a page public?", ["Write share: public.", "Without that line it stays private."]),
        ("How do I delete a page?", ["Close it.", "Remove the file."]),
        ("How do I add a reader?", ["```sh\nreader add\n```", "This asks for a name."]),
        ("如何关闭清理功能？", ["如需关闭清理，可以执行以下语句：", "```sql\nSET clean = 'OFF';\n```"]),
        ("怎么修改标题？", ["标题在文件的第一行修改。"]),
    ],
)
def test_a_section_whose_heading_is_the_question_answers_it(question: str, lines: list[str]) -> None:
    """Its first sentences, list or code are the answer, though they hold no word of the question."""
    assert _lines(question) == lines


def test_the_other_language_answers_when_only_its_heading_is_the_question() -> None:
    """A Chinese page that merely shares words does not push the English section aside."""
    pages = (
        _evidence("# 欢迎\n\n这是一个公开页面。\n", "e2", title="欢迎"),
        _evidence(SHARING.partition("## 关闭")[0]),
    )
    assert _lines("如何公开一个页面？", *pages)[0] == "Write share: public."


def test_a_number_in_a_list_comes_with_its_introduction() -> None:
    """The item with the number is found by the words of the sentence before its list, which it is given with."""
    assert _lines("How often does sync of the whole space happen?")[:2] == [
        "Sync happens:",
        "For the whole space: roughly every 20 seconds",
    ]


def test_a_date_in_the_heading_is_given() -> None:
    """When the heading holds the year and the sentence below does not, both are quoted."""
    assert _lines("When did the first server start?") == [
        "2012: the first server",
        "It was a small machine in the office of the founders.",
    ]


def test_a_sentence_goes_on() -> None:
    """A lone sentence is followed by the next one of its paragraph."""
    lines = _lines("what happens when two people change a file")
    assert lines == ["When two people change a file, conflicts may happen.", "They are kept as copies."]


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("Who was the oldest player?", ["Ann Smith played for both teams.", "She was the oldest player."]),
        ("谁是年龄最大的球员？", ["王小明效力过两支球队。", "他是年龄最大的球员。"]),
    ],
)
def test_a_sentence_that_leans_brings_the_one_before(question: str, lines: list[str]) -> None:
    """An answer does not begin with a pronoun whose person is not named."""
    page = "Ann Smith played for both teams. She was the oldest player. Tea was served.\n"
    zh = "王小明效力过两支球队。他是年龄最大的球员。后来有茶。\n"
    assert _lines(question, _evidence(zh if script_lang(question) == "zh" else page)) == lines


def test_a_long_list_is_cut_and_says_so() -> None:
    """Twelve steps are given, and that the list goes on."""
    steps = "".join(f"{n}. Turn wheel {chr(96 + n)}.\n" for n in range(1, 16))
    draft = _draft("How do I start it?", _evidence(f"## Start it\n\n{steps}"))
    assert ([s.number for s in draft.sentences], draft.uncertainties) == (list(range(1, 13)), ("list_cut",))


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("How do I make a page public?", True),
        ("How do I make a page public on the Xbox?", True),  # most of it is a heading
        ("Does a page open on an Xbox?", False),
        ("Which reader is in Tokyo?", False),
        ("清理之后可以导出到 Excel 里吗？", False),
    ],
)
def test_a_name_that_nothing_mentions(question: str, answered: bool) -> None:
    """A question about something the evidence never names gets no answer, unless the rest of it is plainly there."""
    assert bool(_draft(question).sentences) is answered


def test_words_no_page_holds() -> None:
    """When much of the question stands on no page of the base at all, its other words answer nothing."""
    rare = {"page": 1.0, "file": 1.0}
    model = Extractive(idf=lambda token: rare.get(token, 5.0))
    move = _draft("Which file has umlauts and ligatures?")
    assert move.sentences
    found = SearchResult("q", (Candidate("a.0", "a", "A", (), "a/", "", "en", 1.0, ()),), 0.9, True, Diagnostics())
    seen = (Observation(Call("search", {}), found, 1.0), Observation(Call("read", {}), ReadResult((_evidence(),)), 1.0))
    view = View("Which file has umlauts and ligatures?", "en", Intent.FACT, seen=seen)
    assert model.next(view) == Draft(())


# --- the parts --------------------------------------------------------------------------------------------------------


def test_spans_know_their_place() -> None:
    """A span carries the headings above it, outermost first, its distance from the last, and what introduces it."""
    text = "Intro.\n\n## B\n\nOne. Two.\n\n### C\n\nLists:\n\n- x y z\n\n## D\n\nEnd.\n"
    spans = cut(replace(_evidence(text), section=("A", "Z")))
    assert [(s.path, s.nth, s.context) for s in spans if s.kind != "heading"] == [
        (("A", "Z"), 0, ""),
        (("A", "B"), 0, ""),
        (("A", "B"), 1, ""),
        (("A", "B", "C"), 0, ""),
        (("A", "B", "C"), 1, "Lists:"),
        (("A", "D"), 0, ""),
    ]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("如何上传文件到对象存储？", ("上传", "传文", "文件", "件到", "到对", "对象", "象存", "存储")),
        ("两块网卡的目的是什么？", ("两块", "块网", "网卡", "目的")),
        ("请求多久过期？", ("请求", "过期")),
        ("How do I set up the server?", ("server",)),
    ],
)
def test_content_words(question: str, words: tuple[str, ...]) -> None:
    """A character that is grammar elsewhere stays in the words it makes: 上传, 对象, 目的."""
    assert keywords(question) == words


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What are the sections of the Install page?", "Install"),
        ("What headings are on the page Page Template?", "Page Template"),
        ("对象命名规范页面有哪些部分？", "对象命名规范"),
        ("《部署指南》有哪些章节", "部署指南"),
    ],
)
def test_page_names(question: str, name: str) -> None:
    """The page of a question for sections is called as the question calls it."""
    assert page_names(question)[0] == name


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("Kept from old-mary's marching days", True),
        ("It is called old-mary for now", False),
        ("Today is a birthday, you may go", False),
        ("on May 3", True),
        ("since v2.10", True),
        ("每周一次", True),
    ],
)
def test_dates(text: str, dated: bool) -> None:
    """Months and units of time count as whole words."""
    assert has_shape(Intent.TIME, text) is dated


@pytest.mark.parametrize(
    ("question", "text", "fits"),
    [
        ("Which environment variable sets it?", "`SB_PORT`: the port", True),
        ("哪个环境变量设置端口？", "The environment variable for it", False),
        ("What is the email of the team?", "Write to team@example.org", True),
        ("快捷键是什么？", "Press `Ctrl-q`", True),
        ("Which port?", "`SB_PORT`", False),
    ],
)
def test_forms(question: str, text: str, fits: bool) -> None:
    """Some words promise what the answer looks like, in either language."""
    assert has_form(question, text) is fits


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("- Run:\n\n    ```sh\n    one\n      two\n    ```\n", "```sh\none\n  two\n```"),
        ("~~~\nkey: value\n~~~\n", "~~~\nkey: value\n~~~"),
        ("```\nnever closed\n", "never closed"),
    ],
)
def test_fenced_code_is_shown_whole(source: str, text: str) -> None:
    """Code keeps its fence and loses the indentation of its list; a block cut before its end is shown as text."""
    code = next(span for span in cut(_evidence(source)) if span.kind == "code")
    assert shown(code) == text
