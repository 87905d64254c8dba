"""The written site: same bytes, working links under a base path, nothing inline, nothing from outside."""

from __future__ import annotations

import dataclasses
import hashlib
import logging
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from compiler.errors import BuildError
from compiler.model import Attachment, Backlink, Crumb, NavNode, SitePage, SourcePath, TocEntry
from compiler.site.mkdocs import render
from tests.compiler.site_sample import sample_site

BASE = "/repo/"
EVIL = "<script>alert(1)</script>\"'&"


class Tags(HTMLParser):
    """Every start tag of a page, with its attributes and the text of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.inline: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the tag."""
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        """Keep what stands directly inside a script or a style."""
        tag, attrs = self.tags[-1] if self.tags else ("", {})
        runs = tag == "style" or (tag == "script" and attrs.get("type") != "application/ld+json")
        if runs and self.lasttag == tag and data.strip():
            self.inline.append(data)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample in Chinese under /repo/."""
    out = tmp_path_factory.mktemp("site")
    assert render(sample_site(base_path=BASE), out) == ()
    return out


def pages(site: Path) -> dict[str, Tags]:
    """Return all HTML pages by their path below the site."""
    return {path.relative_to(site).as_posix(): Tags(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}


def digests(site: Path) -> dict[str, str]:
    """Return the SHA-256 of every file."""
    files = (path for path in site.rglob("*") if path.is_file())
    return {path.relative_to(site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_same_site_is_the_same_bytes(site: Path, tmp_path: Path) -> None:
    """Rendering again, into a folder that already holds something, writes byte-identical files and nothing else."""
    (tmp_path / "stale.html").write_text("old", "utf-8")
    render(sample_site(base_path=BASE), tmp_path)
    assert digests(tmp_path) == digests(site)


def test_every_link_leads_somewhere(site: Path) -> None:
    """Every href and src inside the site resolves, under the base path, to a file that was written."""
    ours = {"llms.txt", "index.md"}  # written by the build from texts that the site does not have
    for page, tags in pages(site).items():
        here = urljoin(f"https://h{BASE}", page)
        for tag, attrs in tags.tags:
            link = attrs.get("href") or attrs.get("src") or ""
            parts = urlsplit(urljoin(here, link))
            if not link or parts.netloc != "h" or Path(parts.path).name in ours:
                continue
            path = unquote(parts.path)
            assert path.startswith(BASE), (page, tag, link)
            target = site / path.removeprefix(BASE)
            assert target.is_file() or (target / "index.html").is_file(), (page, tag, link)


def test_every_fragment_has_its_target(site: Path) -> None:
    """A link to a heading of the same page finds an element with that id."""
    for page, tags in pages(site).items():
        ids = {attrs["id"] for _, attrs in tags.tags if "id" in attrs}
        for _, attrs in tags.tags:
            if attrs.get("href", "").startswith("#"):
                assert unquote(attrs["href"][1:]) in ids, (page, attrs["href"])


def test_nothing_runs_or_is_styled_inline(site: Path) -> None:
    """No inline script, style element, style attribute or event handler: `script-src 'self'` holds."""
    for page, tags in pages(site).items():
        assert tags.inline == [], page
        for tag, attrs in tags.tags:
            assert tag != "style"
            assert not [name for name in attrs if name == "style" or name.startswith("on")], (page, tag, attrs)


def test_nothing_is_loaded_from_outside(site: Path) -> None:
    """Scripts, styles, images and icons are the site's own; the stylesheet loads nothing but data."""
    for page, tags in pages(site).items():
        for tag, attrs in tags.tags:
            loaded = attrs.get("src") or (
                attrs.get("href") if tag == "link" and attrs["rel"] in ("stylesheet", "icon") else ""
            )
            assert not urlsplit(loaded or "").netloc, (page, tag, attrs)
    (css,) = site.glob("assets/*/assets/geosmin.css")
    assert "@import" not in css.read_text("utf-8")
    assert "url(http" not in css.read_text("utf-8").replace('"', "")


