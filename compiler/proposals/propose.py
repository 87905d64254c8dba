"""The story of a proposal: who could read the page, what would change in it, and that it waits from now on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from compiler import git
from compiler.lock import held
from compiler.model import Share, SourcePath
from compiler.proposals import pending
from compiler.proposals.branch import PREFIX, Change
from compiler.proposals.conclusion import Conclusion
from compiler.proposals.page import changed, diff
from compiler.proposals.pending import Proposal
from compiler.proposals.sharing import Base
from compiler.settings import Settings

WAIT = 60.0  # seconds that a running build may take


@dataclass(frozen=True, slots=True)
class Proposed:
    """A pending proposal as it would change its page now."""

    proposal: Proposal
    share: Share  # of the page with it
    diff: str

    def change(self, settings: Settings) -> Change:
        """Return it as a commit of its own."""
        conclusion = self.proposal.conclusion
        place = (settings.content / conclusion.page).resolve()
        text: Callable[[str | None], str] = lambda before: changed(before, conclusion)  # noqa: E731 - one expression
        return Change(PREFIX + self.proposal.id, place, conclusion.title, text)


def propose(settings: Settings, conclusion: Conclusion, *, now: datetime) -> Proposed:
    """Keep a conclusion as a pending proposal. Raises ProposalError when it can't be one."""
    share, difference = _looked_at(settings, conclusion, now)
    with held(settings.state, wait=WAIT):
        return Proposed(pending.add(settings.state, conclusion, now), share, difference)


def public_paths(settings: Settings, now: datetime) -> Mapping[str, SourcePath]:
    """Return the source file of each article that is public now, by its id."""
    return Base.read(settings, now).paths()


def again(settings: Settings, proposal: Proposal, *, now: datetime) -> Proposed:
    """Return a pending proposal against the pages as they are now. Raises ProposalError as `propose` does."""
    return Proposed(proposal, *_looked_at(settings, proposal.conclusion, now))


def _looked_at(settings: Settings, conclusion: Conclusion, now: datetime) -> tuple[Share, str]:
    base = Base.read(settings, now)
    before = base.text(conclusion.page)
    after = changed(before, conclusion)
    share = base.judge(conclusion.page, after, conclusion.body)
    return share, diff(before, after, _prefix(settings.content) + conclusion.page)


def _prefix(content: Path) -> str:
    """Return where the content folder lies in its repository, else in the folder around it."""
    if git.succeeds(content, "rev-parse", "--is-inside-work-tree"):
        return git.run(content, "rev-parse", "--show-prefix").strip("\n")
    return content.resolve().name + "/"
