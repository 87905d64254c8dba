"""Documents and rows become a Site: every page the reader can open, and the tree between them."""

from __future__ import annotations

import dataclasses
import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote

from compiler.cache import Cache
from compiler.model import Attachment, Backlink, Crumb, Document, Heading, NavNode, Site, SitePage, TocEntry
from compiler.settings import Settings
from compiler.site import languages, nav, pages, wiki
from compiler.site.graph import GRAPH_DATA, GRAPH_URL, Graph, graph_page
from compiler.site.listing import Listing
from compiler.site.outline import outline_page
from compiler.site.related import related
from compiler.wiki.compile import Wiki
from compiler.wiki.entries import WIKI_URL
from query_fn.contract import ArticleRow, NodeRow, QuestionRow

LISTS = ("index", "tags", "wiki", "outline")  # kinds of page that list everything
STARTERS = 4  # questions offered on the home page
QUESTIONS = 6  # questions shown on an article


@dataclasses.dataclass(frozen=True, slots=True)
class Parts:
    """What the earlier stages derived, by article id where it belongs to one."""

    documents: Sequence[Document]
    articles: Sequence[ArticleRow]
    questions: Mapping[str, Sequence[QuestionRow]]
    backlinks: Mapping[str, Sequence[Backlink]]
    attachments: Sequence[Attachment]
    minutes: Mapping[str, int]
    wiki: Wiki = Wiki()  # noqa: RUF009 - frozen
    nodes: Mapping[str, Sequence[NodeRow]] = dataclasses.field(default_factory=dict)


def assemble(parts: Parts, settings: Settings, cache: Cache, *, build_id: str, stamp: int) -> Site:
    """Return the whole site as values; nothing is written here."""
    lang = settings.site.lang or dominant_language(parts.articles)
    listings = [_listing(row) for row in parts.articles]
    folders = folder_titles(parts.articles)
    tree = nav.build(listings, folders)
    order = _reading_order(tree)
    folder_urls = {row.folder: pages.folder_url(row.folder) for row in parts.articles} | _folder_urls(parts.articles)
    trails = {row.folder: _trail(row.folder, folders, folder_urls) for row in parts.articles}
    made = [
        _article_page(d, row, parts, crumbs=_crumbs(row, trails[row.folder]), around=order.get(row.url, (None, None)))
        for d, row in zip(parts.documents, parts.articles, strict=True)
    ]
    made = _editable(made, parts.documents, settings.site.edit_url)
    lexicon = wiki.Lexicon.of(parts.wiki, parts.articles)
    graph = Graph.of(parts.articles, parts.documents, parts.wiki.entries)
    made = list(_with_neighbours(wiki.with_wiki(made, lexicon, parts.wiki), parts, graph))
    subjects = wiki.wiki_pages(lexicon, folders, cache, lang=lang)
    first = next((p for p in made if p.url == ""), None)
    starters = _starters(parts, lang)
    home = pages.home(
        [x for x in listings if x.url],
        title=settings.site.title,
        lang=lang,
        ways=({"wiki": WIKI_URL} if subjects else {}) | ({"graph": GRAPH_URL} if graph.edges else {}),
        starters=starters,
        intro=first,
    )
    home = dataclasses.replace(
        home,
        summary=settings.site.description,
        article_id=first.article_id if first else "",
        backlinks=first.backlinks if first else (),
    )
    drawn, drawing = graph_page(graph, cache, lang=lang)
    sections = {row.url: parts.nodes.get(row.id, ()) for row in parts.articles}
    whole, shards = outline_page(tree, listings, sections, lang=lang)
    lists = (pages.article_index(listings, folders, lang=lang), *_tags(listings, lang), drawn, whole)
    lists += (
        pages.search_page([p for p in (*lists, *subjects) if p.kind in LISTS], lang=lang),
        pages.unlock_page(lang=lang),
    )
    urls = {p.url for p in (*made, *subjects, *lists)}
    return Site(
        title=settings.site.title,
        description=settings.site.description,
        lang=lang,
        base_path=settings.site.base_path,
        site_url=settings.site.url,
        ask_endpoint=settings.ask.endpoint,
        build_id=build_id,
        stamp=stamp,
        pages=(home, *(p for p in made if p.url), *subjects, *lists),
        nav=tree,
        attachments=tuple(parts.attachments),
        redirects={old: new for old, new in _redirects(parts.documents).items() if old not in urls},
        repository_url=settings.site.repository_url,
        data={GRAPH_DATA: drawing, **shards},
        theme=settings.theme,
    )


def _with_neighbours(made: Iterable[SitePage], parts: Parts, graph: Graph) -> Iterator[SitePage]:
    """Yield article pages with what they are linked with, what is about the same things, and other languages."""
    pairs = {row.id: document.article.pair for row, document in zip(parts.articles, parts.documents, strict=True)}
    others, near = languages.translations(parts.articles, pairs), related(parts.articles, parts.documents, parts.wiki)
    for n, page in enumerate(made):
        key = page.article_id
        around = graph.local(n)
        yield dataclasses.replace(page, local=around, related=near.get(key, ()), translations=others.get(key, ()))


def _editable(made: list[SitePage], documents: Sequence[Document], edit_url: str) -> list[SitePage]:
    """Return article pages with the address of their file, where there is one; a hidden folder is in no address."""
    if not edit_url:
        return made
    places = (d.article.path if d.article.path == d.article.source else "" for d in documents)
    addresses = (edit_url.rstrip("/") + "/" + quote(place) if place else "" for place in places)
    return [dataclasses.replace(page, edit=address) for page, address in zip(made, addresses, strict=True)]


