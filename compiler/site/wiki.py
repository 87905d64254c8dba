"""The wiki on the site: a page for each subject, the directory, and what articles show of it. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape

from compiler.cache import Cache, Kind, digest_of
from compiler.enrich.mentions import Finder
from compiler.model import Backlink, Crumb, SitePage, TocEntry, Voice
from compiler.site.listing import relative
from compiler.site.words import fill, words
from compiler.version import template_version
from compiler.wiki.compile import Wiki
from compiler.wiki.directory import directory, titled
from compiler.wiki.entries import WIKI_URL, Contribution, Entry
from compiler.wiki.merge import joined
from query_fn.contract import ArticleRow

BACK = 12  # pages listed under "what links here"
LONG_READ = 4  # minutes from which an article is given its key points above the text
TERMS = 16  # subjects listed on an article
_BODY = Kind("subject", str)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The entries, and what is needed to link every word that has a page to it."""

    entries: Mapping[str, Entry]
    articles: Sequence[ArticleRow]
    finder: Finder

    @classmethod
    def of(cls, wiki: Wiki, articles: Sequence[ArticleRow]) -> Lexicon:
        """Return the lexicon of a wiki: only keys of its entries can ever be linked."""
        keys = {form: entry.key for entry in wiki.entries for form in entry.forms}
        return cls({entry.key: entry for entry in wiki.entries}, articles, Finder.of(keys))

    def linked(self, text: str, here: Entry | None, url: str) -> Markup:
        """Return a text in which the first mention of each other subject leads to its page."""
        out, at, seen = Markup(), 0, {here.key} if here else set()
        for mention in self.finder.mentions(text):
            if mention.key not in seen:
                seen.add(mention.key)
                target = relative(url, self.entries[mention.key].url)
                label = text[mention.start : mention.end]
                out += escape(text[at : mention.start])
                out += Markup('<a class="wikilink" href="{}">{}</a>').format(target, label)
                at = mention.end
        return out + escape(text[at:])

    def voice(self, part: Contribution, here: Entry, url: str) -> Voice:
        """Return what one article says, with the heading under which it says it."""
        article = self.articles[part.page]
        anchor = next((s.anchor for s in part.statements if s.anchor), "")
        html = str(self.linked(joined(part.statements), here, url))
        return Voice(article.title, _at(article.url, anchor), html, article.lang, article.updated)


def wiki_pages(lexicon: Lexicon, folders: Mapping[str, str], cache: Cache, *, lang: str) -> tuple[SitePage, ...]:
    """Return the pages of all subjects that no person wrote about, and the directory of all; nothing without any."""
    if not lexicon.entries:
        return ()
    back, bodies = _backlinks(lexicon), _bodies(lexicon, cache)
    made = (_subject(lexicon.entries[key], html, lexicon, back.get(key, ())) for key, html in bodies.items())
    return (*made, _index(lexicon, folders, lang))


def _bodies(lexicon: Lexicon, cache: Cache) -> dict[str, str]:
    """Return the body of each subject's page by key. One is made again when what it shows or any name has changed."""
    entries = [entry for entry in lexicon.entries.values() if entry.human is None]
    names = digest_of([(e.key, e.title, e.url, e.forms) for e in lexicon.entries.values()])
    out = {}
    for entry in entries:
        parts = (template_version(), names, digest_of(_shown(entry, lexicon.articles)))
        body = cache.find(_BODY, parts)
        if body is None:
            body = _body(entry, lexicon)
            cache.keep(_BODY, parts, body)
        out[entry.key] = body
    return out


def _shown(entry: Entry, articles: Sequence[ArticleRow]) -> tuple[Any, ...]:
    """Return all that a subject's page shows, articles as they are named and not by their place in the list."""

    def named(page: int) -> tuple[str, str, str, str | None]:
        article = articles[page]
        return article.title, article.url, article.lang, article.updated

    said = [(named(c.page), c.statements) for c in entry.contributions]
    related = [(r.kind, r.key, named(r.page), r.statement) for r in entry.relations]
    own = (entry.key, entry.title, entry.kind, entry.lang, entry.url, entry.aliases, entry.definition)
    return own, said, related, [named(page) for page in entry.mentioned]


def says(lexicon: Lexicon) -> dict[int, tuple[Voice, ...]]:
    """Return for each article that a person wrote about a subject what the other articles say of it."""
    humans = ((entry.human, entry) for entry in lexicon.entries.values() if entry.human is not None)
    return {n: tuple(lexicon.voice(c, e, e.url) for c in e.contributions if c.page != n) for n, e in humans}


