"""Conversations with the paid model: what is carried, what is searched for, what may be asked next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.artifacts import NOW, make_artifacts
from tests.fake_claude import Reply, Tool, Turn
from tests.fake_claude.reading import cited, found, question, results, sources
from tests.query_fn.claude_app import QUESTION, Asked, asking

Json = dict[str, Any]
MISSING = Turn.says("NOT_COVERED")


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny bilingual base, without vectors."""
    folder: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder)
    return folder


def talker(body: Json) -> Reply:
    """Answer from what is there; read the first candidate when nothing is."""
    if not sources(body):
        return Turn((Tool("read", {"locators": [found(body)[0]["locator"]]}),))
    if not any("14 days" in str(source) for source in sources(body)):
        return Turn((cited(body, "Stop the service first.", "Stop the service"),)) if "Stop" in str(body) else MISSING
    if "at what time" in question(body):
        return Turn((cited(body, "They run at 02:30 UTC.", "02:30"),))
    return Turn((cited(body, "Backups are kept for 14 days.", "14 days"),))


def turns(asked: Asked, *questions: str) -> list[Json]:
    """Return the answers of one conversation."""
    answers = list[Json]()
    for text in questions:
        token = {"conversation": answers[-1]["conversation"]} if answers else {}
        answers.append(asked.answer(text, **token))
    return answers


def test_what_was_cited_is_read_again(artifacts: Path) -> None:
    """A follow-up begins with the passage that the last answer cited, read in this request, and may cite it."""
    with asking(artifacts, talker) as asked:
        _, second = turns(asked, QUESTION, "And at what time do they run?")
        first_look = asked.fake.requests[-1]
    assert [source["title"] for source in sources(first_look)] == ["Backups"]
    assert (second["answer"], second["evidence"][0]["locator"]) == ("They run at 02:30 UTC.", "backup.0")
    assert [step["tool"] for step in second["diagnostics"]["steps"]] == ["search", "read"]
    assert second["diagnostics"]["spent"]["calls"] == 1


def test_another_topic_drags_nothing(artifacts: Path) -> None:
    """A question with its own subject is searched for alone, and nothing of the turn before is read."""
    with asking(artifacts, talker) as asked:
        turns(asked, QUESTION, "If port 8080 is taken by Docker, how do I change it?")
        last = next(body for body in asked.fake.requests if "8080" in question(body))
    assert sources(last) == []
    assert last["messages"][1]["content"][0]["input"] == {"query": question(last)}


@pytest.mark.parametrize(
    ("follow_up", "hinted"), [("Could zebras fly them over?", True), ("Who approves large claims?", False)]
)
def test_a_weak_search_is_rewritten_by_the_model(artifacts: Path, follow_up: str, hinted: bool) -> None:
    """When a follow-up was joined by rules or found little, the model is told to search for one that stands alone."""
    with asking(artifacts, talker) as asked:
        turns(asked, QUESTION, follow_up)
        blocks = [block["text"] for block in results(asked.fake.requests[-1]) if block["type"] == "text"]
    assert any("stands alone" in text for text in blocks) is hinted


def test_the_model_rewrites(artifacts: Path) -> None:
    """The model's own search, made from the history, is run and what it found is read."""

    def rewriting(body: Json) -> Reply:
        weak = any("stands alone" in block.get("text", "") for block in results(body))
        pages = [candidate["page"] for candidate in found(body)]
        if weak and "茶" not in pages:
            return Turn((Tool("search", {"query": "泡龙井茶用多少度的水"}),))
        if weak and not any("茶" in source["title"] for source in sources(body)):
            return Turn((Tool("read", {"locators": ["茶.1"]}),))
        return Turn((cited(body, "水温控制在 80 度左右。", "80 度"),)) if weak else talker(body)

    with asking(artifacts, rewriting) as asked:
        _, second = turns(asked, QUESTION, "zebra 那种绿色饮品它呢？")
    assert (second["answer"], second["status"]) == ("水温控制在 80 度左右。", "completed")


def test_what_may_be_asked_next(artifacts: Path) -> None:
    """Suggestions are of passages nearby that were not read, were not just asked, and the base answers each of them."""
    with asking(artifacts, talker) as asked:
        first, second = turns(asked, QUESTION, "How do I restore a backup?")
        found_again = [asked.deps.searcher.search(text, now=NOW) for text in first["follow_ups"]]
    assert first["follow_ups"][0] == "How do I restore a backup?"
    assert 2 <= len(first["follow_ups"]) <= 3
    assert {QUESTION, "How do I restore a backup?"} & set(second["follow_ups"]) == set()
    assert all(result.answerable for result in found_again)
