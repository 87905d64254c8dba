"""How the sharing report looks in a terminal: what is public, for how long, what is not, and why; then the rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from compiler.model import Decision, RuleMatch, Share, SourcePath
from compiler.report import Report, shown_name, shown_reason, state_of

SHOWN = 40  # files of one reason before "and N more"
EXAMPLES = 3  # files of one rule
WIDEST = 52  # columns for a file name beside its last moment on a screen of 80
_HEADS: Mapping[str, tuple[str, str]] = {
    "public": ("public", "green"),
    "expiring": ("public for a time", "green"),
    "password": ("with a password", "cyan"),
    "expired": ("expired, no longer public", "yellow"),
    "private": ("private", "dim"),
}

Named = tuple[str, Decision]


def sharing(report: Report, redact_with: bytes | None, *, everything: bool) -> Group:
    """Return every file by state and by the rule or key that decided, then each rule with the files it matches."""
    groups: dict[str, dict[str, list[Named]]] = {state: defaultdict(list) for state in _HEADS}
    for path, decision in sorted(report.decisions.items()):
        reason = shown_reason(decision, redact_with)
        groups[_group(decision)][reason].append((shown_name(path, report, redact_with), decision))
    limit = len(report.decisions) if everything else SHOWN
    parts: list[RenderableType] = [
        part for state, reasons in groups.items() if reasons for part in _state(state, reasons, limit)
    ]
    if report.protected and not redact_with:
        parts += _addresses(report.protected)
    if report.rules and not redact_with:
        parts += [Text("\nfolder rules", style="bold"), *(_rule(rule, everything=everything) for rule in report.rules)]
    return Group(*(parts or [Text("no Markdown files found")]))


def _group(decision: Decision) -> str:
    state = state_of(decision)
    return "expiring" if state == "public" and decision.not_after else state


def _state(state: str, reasons: Mapping[str, Sequence[Named]], limit: int) -> list[RenderableType]:
    title, colour = _HEADS[state]
    count = sum(len(files) for files in reasons.values())
    parts: list[RenderableType] = [Text.assemble((title, f"bold {colour}"), f" ({count})")]
    for reason, files in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        parts.append(Text(f"  {reason} ({len(files)})", style="dim"))
        parts.append(Padding(_files(files[:limit]), (0, 0, 0, 4)))
        if len(files) > limit:
            parts.append(Text(f"    … and {len(files) - limit} more: --all shows them", style="dim"))
    return parts


def _files(files: Sequence[Named]) -> Table:
    """Return names and last moments in columns; a wide name wraps, so that Chinese and Latin names stay aligned."""
    table = Table.grid(padding=(0, 2))
    dated = any(decision.not_after for _, decision in files)
    widest = max(cell_len(name) for name, _ in files)
    table.add_column(overflow="fold", width=min(widest, WIDEST) if dated else None)
    table.add_column(no_wrap=True)
    for name, decision in files:
        table.add_row(Text(name), Text(_moment(decision.not_after), style="dim"))
    return table


def _moment(moment: datetime | None) -> str:
    return moment.strftime("until %Y-%m-%d %H:%M UTC") if moment else ""


def _addresses(protected: Mapping[SourcePath, str]) -> list[RenderableType]:
    """Return where each password page stands: the address says nothing, so only this screen connects the two."""
    rows: list[RenderableType] = [Text("\naddresses of password pages", style="bold")]
    for path, url in sorted(protected.items()):
        rows += [Text(f"  {path}"), Text(f"    /{url}", style="dim")]
    return rows


def _rule(rule: RuleMatch, *, everything: bool) -> Text:
    colour = {Share.PUBLIC: "green", Share.PASSWORD: "cyan", Share.PRIVATE: "dim"}[rule.share]
    head = Text.assemble(f"  {rule.path}  ", (rule.share.value, colour))
    if not rule.files:
        return head.append("  matches no file", style="red")
    limit = len(rule.files) if everything else EXAMPLES
    head.append(f"  {len(rule.files)} {'file' if len(rule.files) == 1 else 'files'}")
    for path in rule.files[:limit]:
        head.append(f"\n    {path}", style="dim")
    return head.append("\n    …", style="dim") if len(rule.files) > limit else head
