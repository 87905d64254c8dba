"""An evaluation as one page: tables, and plots as inline SVG. No script, no request."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from jinja2 import Environment

from compiler.evaluate.metrics import FIGURES
from compiler.evaluate.report import ranked_rows

TEMPLATE = "page.html.j2"
BAR = 480  # length of a bar for the value 1, in units of the plot
SIDE, LEFT, TOP = (360, 240), 60, 20  # the reliability plot's width and height, and its corner


def page(report: Mapping[str, Any]) -> str:
    """Return the whole page. Every text of a set is escaped: it is data."""
    source = files("compiler.evaluate").joinpath(TEMPLATE).read_text("utf-8")
    rows = ranked_rows(report)
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(source)
    return template.render(
        report=report,
        rows=rows,
        measures=list(FIGURES),
        bars=list(_bars(rows)),
        dots=list(_dots(report["confidence"]["bins"])),
        times=dict(_times(report["latency_ms"])),
    )


def _bars(rows: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for name, figures in rows.items():
        value = figures["ndcg@10"] or 0.0
        ours = name in ("fused", "selected")
        yield {"name": name, "value": value, "width": round(BAR * value, 1), "ours": ours}


def _dots(bins: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    most = max((item["count"] for item in bins), default=1)
    for item in bins:
        x, y = LEFT + SIDE[0] * item["confidence"], TOP + SIDE[1] * (1 - item["right"])
        yield {**item, "x": round(x, 1), "y": round(y, 1), "r": round(3 + 9 * math.sqrt(item["count"] / most), 1)}


def _times(latency: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, float | None]]:
    for name, value in latency.items():
        if isinstance(value, dict):
            yield from _times(value, f"{name} ")
        else:
            yield before + name, value
