"""Proposals: a conclusion becomes a change to a page that a person owns, and nothing of it is published before."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from compiler.errors import ProposalError
from compiler.events import What, history
from compiler.local import Local
from compiler.model import Share
from compiler.proposals import branch, pending
from compiler.proposals.conclusion import Conclusion, from_answer, from_text
from compiler.proposals.page import changed, diff, has
from compiler.proposals.propose import Proposed, again, propose, public_paths
from compiler.settings import Settings, load
from query_fn.agent.events import Done
from query_fn.model import Answer, Status
from tests.compiler.vault import NOON, PUBLIC, QUICK, digests, make, write

QUESTION = "How long are backups kept?"
GUIDE = PUBLIC + "# Backups\n\n## Retention\n\nBackups are kept for 30 days on the second server.\n"
OTHER = PUBLIC + "# Deletion\n\nA page that is deleted stays in backups until the backups are deleted themselves.\n"
SECRET = "# Secret\n\n## Plan\n\nNothing to see.\n"
WORDS = "# Retention in one sentence\n\nBackups live for a month, see [the guide](../guide/backup.md#retention).\n"
FILES: dict[str, str | bytes] = {"guide/backup.md": GUIDE, "b.md": OTHER, "secret.md": SECRET}
WIKI_PUBLIC = "sharing:\n  rules:\n    - {path: wiki/**, share: public}\n"
KEEP = {"wiki/first.md": "A page so that the rule matches.\n", "geosmin.yml": WIKI_PUBLIC}


def base(tmp: Path, files: dict[str, str | bytes] | None = None) -> Settings:
    """Return the settings of a vault that was built."""
    make(tmp, {**FILES, **(files or {})}, how=QUICK)
    folder = tmp / "a"
    return load(folder / "content", folder / "dist", folder / "state", overrides=["embed.model=none"])


def answered(settings: Settings, question: str = QUESTION) -> Answer:
    """Return the answer of the current build."""
    return next(e.answer for e in Local.open(settings).ask(question, None) if isinstance(e, Done))


def concluded(settings: Settings) -> Conclusion:
    """Return the answer as a conclusion."""
    return from_answer(QUESTION, answered(settings), public_paths(settings, NOON))


def git(folder: Path, *args: str, said: str = "") -> str:
    """Run Git and return what it prints."""
    return subprocess.run(
        ["git", "-C", str(folder), *args], input=said, text=True, capture_output=True, check=True
    ).stdout


def repository(folder: Path) -> Path:
    """Make a repository of a folder with all its files in the first commit."""
    git(folder, "init", "-q")
    git(folder, "config", "user.name", "Owner")
    git(folder, "config", "user.email", "owner@example.org")
    git(folder, "add", "content")
    dates = {f"GIT_{who}_DATE": NOON.isoformat() for who in ("AUTHOR", "COMMITTER")}
    subprocess.run(["git", "-C", str(folder), "commit", "-qm", "first"], env=os.environ | dates, check=True)
    return folder


def test_an_answer_keeps_the_headings_it_comes_from(tmp_path: Path) -> None:
    """The page it would become holds its words and a link to the heading of each cited page, and no sharing key."""
    text = changed(None, concluded(base(tmp_path)))
    assert text == (
        f'---\nkind: answer\ntitle: "{QUESTION}"\n---\n\n# {QUESTION}\n\n'
        "Backups are kept for 30 days on the second server.\n\n"
        "Sources: [Backups › Retention](../guide/backup.md#retention)\n"
    )


def test_a_merged_page_answers_the_next_question(tmp_path: Path) -> None:
    """The diff is applied, the folder's rule publishes it, and the next build's answer cites the merged page."""
    settings = base(tmp_path, KEEP)
    made = propose(settings, concluded(settings), now=NOON)
    assert answered(settings).evidence[0].url.startswith("guide/backup/")
    repository(tmp_path / "a")
    git(tmp_path / "a", "apply", "-", said=made.diff)
    settings = base(tmp_path, KEEP)
    after = answered(settings)
    assert [e.url.partition("#")[0] for e in after.evidence] == ["wiki/How-long-are-backups-kept/"]
    assert "30 days" in after.answer
    assert pending.pending(settings.state) == ()
    assert [e.what for e in history(settings.state).events if e.subject == made.proposal.id] == [
        What.PROPOSED,
        What.MERGED,
    ]


def test_a_conclusion_is_private_where_the_rules_say_nothing(tmp_path: Path) -> None:
    """Without a rule for its folder the page is private: nobody is shown a conclusion that nobody published."""
    settings = base(tmp_path)
    assert propose(settings, concluded(settings), now=NOON).share is Share.PRIVATE


def test_a_proposal_changes_no_public_byte(tmp_path: Path) -> None:
    """A build with a pending proposal is the build without one."""
    settings = base(tmp_path)
    before = digests(settings.out / "current")
    propose(settings, concluded(settings), now=NOON)
    base(tmp_path)
    assert digests(settings.out / "current") == before


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# T\n\nSee [it](../secret.md).\n", "cites ../secret.md"),
        ("# T\n\nSee [it](../secret.md#plan) and [this](../b.md).\n", "cites ../secret.md#plan"),
        ("# T\n\nSee [[Secret]].\n", "cites Secret"),
        ("# T\n\nSee [it](../nothing.md).\n", "cites ../nothing.md"),
        ("# T\n\nSee [it](../guide/backup.md#no-such-heading).\n", "no-such-heading"),
        ("# T\n\nWords without a source, but [a site](https://example.org).\n", "names no page"),
    ],
)
def test_what_would_be_public_cites_public_headings_alone(tmp_path: Path, text: str, told: str) -> None:
    """A page that is not public and one that does not exist are refused alike; so is a text without a source."""
    settings = base(tmp_path, KEEP)
    with pytest.raises(ProposalError, match=told.replace("(", r"\(")):
        propose(settings, from_text(text), now=NOON)
    assert pending.pending(settings.state) == ()


def test_a_private_conclusion_may_cite_private_pages(tmp_path: Path) -> None:
    """What only the owner will read may say where it comes from."""
    settings = base(tmp_path)
    made = propose(settings, from_text("# T\n\nSee [it](../secret.md#plan).\n"), now=NOON)
    assert made.share is Share.PRIVATE


def test_a_source_that_was_made_private_since_stops_the_proposal(tmp_path: Path) -> None:
    """The build still has the page; the file decides."""
    settings = base(tmp_path, KEEP)
    made = propose(settings, concluded(settings), now=NOON)
    write(settings.content, {"guide/backup.md": GUIDE.replace("public", "private")})
    with pytest.raises(ProposalError, match="leads to no public page"):
        again(settings, made.proposal, now=NOON)


@pytest.mark.parametrize("status", [Status.NO_ANSWER, Status.REFUSED, Status.DEGRADED])
def test_an_answer_that_does_not_stand_is_not_proposed(tmp_path: Path, status: Status) -> None:
    """Refused, without an answer, or made while a part of the search failed."""
    settings = base(tmp_path)
    with pytest.raises(ProposalError, match=status.value):
        from_answer(QUESTION, replace(answered(settings), status=status), public_paths(settings, NOON))


def test_an_answer_without_a_citation_is_not_proposed(tmp_path: Path) -> None:
    """What no source supports is no conclusion."""
    settings = base(tmp_path)
    with pytest.raises(ProposalError, match="its sources"):
        from_answer(QUESTION, replace(answered(settings), citations=()), public_paths(settings, NOON))


def test_a_question_that_the_pages_do_not_answer_is_refused_by_the_command_too(tmp_path: Path) -> None:
    """`ask --save` of what was not answered leaves nothing behind."""
    settings = base(tmp_path)
    with pytest.raises(ProposalError):
        from_answer("Who won the 1954 final?", answered(settings, "Who won the 1954 final?"), {})


@pytest.mark.parametrize(
    "text",
    [
        "---\nshare: public\n---\n# T\n\nx [y](../b.md)\n",
        "no title [y](../b.md)\n",
        "# T\n\n",
        "\ufeff---\na: b\n---\n",
    ],
)
def test_a_text_that_is_no_conclusion_is_refused(text: str) -> None:
    """Front matter would decide who may read it; without a title or words there is nothing to keep."""
    with pytest.raises(ProposalError):
        from_text(text)


def test_a_page_that_is_there_gets_a_section(tmp_path: Path) -> None:
    """Its words stay as they are, its line ends too, and the change is a diff that applies."""
    old = PUBLIC.replace("---\n", "---\nkind: concept\n", 1) + "# Backups kept\n\nMine.  \n"
    settings = base(tmp_path, {"wiki/backups.md": old.replace("\n", "\r\n")})
    made = propose(settings, from_text(WORDS, page="backups"), now=NOON)
    folder = repository(tmp_path / "a")
    git(folder, "config", "core.autocrlf", "false")
    git(folder, "apply", "-", said=made.diff)
    after = (settings.content / "wiki/backups.md").read_bytes().decode()
    assert after.startswith(old.rstrip().replace("\n", "\r\n"))
    assert "\r\n## Retention in one sentence\r\n" in after
    assert "\n" not in after.replace("\r\n", "")


def test_what_a_page_says_already_is_not_proposed() -> None:
    """The same conclusion a second time changes nothing."""
    conclusion = from_text(WORDS)
    with pytest.raises(ProposalError, match="says so already"):
        changed(changed(None, conclusion), conclusion)


def test_a_conclusion_that_a_person_edited_a_little_was_taken_over() -> None:
    """Most of its sentences stand there; a page that shares one of many has not taken it over."""
    body = "One is this. Two is that. Three is more of [it](../b.md).\n"
    assert has("x\n\nOne is this.\nTwo is  that, and *Two is that.* Nothing of three.\n", body)
    assert not has("x\n\nOne is this.\n", body)


@pytest.mark.parametrize("path", ["content/a.md", "my notes/a.md", "内容/维基/甲.md"])
@pytest.mark.parametrize("before", [None, "a\nb\n", "a\nb", "a\u2028b\x0cc\n"])
def test_a_diff_applies(tmp_path: Path, path: str, before: str | None) -> None:
    """Git makes the page of it, whatever its name and line ends are."""
    git(tmp_path, "init", "-q")
    place = tmp_path / path
    if before is not None:
        place.parent.mkdir(parents=True)
        place.write_text(before, "utf-8")
    after = f"{before or ''}\nnew\n"
    git(tmp_path, "apply", "-", said=diff(before, after, path))
    assert place.read_text("utf-8") == after


def test_a_branch_holds_the_change_and_the_working_tree_stays(tmp_path: Path) -> None:
    """The commit stands on HEAD and adds one page; files, index and what is checked out are untouched."""
    settings = base(tmp_path)
    folder = repository(tmp_path / "a")
    write(settings.content, {"b.md": OTHER + "\nNot committed yet.\n", "staged.md": "x\n"})
    git(folder, "add", "content/staged.md")
    before = git(folder, "status", "--porcelain", "-b")
    made = propose(settings, from_text(WORDS), now=NOON)
    commit = branch.commit(made.change(settings))
    name = f"geosmin/{made.proposal.id}"
    assert git(folder, "rev-parse", name, f"{name}~1").split() == [commit, git(folder, "rev-parse", "HEAD").strip()]
    assert git(folder, "diff", "--name-status", "HEAD", name) == "A\tcontent/wiki/Retention-in-one-sentence.md\n"
    assert git(folder, "status", "--porcelain", "-b") == before
    with pytest.raises(ProposalError, match="update-ref"):
        branch.commit(made.change(settings))


def test_a_branch_changes_the_page_that_was_committed(tmp_path: Path) -> None:
    """What is in the working tree alone does not get into the commit."""
    settings = base(tmp_path, {"wiki/backups.md": "# Backups kept\n\nCommitted.\n"})
    folder = repository(tmp_path / "a")
    write(settings.content, {"wiki/backups.md": "# Backups kept\n\nA draft of mine.\n"})
    made = propose(settings, from_text(WORDS, page="backups"), now=NOON)
    text = git(folder, "show", f"{branch.commit(made.change(settings))}:content/wiki/backups.md")
    assert "Committed." in text
    assert "draft" not in text


def test_without_a_repository_the_branch_says_so(tmp_path: Path) -> None:
    """The message names the command that failed."""
    settings = base(tmp_path)
    made = propose(settings, from_text(WORDS), now=NOON)
    with pytest.raises(ProposalError, match="rev-parse"):
        branch.commit(made.change(settings))


def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None) -> tuple[Proposed, Settings]:
    """Return a proposal with its branch, in a clone whose origin is a bare repository, and the only `gh` there is."""
    settings = base(tmp_path)
    folder = repository(tmp_path / "a")
    git(tmp_path, "init", "-q", "--bare", "origin.git")
    git(folder, "remote", "add", "origin", str(tmp_path / "origin.git"))
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("git",):
        found = next(Path(p) / name for p in os.environ["PATH"].split(":") if (Path(p) / name).exists())
        (tools / name).symlink_to(found)
    if script is not None:
        (tools / "gh").write_text(f"#!/bin/sh\n{script}\n")
        (tools / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/bin" if script is not None else str(tools))
    made = propose(settings, from_text(WORDS), now=NOON)
    branch.commit(made.change(settings))
    return made, settings


def test_a_pull_request_is_opened_with_gh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The branch is pushed, and gh is told branch, title and text."""
    made, settings = opened(tmp_path, monkeypatch, 'printf "%s|" "$@"; cat')
    told = branch.pull_request(made.change(settings), "the text")
    name = f"geosmin/{made.proposal.id}"
    assert told == f"pr|create|--head|{name}|--title|Retention in one sentence|--body-file|-|the text"
    assert name in git(tmp_path / "origin.git", "branch", "--list", "--format=%(refname:short)")