def dominant_language(articles: Sequence[ArticleRow]) -> str:
    """Return the language most articles are in; English when there are none."""
    counts = Counter(row.lang for row in articles)
    return min(counts, key=lambda lang: (-counts[lang], lang)) if counts else "en"


def folder_titles(articles: Sequence[ArticleRow]) -> dict[str, str]:
    """Return the title of each folder: that of its index page, else nothing (the folder's name stands)."""
    return {row.folder: row.title for row in articles if row.folder and _is_index(row)}


def toc(headings: Sequence[Heading]) -> tuple[TocEntry, ...]:
    """Return a page's headings as a tree; the page's own title (a first, only h1) is left out."""
    rest = list(headings)
    if rest and rest[0].level == 1 and sum(h.level == 1 for h in rest) == 1:
        rest = rest[1:]
    return _nest(rest)


def _nest(headings: Sequence[Heading]) -> tuple[TocEntry, ...]:
    out: list[TocEntry] = []
    at = 0
    while at < len(headings):
        top = headings[at]
        end = next((i for i in range(at + 1, len(headings)) if headings[i].level <= top.level), len(headings))
        out.append(TocEntry(top.title, top.anchor, top.level, _nest(headings[at + 1 : end])))
        at = end
    return tuple(out)


def _article_page(
    document: Document,
    row: ArticleRow,
    parts: Parts,
    *,
    crumbs: tuple[Crumb, ...],
    around: tuple[Crumb | None, Crumb | None],
) -> SitePage:
    asked = [q.text for q in parts.questions.get(row.id, ())]
    return SitePage(
        url=row.url,
        title=row.title,
        html=document.html,
        lang=row.lang,
        kind="article",
        summary=row.summary,
        toc=toc(document.headings),
        crumbs=crumbs,
        tags=tuple(Crumb(tag, pages.tag_url(tag)) for tag in row.tags),
        created=row.created,
        updated=row.updated,
        reading_minutes=parts.minutes[row.id],
        questions=tuple(_spread(asked, QUESTIONS)),
        backlinks=tuple(parts.backlinks.get(row.id, ())),
        previous=around[0],
        next=around[1],
        article_id=row.id,
    )


def _spread(items: Sequence[str], count: int) -> list[str]:
    """Return up to `count` items taken evenly over the whole list, distinct."""
    unique = list(dict.fromkeys(items))
    step = max(1, len(unique) // count)
    return unique[::step][:count]


def _folder_urls(articles: Sequence[ArticleRow]) -> dict[str, str]:
    return {row.folder: row.url for row in articles if row.folder and _is_index(row)}


def _trail(folder: str, titles: Mapping[str, str], urls: Mapping[str, str]) -> tuple[Crumb, ...]:
    parts = folder.split("/") if folder else []
    paths = ["/".join(parts[: i + 1]) for i in range(len(parts))]
    return tuple(Crumb(titles.get(path, path.rpartition("/")[2]), urls.get(path, "")) for path in paths)


def _crumbs(row: ArticleRow, trail: tuple[Crumb, ...]) -> tuple[Crumb, ...]:
    return trail[:-1] if trail and _is_index(row) else trail


def _is_index(row: ArticleRow) -> bool:
    name = posixpath.basename(row.path).rsplit(".", 1)[0].casefold()
    return name in ("index", "_index", "readme")


def _listing(row: ArticleRow) -> Listing:
    return Listing(row.url, row.title, row.lang, row.folder, row.summary, row.tags, row.updated)


def _tags(listings: Sequence[Listing], lang: str) -> tuple[SitePage, ...]:
    tagged = pages.tag_pages(listings, lang=lang)
    return (pages.tags_index(listings, lang=lang), *tagged) if tagged else ()


def _reading_order(tree: Sequence[NavNode]) -> dict[str, tuple[Crumb | None, Crumb | None]]:
    flat: list[Crumb] = []

    def visit(nodes: Sequence[NavNode]) -> None:
        for node in nodes:
            if node.url:
                flat.append(Crumb(node.title, node.url))
            visit(node.children)

    visit(tree)
    around = [None, *flat, None]
    return {c.url: (around[i], around[i + 2]) for i, c in enumerate(flat)}


def _starters(parts: Parts, lang: str) -> tuple[str, ...]:
    """Return a few questions in the site's language, from the pages that most others link to, one of each.

    One that an author wrote as a heading says what it means without its page; a made one often does not.
    """
    ranked = sorted(parts.articles, key=lambda row: (row.lang != lang, -len(parts.backlinks.get(row.id, ())), row.n))
    found: dict[str, bool] = {}
    for row in ranked:
        written = {_bare(node.title) for node in parts.nodes.get(row.id, ())}
        own = [q.text for q in parts.questions.get(row.id, ()) if q.lang == lang and "“" not in q.text]
        for text in sorted(own, key=lambda text: _bare(text) not in written)[:1]:
            found.setdefault(text, _bare(text) in written)
    return tuple(sorted(found, key=lambda text: not found[text]))[:STARTERS]


def _bare(question: str) -> str:
    return question.rstrip("?？ ")


def _redirects(documents: Sequence[Document]) -> dict[str, str]:
    found: dict[str, str] = defaultdict(str)
    for document in documents:
        for old in document.article.redirects:
            place = old.strip("/") + "/"
            if place != "/" and ".." not in place.split("/") and "//" not in place:
                found.setdefault(place, document.article.url)
    return dict(found)
