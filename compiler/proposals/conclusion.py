"""A conclusion worth keeping, as Markdown with its sources: from an answer, or from a text that names them itself."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from compiler.errors import ProposalError
from compiler.model import SourcePath
from compiler.sources.urls import slug
from query_fn.model import Answer, Evidence, Status
from query_fn.text import plain, script_lang, without_smuggled

FOLDER = "wiki"
KIND = "answer"  # of a page that does not say otherwise
LONGEST = 20_000  # characters; what is longer is an article and no conclusion
_TITLE = re.compile(r"\s*# +([^\n]+?)[ #]*(?:\n+|$)")
_MARKUP = re.compile(r"([\\`*\[\]<$])|(?<!\w)_|_(?!\w)")
_BLOCK = re.compile(r"^(\s*)(?=#|>|\||~~~|:::|///|!!!|===|\+\+\+|---|    )", re.MULTILINE)
_FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
_SOURCES = {"zh": "来源：", "en": "Sources: "}
_BETWEEN = {"zh": "；", "en": "; "}


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What should be added to one human page. `body` is Markdown, its links are relative to the page."""

    page: SourcePath
    kind: str
    title: str
    body: str


def page_of(name: str) -> SourcePath:
    """Return the human page of a key or title: ``wiki/<key>.md``."""
    return SourcePath(f"{FOLDER}/{slug(name.replace('/', '-')).rstrip('?？')}.md")


def from_answer(question: str, answer: Answer, paths: Mapping[str, SourcePath], *, page: str = "") -> Conclusion:
    """Return an answer as a conclusion, with a link to the heading of each page it cites.

    `paths` gives the source file of each article. Raises ProposalError for an answer that was refused, that part of
    the search failed for, or that cites nothing: it is no conclusion.
    """
    if answer.status is not Status.COMPLETED or not answer.citations:
        raise ProposalError(f"the answer is {answer.status.value}, and only a complete one with its sources is kept")
    title, place = _one_line(question), page_of(page or question)
    lang = script_lang(answer.answer)
    cited = {citation.evidence for citation in answer.citations}
    links = dict.fromkeys(_link(e, paths, place) for e in answer.evidence if e.id in cited)
    told = _SOURCES["zh" if lang == "zh" else "en"] + _BETWEEN["zh" if lang == "zh" else "en"].join(links)
    code = [citation.quote for citation in answer.citations if _FENCE.search(citation.quote)]
    return Conclusion(place, KIND, title, f"{_with_code(answer.answer, code)}\n\n{told}\n")


def from_text(text: str, *, title: str = "", page: str = "") -> Conclusion:
    """Return a text as a conclusion: its links are its sources, its first heading is its title if none is given.

    Raises ProposalError for front matter (a conclusion does not decide who may read it), for a text without a title,
    an empty one, and one that is too long.
    """
    clean = without_smuggled(text.replace("\r\n", "\n").removeprefix("\ufeff"))[0]
    if clean.startswith(("---\n", "+++\n")):
        raise ProposalError("the text begins with front matter; a conclusion does not decide who may read it")
    found = _TITLE.match(clean)
    named = _one_line(title or (plain(found[1]) if found else ""))
    body = (clean[found.end() :] if found else clean).strip()
    if not named:
        raise ProposalError("the text has no title; begin it with `# Title`, or give --title")
    if not body or len(body) > LONGEST:
        raise ProposalError(f"a conclusion has 1 to {LONGEST:,} characters, this one has {len(body):,}")
    return Conclusion(page_of(page or named), KIND, named, body + "\n")


def _link(evidence: Evidence, paths: Mapping[str, SourcePath], page: SourcePath) -> str:
    if evidence.article_id not in paths:
        raise ProposalError(f"{evidence.title} is cited and not public any more; build again")
    target = posixpath.relpath(paths[evidence.article_id], posixpath.dirname(page))
    anchor = evidence.url.partition("#")[2]
    names = dict.fromkeys((evidence.title, *evidence.section))
    label = _MARKUP.sub(r"\\\g<0>", " › ".join(names))
    return f"[{label}]({quote(target, safe='/')}{'#' if anchor else ''}{quote(anchor, safe='')})"


def _with_code(text: str, code: Sequence[str]) -> str:
    """Return plain text as Markdown, with the blocks of code in it as their sources have them."""
    for block in code:
        before, found, after = text.partition(plain(block))
        if found:
            return f"{_with_code(before, ())}\n\n{block.strip()}\n\n{_with_code(after, code)}".strip()
    return _as_markdown(text)


def _as_markdown(text: str) -> str:
    """Return plain text as Markdown that shows the same words; the markers of its list items stay."""
    shown = _MARKUP.sub(r"\\\g<0>", text).replace("%%", r"%\%").replace("==", r"=\=")
    return _BLOCK.sub(lambda found: f"{found[1].strip(' ')}\\", shown)


def _one_line(text: str) -> str:
    return " ".join(without_smuggled(text)[0].split())[:200]
