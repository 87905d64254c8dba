"""THE link resolver: site, backlinks, graph, checks and the agent all see links through it."""

from __future__ import annotations

import difflib
import heapq
import posixpath
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from urllib.parse import unquote

from compiler.model import Anchor, Article, ArticleId, Heading, SourcePath
from compiler.parse.markdown import slugify
from compiler.parse.raw_html import OUTSIDE
from compiler.sources.urls import BIDI, INDEX_NAMES

_EXTERNAL = re.compile(OUTSIDE, re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
NEAR_TRIED = 20  # names that share most letter pairs with a broken link: only these are compared in full
TELLING = 500  # names that share two letters; more of them tell none apart, and every dead link would look at all
NO_ANCHOR = Anchor("")
_MARKDOWN = re.compile(r"\.(md|markdown)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RawLink:
    """A link as written. `target` has no fragment; it is "" for a link within the page."""

    kind: str  # "wikilink" | "markdown" | "embed" | "image"
    target: str
    fragment: str
    label: str
    raw: str
    line: int  # 0-based in the body
    section: Anchor
    sentence: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a link leads to: an article, an attachment, an outside address, or nothing that is published."""

    status: str  # "page" | "attachment" | "external" | "missing"
    article: ArticleId | None = None
    anchor: Anchor = NO_ANCHOR
    url: str = ""  # site-relative for pages and attachments
    attachment: SourcePath | None = None
    note: str = ""  # for the owner: ambiguity, unknown heading, the near match
    exact: bool = True  # False: the page is there, the heading or block that was named is not
    embeds: bool = False  # an embed of a page


@dataclass(frozen=True, slots=True)
class Target:
    """What the resolver knows of one public article."""

    article: Article
    headings: tuple[Heading, ...]
    ids: tuple[str, ...] = ()  # set by raw HTML


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves links between public articles only: a private page and a page that does not exist are the same."""

    targets: Mapping[SourcePath, Target]  # by source path, public only
    attachments: Mapping[SourcePath, str]  # path -> site-relative URL
    near: dict[str, str] = field(default_factory=dict)  # what was meant by a name, filled as names are asked for
    _names: dict[str, list[SourcePath]] = field(init=False)
    _grams: dict[str, set[str]] = field(init=False)
    _files: dict[str, list[SourcePath]] = field(init=False)

    def __post_init__(self) -> None:
        names: dict[str, list[SourcePath]] = defaultdict(list)
        for path, target in self.targets.items():
            for name in _names_of(path, target.article):
                if path not in names[name]:
                    names[name].append(path)
        object.__setattr__(self, "_names", dict(names))
        grams: dict[str, set[str]] = defaultdict(set)
        for name in names:
            for gram in _bigrams(name) if "/" not in name and name[:1] != "=" else ():
                grams[gram].add(name)
        object.__setattr__(self, "_grams", dict(grams))
        files: dict[str, list[SourcePath]] = defaultdict(list)
        for file in sorted(self.attachments):
            files["/" + _fold(file)].append(file)
            files[_fold(file.rsplit("/", 1)[-1])].append(file)
        object.__setattr__(self, "_files", dict(files))

    def resolve(self, source: SourcePath, link: RawLink) -> Resolution:
        """Return what `link`, written in the public file `source`, leads to."""
        by_name = link.kind in ("wikilink", "embed")
        if BIDI.search(unquote(f"{link.target}#{link.fragment}")):
            return Resolution("missing", note="it holds a character that turns the reading direction")
        if not by_name and _EXTERNAL.match(link.target):
            return Resolution("external", url=link.target + (f"#{link.fragment}" if link.fragment else ""))
        if not by_name and _SCHEME.match(link.target):
            return Resolution("missing", note="pages lead to https://, http://, mailto: and tel: alone")
        if not link.target:
            return self._page(source, link, "")
        place = link.target if by_name else link.target.split("?", 1)[0]  # in a name it is no query
        wanted = unicodedata.normalize("NFC", unquote(place)).replace("\\", "/")
        path, note = self._find(source, wanted, by_name=by_name)
        if path is not None:
            return self._page(path, link, note)
        file, note = self._attachment(source, wanted)
        if file is not None:
            return Resolution("attachment", url=self.attachments[file], attachment=file, note=note)
        return Resolution("missing", note=self._near(wanted))

    def _page(self, path: SourcePath, link: RawLink, note: str) -> Resolution:
        target = self.targets[path]
        anchor, found = find_anchor(target.headings, link.fragment, target.ids)
        if not found:
            note = f"no heading or block {link.fragment!r} on that page"
        embeds = link.kind == "embed"
        return Resolution("page", target.article.id, anchor, target.article.url, note=note, exact=found, embeds=embeds)

    def _find(self, source: SourcePath, wanted: str, *, by_name: bool) -> tuple[SourcePath | None, str]:
        base = posixpath.dirname(source)
        relative = posixpath.normpath(posixpath.join(base, wanted)) if not wanted.startswith("/") else "../"
        rooted = posixpath.normpath(wanted.lstrip("/"))
        for place in (rooted, relative) if by_name else (relative, rooted):
            exact = self._names.get("=" + _fold(_stem("" if place == "." else place)), [])
            if exact and not place.startswith("../"):
                return sorted(exact, key=lambda p: (_stem(p) != _stem(place), p))[0], ""
        if wanted.startswith("../") and not by_name:
            return None, ""
        named = self._names.get(_fold(_stem(rooted)), [])
        if not named or (not by_name and "/" not in rooted and not wanted.startswith("/")):
            return None, ""
        best = sorted(named, key=lambda p: (posixpath.dirname(p) != base, not _ends(p, rooted), p.count("/"), p))
        others = ", ".join(p for p in best[1:4] if _ends(p, rooted) == _ends(best[0], rooted))
        return best[0], f"ambiguous: also {others}; the nearest, then the shortest path wins" if others else ""

    def _attachment(self, source: SourcePath, wanted: str) -> tuple[SourcePath | None, str]:
        relative = posixpath.normpath(posixpath.join(posixpath.dirname(source), wanted))
        places = (relative, wanted.lstrip("/"))
        for place in places:
            if (path := SourcePath(place)) in self.attachments:
                return path, ""
        keys = ["/" + _fold(place) for place in places] + ([] if "/" in wanted else [_fold(wanted)])
        named = next((self._files[key] for key in keys if key in self._files), None)
        if named is None:
            return None, ""
        best = sorted(named, key=lambda p: (-_common_folders(p, source), p.count("/"), p))
        note = "ambiguous: another file has this name; the nearest, then the shortest path wins"  # it may be private
        return best[0], note if len(best) > 1 else ""

    def _near(self, wanted: str) -> str:
        stem = _fold(_stem(wanted).rsplit("/", 1)[-1])
        if stem not in self.near:
            holders = (self._grams.get(gram, ()) for gram in _bigrams(stem))
            shared = Counter(name for names in holders if len(names) <= TELLING for name in names)
            ranked = heapq.nsmallest(NEAR_TRIED, shared.items(), key=lambda item: (-item[1], item[0]))
            likely = [name for name, _ in ranked]
            near = difflib.get_close_matches(stem, likely, n=1, cutoff=0.75)
            self.near[stem] = f"did you mean {self._names[near[0]][0]}?" if near else ""
        return self.near[stem]


def find_anchor(headings: Sequence[Heading], fragment: str, ids: Sequence[str] = ()) -> tuple[Anchor, bool]:
    """Return the anchor that a fragment means on a page, and whether it was found ("" is the top of the page).

    Understood: the anchor, the heading text, a chain ``A#B`` (B below A), a block id ``^id``, percent-encoded forms,
    GitHub's numbered repeats.
    """
    wanted = unicodedata.normalize("NFC", unquote(fragment)).strip()
    *above, last = [part.strip() for part in wanted.split("#") if part.strip()] or [""]
    if not last:
        return NO_ANCHOR, True
    below = _below(headings, above)
    if any(heading.anchor == last for heading in below) or (last in ids and not above):
        return Anchor(last), True
    for fold in (slugify, _wide_slug):
        same = [h.anchor for h in below if fold(h.title) == fold(last)]
        if same:
            return same[0], True
    numbered = re.fullmatch(r"(.+)-(\d{1,6})", slugify(last))
    repeats = [h.anchor for h in below if slugify(h.title) == numbered[1]] if numbered else []
    if numbered and int(numbered[2]) < len(repeats):
        return repeats[int(numbered[2])], True
    return NO_ANCHOR, False


def _below(headings: Sequence[Heading], chain: Sequence[str]) -> Sequence[Heading]:
    """Return the headings below a chain of others, given by their texts."""
    for title in chain:
        first = next((i for i, h in enumerate(headings) if _wide_slug(h.title) == _wide_slug(title)), None)
        if first is None:
            return ()
        ends = (i for i in range(first + 1, len(headings)) if headings[i].level <= headings[first].level)
        headings = headings[first + 1 : next(ends, len(headings))]
    return headings


def _wide_slug(title: str) -> Anchor:
    return slugify(unicodedata.normalize("NFKC", title))


def _names_of(path: SourcePath, article: Article) -> list[str]:
    stem = _stem(path)
    parts = stem.split("/")
    names = ["=" + _fold(stem), "=" + _fold(_MARKDOWN.sub("", path))]
    names += [_fold("/".join(parts[i:])) for i in range(len(parts))]
    return [*names, _fold(article.title), *(_fold(alias) for alias in article.aliases)]


@lru_cache(maxsize=65_536)
def _stem(path: str) -> str:
    """Return a path without its extension, and without the name of an index file."""
    path = _MARKDOWN.sub("", path.rstrip("/"))
    folder, _, name = path.rpartition("/")
    return folder if name.casefold() in INDEX_NAMES else path


def _common_folders(path: str, other: str) -> int:
    """Return how many folders two paths share from the top."""
    pairs = zip(path.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _bigrams(name: str) -> set[str]:
    return {name[i : i + 2] for i in range(max(1, len(name) - 1))}


def _ends(path: str, wanted: str) -> bool:
    """Tell whether a path ends in the wanted name letter for letter, case included."""
    return ("/" + _stem(path)).endswith("/" + _stem(wanted))


@lru_cache(maxsize=65_536)
def _fold(name: str) -> str:
    return re.sub(r"[\s]+", " ", unicodedata.normalize("NFKC", name).casefold()).strip()
