"""From a run and its verdict to the answer: status, text, uncertainties, follow-ups. Pure apart from the store."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from query_fn.agent.chat.base import DelegateResult, Finding, Quoted, ReadResult
from query_fn.agent.events import Sentence
from query_fn.agent.evidence import Book
from query_fn.agent.gate import Passed, Verdict
from query_fn.agent.loop import Ending
from query_fn.agent.numbers import numbers
from query_fn.agent.phrases import say
from query_fn.agent.purse import Purse
from query_fn.agent.render import safe
from query_fn.agent.tools import Tools
from query_fn.model import Answer, Candidate, Diagnostics, Evidence, SearchResult, Status

# Named, but nothing that was configured has failed: the answer is complete all the same.
EXPECTED = ("no_model", "no_embedder", "no_vectors", "conversation_")
MODEL_FAILED = ("model_failed:", "chat_unavailable:")
SURE = 0.65  # confidence under it: the answer stands, and says that the match is weak (0.5 is the refusal threshold)
MAX_NEAREST = 3


def pieces(passed: Sequence[Passed]) -> tuple[Sentence, ...]:
    """Return the answer's text in verified pieces that join to the whole: sentences, and list items on own lines."""
    out: list[Sentence] = []
    for index, item in enumerate(passed):
        before = passed[index - 1].sentence if index else None
        out.append(Sentence(_gap(before, item.sentence) + _line(item.sentence), item.citations))
    return tuple(out)


def _line(sentence: Quoted) -> str:
    text = safe(f"{sentence.label}: {sentence.text}" if sentence.label else sentence.text)
    mark = f"{sentence.number}. " if sentence.number else "- "
    return f"{mark}{text}" if sentence.item else text


def _gap(before: Quoted | None, sentence: Quoted) -> str:
    if before is None:
        return ""
    if before.item and sentence.item:
        return "\n"
    if before.item or sentence.item or sentence.apart or "\n" in before.text + sentence.text:
        return "\n\n"
    return "" if before.text[-1:] in "。！？；" else " "


def declined(why: str, *, lang: str, diagnostics: Diagnostics) -> Answer:
    """Return the short reply to a question that is not answered; `why` is a phrase key."""
    return Answer(Status.REFUSED, say(why, lang), (), (), (), 0.0, (), (), diagnostics)


def answered(verdict: Verdict, ending: Ending, *, tools: Tools, lang: str, diagnostics: Diagnostics) -> Answer:
    """Return the answer made of the sentences that passed the gate."""
    cited = {c.evidence for p in verdict.passed for c in p.citations}
    evidence = tuple(e for e in tools.book.evidence if e.id in cited)
    doubts = _doubts(verdict, ending, tools.book, lang=lang)
    return Answer(
        status=Status.DEGRADED if _failed(diagnostics) else Status.COMPLETED,
        answer="".join(piece.text for piece in pieces(verdict.passed)),
        evidence=evidence,
        citations=tuple(c for p in verdict.passed for c in p.citations),
        uncertainties=tuple(say(key, lang) for key in dict.fromkeys((*_model_failed(diagnostics), *doubts))),
        confidence=_confidence(ending),
        follow_ups=(),
        nearest=(),
        diagnostics=replace(diagnostics, sources={**diagnostics.sources, "used": _articles(evidence)}),
    )


def unanswered(ending: Ending, *, tools: Tools, lang: str, diagnostics: Diagnostics) -> Answer:
    """Return the honest no-answer that names the nearest pages; a failed route is said, never taken for silence."""
    search = best_search(ending)
    nearest = nearest_pages(search.candidates if search else ())
    doubts = [*_model_failed(diagnostics), *_search_failed(diagnostics)]
    doubts += ["limit_reached"] if ending.stop else []
    return Answer(
        status=Status.NO_ANSWER,
        answer=say("no_answer_nearest" if nearest else "no_answer", lang),
        evidence=(),
        citations=(),
        uncertainties=tuple(say(key, lang) for key in doubts),
        confidence=search.confidence if search else 0.0,
        follow_ups=(),
        nearest=nearest,
        diagnostics=diagnostics,
    )


def plain_reply(text: str, *, diagnostics: Diagnostics, follow_ups: tuple[str, ...] = ()) -> Answer:
    """Return a reply that makes no claim and cites nothing: nothing published, or what can be asked here."""
    return Answer(Status.NO_ANSWER, text, (), (), (), 0.0, follow_ups, (), diagnostics)


def best_search(ending: Ending) -> SearchResult | None:
    """Return the most confident search of a run."""
    found = [o.result for o in ending.seen if isinstance(o.result, SearchResult)]
    return max(found, key=lambda r: (r.answerable, r.confidence), default=None)


