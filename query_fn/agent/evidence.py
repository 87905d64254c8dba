"""Read: the only way text becomes Evidence, and the only place where a quote becomes a citation."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from query_fn.agent.chat.base import ReadResult
from query_fn.contract import ArticleRow, ChunkRow, NodeRow, Row
from query_fn.model import Citation, Evidence, SearchResult
from query_fn.regex import regex
from query_fn.retrieve.catalog import file_name
from query_fn.store import Store
from query_fn.visibility import Visibility

MAX_TEXT = 12_000  # characters of one read; a longer page is cut at a heading, else a line, and that is said
MAX_WIKI_CHUNKS = 4
WIKI = "wiki:"
ONWARD = "@"  # between a locator and the offset at which its text goes on
MIN_QUOTE = 2  # characters; shorter quotes prove nothing
_HEADING = regex(r"^#{1,6} ", re.MULTILINE)
_HAN = regex(r"[\u3400-\u9fff]")
SOME_HAN = 8  # Chinese characters: a clause


class Book:
    """The evidence of one request: read through visibility, numbered e1, e2, … in the order it was read."""

    def __init__(self, store: Store, visibility: Visibility) -> None:
        self._store = store
        self._visibility = visibility
        self._read: dict[str, Evidence] = {}
        self._scores: dict[str, float] = {}
        self._onward: dict[str, str] = {}  # where the text of what was cut goes on, by evidence id

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Everything read so far, in order."""
        return tuple(self._read.values())

    @property
    def truncated(self) -> Collection[str]:
        """The ids of evidence whose text was cut."""
        return self._onward.keys()

    def note(self, result: SearchResult) -> None:
        """Remember the scores of a search, so that what is read carries them."""
        for candidate in result.candidates:
            self._scores[candidate.chunk_id] = max(candidate.score, self._scores.get(candidate.chunk_id, 0.0))

    def read(self, locators: Iterable[str]) -> ReadResult:
        """Read chunks (``chunk id``), sections (``article#anchor``), pages (``article``, its URL or path), wiki pages
        (``wiki:key``, which stands for the passages it was made from), or where a text that was cut goes on
        (``article@offset``).

        A locator of something absent, expired or out of scope is `missing`: the three cannot be told apart.
        """
        found, missing = [], []
        for locator in (part for given in locators for part in self._expand(given)):
            evidence = self._read.get(locator) or self._open(locator) or self._further(locator)
            if evidence is None:
                missing.append(locator)
            else:
                self._read[locator] = evidence
                found.append(evidence)
        onward = tuple((e.id, self._onward[e.id]) for e in found if e.id in self._onward)
        return ReadResult(tuple(found), tuple(missing), onward)

    def cite(self, evidence_id: str, quote: str) -> Citation | None:
        """Return a citation whose offsets are exact, or None when the quote is not in that evidence.

        White space is folded: a quote may wrap its lines differently; the citation carries the text as it stands.
        """
        evidence = next((e for e in self._read.values() if e.id == evidence_id), None)
        words = quote.split()
        if evidence is None or len("".join(words)) < MIN_QUOTE:
            return None
        start = evidence.text.find(quote)
        if start >= 0:
            return Citation(evidence_id, quote, start, start + len(quote))
        match = re.search(r"\s+".join(map(re.escape, words)), evidence.text)
        return Citation(evidence_id, match[0], match.start(), match.end()) if match else None

    def names(self, citations: Iterable[Citation]) -> str:
        """Return the titles and headings that the cited passages stand below."""
        cited = {citation.evidence for citation in citations}
        return "\n".join("\n".join((e.title, *e.section)) for e in self._read.values() if e.id in cited)

    def _expand(self, locator: str) -> tuple[str, ...]:
        """Return what stands behind a wiki page: a human page's article, or the chunks a generated one came from."""
        if not locator.startswith(WIKI):
            return (locator,)
        page = self._store.page(locator.removeprefix(WIKI))
        if page is None:
            return (locator,)
        if page.article_id:
            return (page.article_id,)
        rows = [c for c in self._store.contributions_of(page.key) if self._sees(c)]
        chunks = dict.fromkeys(chunk for row in rows for chunk in row.chunk_ids)
        return tuple(chunks)[:MAX_WIKI_CHUNKS] or (locator,)

    def _sees(self, *rows: Row) -> bool:
        return all(self._visibility.sees(row, self._store.articles_by_id) for row in rows)

    def _open(self, locator: str, begin: int = 0) -> Evidence | None:
        if not begin and (chunk := self._store.chunk(locator)):
            return self._from_chunk(chunk, locator)
        name, mark, _ = locator.partition("#")
        article = find_article(self._store, name)
        if article is None or not self._sees(article):
            return None
        if not mark:
            return self._evidence(article, article, kind="page", locator=locator, text=article.text, begin=begin)
        node = self._store.node(f"{article.id}{locator[len(name) :]}")
        if node is None or not self._sees(article, node):
            return None
        kind = "section" if node.level else "page"
        text = article.text[node.start : node.end]
        return self._evidence(article, node, kind=kind, locator=locator, text=text, begin=begin)

    def _further(self, locator: str) -> Evidence | None:
        """Return the rest of a text from an offset on, as a read before has named it."""
        whole, _, offset = locator.rpartition(ONWARD)
        if not (whole and offset.isascii() and offset.isdigit() and len(offset) < 9):
            return None
        return self._open(whole, int(offset))

    def _from_chunk(self, chunk: ChunkRow, locator: str) -> Evidence | None:
        article = self._store.article(chunk.article_id)
        if article is None or not self._sees(article, chunk):
            return None
        return self._evidence(article, chunk, kind="chunk", locator=locator, text=chunk.text)

    def _evidence(
        self,
        article: ArticleRow,
        row: ArticleRow | ChunkRow | NodeRow,
        *,
        kind: str,
        locator: str,
        text: str,
        begin: int = 0,
    ) -> Evidence | None:
        identity = f"e{len(self._read) + 1}"
        kept = cut(text[begin:])
        if begin and not kept.strip():
            return None
        if begin + len(kept) < len(text):
            self._onward[identity] = f"{locator}{ONWARD}{begin + len(kept)}"
        locator = f"{locator}{ONWARD}{begin}" if begin else locator
        ends = [end for end in (article.not_after, row.not_after) if end is not None]
        anchor = "" if isinstance(row, ArticleRow) else row.anchor
        return Evidence(
            id=identity,
            kind=kind,
            locator=locator,
            article_id=article.id,
            title=article.title,
            section=() if isinstance(row, ArticleRow) else row.path,
            url=f"{article.url}#{anchor}" if anchor else article.url,
            text=kept,
            lang=_lang(article, row, kept),
            score=self._scores.get(locator, 0.0),
            not_after=min(ends) if ends else None,
        )