def test_theme_scripts_stay_out(site: Path) -> None:
    """Nothing of Material's but its stylesheet's rules is in the site."""
    assert [path for path in digests(site) if "bundle" in path or "lunr" in path or "javascripts" in path] == []


@pytest.mark.parametrize(
    ("path", "lang"), [("garden/smell/", "zh"), ("notes/rain/", "en"), ("", "zh"), ("articles/", "zh")]
)
def test_a_page_says_its_language(site: Path, path: str, lang: str) -> None:
    """`<html lang>` is the page's own language, not the site's."""
    assert Tags((site / path / "index.html").read_text("utf-8")).tags[0] == (
        "html",
        {"lang": lang, "dir": "ltr", "class": "no-js"},
    )


def test_the_interface_speaks_the_language_of_the_page(site: Path) -> None:
    """An English page of a Chinese site has English words around its text, and the other way round."""
    assert "Questions this page answers" in (site / "notes/rain/index.html").read_text("utf-8")
    assert "这一页能回答的问题" in (site / "garden/smell/index.html").read_text("utf-8")


def test_a_page_has_one_h1(site: Path) -> None:
    """The title stands once, whether the body brought it or not."""
    counts = {
        page: sum(tag == "h1" for tag, _ in tags.tags)
        for page, tags in pages(site).items()
        if not page.startswith("old/")
    }
    assert set(counts.values()) == {1}


def test_the_lost_page_has_absolute_links(site: Path) -> None:
    """404.html may be shown at any depth, so its links start with the base path."""
    text = (site / "404.html").read_text("utf-8")
    assert f'href="{BASE}articles/"' in text
    assert 'href="../' not in text and 'href="./' not in text


def test_the_sitemap_has_no_build_date(site: Path) -> None:
    """Dates are the pages' own, or the build's stamp for pages without one."""
    text = (site / "sitemap.xml").read_text("utf-8")
    assert "<loc>https://rain.example/repo/garden/smell/</loc>" in text
    assert "2026-11-21" in text
    assert time.strftime("%Y") == "2026" or time.strftime("%Y-%m-%d") not in text


def test_a_redirect_is_escaped_and_relative(tmp_path: Path) -> None:
    """An old address is a page with a canonical link and a refresh to the new one, with quotes escaped."""
    site = dataclasses.replace(sample_site(base_path=BASE), redirects={'old/"quote"/': "garden/smell/"})
    render(site, tmp_path)
    text = (tmp_path / 'old/"quote"/index.html').read_text("utf-8")
    assert '<link rel="canonical" href="https://rain.example/repo/garden/smell/">' in text
    assert 'content="0; url=../../garden/smell/"' in text


def test_every_plain_value_is_escaped(tmp_path: Path) -> None:
    """Titles, summaries, tags, crumbs, questions, sentences and folder names never become markup."""
    link = Crumb(EVIL, "a/")
    page = SitePage(
        url="a/",
        title=EVIL,
        html="<p>x</p>",
        lang="en",
        kind="article",
        summary=EVIL,
        toc=(TocEntry(EVIL, EVIL, 2),),
        crumbs=(link,),
        tags=(link,),
        updated=EVIL,
        questions=(EVIL,),
        backlinks=(Backlink(EVIL, "a/", f"x {EVIL} y", EVIL),),
        related=(link,),
        previous=link,
        next=link,
        article_id="a",
    )
    site = sample_site()
    site = dataclasses.replace(
        site, title=EVIL, description=EVIL, pages=(page,), nav=(NavNode(EVIL, "a/"),), redirects={}
    )
    render(site, tmp_path)
    for name in ("a/index.html", "404.html"):
        text = (tmp_path / name).read_text("utf-8")
        assert "<script>alert" not in text, name
        assert not [a for _, a in Tags(text).tags if "alert(1)" in a], name


