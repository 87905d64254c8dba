"""Block containers as Material, pymdownx, VuePress and Docusaurus write them, read as callouts and tabs.

Indented: ``!!! note "Title"``, ``??? note``, ``=== "Tab"``. Fenced: ``::: tip Title … :::``, ``/// note | Title``.
A container of a name that is not known here, or that is never closed, stays text.
"""

from __future__ import annotations

import re
from collections import defaultdict

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from compiler.parse.callouts import KINDS, Title, default_title, opening, title_tokens
from compiler.parse.fence_info import read_info

_ADMONITION = re.compile(r'(!!!|\?\?\?\+?)[ \t]+([A-Za-z][\w-]*)(?:[ \t]+(?:inline|end))*(?:[ \t]+"([^\n]*)")?')
_TAB = re.compile(r'===[!+]?[ \t]+"([^\n]+)"')
_FENCED = re.compile(r"(:{3,}|/{3,})[ \t]*\{?([A-Za-z][\w-]*)\}?(?![\w.])[ \t]*([^\n]*)")
_MARK_LINE = re.compile(r"[ \t>]*(?:(`{3,}|~{3,})|(:{3,}|/{3,}))[ \t]*(.*)")
_OPTION = re.compile(r"[ \t]*([a-z_]+):[ \t]*(.*)")
_AT_TAB = re.compile(r"@tab(?::active)?[ \t]+(.+)")
_INDENT = 4
_INTERRUPTS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}


def containers(md: MarkdownIt) -> None:
    """Teach a parser the containers (a markdown-it plugin)."""
    md.block.ruler.before("fence", "indented_container", _indented, _INTERRUPTS)
    md.block.ruler.before("fence", "fenced_container", _fenced, _INTERRUPTS)


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()