def _confidence(ending: Ending) -> float:
    """Return what the model says of its own answer, else its search; a page that was asked for by its name is sure."""
    search, own = best_search(ending), ending.draft.confidence
    if own is not None:
        return own
    return search.confidence if search else 1.0


def trace(ending: Ending | None, *, notes: Sequence[str], purse: Purse | None = None) -> Diagnostics:
    """Return the diagnostics of the best search with every step of the run, every named fallback and what it cost."""
    search = best_search(ending) if ending else None
    steps = tuple(
        {"tool": o.call.tool, "args": dict(o.call.args), "ms": round(o.ms, 1), "result": type(o.result).__name__}
        for o in (ending.seen if ending else ())
    )
    found = [o.result for o in ending.seen if isinstance(o.result, SearchResult)] if ending else []
    names = [name for result in found for name in result.diagnostics.degraded]
    names += notes
    names += [f"tool_failed:{o.call.tool}" for o in (ending.seen if ending else ()) if _broke(o.result)]
    names += [f"delegate_failed:{finding.failed}" for finding in _findings(ending) if finding.failed]
    base = search.diagnostics if search else Diagnostics()
    return replace(
        base,
        degraded=tuple(dict.fromkeys(names)),
        steps=steps,
        sources=_sources(ending),
        spent=purse.bill() if purse else {},
    )


def _findings(ending: Ending | None) -> list[Finding]:
    """Return what the delegated sub-questions of a run brought."""
    results = [o.result for o in ending.seen] if ending else []
    return [finding for r in results if isinstance(r, DelegateResult) for finding in r.findings]


def _sources(ending: Ending | None) -> dict[str, tuple[str, ...]]:
    """Return which articles a run has found and read."""
    results = [o.result for o in ending.seen] if ending else []
    found = [c for r in results if isinstance(r, SearchResult) for c in r.candidates]
    read = [e for r in results if isinstance(r, ReadResult) for e in r.evidence]
    return {"found": _articles(found), "read": _articles(read), "used": ()}


def _articles(items: Sequence[Candidate | Evidence]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.article_id for item in items))


def nearest_pages(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the best candidate of each of the nearest pages."""
    first: dict[str, Candidate] = {}
    for candidate in candidates:
        first.setdefault(candidate.article_id, candidate)
    return tuple(first.values())[:MAX_NEAREST]


def _doubts(verdict: Verdict, ending: Ending, book: Book, *, lang: str) -> list[str]:
    """Return the phrase keys of what a reader should know before relying on the answer."""
    cited = [e for e in book.evidence if any(c.evidence == e.id for p in verdict.passed for c in p.citations)]
    search = best_search(ending)
    keys = list(ending.draft.uncertainties)
    keys += ["citations_removed"] if verdict.dropped or any(p.doubted for p in verdict.passed) else []
    keys += _search_failed(search.diagnostics) if search else []
    keys += ["low_confidence"] if _confidence(ending) < SURE else []
    keys += ["truncated"] if any(e.id in book.truncated for e in cited) else []
    keys += ["other_language"] if cited and all(e.lang != lang for e in cited) else []
    keys += [verdict.lacks] if verdict.lacks else []
    keys += ["disagree"] if _disagree(verdict.passed) else []
    return list(dict.fromkeys(keys))


def _disagree(passed: Sequence[Passed]) -> bool:
    """Say whether two pages say nearly the same sentence with different numbers."""
    single = [p for p in passed if p.citations and not p.sentence.item]
    for index, one in enumerate(single):
        for other in single[index + 1 :]:
            if one.citations[0].evidence != other.citations[0].evidence and _conflict(
                one.sentence.text, other.sentence.text
            ):
                return True
    return False


def _conflict(one: str, other: str) -> bool:
    words = [set(text.lower().split()) if " " in text else set(text) for text in (one, other)]
    alike = len(words[0] & words[1]) >= 0.7 * len(words[0] | words[1])
    return alike and numbers(one) != numbers(other)


def _failed(diagnostics: Diagnostics) -> bool:
    return any(not name.startswith(EXPECTED) for name in diagnostics.degraded)


def _search_failed(diagnostics: Diagnostics) -> list[str]:
    """Return the phrase key for a search that failed in part."""
    failed = [name for name in diagnostics.degraded if not name.startswith((*EXPECTED, *MODEL_FAILED))]
    return ["route_failed"] if failed else []


def _model_failed(diagnostics: Diagnostics) -> list[str]:
    """Return the phrase key for a model that should have answered and did not."""
    return ["model_failed"] if any(name.startswith(MODEL_FAILED) for name in diagnostics.degraded) else []


def _broke(result: object) -> bool:
    return getattr(result, "code", "") == "failed"
