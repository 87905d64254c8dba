"""The rules: each looks at the rows of a build, or at the sources beside it, and yields findings."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from compiler.lint.findings import Finding, Level
from compiler.model import Document, Problem, SourcePath
from query_fn.contract import ArticleRow, ContributionRow, LinkRow, PageRow, RelationRow
from query_fn.text import normalise, sentences, tokenise

ALIKE = 0.8  # Jaccard of lines, or of words, from which two texts are nearly one
MANY = 40  # pages that share a line: it is a frame, such as a notice, and says nothing of likeness
FEWEST = 4  # lines of a text that can be a duplicate
_LINK = re.compile(r"(?<!\\)\[\[([^|\]\n]+)\|")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_INDEX = re.compile(r"(?:^|/)(?:index|_index|readme)\.[a-z]+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Built:
    """The rows that the rules read."""

    articles: Sequence[ArticleRow]
    pages: Sequence[PageRow]
    contributions: Sequence[ContributionRow]
    relations: Sequence[RelationRow]
    links: Sequence[LinkRow]


def broken_links(problems: Sequence[Problem], articles: Container[SourcePath]) -> Iterator[Finding]:
    """Yield an error for each link of these articles that leads nowhere.

    They are the public ones: score and findings are told where others read them, as in the log of a public workflow.
    """
    for problem in problems:
        if problem.code == "link-missing" and problem.path in articles:
            yield Finding(Level.ERROR, "broken-link", problem.path, problem.line, problem.message)


def ghost_links(built: Built) -> Iterator[Finding]:
    """Yield an error for each link or relation of a wiki page to a page that is not there."""
    known = {page.key for page in built.pages}
    for page in built.pages:
        for key in _LINK.findall(page.body) if page.generated else ():
            if key not in known:
                yield Finding(Level.ERROR, "ghost-link", f"wiki:{page.key}", None, f"link to no page: {key}")
    for row in built.relations:
        if row.object_key not in known:
            yield Finding(Level.ERROR, "ghost-link", f"wiki:{row.subject_key}", None, f"no page: {row.object_key}")


def unsourced(built: Built) -> Iterator[Finding]:
    """Yield a warning for each generated page without a source, and each contribution without a passage."""
    contributed = {row.page_key for row in built.contributions}
    for page in built.pages:
        if page.generated and (not page.sources or page.key not in contributed):
            yield Finding(Level.WARNING, "no-source", f"wiki:{page.key}", None, f"{page.title} names no source")
    for row in built.contributions:
        if not row.chunk_ids:
            yield Finding(Level.WARNING, "no-source", f"wiki:{row.page_key}", None, "a sentence names no passage")


def undefined(built: Built) -> Iterator[Finding]:
    """Yield a warning for each wiki page that does not say what its subject is."""
    for page in built.pages:
        if page.kind != "source" and not page.summary.strip():
            yield Finding(Level.WARNING, "defines-nothing", f"wiki:{page.key}", None, f"{page.title} has no definition")


def orphans(built: Built) -> Iterator[Finding]:
    """Yield an info for each article that no other links to; the first page of a folder is found by its folder."""
    linked = {row.target_id for row in built.links}
    for article in built.articles:
        if article.id not in linked and article.url and not _INDEX.search(article.path):
            yield Finding(Level.INFO, "orphan", article.path, None, "no page links here")


def without_pages(built: Built) -> Iterator[Finding]:
    """Yield an info for each article from which the wiki has nothing."""
    used = {source for row in built.contributions for source in row.sources}
    for article in built.articles:
        if article.id not in used:
            yield Finding(Level.INFO, "source-without-page", article.path, None, "the wiki has nothing of this page")


def stale(built: Built, documents: Sequence[Document]) -> Iterator[Finding]:
    """Yield a warning for each page whose text is not the one the build was made from."""
    now = {document.article.id: document for document in documents}
    then = {article.id: article for article in built.articles}
    for key, article in then.items():
        document = now.get(key)  # type: ignore[call-overload]
        if document is None:
            yield Finding(Level.WARNING, "stale", article.path, None, "the build still has this page; build again")
        elif document.text != article.text:
            yield Finding(Level.WARNING, "stale", article.path, None, "changed since the build; build again")
    for document in documents:
        if document.article.id not in then:
            yield Finding(Level.WARNING, "stale", document.article.path, None, "not in the build yet; build again")


def outdated(built: Built, used: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a warning for each page of which a model wrote with other prompts than those of today; none without one."""
    changed = ", ".join(name for name in sorted(used) if used[name] != now.get(name))
    for article in built.articles if changed else ():
        message = f"a model wrote of it with older prompts ({changed}); build again"
        yield Finding(Level.WARNING, "outdated", article.path, None, message)


def duplicates(built: Built) -> Iterator[Finding]:
    """Yield a warning for two articles that share nearly all lines, and for two subjects with one definition."""
    lines = [frozenset(line.strip() for line in article.text.split("\n") if line.strip()) for article in built.articles]
    for first, second in _near(lines):
        one, other = built.articles[first], built.articles[second]
        yield Finding(Level.WARNING, "near-duplicate", other.path, None, f"nearly the same text as {one.path}")
    defined: dict[str, PageRow] = {}
    for page in built.pages:
        if page.generated and page.kind != "source":
            first_page = defined.setdefault(normalise(page.summary), page)
            if first_page is not page:
                message = f"the same sentence defines {first_page.title}"
                yield Finding(Level.WARNING, "near-duplicate", f"wiki:{page.key}", None, message)


def _near(sets: Sequence[frozenset[str]]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of sets that are alike; only sets that share a rare element are compared."""
    holders: dict[str, list[int]] = defaultdict(list)
    for n, items in enumerate(sets):
        for item in items if len(items) >= FEWEST else ():
            holders[item].append(n)
    shared = Counter(pair for held in holders.values() if len(held) <= MANY for pair in combinations(held, 2))
    for (first, second), n in sorted(shared.items()):
        if n / len(sets[first] | sets[second]) >= ALIKE:
            yield first, second


def contradictions(built: Built) -> Iterator[Finding]:
    """Yield a warning for two articles that say the same of a subject with other numbers or dates."""
    titles = {article.id: article.title for article in built.articles}
    subjects: dict[str, list[ContributionRow]] = defaultdict(list)
    for row in built.contributions:
        if not row.page_key.startswith("source:"):
            subjects[row.page_key].append(row)
    for key, rows in sorted(subjects.items()):
        for one, other in combinations(rows, 2):
            for first, second in _disagreeing(one.text, other.text):
                message = f"{titles[one.article_id]}: {first} — {titles[other.article_id]}: {second}"
                yield Finding(Level.WARNING, "contradiction", f"wiki:{key}", None, message)


def _disagreeing(one: str, other: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences that differ in their numbers and hardly in their words."""
    for a, b in ((a, b) for a in _numbered(one) for b in _numbered(other)):
        mine, yours = _NUMBER.findall(a), _NUMBER.findall(b)
        if mine != yours and len(mine) == len(yours):
            words, others = (frozenset(tokenise(_NUMBER.sub(" ", text))) for text in (a, b))
            if len(words) > FEWEST and len(words & others) / len(words | others) >= ALIKE:
                yield a, b


def _numbered(text: str) -> list[str]:
    return [text[a:b] for a, b in sentences(text) if _NUMBER.search(text[a:b])]
