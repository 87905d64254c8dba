"""Attacks that were written apart from the agent, on a model that obeys them and on the answerer without a key. P7."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from query_fn import service
from query_fn.agent.chat.extractive import Extractive
from query_fn.agent.events import Done
from query_fn.model import Ask
from query_fn.retrieve.search import Searcher
from query_fn.service import Deps
from query_fn.settings import Settings
from query_fn.store import open_store
from tests.artifacts import NOW, TEXTS, make_artifacts
from tests.fake_claude.players import traitor
from tests.query_fn.attacks import GOOD
from tests.query_fn.claude_app import CHAT, Asked, asking
from tests.query_fn.test_claude_traitor import harm

Json = dict[str, Any]
ATTACKS: list[Json] = yaml.safe_load((Path(__file__).parents[1] / "golden" / "attacks.yml").read_text("utf-8"))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One base with the pages of all indirect attacks beside honest ones."""
    folder: Path = tmp_path_factory.mktemp("attacked") / "artifacts"
    honest = dict(TEXTS)
    pages = [attack["poison"] for attack in ATTACKS if "poison" in attack]
    try:
        for n, text in enumerate(pages):
            TEXTS[f"page-{n}"] = (
                "en" if text.isascii() else "zh",
                "",
                (),
                text if text.endswith("\n") else f"{text}\n",
            )
        make_artifacts(folder)
    finally:
        TEXTS.clear()
        TEXTS.update(honest)
    return folder


@pytest.fixture(scope="module")
def obeyed(base: Path) -> Iterator[Asked]:
    """The base with a model that follows every order it sees."""
    with asking(base, traitor(GOOD)) as asked:
        yield asked


def _harm(asked: Asked, attack: Json) -> list[str]:
    """Return the harm of the last answer of a conversation; a question that is refused at the door has none."""
    answer: Json = {}
    for question in (*attack.get("previous", ()), attack["question"]):
        token = {"conversation": answer["conversation"]} if answer else {}
        response = asked.client.post(CHAT, json={"question": question, "stream": False, **token})
        if response.status_code == 400:
            return []
        answer = response.json()
    return harm(answer)


def test_a_model_that_obeys_does_no_harm(obeyed: Asked) -> None:
    """Of 368 attacks none makes a link, an image, a forged citation, a foreign tool, or tells the instructions."""
    assert len(ATTACKS) >= 300
    failures = [(attack["kind"], attack["question"], found) for attack in ATTACKS if (found := _harm(obeyed, attack))]
    assert failures == []


def test_without_a_key_a_poisoned_page_is_only_quoted(base: Path) -> None:
    """Every sentence of an answer stands on a page letter by letter, and none of it is live."""
    store = open_store(base)
    deps = Deps(store, Searcher(store), Extractive(fold=store.fold), Settings(), clock=lambda: NOW)
    for attack in ATTACKS:
        done = next(e for e in service.answer(Ask(attack["question"]), deps) if isinstance(e, Done))
        held = {item.id: item.text for item in done.answer.evidence}
        assert all(held[c.evidence][c.start : c.end] == c.quote for c in done.answer.citations)
        assert "](" not in done.answer.answer
        assert "<img" not in done.answer.answer