def test_a_table_keeps_its_alignment_without_style(site: Path) -> None:
    """The parser's style attribute on a cell becomes a class."""
    assert '<td class="g-right">11.2</td>' in (site / "garden/smell/index.html").read_text("utf-8")


@pytest.mark.parametrize("url", ["../x/", "/x/", "a//b/", "a/./b/", "%2e%2e/x/", "a\\b/"])
def test_a_path_that_leaves_the_site_is_refused(tmp_path: Path, url: str) -> None:
    """A URL that climbs, is absolute or has an empty segment writes nothing and names itself."""
    page = SitePage(url=url, title="x", html="", lang="en", kind="article")
    with pytest.raises(BuildError, match="not a path inside the site"):
        render(dataclasses.replace(sample_site(), pages=(page,)), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_two_things_for_one_path_are_refused(tmp_path: Path) -> None:
    """Two pages at one URL are an error; nothing is overwritten."""
    page = SitePage(url="garden/smell/", title="x", html="", lang="en", kind="article")
    site = sample_site()
    with pytest.raises(BuildError, match=r"both want the file garden/smell/index\.html"):
        render(dataclasses.replace(site, pages=(*site.pages, page)), tmp_path / "out")


def test_attachments_are_copied(tmp_path: Path) -> None:
    """An attachment lands at its URL with its bytes."""
    item = Attachment(SourcePath("图.png"), b"\x89PNG", "garden/图.png", "")
    render(dataclasses.replace(sample_site(), attachments=(item,)), tmp_path / "out")
    assert (tmp_path / "out/garden/图.png").read_bytes() == b"\x89PNG"


def test_logging_is_left_as_it_was(tmp_path: Path) -> None:
    """The run leaves MkDocs' logger with the handlers it had before."""
    logger = logging.getLogger("mkdocs")
    before = (list(logger.handlers), logger.propagate)
    render(sample_site(), tmp_path)
    assert (logger.handlers, logger.propagate) == before


def test_progress_counts_to_the_end(tmp_path: Path) -> None:
    """The callback is told of every page."""
    seen: list[tuple[int, int]] = []
    site = sample_site()
    render(site, tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (len(site.pages), len(site.pages))


def test_an_empty_site_is_a_site(tmp_path: Path) -> None:
    """With nothing published there is still a home page that says so."""
    from compiler.site import pages as made

    site = sample_site()
    empty = (made.home((), title="x", lang="zh"), made.article_index((), {}, lang="zh"))
    render(dataclasses.replace(site, pages=empty, nav=(), redirects={}), tmp_path)
    assert "还没有发布任何内容" in (tmp_path / "index.html").read_text("utf-8")


def big_site(count: int) -> tuple[SitePage, ...]:
    """Return `count` long articles in folders of forty."""
    body = "".join(f"<h2 id='h{i}'>第 {i} 节</h2><p>{'雨水落在干土上，气味就起来了。' * 40}</p>" for i in range(12))
    toc = tuple(TocEntry(f"第 {i} 节", f"h{i}", 2) for i in range(12))
    made = (f"folder-{n // 40}/page-{n}/" for n in range(count))
    return tuple(SitePage(url=url, title=f"页 {url}", html=body, lang="zh", kind="article", toc=toc) for url in made)


@pytest.mark.slow
def test_eight_hundred_pages_take_seconds(tmp_path: Path) -> None:
    """800 pages of some 8,000 characters are written in well under 30 seconds."""
    articles = big_site(800)
    folders = [
        NavNode(f"F{n}", "", tuple(NavNode(p.title, p.url) for p in articles[n * 40 : n * 40 + 40])) for n in range(20)
    ]
    site = dataclasses.replace(sample_site(), pages=articles, nav=tuple(folders), redirects={})
    start = time.perf_counter()
    render(site, tmp_path)
    assert time.perf_counter() - start < 15
