"""Tool results as the model reads them: data with a source and a locator. Pure.

What was read becomes `search_result` blocks with citations on. Each sentence, table row and code block is a text block
of its own, and the blocks joined are the text: a citation names blocks, so it points at words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise

from query_fn.agent.chat.base import (
    CollectionResult,
    DelegateResult,
    Finding,
    LinksResult,
    ListResult,
    OutlineResult,
    ReadResult,
    Result,
    ToolError,
)
from query_fn.contract import ArticleRow, NodeRow
from query_fn.model import Candidate, Evidence, SearchResult
from query_fn.text import sentences

Json = dict[str, object]
SUMMARY = 200  # characters
MOST_NODES = 150
TOLD_NODES = 40  # a tree with more is shown without what its sections say
GRADES = ((0.65, "strong"), (0.5, "fair"), (0.0, "weak"))  # by confidence; 0.5 is the calibrated threshold


def rendered(result: Result, room: int) -> tuple[list[Json], int]:
    """Return the content blocks of one result and how many characters of evidence they hold, at most `room`."""
    if isinstance(result, ReadResult):
        return _read(result, room)
    return [_text(_as_json(result))], 0


def pieces(text: str) -> list[str]:
    """Return a text cut into what can be cited; joined they are the text."""
    starts = [start for start, _ in sentences(text)]
    if not starts:
        return [text] if text.strip() else []
    edges = [0, *starts[1:], len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


def _read(result: ReadResult, room: int) -> tuple[list[Json], int]:
    """Return what was read; what does not fit is left out, and that is said."""
    blocks, used, onward = list[Json](), 0, dict(result.onward)
    for evidence in result.evidence:
        if used + len(evidence.text) > room:
            blocks.append(_text({"locator": evidence.locator, "not_shown": "There is no room for more; answer now."}))
            continue
        used += len(evidence.text)
        blocks.append(_source(evidence))
        if locator := onward.get(evidence.id):
            blocks.append(_text({"source": evidence.id, "goes on": locator}))
    if result.missing:
        blocks.append(_text({"nothing_at": list(result.missing)}))
    return blocks or [_text({"nothing_at": []})], used


def _source(evidence: Evidence) -> Json:
    title = " > ".join(dict.fromkeys((evidence.title, *evidence.section)))
    return {
        "type": "search_result",
        "source": evidence.id,
        "title": title,
        "content": [{"type": "text", "text": piece} for piece in pieces(evidence.text)]
        or [{"type": "text", "text": "-"}],
        "citations": {"enabled": True},
    }


def _as_json(result: Result) -> Json:
    match result:
        case SearchResult():
            return {
                "grade": next(name for least, name in GRADES if result.confidence >= least),
                "candidates": [_candidate(c) for c in result.candidates],
            }
        case OutlineResult():
            told = len(result.nodes) <= TOLD_NODES
            nodes = [_node(n, told=told) for n in result.nodes[:MOST_NODES]]
            return {"page": _page(result.article), "headings": nodes, "left_out": len(result.nodes) - len(nodes)}
        case CollectionResult():
            folders = [{"folder": name, "pages": count} for name, count in result.folders]
            pages = [{**_page(a), "chapters": [n.title for n in nodes]} for a, nodes in result.pages]
            return {"folder": result.folder, "folders": folders, "pages": pages, "total": result.total}
        case LinksResult():
            return {"page": _page(result.article), "links": list(_links(result))}
        case ListResult():
            folders = [{"folder": name, "pages": count} for name, count in result.folders]
            return {"pages": [_page(a) for a in result.articles], "total": result.total, "folders": folders}
        case DelegateResult():
            return {"findings": [_finding(finding) for finding in result.findings]}
        case ToolError():
            return {"error": result.code, "message": result.message}
        case ReadResult():
            raise AssertionError("what was read is no JSON")


def _node(node: NodeRow, *, told: bool) -> Json:
    """Return a heading, with what its section says where there are few enough."""
    shown: Json = {"locator": node.id, "level": node.level, "title": node.title}
    return {**shown, "summary": node.summary[:SUMMARY]} if told and node.summary else shown


def _links(result: LinksResult) -> Iterator[Json]:
    for link in result.links:
        way = "from" if link.inward else "to"
        yield {way: _page(link.article), "sentence": link.row.sentence[:SUMMARY]}


def _candidate(found: Candidate) -> Json:
    return {
        "locator": found.chunk_id,
        "page": found.article_id,
        "title": found.title,
        "section": list(found.section),
        "summary": found.summary[:SUMMARY],
        "lang": found.lang,
    }


def _finding(finding: Finding) -> Json:
    """Return what a sub-question brought: nothing of it can be cited before its places are read."""
    shown: Json = {"goal": finding.task.goal, "places": [_candidate(c) for c in finding.places]}
    return shown | ({"failed": finding.failed} if finding.failed else {"said": list(finding.said)})


def _page(article: ArticleRow) -> Json:
    shown: Json = {"locator": article.id, "title": article.title, "lang": article.lang}
    return {**shown, "folder": article.folder, "updated": article.updated, "summary": article.summary[:SUMMARY]}


def _text(value: Json) -> Json:
    return {"type": "text", "text": json.dumps(value, ensure_ascii=False)}
