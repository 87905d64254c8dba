"""The model without a key: which pieces of the evidence it picks, and when it refuses."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from query_fn.agent.chat.base import Call, Calls, Draft, Move, Observation, ReadResult, View
from query_fn.agent.chat.closeness import Close, Passage
from query_fn.agent.chat.extractive import Extractive
from query_fn.agent.chat.spans import blocks, cut
from query_fn.agent.chat.words import keywords
from query_fn.agent.router import classify
from query_fn.errors import RouteFailed
from query_fn.model import Candidate, Diagnostics, Evidence, SearchResult
from query_fn.text import script_lang

PAGE = """# Running it

The service answers on port 8080. It was released on 2024-03-01.

To restore a backup, do this:

1. Stop the service. It takes a minute.
   Wait for it.
2. Unpack the archive.
   - keep the owner
   - keep the mode
3. Start the service again.

| Setting | Default |
|---------|---------|
| `timeout` | 30 seconds |
| `retries` | 5 |

```bash
# not a heading
service start --port 8080
```

To install it, run:

```bash
pip install service
```

> [!note] Only the owner, Maria Jensen, may restore.

## Limits

- A question has at most 2,000 characters.
- **Uploads** are refused above 10 MB.
"""
PAGE_ZH = """# 运行

服务监听 8080 端口。首次发布于 2024 年 3 月。

## 恢复备份

恢复备份的步骤如下：

1. 停止服务。
2. 解压归档。
3. 重新启动服务。

## 限制

