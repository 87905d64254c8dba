"""The wiki of the sample site: subjects in both languages, with and without a model's words, made by the site's own room."""

from __future__ import annotations

from compiler.cache import Cache
from compiler.enrich.protocol import Digest, Statement
from compiler.model import SitePage
from compiler.site.wiki import Lexicon, wiki_pages
from compiler.wiki.compile import Wiki
from compiler.wiki.entries import Contribution, Entry, Related
from query_fn.contract import ArticleRow


def _said(text: str, article: str, anchor: str = "", *, written: bool = False) -> Statement:
    return Statement(text, f"{article}.0", anchor, 1.0, written)


def _entry(key: str, title: str, lang: str, said: tuple[Contribution, ...], related: tuple[Related, ...]) -> Entry:
    first = said[0].statements[0]
    forms = (title.casefold(),)
    return Entry(key, title, "concept", lang, f"wiki/{key}/", (), forms, first, said, (2,), related, (said[0].page,))


SMELL = _said("geosmin 是一种由土壤里的放线菌合成的小分子。", "garden-smell", "谁在制造它")
MORE = _said("geosmin 的气味在浓度低到 5 ng/L 时也能闻到。", "garden-soil", written=True)
GAUGE = _said("A rain gauge is an instrument that tells how much rain fell.", "notes-rain", "where-to-put-the-gauge")
BESIDE = _said("雨量计旁边常常最先闻到 geosmin。", "garden-smell")
ENTRIES = (
    _entry(
        "geosmin",
        "geosmin",
        "zh",
        (Contribution(0, (SMELL,)), Contribution(1, (MORE,))),
        (Related("part-of", "rain-gauge", 0, BESIDE),),
    ),
    _entry("rain-gauge", "rain gauge", "en", (Contribution(2, (GAUGE,)),), ()),
)


def wiki(articles: tuple[SitePage, ...], *, lang: str) -> tuple[SitePage, ...]:
    """Return the pages of two subjects and the directory."""
    rows = tuple(article_row(n, page) for n, page in enumerate(articles[:3]))
    made = Wiki(ENTRIES, tuple(Digest("", ()) for _ in rows))
    return wiki_pages(Lexicon.of(made, rows), {}, Cache(None), lang=lang)


def article_row(n: int, page: SitePage) -> ArticleRow:
    """Return the row of one of the sample's articles."""
    return ArticleRow(
        n=n,
        id=page.article_id,
        path=f"{page.url.strip('/')}.md",
        url=page.url,
        title=page.title,
        lang=page.lang,
        summary=page.summary,
        kind="article",
        folder=page.url.strip("/").rpartition("/")[0],
        tags=(),
        aliases=(),
        created=None,
        updated=page.updated,
        text="",
        not_after=None,
        sources=(page.article_id,),
    )
