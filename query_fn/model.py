"""The values that pass between the rooms of the query function. A leaf: no behaviour beyond construction."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct, field


class Status(StrEnum):
    """How an answer ended."""

    COMPLETED = "completed"
    DEGRADED = "degraded"
    NO_ANSWER = "no_answer"
    REFUSED = "refused"


class Scope(Struct, frozen=True):
    """What may be searched. ``None`` = no filter; an empty tuple means nothing, never everything."""

    articles: tuple[str, ...] | None = None
    folders: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    langs: tuple[str, ...] | None = None
    updated_since: str | None = None


class Candidate(Struct, frozen=True):
    """A place worth reading: no body text, because search proposes and read proves."""

    chunk_id: str
    article_id: str
    title: str  # of the article
    section: tuple[str, ...]
    url: str  # site-relative, with the anchor
    summary: str
    lang: str
    score: float
    routes: tuple[str, ...]


class RouteReport(Struct, frozen=True):
    """One route for one query: its hits as (chunk id, score), best first, and its time."""

    route: str
    query: str
    hits: tuple[tuple[str, float], ...]
    ms: float


class Diagnostics(Struct, frozen=True):
    """Why the result is what it is. Every fallback is named in `degraded`."""

    routes: tuple[RouteReport, ...] = ()
    fused: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()  # (chunk id, reason)
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    steps: tuple[Mapping[str, Any], ...] = ()
    queries: tuple[str, ...] = ()
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # article ids that were found, read and used
    spent: Mapping[str, float] = field(default_factory=dict)  # calls of the paid model, their tokens and US dollars


class SearchResult(Struct, frozen=True):
    """What one search found, its local confidence in 0..1, and how it got there."""

    query: str
    candidates: tuple[Candidate, ...]
    confidence: float
    answerable: bool  # confidence reaches the calibrated threshold
    diagnostics: Diagnostics


class Evidence(Struct, frozen=True):
    """Text that was read in this request. Only Evidence can be cited."""

    id: str  # "e1", "e2", … in the order they were read
    kind: str  # "chunk" | "section" | "page"
    locator: str
    article_id: str
    title: str
    section: tuple[str, ...]
    url: str
    text: str
    lang: str
    score: float
    not_after: int | None


class Citation(Struct, frozen=True):
    """A verified quote: ``evidence.text[start:end] == quote`` in code points."""

    evidence: str
    quote: str
    start: int
    end: int


class Turn(Struct, frozen=True):
    """One earlier exchange, vouched for by the signed conversation token."""

    question: str
    standalone: str
    answer: str
    evidence: tuple[str, ...]


class Ask(Struct, frozen=True):
    """A validated question."""

    question: str
    lang: str | None = None
    scope: Scope = Scope()
    stream: bool = True
    turns: tuple[Turn, ...] = ()


class Answer(Struct, frozen=True):
    """What the reader gets. `citations` refer to `evidence` by id."""

    status: Status
    answer: str
    evidence: tuple[Evidence, ...]
    citations: tuple[Citation, ...]
    uncertainties: tuple[str, ...]
    confidence: float
    follow_ups: tuple[str, ...]
    nearest: tuple[Candidate, ...]  # pages named when the published pages do not say
    diagnostics: Diagnostics
