"""What goes over the wire: JSON of answers, search, outline and read; problem details; stream events. Pure.

The stream is the AI SDK UI message stream (version 1): server-sent events whose data is one JSON part each,
``start``, ``data-step`` (transient, live), ``source-url``, one text part, ``data-answer``, ``finish``, then ``[DONE]``.
Source: ai-sdk.dev, "Stream Protocols", and the chunk schema of the `ai` package.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

from msgspec import Struct

from query_fn.agent.chat.base import OutlineResult, ReadResult
from query_fn.agent.events import Done, Event, Sentence, Source, Step
from query_fn.contract import ArticleRow, NodeRow
from query_fn.errors import RequestError
from query_fn.model import Answer, Candidate, Citation, Diagnostics, Evidence, SearchResult
from query_fn.text import plain

Json = dict[str, object]

STREAM_HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-vercel-ai-ui-message-stream": "v1",
    "x-accel-buffering": "no",
}
DONE = "data: [DONE]\n\n"
TEXT_ID = "t1"
SNIPPET = 240  # characters


class Site(Struct, frozen=True):
    """What turns site-relative URLs into ones a browser can follow, and names the build."""

    base_path: str
    build_id: str

    def link(self, url: str) -> str:
        """Return the URL below the base path, percent-encoded once."""
        path, mark, anchor = url.partition("#")
        return (
            f"/{self.base_path.strip('/')}/".replace("//", "/")
            + quote(path, safe="/%~")
            + mark
            + quote(anchor, safe="%~")
        )


def answer(done: Answer, site: Site, *, conversation: str | None) -> Json:
    """Return the answer contract as JSON values."""
    return {
        "status": done.status.value,
        "answer": done.answer,
        "evidence": [evidence(e, site, cited=done.citations) for e in done.evidence],
        "citations": [citation(c) for c in done.citations],
        "uncertainties": list(done.uncertainties),
        "confidence": round(done.confidence, 3),
        "used_web_search": False,
        "follow_ups": list(done.follow_ups),
        "nearest": [candidate(c, site) for c in done.nearest],
        "diagnostics": diagnostics(done.diagnostics),
        "build_id": site.build_id,
        "conversation": conversation,
    }


def evidence(item: Evidence, site: Site, *, cited: Iterable[Citation] = (), full: bool = False) -> Json:
    """Return one piece of evidence with a snippet around its first cited quote, or with its `full` text."""
    shown: Json = {
        "id": item.id,
        "kind": item.kind,
        "locator": item.locator,
        "title": item.title,
        "section": list(item.section),
        "url": site.link(item.url),
        "lang": item.lang,
        "score": round(item.score, 4),
    }
    if full:
        return {**shown, "text": item.text}
    starts = [c.start for c in cited if c.evidence == item.id]
    return {**shown, "snippet": snippet(item.text, min(starts, default=0))}


def snippet(text: str, start: int) -> str:
    """Return up to SNIPPET characters of plain text from the line that holds `start`, with an ellipsis when cut."""
    line = text.rfind("\n", 0, start) + 1
    shown = " ".join(plain(text[line : line + 2 * SNIPPET]).split())
    return shown if len(shown) <= SNIPPET else shown[:SNIPPET].rstrip() + "…"


def citation(item: Citation) -> Json:
    """Return one citation; `start` and `end` are code-point offsets in the evidence text, `text` is the plain quote."""
    shown = " ".join(plain(item.quote).split())
    return {"evidence": item.evidence, "quote": item.quote, "start": item.start, "end": item.end, "text": shown}


def candidate(item: Candidate, site: Site) -> Json:
    """Return one candidate: a place to read, no text of it."""
    return {
        "locator": item.chunk_id,
        "article": item.article_id,
        "title": item.title,
        "section": list(item.section),
        "url": site.link(item.url),
        "summary": item.summary,
        "lang": item.lang,
        "score": round(item.score, 4),
        "routes": list(item.routes),
    }


def diagnostics(item: Diagnostics) -> Json:
    """Return the diagnostics; ids and numbers only, no text of any page."""
    return {
        "degraded": list(item.degraded),
        "queries": list(item.queries),
        "routes": [
            {"route": r.route, "query": r.query, "hits": [[k, round(s, 4)] for k, s in r.hits], "ms": round(r.ms, 2)}
            for r in item.routes
        ],
        "fused": list(item.fused),
        "articles": list(item.articles),
        "dropped": [list(pair) for pair in item.dropped],
        "timings_ms": {name: round(ms, 2) for name, ms in item.timings_ms.items()},
        "steps": [dict(step) for step in item.steps],
        "sources": {name: list(ids) for name, ids in item.sources.items()},
        "spent": dict(item.spent),
    }


def search(found: SearchResult, site: Site) -> Json:
    """Return a search result."""
    return {
        "query": found.query,
        "candidates": [candidate(c, site) for c in found.candidates],
        "confidence": round(found.confidence, 3),
        "answerable": found.answerable,
        "diagnostics": diagnostics(found.diagnostics),
        "build_id": site.build_id,
    }


def article(row: ArticleRow, site: Site) -> Json:
    """Return what lists say about an article."""
    return {
        "id": row.id,
        "title": row.title,
        "url": site.link(row.url),
        "folder": row.folder,
        "lang": row.lang,
        "summary": row.summary,
        "tags": list(row.tags),
        "updated": row.updated,
    }


def outline(found: OutlineResult, site: Site) -> Json:
    """Return an article's tree as a flat list in document order; `parent` and `level` give the shape."""
    nodes = [_node(node, found.article, site) for node in found.nodes]
    return {"article": article(found.article, site), "nodes": nodes, "build_id": site.build_id}


