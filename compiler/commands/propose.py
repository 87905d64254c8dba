"""`geosmin propose`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from compiler import screen
from compiler.errors import ProposalError, SettingsError
from compiler.lock import held
from compiler.proposals import branch as branches
from compiler.proposals import pending
from compiler.proposals.conclusion import from_text
from compiler.proposals.propose import WAIT, Proposed, again
from compiler.proposals.propose import propose as run_propose
from compiler.settings import Settings
from compiler.terminal import CONTENT, OUT, STATE, AsJson, Config, Content, Out, Set, State, err, out, settings_of
from compiler.terminal import write_json as print_json

What = Annotated[str, typer.Argument(help="A Markdown file, - for standard input, or the id of a proposal.")]
Title = Annotated[str, typer.Option("--title", help="Of the conclusion; else its first heading.")]
Page = Annotated[str, typer.Option("--page", help="The wiki page that it belongs to; else one of its own.")]
Branch = Annotated[bool, typer.Option("--branch", help="Commit the change on a branch geosmin/ID.")]
PullRequest = Annotated[bool, typer.Option("--pull-request", help="Push that branch, and open a pull request with gh.")]
Listing = Annotated[bool, typer.Option("--list", help="Show what waits.")]
Drop = Annotated[str, typer.Option("--drop", metavar="ID", help="Take a proposal back.")]


def propose(
    what: What = "",
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    title: Title = "",
    page: Page = "",
    branch: Branch = False,
    pull_request: PullRequest = False,
    listing: Listing = False,
    drop: Drop = "",
) -> None:
    """Propose a conclusion for a wiki page of yours; it waits until you merge it. Prints the change as a diff."""
    if sum(map(bool, (what, listing, drop))) != 1:
        raise SettingsError("give one of: a file, -, the id of a proposal, --list, or --drop ID")
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    if listing:
        return _list(settings, as_json=as_json)
    if drop:
        with held(settings.state, wait=WAIT):
            gone = pending.drop(settings.state, drop, datetime.now(UTC))
        err.print(f"taken back: {gone.conclusion.page}", markup=False)
        return None
    made = _proposed(settings, what, title, page)
    err.print(screen.proposed(made.proposal.id, made.proposal.conclusion.page, made.share.value))
    if branch or pull_request:
        _commit(made, settings, pull_request=pull_request)
    elif as_json:
        print_json({**asdict(made.proposal), "share": made.share.value, "diff": made.diff})
    else:
        sys.stdout.write(made.diff)
    return None


def _proposed(settings: Settings, what: str, title: str, page: str) -> Proposed:
    """Return the proposal of that id, else one made of the file. Raises ProposalError when there is neither."""
    now = datetime.now(UTC)
    if waiting := pending.find(settings.state, what):
        return again(settings, waiting, now=now)
    if what != "-" and not Path(what).is_file():
        raise ProposalError(f"{what} is neither a file nor a proposal that waits; --list shows those")
    text = sys.stdin.read() if what == "-" else Path(what).read_text("utf-8")
    return run_propose(settings, from_text(text, title=title, page=page), now=now)


def _commit(made: Proposed, settings: Settings, *, pull_request: bool) -> None:
    change = made.change(settings)
    if not (pull_request and branches.exists(change)):
        out.print(f"{branches.commit(change)[:10]} on {change.branch}", markup=False)
    if pull_request:
        body = f"{made.proposal.conclusion.body}\nProposed with `geosmin propose`; it counts once a person merges it.\n"
        out.print(branches.pull_request(change, body), markup=False)


def _list(settings: Settings, *, as_json: bool) -> None:
    waiting = pending.pending(settings.state)
    if as_json:
        print_json([asdict(one) for one in waiting])
    else:
        out.print(
            screen.rows([(p.id, p.at, str(p.conclusion.page), p.conclusion.title) for p in waiting], "nothing waits")
        )
