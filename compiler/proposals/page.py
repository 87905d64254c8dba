"""The human page that a conclusion changes: its text after, the change as a diff, and whether it was taken over."""

from __future__ import annotations

import difflib
import json
import re

from compiler.errors import ProposalError
from compiler.proposals.conclusion import Conclusion
from query_fn.text import plain, sentences

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
TAKEN = 0.5  # share of a conclusion's sentences that stand in a page that took it over: a person may have edited it


def changed(before: str | None, conclusion: Conclusion) -> str:
    """Return the page with the conclusion: a new page, or a section at the end of the one that is there.

    A new page says what it is and nothing of who may read it: the rules of its folder do. Raises ProposalError when
    the page has the conclusion already.
    """
    if before is None:
        front = f"---\nkind: {conclusion.kind}\ntitle: {json.dumps(conclusion.title, ensure_ascii=False)}\n---\n"
        return f"{front}\n# {_heading(conclusion.title)}\n\n{conclusion.body}"
    if has(before, conclusion.body):
        raise ProposalError(f"{conclusion.page} says so already")
    added = f"\n\n## {_heading(conclusion.title)}\n\n{conclusion.body}"
    return before.rstrip() + (added.replace("\n", "\r\n") if "\r\n" in before else added)


def has(page: str, body: str) -> bool:
    """Tell whether most sentences of a conclusion stand in a page, whatever their white space and markup."""
    there = _bare(page)
    wanted = [_bare(body[a:b]) for a, b in sentences(body)]
    return sum(one in there for one in wanted) > TAKEN * len(wanted)


def diff(before: str | None, after: str, path: str) -> str:
    """Return the change as a unified diff that `git apply` and `patch -p1` understand."""
    old, new = (_LINE.findall(text or "") for text in (before, after))
    end = "\t" if " " in path else ""  # a name with spaces ends there
    names = "/dev/null" if before is None else f"a/{path}{end}", f"b/{path}{end}"
    lines = difflib.unified_diff(old, new, *names)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _heading(title: str) -> str:
    return re.sub(r"([\\`*_\[\]<#])", r"\\\1", title)


def _bare(text: str) -> str:
    return "".join(plain(text).split())