def _node(row: NodeRow, owner: ArticleRow, site: Site) -> Json:
    return {
        "id": row.id,
        "parent": row.parent_id,
        "level": row.level,
        "title": row.title,
        "url": site.link(f"{owner.url}#{row.anchor}" if row.anchor else owner.url),
        "summary": row.summary,
        "characters": row.end - row.start,
    }


def read(found: ReadResult, site: Site) -> Json:
    """Return evidence with its full text and the locator under which it goes on, and the locators that lead nowhere."""
    onward = dict(found.onward)
    texts = [{**evidence(e, site, full=True), "onward": onward.get(e.id)} for e in found.evidence]
    return {"evidence": texts, "missing": list(found.missing), "build_id": site.build_id}


def problem(status: int, title: str, *, request_id: str, **more: object) -> Json:
    """Return RFC 9457 problem details. `detail`, `pointer` and `code` say what the caller can do; no internals."""
    return {"type": "about:blank", "title": title, "status": status, **more, "request_id": request_id}


def request_problem(error: RequestError, request_id: str) -> Json:
    """Return the problem details of a caller's fault."""
    told = {"code": error.code, "detail": error.detail, "pointer": error.pointer}
    more = {name: text for name, text in told.items() if text}
    return problem(error.status, error.title, request_id=request_id, **more)


# --- stream -----------------------------------------------------------------------------------------------------------


def event(part: Mapping[str, object]) -> str:
    """Return one server-sent event."""
    return f"data: {json.dumps(part, ensure_ascii=False, separators=(',', ':'))}\n\n"


def begin(message_id: str) -> str:
    """Return the first event of a stream."""
    return event({"type": "start", "messageId": message_id})


def parts(item: Event, site: Site, *, first: bool) -> Iterator[str]:
    """Yield the stream events of a step, a source or a sentence; `first` opens the text part."""
    if isinstance(item, Step):
        data = {"step": item.name, "text": item.text, **item.detail, "ms": round(item.ms, 1)}
        yield event({"type": "data-step", "id": f"s{item.number}", "data": data, "transient": True})
    elif isinstance(item, Source):
        shown = item.evidence
        yield event({"type": "source-url", "sourceId": shown.id, "url": site.link(shown.url), "title": shown.title})
    elif isinstance(item, Sentence):
        if first:
            yield event({"type": "text-start", "id": TEXT_ID})
        yield event({"type": "text-delta", "id": TEXT_ID, "delta": item.text})


def finish(done: Done, site: Site, *, conversation: str | None) -> Iterator[str]:
    """Yield the last events: the text part closed, the whole answer, the end."""
    yield event({"type": "text-end", "id": TEXT_ID})
    yield event({"type": "data-answer", "data": answer(done.answer, site, conversation=conversation)})
    yield event({"type": "finish", "finishReason": "stop"})
    yield DONE


def broken(text: str) -> Iterator[str]:
    """Yield the end of a stream that failed: a sentence for the reader, no internals."""
    yield event({"type": "error", "errorText": text})
    yield event({"type": "finish", "finishReason": "error"})
    yield DONE