def _lang(article: ArticleRow, row: ArticleRow | ChunkRow | NodeRow, text: str) -> str:
    """Return the language of what was read: a Chinese page's passage full of Latin names is Chinese all the same."""
    if not isinstance(row, ChunkRow) or (article.lang == "zh" and len(_HAN.findall(text)) >= SOME_HAN):
        return article.lang
    return row.lang


def find_article(store: Store, name: str) -> ArticleRow | None:
    """Return the article with this id, site-relative URL, source path or title; a leading slash does not matter."""
    bare = name.strip("/")
    return (
        store.article(bare)
        or store.article_by_url(f"{bare}/" if bare else "")
        or store.article_by_url(bare)
        or store.article_by_path(bare)
        or _titled(store, bare)
    )


def _titled(store: Store, name: str) -> ArticleRow | None:
    """Return the article called so: by its title or its file, the same case first, then the one nearest the top."""
    names = {row.id: (row.title, file_name(row.path)) for row in store.articles()}
    found = [row for row in store.articles() if name.casefold() in map(str.casefold, names[row.id])]
    best = min(found, key=lambda row: (name not in names[row.id], row.path.count("/"), row.n), default=None)
    return store.article(best.id) if best is not None else None


def cut(text: str) -> str:
    """Return the text up to MAX_TEXT characters, ending before a heading of its second half, else at a line end."""
    if len(text) <= MAX_TEXT:
        return text
    headings = [m.start() for m in _HEADING.finditer(text, MAX_TEXT // 2, MAX_TEXT)]
    line = text.rfind("\n", 0, MAX_TEXT)
    return text[: headings[-1] if headings else line if line > 0 else MAX_TEXT]