def test_without_gh_the_way_by_hand_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is pushed, and the message says what to do."""
    made, settings = opened(tmp_path, monkeypatch, None)
    with pytest.raises(ProposalError, match=rf"git push -u origin geosmin/{made.proposal.id}"):
        branch.pull_request(made.change(settings), "the text")
    assert git(tmp_path / "origin.git", "branch", "--list") == ""


def test_proposing_the_same_again_is_one_proposal(tmp_path: Path) -> None:
    """It waits once, and was proposed once."""
    settings = base(tmp_path)
    first, second = (propose(settings, from_text(WORDS), now=NOON) for _ in range(2))
    assert first.proposal == second.proposal
    assert whats(settings) == [What.PROPOSED]


def test_a_proposal_that_is_taken_back_is_gone(tmp_path: Path) -> None:
    """It waits no more, the log says so, and a second time there is nothing to take back."""
    settings = base(tmp_path)
    made = propose(settings, from_text(WORDS), now=NOON)
    pending.drop(settings.state, made.proposal.id, NOON)
    assert (pending.pending(settings.state), whats(settings)) == ((), [What.PROPOSED, What.REMOVED])
    with pytest.raises(ProposalError):
        pending.drop(settings.state, made.proposal.id, NOON)


@pytest.mark.parametrize("ended", [What.MERGED, What.REMOVED])
def test_a_crash_loses_and_doubles_no_step_of_a_proposal(tmp_path: Path, ended: What) -> None:
    """A proposal whose event was not written is logged; one whose end was logged, and whose file is there, goes."""
    settings = base(tmp_path)
    made = propose(settings, from_text(WORDS), now=NOON).proposal
    (settings.state / "events.jsonl").unlink()
    for _ in range(2):
        pending.settle(settings.state, NOON)
    assert (whats(settings), len(pending.pending(settings.state))) == ([What.PROPOSED], 1)
    place = settings.state / "proposals" / f"{made.id}.json"
    kept = place.read_bytes()
    if ended is What.MERGED:
        write(settings.content, {str(made.conclusion.page): changed(None, made.conclusion)})
        pending.notice(settings.state, settings.content, NOON)
    else:
        pending.drop(settings.state, made.id, NOON)
    place.write_bytes(kept)
    pending.settle(settings.state, NOON)
    assert (whats(settings), pending.pending(settings.state)) == ([What.PROPOSED, ended], ())


def whats(settings: Settings) -> Sequence[What]:
    """Return what happened to proposals, in order."""
    return [e.what for e in history(settings.state).events if e.what is not What.BUILT]


@pytest.mark.parametrize(
    "text",
    [
        "a <b> [[c]] *d* `e` _f_ $g$ %%h%% ==i==",
        "# no heading",
        "> no quote",
        "::: tip",
        "- item\n- item 2",
        "1. one\n2. two",
    ],
)
def test_an_answer_reads_the_same_as_markdown(tmp_path: Path, text: str) -> None:
    """Signs of markup in an answer stay signs; lists stay lists."""
    settings = base(tmp_path)
    plainly = replace(answered(settings), answer=text)
    conclusion = from_answer(QUESTION, plainly, public_paths(settings, NOON))
    public = changed(None, conclusion).replace("---\n", "---\nshare: public\n", 1)
    base(tmp_path, {"wiki/shown.md": public})
    shown = json.loads((settings.out / "current/site/wiki/shown/index.html").read_text())["html"]
    words = "".join(text.replace("- ", "").replace("1. ", "").replace("2. ", "").split())
    assert words in "".join(unmarked(shown).split())


def unmarked(html: str) -> str:
    """Return the words of HTML."""
    import html as entities
    import re

    return entities.unescape(re.sub(r"<[^>]*>", "", html))
