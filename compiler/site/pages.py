"""The pages that no one wrote: home, the list of articles, and the tags. Pure functions from listings to SitePages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType

from markupsafe import Markup

from compiler.model import SitePage, TocEntry
from compiler.site.listing import Listing
from compiler.site.words import fill, words

ARTICLES_URL = "articles/"
TAGS_URL = "tags/"
SEARCH_URL = "search/"
UNLOCK_URL = "unlock/"
RECENT = 8  # lines under "recently updated": one screen of a phone
TOPICS = 40  # words on the home page
DOORS = 3
_NO_WAYS: Mapping[str, str] = MappingProxyType({})
_NOT_SLUG = re.compile(r"[^\w/.+-]+")
_NOT_ID = re.compile(r"[~%\s]")
_OWN_FILE = re.compile(r"^index\.(?=(?:html|md)$)")  # every page's own two files: no folder is named like them


@dataclass(frozen=True, slots=True)
class Topic:
    """A tag with its pages; `weight` is 1..3 and sets the size of the word."""

    title: str
    url: str
    items: tuple[Listing, ...]
    weight: int


@dataclass(frozen=True, slots=True)
class Group:
    """The articles of one folder."""

    title: str
    anchor: str
    items: tuple[Listing, ...]


def tag_url(tag: str) -> str:
    """Return the URL of a tag's page: folded in case and width, a nested tag "a/b" keeps its path."""
    folded = unicodedata.normalize("NFKC", tag).casefold().strip("#")
    parts = (_OWN_FILE.sub("index-", _NOT_SLUG.sub("-", part).strip("-.")) for part in folded.split("/"))
    return TAGS_URL + "/".join(part or "-" for part in parts) + "/"


def topics(listings: Iterable[Listing]) -> tuple[Topic, ...]:
    """Return all tags, sorted by URL; spellings that fold to one URL are one topic, named by the first in order."""
    spellings: dict[str, list[str]] = {}
    items: dict[str, list[Listing]] = {}
    for item in listings:
        for url, tag in {tag_url(tag): tag for tag in reversed(item.tags)}.items():
            spellings.setdefault(url, []).append(tag)
            items.setdefault(url, []).append(item)
    most = max((len(found) for found in items.values()), default=1)
    return tuple(
        Topic(min(spellings[url]), url, tuple(_newest_first(items[url])), _weight(len(items[url]), most))
        for url in sorted(items)
    )


def _weight(number: int, most: int) -> int:
    """Return 1, 2 or 3 for a topic with `number` pages when the biggest has `most`."""
    return 1 + (number * 3 > most) + (number * 3 > 2 * most) if most > 1 else 1


def _newest_first(listings: Iterable[Listing]) -> list[Listing]:
    """Return listings by date, newest first; those without a date last, in their own order."""
    return sorted(listings, key=lambda item: item.updated or "", reverse=True)


def home(
    listings: Sequence[Listing],
    *,
    title: str,
    lang: str,
    ways: Mapping[str, str] = _NO_WAYS,
    starters: Sequence[str] = (),
    intro: SitePage | None = None,
) -> SitePage:
    """Return the home page: the template puts the box to search or ask first, this is what comes below it.

    `ways` leads to the wiki, the tree of sections and the graph, by the key of their name, where they are worth a door.
    `intro` is the owner's own first page (the article at the root), shown between the doors and the lists.
    """
    t, found = words(lang), topics(listings)
    dated = [item for item in listings if item.updated]
    shown = sorted(sorted(found, key=lambda topic: -len(topic.items))[:TOPICS], key=lambda topic: topic.url)
    html = fill(
        "home.html",
        t=t,
        lang=lang,
        listings=listings,
        intro=Markup(intro.html) if intro else "",  # noqa: S704 - bodies arrive sanitised
        doors=_doors(t, _with_tags(ways) if found else ways, dated=bool(dated)),
        topics=shown,
        recent_title=t["recent" if dated else "articles"],
        recent=_newest_first(sorted(dated or listings, key=lambda item: item.lang != lang))[:RECENT],
    )
    return SitePage(url="", title=title, html=html, lang=lang, kind="home", questions=tuple(starters))


