"""`geosmin ask`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from compiler import screen
from compiler.local import Local
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


def ask(
    question: Annotated[str, typer.Argument(help="Your question, in any language your pages are in.")],
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    lang: Annotated[str | None, typer.Option(help="Language of the answer: zh or en.")] = None,
) -> None:
    """Ask the current build a question; the answer cites the pages it comes from."""
    local = Local.open(settings_of(content, out_dir, state, config=config, overrides=overrides))
    for event in local.ask(question, lang):
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
