"""What an author should know about the links of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiler.model import Article, Problem, Severity
from compiler.parse.links import RawLink, Resolution


def link_problems(
    article: Article, links: Sequence[RawLink], found: Sequence[Resolution], *, public: bool = True
) -> Iterator[Problem]:
    """Yield a warning for each link that leads nowhere, is ambiguous, or names a heading that is not there.

    `public` says whether the page is, so that a redacted log may name it.
    """
    for link, resolution in zip(links, found, strict=True):
        line, name = article.body_line + link.line, link.raw or link.target
        if resolution.status == "missing":
            message = f"link to nowhere: {name}"
            yield Problem(Severity.WARNING, "link-missing", article.source, line, message, resolution.note, public)
        elif resolution.note:
            message = f"{name}: {resolution.note}"
            yield Problem(Severity.WARNING, "link-unsure", article.source, line, message, "", public)
