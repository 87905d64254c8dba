"""A run that was written down gives the same answer again, without the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from query_fn import service
from query_fn.agent.chat.scripted import Scripted
from query_fn.agent.events import Done
from query_fn.errors import BadRequest
from query_fn.model import Ask, Scope, Turn
from query_fn.service import Deps
from query_fn.trace import moves_of, question_of, written
from tests.artifacts import BUILD_ID, NOW, make_artifacts
from tests.fake_claude import Reply, Script, Status, Tool
from tests.fake_claude import Turn as Said
from tests.fake_claude.reading import cited, sources
from tests.query_fn.claude_app import QUESTION, asking


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny bilingual base, without vectors."""
    folder: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder)
    return folder


def done(ask: Ask, deps: Deps) -> Done:
    """Return the last event of an answer."""
    return next(event for event in service.answer(ask, deps) if isinstance(event, Done))


def well(body: dict[str, Any]) -> Reply:
    """Read and answer."""
    if not sources(body):
        return Said((Tool("read", {"locators": ["backup.0"]}), Tool("nonsense", "{")))
    return Said((cited(body, "Backups are kept for 14 days.", "kept for 14 days"),))


def wrong_first() -> Script:
    """Return a script whose first draft does not stand."""
    drafts = iter(["Backups are kept for 41 days.", "Backups are kept for 14 days."])

    def script(body: dict[str, Any]) -> Reply:
        return Said((cited(body, next(drafts), "kept for 14 days"),)) if sources(body) else well(body)

    return script


@pytest.mark.parametrize("script", [well, wrong_first(), lambda _: Status(401)], ids=["well", "again", "failed"])
def test_the_same_answer_again(artifacts: Path, script: Script) -> None:
    """The moves of a run, through JSON and back, give the same text, citations and steps; a failed model too."""
    with asking(artifacts, script) as asked:
        first = done(Ask(QUESTION), asked.deps)
        kept = json.loads(json.dumps(written(Ask(QUESTION), build_id=BUILD_ID, now=NOW, moves=first.moves)))
        count = len(asked.fake.requests)
        deps = replace(asked.deps, paid=None, model=Scripted(moves_of(kept)))
        again = done(question_of(kept), deps)
        assert len(asked.fake.requests) == count
    assert (again.answer.answer, again.answer.citations) == (first.answer.answer, first.answer.citations)
    assert [o.call for o in again.seen] == [o.call for o in first.seen]


def test_the_question_comes_back(artifacts: Path) -> None:
    """Scope, language and earlier turns of a question survive being written."""
    ask = Ask("它呢？", "zh", Scope(articles=("茶",), tags=()), turns=(Turn("a", "b", "c", ("茶.0",)),))
    kept = json.loads(json.dumps(written(ask, build_id=BUILD_ID, now=NOW, moves=())))
    assert question_of(kept) == ask


@pytest.mark.parametrize("broken", [{}, {"trace": 1}, {"trace": 1, "ask": {"question": 1}, "moves": [{"x": 1}]}])
def test_what_is_no_trace(broken: dict[str, Any]) -> None:
    """A file that is no trace is refused with the place at fault."""
    with pytest.raises(BadRequest):
        question_of(broken)
    with pytest.raises(BadRequest):
        moves_of(broken)


def test_readers_see_sources(artifacts: Path) -> None:
    """A reader sees which pages were found, read and used."""
    with asking(artifacts, well) as asked:
        seen = asked.answer()["diagnostics"]["sources"]
    assert (seen["found"][0], seen["read"], seen["used"]) == ("backup", ["backup"], ["backup"])
