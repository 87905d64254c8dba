"""Headings, anchors and links of the compiler equal those of the HTML, on every page of every real corpus.

The corpora are no part of the project. They lie in $GEOSMIN_SHARED, else in the folder `shared` beside the checkout;
without them these tests are skipped.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from compiler.cache import Cache
from compiler.model import Document
from compiler.pages import parse
from compiler.settings import load
from compiler.sources.articles import select
from compiler.sources.scan import scan
from compiler.sources.urls import attachment_urls

SHARED = Path(os.environ.get("GEOSMIN_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))
CORPORA = ("fastapi-docs-en-zh", "gitlab-handbook", "silverbullet-docs", "tidb-docs-cn")
VOID = {"img", "br", "hr", "input", "wbr", "col", "source"}


class Reader(HTMLParser):
    """The ids, the addresses and the headings at the top of a page's HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.headings: list[tuple[int, str]] = []
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element declares."""
        values = dict(attrs)
        if name := values.get("id"):
            self.ids.append(name)
            if self.depth == 0 and tag[0] == "h" and tag[1:].isdigit():
                self.headings.append((int(tag[1]), name))
        if tag == "a" and (href := values.get("href")):
            self.addresses.append(href)
        self.depth += tag not in VOID

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        self.depth -= tag not in VOID


def documents(corpus: str) -> tuple[Document, ...]:
    """Return every page of a corpus, all public."""
    settings = load(
        SHARED / "corpora" / corpus,
        Path("out"),
        Path("state"),
        overrides=["sharing.default=public", "embed.model=none"],
    )
    found = scan(settings.content, settings.limits)
    articles = select(found.files, settings, datetime.now(UTC), days={}).articles
    return parse(articles, attachment_urls(found.others), Cache(None), lambda _done, _all: None).documents


def faults(corpus: str) -> list[str]:
    """Return where a corpus's HTML disagrees with what the compiler knows of it."""
    pages = {d.article.url: d for d in documents(corpus)}
    read: dict[str, Reader] = {}
    for url, document in pages.items():
        read[url] = Reader()
        read[url].feed(document.html)
    return [fault for url in pages for fault in _faults(url, pages, read)] or ([] if pages else ["no page"])


def _faults(url: str, pages: dict[str, Document], read: dict[str, Reader]) -> Iterator[str]:
    document, html = pages[url], read[url]
    known = {h.anchor for h in document.headings}
    shown = [(level, anchor) for level, anchor in html.headings if anchor in known]
    if shown != [(h.level, h.anchor) for h in document.headings]:
        yield f"{url}: headings"
    if len(html.ids) != len(set(html.ids)):
        yield f"{url}: an id twice"
    inside: set[tuple[str, str]] = set()
    for address in html.addresses:
        if ":" in address.split("/", 1)[0] or address.startswith(("//", "#fn")):
            continue
        path, _, anchor = address.partition("#")
        target = posixpath.normpath(posixpath.join("/" + url, unquote(path)))[1:] if path else url
        target += "/" if path and target and not target.startswith("files/") else ""
        if not target.startswith("files/"):
            inside.add((target, unquote(anchor)))
    for target, anchor in inside:
        if target not in pages or (anchor and anchor not in read[target].ids):
            yield f"{url}: leads to {target}#{anchor}"
    urls = {d.article.id: d.article.url for d in pages.values()}
    wanted = {(urls[link.target], str(link.target_anchor)) for link in document.links if link.target}
    if not wanted <= inside:
        yield f"{url}: links {sorted(wanted - inside)[:3]}"


@pytest.mark.corpus
def test_the_html_of_every_page_agrees_with_its_structure() -> None:
    """Every heading, anchor and link of the compiler is on the page, and every address of the page leads somewhere."""
    present = [name for name in CORPORA if (SHARED / "corpora" / name).is_dir()]
    if not present:
        pytest.skip("no corpus is here: set GEOSMIN_SHARED to the folder that holds corpora/")
    with ProcessPoolExecutor(2) as pool:
        assert [fault for found in pool.map(faults, reversed(present)) for fault in found] == []