问题最多两千字。上传文件不能超过 10 MB。
"""


def _evidence(text: str, identity: str = "e1", title: str = "Running it") -> Evidence:
    return Evidence(identity, "page", identity, identity, title, (title,), "run/", text, script_lang(text), 1.0, None)


def _found(*, answerable: bool = True, confidence: float = 0.9, query: str = "q") -> Observation:
    candidate = Candidate("a.0", "a", "A", ("A",), "a/", "", "en", 1.0, ("lexical",))
    result = SearchResult(query, (candidate,), confidence, answerable, Diagnostics())
    return Observation(Call("search", {"query": query}), result, 1.0)


def _read(*evidence: Evidence) -> Observation:
    return Observation(Call("read", {"locators": []}), ReadResult(evidence), 1.0)


def _view(question: str, *seen: Observation, **more: bool) -> View:
    return View(question, script_lang(question), classify(question), seen=seen, **more)


def _lines(question: str, *evidence: Evidence) -> list[str]:
    move = Extractive().next(_view(question, _found(), _read(*(evidence or (_evidence(PAGE),)))))
    assert isinstance(move, Draft)
    return [s.text for s in move.sentences]


# --- the run ----------------------------------------------------------------------------------------------------------


def test_searches_first() -> None:
    """Nothing is answered before it was searched for."""
    assert Extractive().next(_view("Which port?")) == Calls((Call("search", {"query": "Which port?"}),))


def test_rewrites_once() -> None:
    """When search is not confident the question is reduced to its content words, once; then it refuses."""
    question = "请问系统的默认端口是什么？"
    weak = _found(answerable=False, query=question)
    move = Extractive().next(_view(question, weak))
    assert move == Calls((Call("search", {"query": "系统 默认端口"}),))
    assert Extractive().next(_view(question, weak, _found(answerable=False))) == Draft(())


def test_reads_before_it_answers() -> None:
    """A confident search leads to reading the candidates."""
    assert Extractive().next(_view("Which port?", _found())) == Calls((Call("read", {"locators": ["a.0"]}),))


def test_reads_what_was_carried() -> None:
    """For a follow-up, what the turn before cited is read again beside the new candidates."""
    view = replace(_view("Which port?", _found()), carried=("backup.1", "a.0"))
    assert Extractive().next(view) == Calls((Call("read", {"locators": ["a.0", "backup.1"]}),))


def test_reads_wider_across_languages() -> None:
    """When the best candidate is in another language, more of them are read, four a call."""
    many = tuple(Candidate(f"a.{n}", "a", "A", (), "a/", "", "en", 1.0, ()) for n in range(10))
    found = Observation(Call("search", {}), SearchResult("q", many, 0.9, True, Diagnostics()), 1.0)
    move = Extractive().next(_view("端口是什么？", found))
    assert isinstance(move, Calls)
    assert [c.args["locators"] for c in move.calls] == [[f"a.{n}" for n in range(4)], [f"a.{n}" for n in range(4, 8)]]


def test_sections_by_name() -> None:
    """The sections of a page that is named are looked up by its name, without a search."""
    move = Extractive().next(_view("What are the sections of the Install page?"))
    assert move == Calls((Call("outline", {"article": "Install"}),))


@pytest.mark.parametrize("seen", [(), (_found(),), (_found(answerable=False),), (_found(), _read())])
def test_last_turn_uses_no_tools(seen: tuple[Observation, ...]) -> None:
    """On its last turn it answers or refuses, it never asks for a tool."""
    move: Move = Extractive().next(_view("Which port?", *seen, final=True))
    assert move == Draft(())


# --- what it picks ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Which port does the service answer on?", "The service answers on port 8080."),
        ("When was it released?", "It was released on 2024-03-01."),
        ("What is the default timeout setting?", "timeout · 30 seconds"),
        ("Who may restore?", "Only the owner, Maria Jensen, may restore."),
        ("How many characters may a question have?", "A question has at most 2,000 characters."),
        ("Above which size are uploads refused?", "Uploads are refused above 10 MB."),
    ],
)
def test_picks_the_sentence(question: str, first: str) -> None:
    """The sentence, list item or table row that answers comes out, without its markup."""
    assert first in _lines(question)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("服务监听哪个端口？", "服务监听 8080 端口。"),
        ("什么时候首次发布？", "首次发布于 2024 年 3 月。"),
        ("上传文件最大多少？", "上传文件不能超过 10 MB。"),
    ],
)
def test_picks_the_chinese_sentence(question: str, first: str) -> None:
    """The same in Chinese."""
    assert first in _lines(question, _evidence(PAGE_ZH, title="运行"))


def test_steps() -> None:
    """A question for steps gets the introduction and the items of the list, in order, nested ones left out."""
    assert _lines("How do I restore a backup?") == [
        "To restore a backup, do this:",
        "Stop the service. It takes a minute. Wait for it.",
        "Unpack the archive.",
        "Start the service again.",
    ]


def test_chinese_steps() -> None:
    """The same in Chinese."""
    lines = _lines("恢复备份有哪些步骤？", _evidence(PAGE_ZH, title="运行"))
    assert lines == ["恢复备份的步骤如下：", "停止服务。", "解压归档。", "重新启动服务。"]


def test_code_comes_with_its_introduction() -> None:
    """An introduction that ends in a colon brings the code it announces."""
    assert _lines("How to install it?") == ["To install it, run:", "```bash\npip install service\n```"]


def test_every_quote_is_raw() -> None:
    """Quotes are the source's own Markdown, so the gate finds them."""
    move = Extractive().next(_view("Above which size are uploads refused?", _found(), _read(_evidence(PAGE))))
    assert isinstance(move, Draft)
    assert all(quote in PAGE for s in move.sentences for _, quote in s.quotes)
    assert "- **Uploads** are refused above 10 MB." in [q for s in move.sentences for _, q in s.quotes]


def test_unrelated_evidence() -> None:
    """Evidence that shares nothing with the question gives no answer."""
    assert _lines("What colour is the moon?") == []


def test_unknown_words() -> None:
    """When the search is only just confident and most words of the question stand nowhere, nothing is answered."""
    page = _read(_evidence("# Port\n\nThe service answers on port 8080."))
    question = "Which port does the quantum teleporter of Atlantis answer on?"
    assert Extractive().next(_view(question, _found(confidence=0.55), page)) == Draft(())


