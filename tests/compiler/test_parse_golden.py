"""The parser, case by case. A writer edits tests/golden/parse/*.md: title . input . facts . HTML.

The facts are the headings, and where there are any: other ids, warnings (with the line), and the published text when
it differs from the input. ``pytest tests/compiler/test_parse_golden.py --refresh-golden`` writes what the parser does now.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from compiler.chunk import chunk, tiles
from compiler.model import Article, ArticleId, Document, SourcePath
from compiler.parse.comments import strip_comments
from compiler.parse.document import publish
from compiler.parse.embeds import Library
from compiler.parse.links import RawLink, Resolution, Resolver, Target
from compiler.parse.structure import Structure, read_structure
from compiler.settings import ChunkSettings
from compiler.sources.urls import article_id, url_of

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "parse"
OTHERS = {
    "b/乙.md": "第一段。 ^p1\n\n## 安装\n\n装好它，见[[甲]]。\n\n### 细节\n\n- 一项 ^li\n\n## 后记\n\n完。\n",
    "c/环.md": "一圈：\n\n![[甲]]\n\n![[乙#^p1]]\n",
    "c/注.md": "有注[^1]。\n\n[^1]: 注文\n",
    "c/Mixed.md": "混合\n",
}
FILES = {SourcePath("图.png"): "files/图.png"}


def cases() -> list[tuple[str, int]]:
    """Return the file and number of every case."""
    return [(path.name, n) for path in sorted(GOLDEN.glob("*.md")) for n in range(len(_read(path)))]


def _read(path: Path) -> list[list[str]]:
    """Return title, input, facts and HTML of every case of a file."""
    parts = re.split(r"^\.\n", path.read_text("utf-8"), flags=re.MULTILINE)
    return [[part.strip("\n") for part in parts[i : i + 4]] for i in range(0, len(parts) - 3, 4)]


def article(path: str, body: str) -> Article:
    """Return a public article at a path."""
    url = url_of(SourcePath(path))
    aliases = ("第三页",) if path == "c/Mixed.md" else ()
    return Article(
        ArticleId(article_id(SourcePath(url))), SourcePath(path), SourcePath(path), url, path, "zh", "", "article",
        (), aliases, (), None, None, None, body, 1,
    )  # fmt: skip


def parsed(source: str) -> tuple[Document, Structure, Sequence[tuple[RawLink, Resolution]]]:
    """Return the page 甲.md with a body, its structure, and its links with what they lead to."""
    bodies = {"甲.md": strip_comments(source + "\n"), **OTHERS}
    pages = [article(path, body) for path, body in bodies.items()]
    structures = [read_structure(page.body) for page in pages]
    targets = {p.source: Target(p, s.headings, s.ids) for p, s in zip(pages, structures, strict=True)}
    resolver = Resolver(targets, FILES)
    found = [
        tuple(resolver.resolve(p.source, link) for link in s.links) for p, s in zip(pages, structures, strict=True)
    ]
    library = Library({p.id: (p, f) for p, f in zip(pages, found, strict=True)})
    document = publish(pages[0], structures[0], found[0], library)
    return document, structures[0], list(zip(structures[0].links, found[0], strict=True))


def facts(source: str) -> tuple[str, str]:
    """Return what a case says of a page beside its HTML, and the HTML."""
    document, structure, links = parsed(source)
    lines = ["headings: " + "; ".join(f"{h.level} {h.title} #{h.anchor}" for h in document.headings)]
    lines += [f"ids: {' '.join(structure.ids)}"] if structure.ids else []
    lines += [f"missing: {link.raw} {r.note}" for link, r in links if r.status == "missing"]
    lines += [f"unsure: {link.raw}: {r.note}" for link, r in links if r.status != "missing" and r.note]
    lines += [f"warning: line {note.line + 1}: {note.message}" for note in structure.notes]
    text = document.text.removesuffix("\n")
    lines += [f"text: {text.replace(chr(10), '⏎')}"] if text != source else []
    return "\n".join(line.strip() for line in lines), document.html.strip("\n")


@pytest.fixture(scope="session", autouse=True)
def _refresh(pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("--refresh-golden"):
        for path in GOLDEN.glob("*.md"):
            done = ["\n.\n".join([case[0], case[1], *facts(case[1]), ""]) for case in _read(path)]
            path.write_text("\n".join(done), encoding="utf-8")


@pytest.mark.parametrize(("name", "number"), cases())
def test_golden(name: str, number: int) -> None:
    """Headings, warnings, published text and HTML of a page are what the case says."""
    title, source, said, html = _read(GOLDEN / name)[number]
    assert facts(source) == (said, html), title


def test_the_published_text_keeps_every_line() -> None:
    """Resolving links changes no line's number, so a problem can name it."""
    source = "# 甲\n\n见[[乙|b]]\n和[x](nope.md)\n\n```\n[[乙]]\n```\n[ref]: nope.md"
    assert parsed(source)[0].text == "# 甲\n\n见[b](/b/%E4%B9%99/)\n和x\n\n```\n[[乙]]\n```\n\n"


@pytest.mark.parametrize(("name", "number"), cases())
def test_the_chunks_of_every_case_tile_its_text(name: str, number: int) -> None:
    """Nothing of a page is lost or doubled between its chunks, and its sections cover it."""
    document = parsed(_read(GOLDEN / name)[number][1])[0]
    rows = chunk(document, ChunkSettings(), 0)
    assert tiles(rows, len(document.text)) or not document.text.strip()
    assert (document.sections[0].start, document.sections[-1].end) == (0, len(document.text))


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.glob("*.md")))
def test_no_page_asks_for_what_its_policy_refuses(name: str) -> None:
    """No element has a style or a handler of its own: the pages' content security policy allows neither."""
    asked = re.compile(r"<[^<>]*\s(?:style|on[a-z]+)=", re.IGNORECASE)
    assert [case[0] for case in _read(GOLDEN / name) if asked.search(parsed(case[1])[0].html)] == []