def _indented(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    place = state.bMarks[start] + state.tShift[start]
    first = state.src[place : place + 1]
    if first not in ("!", "?", "=") or state.is_code_block(start):
        return False
    line = _line(state, start)
    last = _indented_end(state, start, end)
    if first == "=":
        match = _TAB.fullmatch(line)
        if match and last > start + 1 and not silent:
            _indented_tabs(state, start, end)
        return bool(match) and last > start + 1
    match = _ADMONITION.fullmatch(line)
    if not match or (last == start + 1 and match[3] is None):
        return False
    if not silent:
        folds = match[1] != "!!!"
        title = default_title(match[2]) if match[3] is None else Title(match[3])
        _open(state, (start, last), match[2], title, folds=folds, is_open=match[1].endswith("+"))
        _body(state, start + 1, last, state.sCount[start] + _INDENT)
        _close(state, "details" if folds else "div", last)
    return True


def _indented_end(state: StateBlock, start: int, end: int) -> int:
    """Return the line behind the last one that is indented below an opening; ``start + 1`` when there is none."""
    wanted = state.sCount[start] + _INDENT
    last = start + 1
    for number in range(start + 1, end):
        if not state.isEmpty(number):
            if state.sCount[number] < wanted:
                break
            last = number + 1
    return last


def _indented_tabs(state: StateBlock, start: int, end: int) -> None:
    tabs = state.push("tabs_open", "div", 1)
    tabs.meta["labels"] = []
    number = start
    while (
        number < end
        and state.sCount[number] == state.sCount[start]
        and (match := _TAB.fullmatch(_line(state, number)))
        and (last := _indented_end(state, number, end)) > number + 1
    ):
        _tab(state, tabs, match[1], (number + 1, last), state.sCount[start] + _INDENT)
        tabs.map = [start, last]
        state.line = last
        number = state.skipEmptyLines(last)
    state.push("tabs_close", "div", -1)


def _fenced(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    place = state.bMarks[start] + state.tShift[start]
    if state.src[place : place + 3] not in (":::", "///") or state.is_code_block(start):
        return False
    match = _FENCED.fullmatch(_line(state, start))
    last = _closing(state, start, end)
    if not match or not last or not (draw := _RULES.get(match[2].lower()) or KINDS.get(match[2].lower())):
        return False
    if silent:
        return True
    if callable(draw):
        draw(state, match, (start, last), end)
    else:
        _fenced_callout(state, match, (start, last))
    return True


def _closing(state: StateBlock, start: int, end: int) -> int:
    """Return the line that closes a fenced container in this block, 0 when there is none."""
    if "closings" not in state.env:
        state.env["closings"] = closings(state.src)
    last = int(state.env["closings"].get(start, 0))
    inside = last < end and all(
        state.isEmpty(number) or state.sCount[number] >= state.blkIndent for number in range(start, last + 1)
    )
    return last if inside else 0


def closings(text: str) -> dict[int, int]:
    """Return for the line of each fenced container the line that closes it. Marks of one length nest."""
    out: dict[int, int] = {}
    opened: dict[str, list[int]] = defaultdict(list)
    fence = ""
    for number, line in enumerate(text.split("\n")):
        match = _MARK_LINE.match(line)
        if not match:
            continue
        if fence or match[1]:
            closes = match[1] and fence and match[1].startswith(fence) and not match[3]
            fence = "" if closes else fence or match[1]
        elif match[3].strip():
            opened[match[2]].append(number)
        elif opened[match[2]]:
            out[opened[match[2]].pop()] = number
    return out


def _fenced_callout(state: StateBlock, match: re.Match[str], lines: tuple[int, int]) -> None:
    first, options = _options(state, match[1], lines)
    name = match[2].lower()
    written = _title(match[3])
    title = Title(written) if written else default_title(name)
    folds = name == "details"
    kind = options.get("type", "note" if folds else name)
    is_open = options.get("open", "").lower() == "true" or match[3].rstrip().endswith("{open}")
    _open(state, (lines[0], lines[1] + 1), kind, title, folds=folds, is_open=is_open)
    _body(state, first, lines[1], state.blkIndent)
    _close(state, "details" if folds else "div", lines[1] + 1)


def _title(rest: str) -> str:
    """Return the title behind a name: ``| Title``, ``[Title]`` or ``Title``, without attributes in braces."""
    rest = re.sub(r"\{[^{}]*\}$", "", rest.strip().removeprefix("|")).strip()
    return rest[1:-1] if rest.startswith("[") and rest.endswith("]") else rest


def _options(state: StateBlock, mark: str, lines: tuple[int, int]) -> tuple[int, dict[str, str]]:
    """Return the first line of the body and the options that pymdownx reads before it."""
    found: dict[str, str] = {}
    number = lines[0] + 1
    while mark[0] == "/" and number < lines[1] and state.sCount[number] - state.blkIndent >= _INDENT:
        match = _OPTION.fullmatch(_line(state, number))
        if not match:
            break
        found[match[1]] = match[2]
        number += 1
    return number, found


def _fenced_tabs(state: StateBlock, match: re.Match[str], lines: tuple[int, int], end: int) -> None:
    """Read ``/// tab | Title`` blocks that follow one another as one set of tabs."""
    tabs = state.push("tabs_open", "div", 1)
    tabs.meta["labels"] = []
    first, (start, last) = lines[0], lines
    while True:
        body, _ = _options(state, match[1], (start, last))
        _tab(state, tabs, _title(match[3]) or match[2], (body, last), state.blkIndent)
        tabs.map = [first, last + 1]
        state.line = last + 1
        start = state.skipEmptyLines(last + 1)
        following = _FENCED.fullmatch(_line(state, start)) if start < end else None
        last = _closing(state, start, end) if following else 0
        if not following or not last or following[2].lower() != "tab" or following[1] != match[1]:
            break
        match = following
    state.push("tabs_close", "div", -1)


def _code_group(state: StateBlock, _match: re.Match[str], lines: tuple[int, int], _end: int) -> None:
    """Read the code blocks of a ``::: code-group`` as tabs, named by ``[title]`` or language."""
    tabs = state.push("tabs_open", "div", 1)
    tabs.map, tabs.meta["labels"] = [lines[0], lines[1] + 1], []
    before = len(state.tokens)
    _body(state, lines[0] + 1, lines[1], state.blkIndent)
    inner = state.tokens[before:]
    del state.tokens[before:]
    for token in inner:
        if token.type == "fence" and token.level == tabs.level + 1:
            info = read_info(token.info)
            tabs.meta["labels"].append(info.title or info.language or "text")
            state.push("tab_open", "div", 1)
            token.meta["in_group"] = True
            token.level += 1
            state.tokens.append(token)
            state.push("tab_close", "div", -1)
        else:
            state.tokens.append(token)
    state.push("tabs_close", "div", -1)
    state.line = lines[1] + 1


def _at_tabs(state: StateBlock, _match: re.Match[str], lines: tuple[int, int], _end: int) -> None:
    """Read a ``::: tabs`` block, in which ``@tab Title`` lines begin the tabs."""
    tabs = state.push("tabs_open", "div", 1)
    tabs.map, tabs.meta["labels"] = [lines[0], lines[1] + 1], []
    marks = [(n, m[1]) for n in range(lines[0] + 1, lines[1]) if (m := _AT_TAB.fullmatch(_line(state, n)))]
    ends = [*(number for number, _ in marks[1:]), lines[1]]
    _body(state, lines[0] + 1, marks[0][0] if marks else lines[1], state.blkIndent)
    for (number, label), last in zip(marks, ends, strict=bool(marks)):
        _tab(state, tabs, label, (number + 1, last), state.blkIndent)
    state.push("tabs_close", "div", -1)
    state.line = lines[1] + 1


def _tab(state: StateBlock, tabs: Token, label: str, lines: tuple[int, int], indent: int) -> None:
    tabs.meta["labels"].append(label)
    state.push("tab_open", "div", 1)
    _body(state, *lines, indent)
    state.push("tab_close", "div", -1)


def _open(state: StateBlock, lines: tuple[int, int], name: str, title: Title, *, folds: bool, is_open: bool) -> None:
    tag, attrs = opening(KINDS.get(name.lower(), "note"), folds=folds, is_open=is_open)
    token = state.push("callout_open", tag, 1)
    token.attrs, token.map = attrs, list(lines)
    if title.text or folds:
        shown = title if title.text else default_title(name)
        state.tokens += title_tokens(shown, [lines[0], lines[0] + 1], state.level, folds=folds)


def _close(state: StateBlock, tag: str, line: int) -> None:
    state.push("callout_close", tag, -1)
    state.line = line


def _body(state: StateBlock, first: int, last: int, indent: int) -> None:
    kept = state.lineMax, state.blkIndent, state.parentType
    state.lineMax, state.blkIndent, state.parentType = last, indent, "container"
    state.md.block.tokenize(state, first, last)
    state.lineMax, state.blkIndent, state.parentType = kept


_RULES = {
    "details": "details",
    "tab": _fenced_tabs,
    "code-group": _code_group,
    "tabs": _at_tabs,
    "code-tabs": _at_tabs,
}
