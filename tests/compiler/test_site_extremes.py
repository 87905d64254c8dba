"""Pages that are too much of something: backlinks, title, punctuation, direction. They stay pages."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from compiler.model import Backlink, Neighbour, Site, SitePage, Translation
from compiler.site.mkdocs import render
from tests.compiler.site_sample import sample_site

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~，。「」…—"
MANY = 5_000


def page(title: str, **more: object) -> SitePage:
    """Return an article at x/."""
    return dataclasses.replace(SitePage("x/", title, "<p>text</p>", "en", "article", article_id="x"), **more)  # type: ignore[arg-type]


def written(made: SitePage, out: Path) -> str:
    """Return the finished HTML of a page on a site of its own."""
    site: Site = dataclasses.replace(sample_site(lang="en"), pages=(made,), nav=(), redirects={})
    assert render(site, out) == ()
    return (out / "x" / "index.html").read_text("utf-8")


def test_five_thousand_backlinks_are_a_page(tmp_path: Path) -> None:
    """A page that everything links to lists some with their sentence, more by title, and names the number of the rest."""
    links = tuple(Backlink(f"Page {n}", f"p{n}/", f"See x in {n}.", "x") for n in range(MANY))
    html = written(page("x", backlinks=links), tmp_path)
    assert len(html) < 60_000
    assert " in 23.</p>" in html
    assert " in 24.</p>" not in html
    assert "5000 pages link here" in html
    assert "4976 more" in html
    assert "4776 more are not listed." in html


@pytest.mark.parametrize("title", [PUNCTUATION, "很长的标题" * 60, "<script>alert(1)</script>" * 12])
def test_any_title_stands_everywhere_as_text(title: str, tmp_path: Path) -> None:
    """Whatever a title is, in heading, head, related pages and switch it is text, and ends no element or attribute."""
    more = {"related": (Neighbour(title, "y/", (title,)),), "translations": (Translation("zh", title, "z/"),)}
    html = written(page(title, summary=title, **more), tmp_path)
    assert "<script>alert" not in html
    assert html.count("<script") == html.count("</script>")
    assert f'"{PUNCTUATION[:2]}' not in html


@pytest.mark.parametrize(("lang", "way"), [("ar", "rtl"), ("he", "rtl"), ("en", "ltr"), ("zh-TW", "ltr")])
def test_a_page_is_read_in_its_own_direction(lang: str, way: str, tmp_path: Path) -> None:
    """Arabic and Hebrew run from right to left, with the interface in English where there is no table."""
    html = written(page("x", lang=lang), tmp_path)
    assert f'<html lang="{lang}" dir="{way}"' in html
