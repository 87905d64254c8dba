"""An evaluation in a terminal. Returns renderables, prints nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from compiler.evaluate.gate import Fall
from compiler.evaluate.metrics import FIGURES
from compiler.evaluate.report import ranked_rows

MISSES = 12


def tables(report: Mapping[str, Any]) -> Group:
    """Return the report: rankings step by step, kinds of questions, answers, refusals, times, the first misses."""
    head = f"{report['set']}: {report['queries']:,} questions over {report['docs']:,} documents"
    rows = ranked_rows(report)
    shown: list[RenderableType] = [Text(head, "bold"), _ranked("route or step", rows)]
    for name, title in (("by_type", "type (fused)"), ("by_lang", "language (fused)")):
        shown += [_ranked(title, report[name])] if len(report[name]) > 1 else []
    shown.append(_line("answer", {name: value for name, value in report["answer"].items() if name != "lost"}))
    shown += [_line(f"  {kind}", figures) for kind, figures in report["answers_by_type"].items()]
    shown += [_line("  lost by", report["answer"]["lost"]), _line("refusal", report["refusal"])]
    shown.append(_line("confidence", {"ece": report["confidence"]["ece"]}))
    shown += [_line(f"lost {depth}", shares) for depth, shares in report["lost"].items()]
    shown.append(Text(f"latency    {_times(report['latency_ms'])}"))
    shown.append(
        Text(f"{sum(report['run']['seconds'].values()):.0f} s · {report['run']['embedded']:,} texts embedded", "dim")
    )
    shown += [Text(f"! degraded: {name}", "yellow") for name in report["degraded"]]
    pages = _misses("page not among the first ten", report["misses"])
    return Group(*shown, *pages, *_misses("answer wrong", report["wrong_answers"]))


def fallen(falls: Sequence[Fall], share: float) -> Group:
    """Return the verdict of the gate: every figure that fell, with what it was."""
    if not falls:
        return Group(Text(f"✓ no figure is under {share:g} of the baseline", "green"))
    rows = [Text(f"✗ {fall.name}: {fall.before:.4f} → {_number(fall.now, 4)}", "red") for fall in falls]
    return Group(*rows, Text(f"{len(falls)} figures are under {share:g} of the baseline", "red"))


def _ranked(title: str, rows: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title, min_width=24)
    for name in FIGURES:
        table.add_column(name, justify="right")
    for name, figures in rows.items():
        count = f"  ({figures['queries']})" if "queries" in figures else ""
        style = "bold" if name in ("fused", "selected") else ""
        table.add_row(escape(name + count), *(_number(figures[key]) for key in FIGURES), style=style)
    return table


def _line(title: str, figures: Mapping[str, Any]) -> Text:
    known = [f"{name} {_number(value)}" for name, value in figures.items() if value is not None]
    return Text(f"{title:<10} {' · '.join(known) or 'not measured by this set'}")


def _times(latency: Mapping[str, Any]) -> str:
    split = " · ".join(f"{name} {_number(value, 1)}" for name, value in latency["split"].items())
    parts = [f"search p50 {_number(latency['p50'], 1)} p99 {_number(latency['p99'], 1)} ms ({split})"]
    for name in ("embedding", "answer"):
        if latency[name]["p50"] is not None:
            parts.append(f"{name} p50 {_number(latency[name]['p50'], 1)} p99 {_number(latency[name]['p99'], 1)} ms")
    return " · ".join(parts)


def _misses(title: str, misses: Sequence[Mapping[str, Any]]) -> Iterable[Text]:
    if misses:
        yield Text(f"{title}: {len(misses)}", "bold")
    for miss in misses[:MISSES]:
        yield Text(f"  {miss['id']} ({miss['lost']}) {miss['question']}", "dim", no_wrap=True, overflow="ellipsis")
    if len(misses) > MISSES:
        yield Text(f"  … and {len(misses) - MISSES} more: --json lists all", "dim")


def _number(value: float | None, digits: int = 3) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"
