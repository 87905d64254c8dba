"""The parser, case by case. A writer edits tests/golden/parse/*.md: title . input . headings . HTML."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compiler.model import Article, ArticleId, SourcePath
from compiler.parse.document import publish
from compiler.parse.links import Resolver, Target
from compiler.parse.structure import read_structure
from compiler.sources.urls import article_id, url_of

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "parse"


def cases() -> list[tuple[str, str, str, str]]:
    """Return (title, input, headings, html) of every case."""
    out = []
    for path in sorted(GOLDEN.glob("*.md")):
        parts = re.split(r"^\.\n", path.read_text("utf-8"), flags=re.MULTILINE)
        out += [tuple(part.strip("\n") for part in parts[i : i + 4]) for i in range(0, len(parts) - 3, 4)]
    return out


def article(path: str, body: str) -> Article:
    """Return a public article at a path."""
    url = url_of(SourcePath(path))
    return Article(
        ArticleId(article_id(SourcePath(url))), SourcePath(path), SourcePath(path), url, path, "zh", "", "article",
        (), (), (), None, None, None, body, 1,
    )  # fmt: skip


@pytest.mark.parametrize(("title", "source", "headings", "html"), cases(), ids=lambda v: v if len(v) < 60 else "…")
def test_golden(title: str, source: str, headings: str, html: str) -> None:
    """Headings and HTML of a page are what the case says."""
    page, other = article("甲.md", source + "\n"), article("b/乙.md", "## 安装\n")
    structures = {a.source: read_structure(a.body) for a in (page, other)}
    resolver = Resolver({a.source: Target(a, structures[a.source].headings) for a in (page, other)}, {})
    found = [resolver.resolve(page.source, link) for link in structures[page.source].links]
    document = publish(page, structures[page.source], found)
    listed = "; ".join(f"{h.level} {h.title} #{h.anchor}" for h in document.headings)
    assert f"headings: {listed}".strip() == headings.strip(), title
    assert document.html.strip() == html, title


def test_the_published_text_keeps_every_line() -> None:
    """Resolving links changes no line's number, so a problem can name it."""
    source = "# 甲\n\n见[[乙|b]]\n和[x](nope.md)\n\n```\n[[乙]]\n```\n[ref]: nope.md\n"
    page, other = article("甲.md", source), article("乙.md", "文")
    structure = read_structure(source)
    resolver = Resolver({a.source: Target(a, ()) for a in (page, other)}, {})
    document = publish(page, structure, [resolver.resolve(page.source, link) for link in structure.links])
    assert document.text == "# 甲\n\n见[b](/%E4%B9%99/)\n和x\n\n```\n[[乙]]\n```\n\n"
