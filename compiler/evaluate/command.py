"""`geosmin eval`: which questions, of what base, shown how, held against which earlier run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from msgspec import structs

from compiler import screen
from compiler.errors import SettingsError
from compiler.evaluate import bases, gate, sets
from compiler.evaluate.page import page
from compiler.evaluate.report import report
from compiler.evaluate.run import How, evaluate
from compiler.evaluate.tables import fallen, tables
from compiler.index.embed_cache import EmbedCache
from compiler.index.export import cache_folder
from compiler.progress import Clock, Progress, Silent
from compiler.settings import Settings
from compiler.spending import Asks
from compiler.terminal import CONTENT, OUT, STATE, AsJson, Config, Content, Out, Set, State, err, out, settings_of
from compiler.terminal import write_json as to_output
from query_fn import environment
from query_fn.agent.chat.base import ChatModel
from query_fn.agent.purse import Purse
from query_fn.environment import CHATS, claude_from
from query_fn.live import paid_model
from query_fn.settings import Settings as FunctionSettings

KEPT = "vectors.db"

Target = Annotated[
    Path,
    typer.Argument(
        metavar="DIR|FILE",
        help="A folder with docs.jsonl and queries.jsonl, or a YAML file of golden questions about your own build.",
    ),
]


@dataclass(frozen=True, slots=True)
class Where:
    """The places and overrides of the command line, before it is known which of them the kind of set needs."""

    content: Path
    out: Path
    state: Path
    config: Path | None
    overrides: list[str] | None
    asks: Asks = Asks.NEVER

    @property
    def enriching(self) -> bases.Enriching:
        """A model's answers are those that the owner's builds were given."""
        return bases.Enriching(self.state, self.asks)

    def settings(self, content: Path, scratch: Path) -> Settings:
        """Return settings for a base of its own, written to `scratch`; vectors are kept in the user's cache folder."""
        kept = cache_folder().with_name("eval")
        return settings_of(content, scratch, kept, config=self.config, overrides=self.overrides)

    @property
    def own(self) -> Settings:
        """The settings of the owner's build."""
        return settings_of(self.content, self.out, self.state, config=self.config, overrides=self.overrides)


def evaluation(
    target: Target,
    pages: Annotated[
        Path | None,
        typer.Option(help="Ask the pages of this folder instead; `relevant_files` of the questions counts."),
    ] = None,
    mix: Annotated[Path | None, typer.Option(help="Take every other document from this parallel set.")] = None,
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    html: Annotated[Path | None, typer.Option(help="Write one page with plots to this file.")] = None,
    sample: Annotated[int, typer.Option(min=0, help="How many questions are answered; all are searched.")] = 200,
    every: Annotated[bool, typer.Option("--all", help="Answer every question.")] = False,
    seed: Annotated[int, typer.Option(help="Draws the sample.")] = 0,
    chat: Annotated[str, typer.Option(help="Who answers: extractive, or claude with your key.")] = "extractive",
    ask_model: Annotated[
        bool, typer.Option("--ask-model", help="Also pay for what the configured model has not answered yet.")
    ] = False,
    baseline: Annotated[Path | None, typer.Option(help="The --json output of an earlier run.")] = None,
    fail_under: Annotated[
        float, typer.Option(min=0.5, max=1, help="Exit code 1 when a figure is under this share of the baseline's.")
    ] = 1.0,
) -> None:
    """Measure retrieval, answers and refusals on questions whose answers are known."""
    paid = _paid(chat)
    before = gate.read_baseline(baseline) if baseline else None
    clock = Clock(_progress(as_json))
    where, how = (
        Where(content, out_dir, state, config, overrides, Asks.SINGLY if ask_model else Asks.NEVER),
        How(None if every else sample, seed),
    )
    with base_of(target, where, pages=pages, mix=mix, clock=clock) as (asked, base):
        answering = replace(base, deps=structs.replace(base.deps, paid=paid))
        found = report(evaluate(asked, answering, how=how, clock=clock))
    falls = gate.falls(found, before, fail_under) if before else []
    if html:
        html.write_text(page(found), "utf-8")
    if as_json:
        to_output(found)
    else:
        out.print(tables(found))
    if before:
        err.print(fallen(falls, fail_under))
    raise typer.Exit(int(bool(falls)))


def _paid(chat: str) -> Callable[[Purse], ChatModel] | None:
    """Return what makes the paid model of a question, None for the free one. Raises SettingsError."""
    if chat not in CHATS:
        raise SettingsError(f"--chat {chat}: must be one of {', '.join(CHATS)}")
    if chat == CHATS[0]:
        return None
    try:
        found = paid_model(FunctionSettings(chat=chat, claude=claude_from(os.environ)))
    except environment.SettingsError as error:
        raise SettingsError(str(error)) from None
    if found is None:
        raise SettingsError(f"--chat {chat}: needs `pip install 'geosmin[claude]'` and ANTHROPIC_API_KEY")
    return found


def _progress(as_json: bool) -> Progress:
    return Silent() if as_json and not err.is_terminal else screen.Screen(err)


@contextmanager
def base_of(
    target: Path, where: Where, *, pages: Path | None, mix: Path | None, clock: Clock
) -> Iterator[tuple[sets.QuestionSet, bases.Base]]:
    """Yield the questions and the base they are asked of; what was written for them goes away afterwards."""
    place = cache_folder().with_name("eval") / KEPT
    with TemporaryDirectory(prefix="geosmin-eval-") as folder, closing(EmbedCache(place)) as vectors:
        if target.is_file():
            yield _golden(target, where.own, vectors)
        elif pages:
            yield _pages(target, pages, where, Path(folder), vectors=vectors, clock=clock)
        else:
            asked = sets.read_set(target)
            asked = sets.mixed(asked, sets.read_set(mix)) if mix else asked
            settings = where.settings(target, Path(folder))
            yield asked, bases.of_docs(asked.docs, settings, vectors=vectors, clock=clock, enriching=where.enriching)


def golden_report(target: Path, settings: Settings, *, clock: Clock) -> dict[str, Any]:
    """Return the figures of golden questions, asked of the build that the settings name, answered without a model."""
    with closing(EmbedCache(cache_folder().with_name("eval") / KEPT)) as vectors:
        asked, base = _golden(target, settings, vectors)
        return report(evaluate(asked, base, how=How(None), clock=clock))


def _golden(target: Path, settings: Settings, vectors: EmbedCache) -> tuple[sets.QuestionSet, bases.Base]:
    asked, base = sets.read_golden(target), bases.of_build(settings, vectors=vectors)
    pages: dict[str, str] = {}
    for article in base.deps.store.articles():
        for name in (article.id, article.path, article.path.removesuffix(".md"), article.url):
            pages.setdefault(name.strip("/"), article.id)
    questions = sets.located(asked.questions, pages, str(target), key=lambda page: page.strip("/"))
    return sets.QuestionSet(asked.name, questions), base


def _pages(
    target: Path, folder: Path, where: Where, scratch: Path, *, vectors: EmbedCache, clock: Clock
) -> tuple[sets.QuestionSet, bases.Base]:
    asked = sets.read_queries(target, pages=True)
    settings = where.settings(folder, scratch)
    base = bases.of_pages(settings, vectors=vectors, clock=clock, enriching=where.enriching)
    head = sets.below(asked, list(base.names.values()))
    pages = {name.removeprefix(head): name for name in base.names.values() if name.startswith(head)}
    name = f"{target.resolve().name}@{folder.resolve().name}"
    return sets.QuestionSet(name, sets.located(asked, pages, str(target))), base
