"""The story of a question: what leaves in which order, what a follow-up sees, what degraded means."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from query_fn.agent.chat.base import Call, Calls, Draft
from query_fn.agent.chat.scripted import Scripted
from query_fn.agent.events import Done, Event, Sentence, Source, Step
from query_fn.live import Live
from query_fn.model import Answer, Ask, Scope, Status, Turn
from query_fn.service import Deps, answer
from query_fn.settings import Settings
from tests.artifacts import NOW, make_artifacts

TURN = Turn("How do I restore a backup?", "How do I restore a backup?", "1. Stop the service.", ("backup.1",))


@pytest.fixture(scope="module")
def deps(tmp_path_factory: pytest.TempPathFactory) -> Deps:
    """What an answer over the tiny bilingual base is made with."""
    folder: Path = tmp_path_factory.mktemp("out") / "artifacts"
    make_artifacts(folder)
    return Live(Settings(folder), clock=lambda: NOW).current().deps


def _events(deps: Deps, ask: Ask) -> list[Event]:
    return list(answer(ask, deps))


def _done(deps: Deps, ask: Ask) -> Answer:
    last = _events(deps, ask)[-1]
    assert isinstance(last, Done)
    return last.answer


@pytest.mark.parametrize("question", ["How do I restore a backup?", "向量的维度是多少？", "Who won the cup?", "hello"])
def test_order(deps: Deps, question: str) -> None:
    """Steps, then sources, then sentences that join to the answer, then the whole; always exactly one whole."""
    events = _events(deps, Ask(question))
    order = (Step, Source, Sentence, Done)
    ranks = [order.index(type(e)) for e in events]
    assert ranks == sorted(ranks)
    done = events[-1]
    assert isinstance(done, Done)
    assert ranks.count(3) == 1
    assert "".join(e.text for e in events if isinstance(e, Sentence)) == done.answer.answer


def test_every_sentence_is_cited(deps: Deps) -> None:
    """No sentence of an answer is without a citation, and each is a quote of what was read."""
    events = _events(deps, Ask("How do I restore a backup?"))
    texts = {e.evidence.id: e.evidence.text for e in events if isinstance(e, Source)}
    sentences = [e for e in events if isinstance(e, Sentence)]
    assert sentences
    assert all(s.citations for s in sentences)
    assert all(texts[c.evidence][c.start : c.end] == c.quote for s in sentences for c in s.citations)


def test_follow_up_carries_the_turn(deps: Deps) -> None:
    """A follow-up is asked with the question before in front, and may read again what that one cited."""
    model = Scripted([Draft(())])
    _done(replace(deps, model=model), Ask("And then?", turns=(TURN,)))
    view = model.views[0]
    assert (view.question, view.carried) == ("How do I restore a backup? And then?", ("backup.1",))


def test_standalone_carries_nothing(deps: Deps) -> None:
    """A question that stands alone starts afresh, whatever was asked before."""
    model = Scripted([Draft(())])
    _done(replace(deps, model=model), Ask("Which port does Docker use?", turns=(TURN,)))
    assert (model.views[0].question, model.views[0].carried) == ("Which port does Docker use?", ())


def test_carried_evidence_obeys_the_scope(deps: Deps) -> None:
    """What the turn before cited is read through this question's scope: out of it, it is missing."""
    read = Calls((Call("read", {"locators": ["backup.1"]}),))
    found = _done(
        replace(deps, model=Scripted([read, Draft(())])), Ask("it?", scope=Scope(langs=("zh",)), turns=(TURN,))
    )
    assert (found.status, found.evidence) == (Status.NO_ANSWER, ())


def test_language_of_the_sentences(deps: Deps) -> None:
    """The function's own sentences are in the language asked for, else in that of the question."""
    assert _done(deps, Ask("Who won the cup?", lang="zh")).answer.startswith("已发布的页面")
    assert _done(deps, Ask("谁赢了世界杯冠军？")).answer.startswith("已发布的页面")
    assert _done(deps, Ask("谁赢了世界杯冠军？", lang="en")).answer.startswith("The published pages")


def test_without_a_model_is_complete(deps: Deps) -> None:
    """No key and no embedder were configured: the answer is complete, and both are named."""
    found = _done(deps, Ask("How long are backups kept?"))
    assert (found.status, found.diagnostics.degraded) == (Status.COMPLETED, ("no_embedder", "no_model"))


def test_configured_model_that_is_not_there(tmp_path: Path) -> None:
    """A chat model that is configured and not available is named, and the answer is degraded."""
    make_artifacts(tmp_path / "artifacts")
    found = _done(Live(Settings(tmp_path / "artifacts", chat="claude"), clock=lambda: NOW).current().deps,
                  Ask("How long are backups kept?"))  # fmt: skip
    assert (found.status, "chat_unavailable:claude" in found.diagnostics.degraded) == (Status.DEGRADED, True)


def test_trace_stays_in_diagnostics(deps: Deps) -> None:
    """The steps of a run are kept with their tools and times."""
    found = _done(deps, Ask("How long are backups kept?"))
    assert [step["tool"] for step in found.diagnostics.steps] == ["search", "read"]


def test_one_step_is_enough_to_refuse(deps: Deps) -> None:
    """A question about nothing here is refused within three calls."""
    found = _done(deps, Ask("What is the capital of France?"))
    assert found.status is Status.NO_ANSWER
    assert len(found.diagnostics.steps) <= 3
