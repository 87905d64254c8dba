"""A procedure whose steps are headings ("Step 1", "2. Add tasks", "第 3 步"): the outline answers. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from query_fn.agent.chat import spans as cutter
from query_fn.agent.chat.base import Draft, OutlineResult, Quoted
from query_fn.agent.chat.material import quoted
from query_fn.agent.chat.spans import Span
from query_fn.contract import NodeRow
from query_fn.model import Evidence
from query_fn.regex import regex
from query_fn.text import plain

LEAST = 2  # headings that make a procedure
_WANTED = regex(r"\bsteps?\b|\bstages?\b|\bwalk-?through\b|步骤|几步|流程|步(?:走|骤)", re.IGNORECASE)
_STEP = regex(
    r"(?:step|stage)\s*\d+|\d{1,2}[.、)）:：]|第?\s*[一二三四五六七八九十\d]+\s*步|步骤\s*[一二三四五六七八九十\d]+",
    re.IGNORECASE,
)


def wants_steps(question: str) -> bool:
    """Say whether a question asks for the steps of something by that name."""
    return bool(_WANTED.search(question))


def is_step(span: Span) -> bool:
    """Say whether a span is a heading that counts a step."""
    return span.kind == "heading" and _STEP.match(span.raw.lstrip("# ")) is not None


def step_nodes(outline: OutlineResult) -> tuple[NodeRow, ...]:
    """Return the largest set of sibling headings that count steps, in order; none when there are fewer than two."""
    siblings: dict[str | None, list[NodeRow]] = {}
    for node in outline.nodes:
        if _STEP.match(node.title):  # as written: its number is what plain text leaves out
            siblings.setdefault(node.parent_id, []).append(node)
    most = max(siblings.values(), key=len, default=[])
    return tuple(most) if len(most) >= LEAST else ()


def headings_of(nodes: Sequence[NodeRow], evidence: Sequence[Evidence]) -> Draft:
    """Return the step headings as they stand in what was read."""
    wanted = {plain(node.title) for node in nodes}
    own = [s for e in evidence for s in cutter.cut(e) if s.kind == "heading" and s.text in wanted]
    lines: dict[str, Quoted] = {}
    for span in own:
        lines.setdefault(span.text, quoted(span, item=True))
    return Draft(tuple(lines.values()), ("list_cut",) if len(lines) < len(wanted) else ()) if lines else Draft(())
