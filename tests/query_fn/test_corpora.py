"""Real knowledge bases, end to end: each builds, no link of its site is broken, and honest questions are answered.

The corpora are no part of the project. They lie in $GEOSMIN_SHARED, else in the folder `shared` beside the checkout;
without them these tests are skipped. Builds stay in the user's cache folder, so only the first run embeds. The large
ones are embedded whole only with GEOSMIN_FULL=1; until then their answers are not judged.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

from compiler.build import build
from compiler.index.export import cache_folder
from compiler.local import Local
from compiler.model import Severity, Share
from compiler.progress import Silent
from compiler.report import Report
from compiler.settings import Settings, load
from compiler.site.listing import file_path
from query_fn.agent.events import Done
from query_fn.contract import ArticleRow
from query_fn.model import Answer, Scope, Status
from query_fn.retrieve.search import Searcher
from query_fn.store import Store
from query_fn.text import squeezed
from query_fn.visibility import Visibility
from tests.sitelinks import walk

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("GEOSMIN_SHARED") or ROOT.parent / "shared")
QUESTIONS = ROOT / "tests" / "golden" / "questions"
BUDGETS = {  # seconds of embedding in the first build, 0 = all of it: the whole module takes five minutes on two cores
    "silverbullet-docs": 0,
    "gitlab-handbook": 20,
    "fastapi-docs-en-zh": 20,
    "tidb-docs-cn": 20,
}
AGAIN = 5  # seconds in later builds: vectors that are partly ready are a real case, and stay one
ENOUGH = 7  # right answers of ten
PARITY, FEW, PAGES, SEED = 0.98, 5, 60, 21  # share of runs that find their page; on how many pages a run may be
MARKS = (pytest.mark.corpus, pytest.mark.slow)

Question = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Built:
    """One corpus, built by this checkout and open for questions."""

    name: str
    settings: Settings
    report: Report
    local: Local

    @property
    def store(self) -> Store:
        """The artifacts."""
        return self.local.build.deps.store

    @property
    def site(self) -> Path:
        """The browsable site."""
        return self.store.folder.parent / "site"


@pytest.fixture(scope="module", params=[pytest.param(name, marks=MARKS) for name in BUDGETS])
def built(request: pytest.FixtureRequest) -> Built:
    """Build one corpus, or take the build that is still up to date."""
    name: str = request.param
    content = SHARED / "corpora" / name
    if not content.is_dir():
        pytest.skip(f"the corpus {name} is absent: set GEOSMIN_SHARED to the folder that holds corpora/")
    place = cache_folder().parent / "test-builds" / name
    seconds = min(BUDGETS[name], AGAIN) if (place / "state" / "vectors.db").exists() else BUDGETS[name]
    seconds = 0 if os.environ.get("GEOSMIN_FULL") else seconds
    wanted = ("sharing.default=public", f"embed.seconds={seconds}")
    settings = load(content, place / "dist", place / "state", overrides=wanted)
    report = build(settings, now=datetime.now(UTC), progress=Silent())
    print(f"\n{name}: {dict(report.counts)} degraded={report.degraded} seconds={dict(report.seconds)}")
    return Built(name, settings, report, Local.open(settings))


def questions(name: str) -> list[Question]:
    """Return the questions about one corpus."""
    found: list[Question] = yaml.safe_load((QUESTIONS / f"{name}.yml").read_text("utf-8"))
    return found


def ask(built: Built, question: Question) -> Answer:
    """Return the whole answer, in the language of the question."""
    events = built.local.ask(question["question"], None)
    return next(event.answer for event in events if isinstance(event, Done))


def cited(built: Built, answer: Answer) -> list[str]:
    """Return the source paths that the answer cites, in order."""
    evidence = {e.id: e.article_id for e in answer.evidence}
    articles = dict.fromkeys(evidence[c.evidence] for c in answer.citations)
    return [article.path for key in articles if (article := built.store.article(key))]


def faults(built: Built, question: Question) -> Iterator[str]:
    """Yield what is wrong with the answer to a question."""
    answer, wanted = ask(built, question), question.get("contains", ())
    pages, text = cited(built, answer), answer.answer.casefold()
    if question.get("refuse"):
        if answer.status is not Status.NO_ANSWER or answer.citations:
            yield f"not refused: {answer.answer!r}"
        return
    if missing := [group for group in wanted if not any(s.casefold() in text for s in group)]:
        yield f"lacks {missing} ({answer.status}, {pages}): {answer.answer!r}"
    if not set(pages) & set(question["pages"]):
        yield f"cites {pages} instead of {question['pages']}"


def test_every_public_page_is_published(built: Built) -> None:
    """The build switches; every Markdown file is public unless an error names it, and stands in site and artifacts."""
    report, content = built.report, built.settings.content
    assert report.switched or report.unchanged
    files = {path.relative_to(content).as_posix() for path in content.rglob("*.md")}
    failed = {problem.path for problem in report.problems if problem.severity is Severity.ERROR}
    public = {path for path, decision in report.decisions.items() if decision.share is Share.PUBLIC}
    articles = built.store.articles_by_id.values()
    assert public <= files and files - public <= failed
    assert {article.path for article in articles} == public
    assert [a.path for a in articles if not (built.site / file_path(a.url)).is_file()] == []


def test_no_link_is_broken(built: Built) -> None:
    """Every link inside the site leads to a file, and every anchor to an id in it."""
    found = walk(built.site, base_path=built.settings.site.base_path)
    print(f"\n{built.name}: {found.pages} pages, {found.links} links, {len(found.broken)} broken")
    assert found.links > found.pages
    assert list(found.broken) == []


def test_honest_questions(built: Built) -> None:
    """At least seven of ten questions are answered with the fact and a citation of the page that holds it."""
    asked = questions(built.name)
    misses = [f"{q['id']}: {fault}" for q in asked for fault in faults(built, q)]
    wrong = {miss.partition(":")[0] for miss in misses}
    print(f"\n{built.name}: {len(asked) - len(wrong)} of {len(asked)} right", *misses, sep="\n  ")
    right = len(asked) - len(wrong)
    _complete(built)
    assert right >= ENOUGH


def test_what_is_not_there_is_refused(built: Built) -> None:
    """The question that no page answers gets no answer and no citation."""
    asked = [question for question in questions(built.name) if question.get("refuse")]
    assert asked
    _complete(built)
    assert [fault for question in asked for fault in faults(built, question)] == []


def test_any_run_of_characters_finds_its_page(built: Built) -> None:
    """Three runs of one to six characters of a page, and its title, find it among the first ten if they are on few pages.

    A run is cut anywhere in a line of the published text, across the borders of words and of markup, Latin or Han.
    Without vectors, which only add. Every page with GEOSMIN_FULL=1, else PAGES of them.
    """
    rng, few = random.Random(SEED), _Few(built.store)
    pages = sorted(built.store.articles(), key=lambda article: article.path)
    pages = pages if os.environ.get("GEOSMIN_FULL") else rng.sample(pages, min(PAGES, len(pages)))
    asked = [(page, text) for page in pages for text in few.runs_of(page.id, rng)]
    searcher = Searcher(built.store)
    missed = [
        (page.path, text)
        for page, text in asked
        if page.id not in {c.article_id for c in searcher.search(text, now=int(time.time())).candidates}
    ]
    print(f"\n{built.name}: {len(asked) - len(missed)} of {len(asked)} runs find their page", *missed, sep="\n  ")
    assert len(missed) <= (1 - PARITY) * len(asked)


@pytest.mark.parametrize("field", ["articles", "folders", "tags", "langs", "updated_since"])
def test_a_scope_holds_in_a_real_base(built: Built, field: str) -> None:
    """Nothing out of scope is found by any route or letter by letter, and what is in it still is."""
    searcher, now = Searcher(built.store), int(time.time())
    held = [
        article
        for article in built.store.articles()
        if _scopes(article)[field] is not None and built.store.chunks_of(article.id)
    ]
    if not held:
        pytest.skip(f"{built.name} has no page with {field}")
    for article in random.Random(SEED).sample(held, min(5, len(held))):
        scope = replace(Scope(), **{field: _scopes(article)[field]})
        allowed = {a.id for a in built.store.articles() if Visibility(now, scope).sees(a, built.store.articles_by_id)}
        result = searcher.search(article.title, now=now, scope=scope)
        exact = searcher.find(article.title[:3], now=now, scope=scope)
        hits = [hit for r in (result, exact) for route in r.diagnostics.routes for hit, _ in route.hits]
        assert {hit.rpartition(".")[0] for hit in hits} | {c.article_id for c in result.candidates} <= allowed
        assert result.candidates


def _scopes(article: ArticleRow) -> dict[str, Any]:
    """Return a scope of each kind that holds an article; None where it has nothing to be held by."""
    return {
        "articles": (article.id,),
        "folders": (article.folder,) if article.folder else None,
        "tags": article.tags[:1] or None,
        "langs": (article.lang,),
        "updated_since": article.updated,
    }


class _Few:
    """The runs of characters of each page that stand on at most FEW pages."""

    def __init__(self, store: Store) -> None:
        self._fold = store.fold
        self._lines = {a.id: (store.article(a.id) or a).text.splitlines() for a in store.articles()}
        self._titles = {a.id: a.title for a in store.articles()}
        self._texts = [
            squeezed(f"{self._titles[key]}\n{' '.join(lines)}", self._fold) for key, lines in self._lines.items()
        ]

    def runs_of(self, page: str, rng: random.Random) -> list[str]:
        """Return the title and three runs with a letter or digit, each only if few pages hold it."""
        lines = [line for line in self._lines[page] if line.strip()]
        drawn = (_run(rng.choice(lines), rng) for _ in range(200 if lines else 0))
        runs = (run for run in drawn if any(char.isalnum() for char in run) and self._is_rare(run))
        title = self._titles[page]
        return [*([title] if self._is_rare(title) else []), *islice(runs, 3)]

    def _is_rare(self, run: str) -> bool:
        wanted = squeezed(run, self._fold).strip()
        return bool(wanted) and sum(wanted in text for text in self._texts) <= FEW


def _run(line: str, rng: random.Random) -> str:
    size = rng.randint(1, 6)
    start = rng.randrange(max(1, len(line) - size + 1))
    return line[start : start + size].strip()


def _complete(built: Built) -> None:
    """Skip what is true of a whole build while a time budget has left vectors out."""
    if built.report.degraded:
        pytest.skip(f"{built.name}: {', '.join(built.report.degraded)}; GEOSMIN_FULL=1 embeds everything (15 minutes)")


def test_the_walk_names_what_is_missing(tmp_path: Path) -> None:
    """A missing file, a missing anchor and a link above the base path are broken; what stands there is not."""
    links = ("b/", "b/#here", "/kb/b/index.html#top", "b/#gone", "c/", "/b/", "x.png", "https://example.org/c/", "#")
    (tmp_path / "b").mkdir()
    (tmp_path / "index.html").write_text("".join(f'<a href="{link}">x</a>' for link in links), "utf-8")
    (tmp_path / "b" / "index.html").write_text('<p id="here"><img src="../b/y.svg?v=1">', "utf-8")
    (tmp_path / "b" / "y.svg").write_text("", "utf-8")
    found = walk(tmp_path, base_path="/kb/")
    assert [line.partition(":")[0] for line in found.broken] == [
        f"index.html -> {link}" for link in ("b/#gone", "c/", "/b/", "x.png")
    ]
    assert (found.pages, found.links) == (2, 9)
