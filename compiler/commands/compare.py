"""`geosmin compare`."""

from __future__ import annotations

import dataclasses
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from compiler.build import How
from compiler.build import build as run_build
from compiler.compare import Comparison, Fallen, Side, look, markdown, take_out
from compiler.errors import SettingsError
from compiler.evaluate import gate
from compiler.evaluate.command import golden_report
from compiler.index.switch import current_build
from compiler.lint.run import lint
from compiler.plan import plan
from compiler.progress import Clock, Silent
from compiler.settings import Settings
from compiler.spending import Asks
from compiler.terminal import (
    CONTENT,
    OUT,
    STATE,
    AsJson,
    Config,
    Content,
    Now,
    Out,
    Set,
    State,
    instant,
    out,
    settings_of,
    write_json,
)

Ref = Annotated[str, typer.Argument(metavar="COMMIT", help="What to compare with, such as origin/main.")]
Questions = Annotated[
    Path | None, typer.Option("--questions", help="Golden questions (YAML) that both builds are asked.")
]


def compare(
    ref: Ref,
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    questions: Questions = None,
    now: Now = None,
    as_json: AsJson = False,
) -> None:
    """Tell as Markdown what the files here would publish and unpublish, compared with a commit.

    With a build in --out the earlier state is built too, aside, and lint and questions tell what became of them.
    """
    settings, moment = settings_of(content, out_dir, state, config=config, overrides=overrides), instant(now)
    with TemporaryDirectory(prefix="geosmin-compare-") as folder:
        place = Path(folder)
        old = take_out(content, ref, place)
        earlier = settings_of(old, place / "dist", place / "state", config=None, overrides=overrides)
        built = current_build(settings.out) is not None
        if built:
            how = How(older=True, durable=False, asks=Asks.NEVER)
            run_build(dataclasses.replace(earlier, embed=settings.embed), now=moment, progress=Silent(), how=how)
        before, after = (_side(one, moment, built=built) for one in (earlier, settings))
        fallen = _fallen(questions, earlier, settings) if questions and built else None
        bill = plan(settings, now=moment, progress=Silent())
        found = Comparison(before, after, bill, fallen)
    if as_json:
        write_json(
            {
                "publish": len(found.published),
                "unpublish": len(found.unpublished),
                "changed": found.changed,
                "lint": [before.score, after.score],
                "fallen": [dataclasses.asdict(one) for one in fallen] if isinstance(fallen, list) else fallen,
                "usd": bill.usd,
            }
        )
    else:
        out.print(markdown(found), end="", markup=False)


def _side(settings: Settings, now: datetime, *, built: bool) -> Side:
    score = lint(settings, now=now, progress=Silent()).score if built else None
    return look(settings, now=now, score=score)


def _fallen(questions: Path, earlier: Settings, settings: Settings) -> list[Fallen] | str:
    after = golden_report(questions, settings, clock=Clock(Silent()))
    try:
        before = golden_report(questions, earlier, clock=Clock(Silent()))
    except SettingsError:  # they are about a page that was not there
        return "could not be asked of the state before"
    fell = gate.falls(after, {**before, "docs": after["docs"]}, 1.0)  # pages may come and go
    return [Fallen(one.name, one.before, one.now) for one in fell]
