"""What a build tells its owner: problems, decisions, times. Values and their JSON; nothing is printed here."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import msgspec

from compiler.model import Decision, Problem, RuleMatch, Severity, SourcePath
from compiler.spending import Bill


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one build or check."""

    build_id: str
    switched: bool  # a new build is served now
    unchanged: bool  # the served build already was this one
    counts: Mapping[str, int]
    sharing: Mapping[str, int]  # files per state: public, password, private, expired
    problems: tuple[Problem, ...]
    seconds: Mapping[str, float]  # per stage, in order
    degraded: tuple[str, ...] = ()
    fresh_embeddings: int = 0
    rendered: int = 0  # page bodies rendered anew; the rest came from the cache
    next_change: int | None = None  # public items only
    next_build: int | None = None  # all items: when the owner should build again
    ignored_keys: Mapping[str, int] = field(default_factory=dict)
    decisions: Mapping[SourcePath, Decision] = field(default_factory=dict)
    rules: tuple[RuleMatch, ...] = ()
    protected: Mapping[SourcePath, str] = field(default_factory=dict)  # address of each password page
    notes: tuple[str, ...] = ()  # what the caches had to repair
    hidden: tuple[str, ...] = ()  # folders whose names nothing public shows
    bill: Bill | None = None  # what a model was paid
    prompts: Mapping[str, str] = field(default_factory=dict)  # their versions, when a model wrote

    @property
    def errors(self) -> int:
        """How many problems are errors."""
        return sum(p.severity is Severity.ERROR for p in self.problems)


def sharing_counts(decisions: Mapping[SourcePath, Decision]) -> dict[str, int]:
    """Return how many files are in each state."""
    counts = {"public": 0, "password": 0, "private": 0, "expired": 0}
    for decision in decisions.values():
        counts[state_of(decision)] += 1
    return counts


def to_json(report: Report, *, redact_with: bytes | None = None) -> dict[str, Any]:
    """Return the report for ``--json``; with a key, files that are not public are named only by their HMAC.

    Redacted, nothing is told of folder rules, other keys and addresses: they name what is not public.
    """
    left_out = {"decisions", "problems", "rules", "hidden", "bill"} | (
        {"ignored_keys", "protected"} if redact_with else set()
    )
    data = {f.name: getattr(report, f.name) for f in fields(report) if f.name not in left_out}
    spent = {"spent": report.bill.as_json()} if report.bill else {}
    problems = [problem_json(p, redact_with) for p in report.problems]
    return data | spent | {"errors": report.errors, "problems": problems}


def sharing_json(report: Report, *, redact_with: bytes | None = None) -> dict[str, Any]:
    """Return every file with its state and why, and every folder rule with the files it matches."""
    files = {
        shown_name(path, report, redact_with): {
            "state": state_of(decision),
            "why": shown_reason(decision, redact_with),
            "until": decision.not_after.isoformat() if decision.not_after else None,
        }
        for path, decision in sorted(report.decisions.items())
    }
    rules = (
        [] if redact_with else [{"path": r.path, "share": r.share.value, "files": list(r.files)} for r in report.rules]
    )
    return {"files": files, "rules": rules}


def owner_json(report: Report) -> str:
    """Return the full report for the state folder: every decision, nothing redacted."""
    decisions = {
        path: {
            "share": d.share.value,
            "expired": d.expired,
            "reason": d.reason,
            "not_after": d.not_after.isoformat() if d.not_after else None,
        }
        for path, d in sorted(report.decisions.items())
    }
    full = to_json(report) | {"decisions": decisions, "rules": sharing_json(report)["rules"]}
    return msgspec.json.format(msgspec.json.encode(full)).decode() + "\n"


def state_of(decision: Decision) -> str:
    """Return the state of a file in one word."""
    return "expired" if decision.expired else decision.share.value


def shown_name(path: SourcePath, report: Report, redact_with: bytes | None) -> str:
    """Return what may be shown of a file's name. That of a public page in a hidden folder would tell of the folder."""
    public = state_of(report.decisions[path]) == "public" and not _is_told(path, report.hidden)
    return str(path) if public or not redact_with else file_tag(path, redact_with)


def _is_told(text: str, hidden: Sequence[str]) -> bool:
    return any(f"{folder}/" in text for folder in hidden)


def shown_reason(decision: Decision, redact_with: bytes | None) -> str:
    """Return what may be shown of a decision's reason: the path of a rule may be the name of a hidden folder."""
    hidden = redact_with and decision.reason.startswith("rule ")
    return "a folder rule" if hidden else decision.reason


def problem_json(problem: Problem, redact_with: bytes | None) -> dict[str, Any]:
    """Return one problem as JSON; a redacted one keeps its code, its line and nothing of the file."""
    if redact_with and not problem.public:
        return {
            "severity": problem.severity.value,
            "code": problem.code,
            "path": file_tag(problem.path, redact_with),
            "line": problem.line,
        }
    return {f.name: getattr(problem, f.name) for f in fields(problem)} | {"severity": problem.severity.value}


def problem_line(problem: Problem, redact_with: bytes | None = None) -> str:
    """Return a problem as one line: where, what, fix."""
    if redact_with and not problem.public:
        where = f"{file_tag(problem.path, redact_with)}{f':{problem.line}' if problem.line else ''}"
        return f"{where}: {problem.code} (the full message is in the state folder's report)"
    where = f"{problem.path}{f':{problem.line}' if problem.line else ''}"
    return f"{where}: {problem.message}" + (f" — {problem.fix}" if problem.fix else "")


def file_tag(path: SourcePath, key: bytes) -> str:
    """Return the name of a non-public file in a redacted message: ``file#`` and eight digits of an HMAC."""
    return "file#" + hmac.new(key, path.encode(), hashlib.sha256).hexdigest()[:8]


def sorted_problems(
    problems: Sequence[Problem], public: frozenset[SourcePath], *, hidden: Sequence[str] = ()
) -> tuple[Problem, ...]:
    """Return problems by file and line, each marked with whether its file is public and no `hidden` folder is named."""

    def marked(p: Problem) -> Problem:
        named = (p.public or p.path in public) and not _is_told(f"{p.path} {p.message} {p.fix}", hidden)
        return p if p.public == named else replace(p, public=named)

    return tuple(sorted(map(marked, problems), key=lambda p: (p.path, p.line or 0, p.code, p.message)))
