"""A cheap look at a Mermaid diagram: is its kind known, and is every quote and bracket closed?"""

from __future__ import annotations

import re

# The kinds of Mermaid 11, https://mermaid.js.org/intro/syntax-reference.html
_KINDS = re.compile(
    r"(?:graph|flowchart(?:-elk)?|sequenceDiagram|classDiagram(?:-v2)?|stateDiagram(?:-v2)?|erDiagram|gantt|pie|journey|gitGraph"
    r"|mindmap|timeline|quadrantChart|requirement(?:Diagram)?|C4(?:Context|Container|Component|Dynamic|Deployment)|kanban|zenuml|info"
    r"|(?:sankey|xychart|block|packet|architecture|radar|treemap)(?:-beta)?)(?![\w-])"
)
_FRONT = re.compile(r"\s*---\n.*?\n---[ \t]*\n", re.DOTALL)
_COMMENT = re.compile(r"^\s*%%.*$", re.MULTILINE)
_QUOTED = re.compile(r"\"[^\"]*\"")
_FLAG = re.compile(r"\w>[^\[\](){}\n]*\]")  # the shape that opens with > and closes with ]
_PAIRS = {")": "(", "]": "[", "}": "{"}


def fault(source: str) -> str:
    """Return what is wrong with a diagram in a few words, "" when nothing is seen."""
    body = _COMMENT.sub("", _FRONT.sub("", source, count=1)).strip()
    kind = _KINDS.match(body)
    if not kind:
        return f"unknown kind of diagram: {(body.split() or ['none'])[0][:40]}"
    if body.count('"') % 2:
        return "a quote is not closed"
    if kind[0] in ("graph", "flowchart", "flowchart-elk", "mindmap"):  # elsewhere brackets are also arrows and prose
        return _unbalanced(_FLAG.sub("", _QUOTED.sub("", body)))
    return ""


def _unbalanced(text: str) -> str:
    opened: list[str] = []
    for character in text:
        if character in "([{":
            opened.append(character)
        elif character in _PAIRS and (not opened or opened.pop() != _PAIRS[character]):
            return f"a {character} closes nothing"
    return f"a {opened[-1]} is not closed" if opened else ""
