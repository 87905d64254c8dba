"""`geosmin build`."""

from __future__ import annotations

from typing import Annotated

import typer

from compiler import screen
from compiler.build import How
from compiler.build import build as run_build
from compiler.cache import STAGES
from compiler.errors import SettingsError
from compiler.plan import plan as run_plan
from compiler.spending import Asks
from compiler.terminal import (
    CONTENT,
    OUT,
    STATE,
    All,
    AsJson,
    Config,
    Content,
    From,
    NoCache,
    Now,
    Older,
    Out,
    Rebuild,
    Redact,
    Set,
    State,
    Strict,
    View,
    Wait,
    exit_code,
    instant,
    out,
    redaction_key,
    settings_of,
    show_build,
    write_json,
)

Plan = Annotated[bool, typer.Option("--plan", help="Tell what a model would be asked and paid, and build nothing.")]
Batch = Annotated[bool, typer.Option("--batch", help="Ask the model in batches: half the price, within a day.")]


def build(
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    now: Now = None,
    redact: Redact = None,
    strict: Strict = False,
    everything: All = False,
    from_stage: From = None,
    rebuild: Rebuild = False,
    no_cache: NoCache = False,
    wait: Wait = 0,
    older: Older = False,
    plan: Plan = False,
    batch: Batch = False,
) -> None:
    """Compile content/ into a site and search artifacts, and switch to them at once."""
    anew = _anew(from_stage, rebuild=rebuild, no_cache=no_cache)
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    view = View(as_json, redaction_key(redact), everything)
    if plan:
        bill = run_plan(settings, now=instant(now), progress=view.progress(), batched=batch)
        write_json(bill.as_json()) if as_json else out.print(screen.bill_table(bill))
        return
    how = How(anew=anew, wait=wait, older=older, asks=Asks.BATCHED if batch else Asks.SINGLY)
    report = run_build(settings, now=instant(now), progress=view.progress(), how=how)
    show_build(report, settings, view)
    raise typer.Exit(exit_code(report, strict=strict))


def _anew(stage: str | None, *, rebuild: bool, no_cache: bool) -> tuple[str, ...]:
    """Return the stages that take nothing from the cache."""
    if sum((stage is not None, rebuild, no_cache)) > 1:
        raise SettingsError("--from, --rebuild and --no-cache say three different things; give one of them")
    if stage is not None and stage not in STAGES:
        raise SettingsError(f"--from {stage}: no such stage; one of {', '.join(STAGES)}")
    if rebuild:
        return tuple(name for name in STAGES if name != "embed")
    return STAGES[0 if no_cache else STAGES.index(stage) :] if no_cache or stage else ()
