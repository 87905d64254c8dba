"""`geosmin ask`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from compiler import screen
from compiler.errors import SettingsError
from compiler.local import Local
from compiler.proposals.conclusion import Conclusion, from_answer
from compiler.proposals.propose import propose, public_paths
from compiler.settings import Settings
from compiler.terminal import (
    CONTENT,
    OUT,
    STATE,
    AsJson,
    Config,
    Content,
    Out,
    Set,
    State,
    err,
    out,
    settings_of,
    write_json,
)
from query_fn import wire
from query_fn.agent.events import Done, Sentence, Step
from query_fn.model import Ask


def ask(
    question: Annotated[str, typer.Argument(help="Your question, in any language your pages are in.")] = "",
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    lang: Annotated[str | None, typer.Option(help="Language of the answer: zh or en.")] = None,
    save: Annotated[bool, typer.Option("--save", help="Propose the answer for a page of its own.")] = False,
    trace: Annotated[Path | None, typer.Option(help="Write every step of the run to this file.")] = None,
    replay: Annotated[Path | None, typer.Option(help="Play a run again that was written with --trace.")] = None,
    page: Annotated[str, typer.Option("--page", help="With --save: the wiki page that it belongs to.")] = "",
) -> None:
    """Ask the current build a question; the answer cites the pages it comes from."""
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    if bool(question) == bool(replay):
        raise SettingsError("ask either a question or --replay FILE")
    local = Local.open(settings)
    for event in local.replay(_read(replay)) if replay else local.ask(question, lang):
        if isinstance(event, Step) and not as_json:
            err.print(f"[dim]{escape(event.text)}[/]")
        elif isinstance(event, Sentence) and not as_json:
            out.print(event.text, end="", markup=False)
        elif isinstance(event, Done):
            answer = wire.answer(event.answer, local.site, conversation=None)
            if as_json:
                write_json(answer)
            else:
                out.print(screen.sources(answer))
            if trace:
                trace.write_text(
                    json.dumps(local.trace(Ask(question, lang=lang), event), ensure_ascii=False, indent=1), "utf-8"
                )
            if save:
                _save(settings, from_answer(question, event.answer, public_paths(settings, _now()), page=page))


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"--replay {file}: {error}") from None
    if not isinstance(found, dict):
        raise SettingsError(f"--replay {file}: this is no trace")
    return found


def _save(settings: Settings, conclusion: Conclusion) -> None:
    made = propose(settings, conclusion, now=_now())
    err.print(screen.proposed(made.proposal.id, str(made.proposal.conclusion.page), made.share.value))


def _now() -> datetime:
    return datetime.now(UTC)