def test_steps_with_code_between() -> None:
    """Code and paragraphs inside the items of a list do not end it."""
    page = "To start it:\n\n1. Load it.\n\n    ```\n    load\n    ```\n\n    Wait.\n\n2. Start it.\n\n    ```\n    go\n    ```\n"
    assert _lines("How do I start it?", _evidence(page)) == ["To start it:", "Load it.", "Start it."]


@pytest.mark.parametrize(
    ("marks", "numbers"), [((4, 5), [4, 5]), ((1, 1), [1, 2]), ((3, 2), [1, 2])], ids=["window", "all one", "falling"]
)
def test_numbers_of_steps(marks: tuple[int, int], numbers: list[int]) -> None:
    """A list keeps the author's numbers where they rise, also when a passage begins in its middle."""
    page = _evidence("To start it:\n\n" + "".join(f"{n}. Start part {c}.\n" for n, c in zip(marks, "ab", strict=True)))
    move = Extractive().next(_view("How do I start it?", _found(), _read(page)))
    assert isinstance(move, Draft)
    assert [s.number for s in move.sentences[1:]] == numbers


def test_readers_language_first() -> None:
    """Of two pages that say the same, the one in the reader's language is quoted first."""
    pages = (_evidence("The GPT-4o API is here.", "e1"), _evidence("这里是 GPT-4o API。", "e2"))
    move = Extractive().next(_view("GPT-4o API 在哪里？", _found(), _read(*pages)))
    assert isinstance(move, Draft)
    assert move.sentences[0].quotes[0][0] == "e2"


def test_pages() -> None:
    """A question for pages names each page once, with the sentence that fits."""
    pages = (
        _evidence(PAGE, "e1", "Running it"),
        _evidence("# Tea\n\nRestore your strength: a backup of tea.", "e2", "Tea"),
    )
    move = Extractive().next(_view("Which pages mention restore and backup?", _found(), _read(*pages)))
    assert isinstance(move, Draft)
    assert sorted(s.label for s in move.sentences) == ["Running it", "Tea"]


# --- the parts --------------------------------------------------------------------------------------------------------


def test_spans() -> None:
    """Headings, sentences, items, rows and code are told apart; a rule under a table header is nothing."""
    kinds = [span.kind for span in cut(_evidence(PAGE))]
    assert kinds == [
        *("heading", "sentence", "sentence", "sentence"),
        *("ordered", "ordered", "item", "item", "ordered"),
        *("header", "row", "row", "code", "sentence", "code", "sentence"),
        *("heading", "item", "item"),
    ]


def test_spans_are_exact() -> None:
    """Each span's offsets give its raw text."""
    evidence = _evidence(PAGE_ZH)
    assert all(evidence.text[s.start : s.end] == s.raw for s in cut(evidence))


def test_blocks() -> None:
    """Lists and tables come with what introduces them; code only when a colon announces it."""
    found = [(b.lead.text if b.lead else None, len(b.members)) for b in blocks(cut(_evidence(PAGE)))]
    assert found == [("To restore a backup, do this:", 3), (None, 3), ("To install it, run:", 1), (None, 2)]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the default port of the service?", ("default", "port", "servic")),
        ("请问系统的默认端口是什么？", ("系统", "默认", "认端", "端口")),
        ("GPT-4o 怎么配置？", ("gpt-4o", "配置")),
        ("什么是？", ()),
    ],
)
def test_keywords(question: str, words: tuple[str, ...]) -> None:
    """Function words go; Chinese stays as bigrams, identifiers whole."""
    assert keywords(question) == words


def test_a_model_that_fails_leaves_words_and_a_doubt() -> None:
    """The answer is the one that words choose, and it says that a part failed."""

    def broken(question: str, lang: str, passages: Sequence[Passage], new: int) -> list[list[Close]]:
        raise RouteFailed("the embedder failed")

    view = _view("How long are backups kept?", _found(), _read(_evidence("Backups are kept for 14 days.\n")))
    words, failed = Extractive().next(view), Extractive(broken).next(view)
    assert isinstance(words, Draft)
    assert isinstance(failed, Draft)
    assert words.sentences
    assert failed.sentences == words.sentences
    assert failed.uncertainties == (*words.uncertainties, "route_failed")