def terms(lexicon: Lexicon) -> dict[int, tuple[Crumb, ...]]:
    """Return for each article the subjects that it says something of, those that it defines first."""
    found: dict[int, list[tuple[int, str, Crumb]]] = {}
    for entry in lexicon.entries.values():
        for place, part in enumerate(entry.contributions):
            if part.page != entry.human:
                found.setdefault(part.page, []).append((place, entry.key, Crumb(entry.title, entry.url)))
    return {page: tuple(crumb for _, _, crumb in sorted(listed)[:TERMS]) for page, listed in found.items()}


def _body(entry: Entry, lexicon: Lexicon) -> str:
    t, articles = words(entry.lang), lexicon.articles
    source = articles[entry.contributions[0].page]
    voices = [lexicon.voice(part, entry, entry.url) for part in _beside_the_definition(entry)]
    related = [
        (t[f"rel_{kind}"], list(found)) for kind, found in groupby(_relations(entry, lexicon), key=lambda r: r[0])
    ]
    mentioned = [Crumb(articles[page].title, articles[page].url) for page in entry.mentioned]
    return fill(
        "subject.html",
        t=t,
        lang=entry.lang,
        here=entry.url,
        entry=entry,
        definition=lexicon.linked(entry.definition.text, entry, entry.url),
        source=Crumb(source.title, _at(source.url, entry.definition.anchor)),
        dated=source.updated,
        voices=voices,
        related=related,
        mentioned=mentioned,
    )


def _subject(entry: Entry, html: str, lexicon: Lexicon, backlinks: Sequence[Backlink]) -> SitePage:
    dates = (lexicon.articles[page].updated for page in entry.pages)
    return SitePage(
        url=entry.url,
        title=entry.title,
        html=html,
        lang=entry.lang,
        kind=entry.kind,
        summary=entry.definition.text,
        crumbs=(Crumb(words(entry.lang)["wiki"], WIKI_URL),),
        updated=max((day for day in dates if day), default=None),
        backlinks=tuple(backlinks),
        generated=True,
        compiled_from=len(entry.pages),
        written=entry.written,
    )


def _beside_the_definition(entry: Entry) -> Iterator[Contribution]:
    """Yield what articles say besides the definition, which stands above."""
    for part in entry.contributions:
        rest = tuple(s for s in part.statements if s.text != entry.definition.text)
        if rest:
            yield Contribution(part.page, rest)


def _relations(entry: Entry, lexicon: Lexicon) -> list[tuple[str, Crumb, str, str]]:
    """Return (kind, subject, sentence, its address) of an entry's relations, by kind."""
    listed = []
    for one in entry.relations:
        other, article = lexicon.entries[one.key], lexicon.articles[one.page]
        address = _at(article.url, one.statement.anchor)
        listed.append((one.kind, Crumb(other.title, other.url), one.statement.text, address))
    return sorted(listed, key=lambda item: item[0])


def _backlinks(lexicon: Lexicon) -> dict[str, list[Backlink]]:
    """Return for each subject the subjects that are related to it, with the sentence that says so."""
    out: dict[str, list[Backlink]] = {}
    for entry in lexicon.entries.values():
        for relation in entry.relations:
            target = lexicon.entries[relation.key]
            listed = out.setdefault(target.key, [])
            if len(listed) < BACK and all(link.url != entry.url for link in listed):
                listed.append(Backlink(entry.title, entry.url, relation.statement.text, target.title))
    return out


def _index(lexicon: Lexicon, folders: Mapping[str, str], lang: str) -> SitePage:
    t = words(lang)
    shelves = titled(directory(list(lexicon.entries.values()), lexicon.articles), folders, t["top_folder"])
    toc = tuple(TocEntry(title, f"shelf-{n}", 2) for n, (title, _) in enumerate(shelves, 1))
    html = fill("wiki.html", t=t, lang=lang, here=WIKI_URL, shelves=shelves)
    return SitePage(url=WIKI_URL, title=t["wiki"], html=html, lang=lang, kind="wiki", toc=toc if len(toc) > 1 else ())


def _at(url: str, anchor: str) -> str:
    return f"{url}#{anchor}" if anchor else url


def with_wiki(pages: Sequence[SitePage], lexicon: Lexicon, wiki: Wiki) -> Iterator[SitePage]:
    """Yield article pages, in the order of the articles, with their key points, terms, and what others say."""
    voices, listed = says(lexicon), terms(lexicon)
    for n, page in enumerate(pages):
        points = wiki.digests[n].points if n < len(wiki.digests) else ()
        crumbs = tuple(
            Crumb(point.text, f"{page.url}#{point.anchor}" if point.anchor else page.url) for point in points
        )
        shown = crumbs if page.reading_minutes >= LONG_READ else ()
        written = bool(shown) and any(point.written for point in points)
        yield replace(page, points=shown, written=written, terms=listed.get(n, ()), says=voices.get(n, ()))
