"""What a model wrote: marked where it is shown, kept in part when a part is bad, and asked for by no evaluation."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from compiler.build import build
from compiler.evaluate.bases import Base, Enriching, of_pages
from compiler.index.embed_cache import EmbedCache
from compiler.model import SitePage
from compiler.progress import Clock, Silent
from compiler.settings import Settings, load
from compiler.site.view import _compiled
from compiler.spending import Asks
from query_fn.contract import QuestionRow, from_sql
from tests.compiler.claude_bases import FILES, QUICKLY, asking, made
from tests.compiler.vault import NOON, QUICK, write
from tests.fake_claude import FakeClaude
from tests.fake_claude.author import author, spoiled

SAYING = {
    "b.md": "---\nshare: public\n---\n# Elections\n\nRaft ends every election within a second, and the leader is told.\n"
}


def settings_in(tmp: Path, *sets: str) -> Settings:
    """Return the settings of a base with a model."""
    content = write(tmp / "content", {**FILES, **SAYING})
    return load(content, tmp / "dist", tmp / "state", overrides=[*QUICKLY, *sets])


def shown(tmp: Path, name: str) -> dict[str, Any]:
    """Return one page of the site as it was staged."""
    found: dict[str, Any] = json.loads((tmp / f"dist/current/site/{name}/index.html").read_text("utf-8"))
    return found


@pytest.mark.parametrize("provider", ["anthropic", "local"])
def test_a_page_says_whether_a_model_wrote_any_of_it(tmp_path: Path, provider: str) -> None:
    """With a model the pages of subjects say so; extracted sentences are nobody's but the page's."""
    with FakeClaude(author) as fake, asking(fake):
        build(settings_in(tmp_path, f"enrich.provider={provider}"), now=NOON, progress=Silent(), how=QUICK)
    assert shown(tmp_path, "wiki/Raft")["written"] is (provider == "anthropic")


@pytest.mark.parametrize(("lang", "words"), [("en", "language model"), ("zh", "语言模型")])
def test_the_line_above_a_page_names_the_model(lang: str, words: str) -> None:
    """In the language of the page, and only where there is something to name."""
    page = SitePage(url="w/", title="W", html="", lang=lang, kind="concept", generated=True, compiled_from=2)
    assert words not in _compiled(page)
    assert words in _compiled(SitePage(**{name: getattr(page, name) for name in page.__slots__} | {"written": True}))


def _spoil_last(answer: dict[str, Any]) -> None:
    """Let the questions of the last of several passages hold a link that nobody wrote."""
    if len(answer["passages"]) > 1:
        answer["passages"][-1]["questions"] = ["What is at https://evil.example?"]


def test_a_bad_passage_takes_no_good_one_with_it(tmp_path: Path) -> None:
    """The others keep the model's questions, that one has local ones, and the report says so, now and next time."""
    for _ in range(2):
        got, fake = made(tmp_path, spoiled(_spoil_last, "questions"))
        origins = {q.origin for q in got.rows.rows.questions}
        told = repr(got.rows.rows.questions)
        assert origins == {"claude"}
        assert "evil" not in told
        assert {q.chunk_id for q in got.rows.rows.questions} == {c.id for c in got.rows.rows.chunks}
        assert [p.code for p in got.problems if "questions" in p.message] != []
    assert fake.requests == []
    assert not any("evil" in place.read_text("utf-8") for place in tmp_path.glob("state/claude/*/*.json"))


def evaluated(tmp: Path, name: str) -> Base:
    """Return the base of an evaluation of the same pages."""
    settings = load(tmp / "content", tmp / name, tmp / "other", overrides=list(QUICKLY))
    with closing(EmbedCache(tmp / "vectors.db")) as vectors:
        return of_pages(
            settings, vectors=vectors, clock=Clock(Silent()), enriching=Enriching(tmp / "state", Asks.NEVER)
        )


def test_an_evaluation_uses_the_answers_that_were_paid_for(tmp_path: Path) -> None:
    """The model's questions are in its base, and nobody is asked: without kept answers local ones stand, by name."""
    with FakeClaude(author) as fake, asking(fake):
        build(settings_in(tmp_path, "sharing.default=public"), now=NOON, progress=Silent(), how=QUICK)
        paid = len(fake.requests)
        base = evaluated(tmp_path, "one")
        assert len(fake.requests) == paid
    store = base.deps.store
    questions = [from_sql(QuestionRow, row) for row in store.rows("SELECT * FROM questions")]
    assert {q.origin for q in questions} == {"claude"}
    write(tmp_path / "content", {"new.md": "---\nshare: public\n---\n# New\n\nA page that nobody was asked about.\n"})
    assert evaluated(tmp_path, "two").deps.store.manifest.degraded == ("no_embedder", "enrichment_incomplete")
