"""A question to the paid model, whole: HTTP, search, tools, the real SDK, citations, answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.artifacts import make_artifacts
from tests.fake_claude import Reply, Tool, Turn
from tests.fake_claude.reading import cited, found, may_use_tools, question, sources
from tests.query_fn.claude_app import QUESTION, asking

Json = dict[str, Any]


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny bilingual base, without vectors."""
    folder: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder)
    return folder


def reader(body: Json) -> Reply:
    """Read the first candidate, then answer from it."""
    if not sources(body):
        return Turn((Tool("read", {"locators": [found(body)[0]["locator"]]}),))
    return Turn((cited(body, "Backups are kept for 14 days.", "kept for 14 days"),))


def test_a_cited_answer(artifacts: Path) -> None:
    """The model reads what the first search found and answers with a citation that is checked."""
    with asking(artifacts, reader) as asked:
        answer = asked.answer()
    assert (answer["status"], answer["answer"]) == ("completed", "Backups are kept for 14 days.")
    assert [c["quote"].strip() for c in answer["citations"]] == [
        "Backups run every night at 02:30 UTC and are kept for 14 days."
    ]
    assert [s["tool"] for s in answer["diagnostics"]["steps"]] == ["search", "read"]
    assert answer["diagnostics"]["degraded"] == ["no_embedder"]
    assert answer["diagnostics"]["spent"]["calls"] == 2
    assert 0 < answer["diagnostics"]["spent"]["usd"] < 0.01


def test_what_the_model_sees(artifacts: Path) -> None:
    """The first request holds the question, the tools and the search that was made for it; nothing of any page."""
    with asking(artifacts, reader) as asked:
        asked.answer()
        first, second = asked.fake.requests
    assert (question(first), may_use_tools(first)) == (QUESTION, True)
    assert [t["name"] for t in first["tools"]] == ["search", "find", "outline", "read", "links", "list", "delegate"]
    assert all(t["strict"] for t in first["tools"])
    assert sources(first) == []
    assert second["messages"][: len(first["messages"]) - 1] == first["messages"][:-1]
    assert (first["system"], first["tools"]) == (second["system"], second["tools"])


def test_the_stream(artifacts: Path) -> None:
    """Steps come first, then the source, one text part, the whole answer, and the end."""
    with asking(artifacts, reader) as asked:
        parts = asked.stream()
    kinds = [part if isinstance(part, str) else part["type"] for part in parts]
    assert kinds == [
        *("start", "data-step", "data-step", "source-url", "text-start", "text-delta", "text-end"),
        *("data-answer", "finish", "[DONE]"),
    ]