def _with_tags(ways: Mapping[str, str]) -> Mapping[str, str]:
    return ways if "wiki" in ways else {"all_tags": TAGS_URL, **ways}


def _doors(t: Mapping[str, str], ways: Mapping[str, str], *, dated: bool) -> list[tuple[str, str, str]]:
    """Return at least two and at most four ways in as (title, text, URL), the articles first."""
    doors = [(t["articles"], t["articles_door"], ARTICLES_URL)]
    doors += [(t[name], t[f"{name}_door"], url) for name, url in ways.items()]
    return [*doors, (t["recent"], t["recent_door"], "#g-recent")] if dated and len(doors) < DOORS else doors


def article_index(listings: Sequence[Listing], folders: Mapping[str, str], *, lang: str) -> SitePage:
    """Return the page that lists every article by folder, in the order given; `folders` maps a path to its title."""
    t = words(lang)
    ordered = sorted(listings, key=lambda item: item.folder)
    groups = []
    for folder, items in groupby(ordered, key=lambda item: item.folder):
        title = _folder_title(folder, folders) or t["top_folder"]
        groups.append(Group(title, _folder_anchor(folder), tuple(items)))
    html = fill("articles.html", t=t, lang=lang, here=ARTICLES_URL, groups=groups)
    toc = tuple(TocEntry(group.title, group.anchor, 2) for group in groups)
    return SitePage(url=ARTICLES_URL, title=t["articles"], html=html, lang=lang, kind="index", toc=toc)


def folder_url(folder: str) -> str:
    """Return where the list of articles shows those of a folder."""
    return f"{ARTICLES_URL}#{_folder_anchor(folder)}"


def _folder_anchor(folder: str) -> str:
    """Return an id, which holds no space; two folders never share one."""
    return "folder-" + _NOT_ID.sub(lambda char: f"~{ord(char[0]):x}~", folder)


def _folder_title(folder: str, titles: Mapping[str, str]) -> str:
    """Return a folder's path as words: "指南 / 安装"."""
    parts = folder.split("/") if folder else []
    paths = ("/".join(parts[: end + 1]) for end in range(len(parts)))
    return " / ".join(titles.get(path, path.rpartition("/")[2]) for path in paths)


def tags_index(listings: Sequence[Listing], *, lang: str) -> SitePage:
    """Return the page of all tags."""
    t = words(lang)
    html = fill("tags.html", t=t, lang=lang, here=TAGS_URL, topics=topics(listings))
    return SitePage(url=TAGS_URL, title=t["all_tags"], html=html, lang=lang, kind="tags")


def tag_pages(listings: Sequence[Listing], *, lang: str) -> tuple[SitePage, ...]:
    """Return one page per tag."""
    t = words(lang)
    return tuple(
        SitePage(
            url=topic.url,
            title=t["tagged"].format(tag=topic.title),
            html=fill("tag.html", t=t, lang=lang, topic=topic),
            lang=lang,
            kind="tag",
        )
        for topic in topics(listings)
    )


def search_page(lists: Sequence[SitePage], *, lang: str) -> SitePage:
    """Return the page of all results; without scripts it leads to the pages that list everything."""
    t = words(lang)
    html = fill("search.html", t=t, here=SEARCH_URL, lists=[(page.title, page.url) for page in lists])
    return SitePage(SEARCH_URL, t["search_page"], html, lang, "search")


def unlock_page(*, lang: str) -> SitePage:
    """Return the page that opens password pages. Every site has it, so that it says nothing of there being any."""
    t = words(lang)
    return SitePage(UNLOCK_URL, t["unlock"], fill("unlock.html", t=t), lang, "unlock")
