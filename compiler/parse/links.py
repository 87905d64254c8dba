"""THE link resolver: site, backlinks, graph, checks and the agent all see links through it."""

from __future__ import annotations

import difflib
import posixpath
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from compiler.model import Anchor, Article, ArticleId, Heading, SourcePath
from compiler.parse.markdown import slugify
from compiler.sources.urls import INDEX_NAMES, slug

_EXTERNAL = re.compile(r"^(?:[A-Za-z][A-Za-z0-9+.-]*:|//)")
NEAR_TRIED = 20  # names that share most letter pairs with a broken link: only these are compared in full
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
    _names: dict[str, list[SourcePath]] = field(init=False)
    _grams: dict[str, set[str]] = field(init=False)
    _near_memo: dict[str, str] = field(init=False, default_factory=dict)

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

    def resolve(self, source: SourcePath, link: RawLink) -> Resolution:
        """Return what `link`, written in the public file `source`, leads to."""
        if link.kind != "wikilink" and _EXTERNAL.match(link.target):
            return Resolution("external", url=link.target)
        if not link.target:
            return self._page(source, link.fragment, "")
        wanted = unicodedata.normalize("NFC", unquote(link.target).split("?", 1)[0]).replace("\\", "/")
        path, note = self._find(source, wanted, by_name=link.kind in ("wikilink", "embed"))
        if path is not None:
            return self._page(path, link.fragment, note)
        if (file := self._attachment(source, wanted)) is not None:
            return Resolution("attachment", url=self.attachments[file], attachment=file)
        return Resolution("missing", note=self._near(wanted))

    def _page(self, path: SourcePath, fragment: str, note: str) -> Resolution:
        target = self.targets[path]
        anchor, found = find_anchor(target.headings, fragment, target.ids)
        if fragment and not found:
            note = f"no heading {fragment!r} on that page"
        return Resolution("page", target.article.id, anchor, target.article.url, note=note)

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

    def _attachment(self, source: SourcePath, wanted: str) -> SourcePath | None:
        relative = posixpath.normpath(posixpath.join(posixpath.dirname(source), wanted))
        for place in (relative, wanted.lstrip("/")):
            if (path := SourcePath(place)) in self.attachments:
                return path
        name = "/" + wanted.rsplit("/", 1)[-1]
        found = sorted(p for p in self.attachments if ("/" + p).endswith(name))
        return found[0] if found and "/" not in wanted else None

    def _near(self, wanted: str) -> str:
        stem = _fold(_stem(wanted).rsplit("/", 1)[-1])
        if stem not in self._near_memo:
            shared = Counter(name for gram in _bigrams(stem) for name in self._grams.get(gram, ()))
            likely = [name for name, _ in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:NEAR_TRIED]]
            near = difflib.get_close_matches(stem, likely, n=1, cutoff=0.75)
            self._near_memo[stem] = f"did you mean {self._names[near[0]][0]}?" if near else ""
        return self._near_memo[stem]


def find_anchor(headings: Sequence[Heading], fragment: str, ids: Sequence[str] = ()) -> tuple[Anchor, bool]:
    """Return the anchor that a fragment means on a page, and whether it was found ("" is the top of the page).

    Understood: the anchor, the heading text, a chain ``A#B``, percent-encoded forms, GitHub's numbered repeats.
    """
    wanted = unicodedata.normalize("NFC", unquote(fragment)).strip()
    last = wanted.rsplit("#", 1)[-1].strip()
    if not last:
        return Anchor(""), True
    for heading in headings:
        if heading.anchor == last:
            return heading.anchor, True
    if last in ids:
        return Anchor(last), True
    goal = slugify(last)
    same = [h for h in headings if slugify(h.title) == goal]
    if same:
        return same[0].anchor, True
    numbered = re.fullmatch(r"(.+)-(\d+)", goal)
    if numbered:
        repeats = [h for h in headings if slugify(h.title) == numbered[1]]
        if int(numbered[2]) < len(repeats):
            return repeats[int(numbered[2])].anchor, True
    return Anchor(""), False


def attachment_urls(others: Mapping[SourcePath, Path]) -> dict[SourcePath, str]:
    """Return the site-relative URL of each possible attachment."""
    out = {}
    for path in others:
        *folders, name = path.split("/")
        stem, dot, suffix = name.rpartition(".")
        out[path] = "files/" + "/".join(
            [*(slug(f) for f in folders), slug(stem or suffix) + (dot and stem and "." + slug(suffix))]
        )
    return out


def _names_of(path: SourcePath, article: Article) -> list[str]:
    stem = _stem(path)
    parts = stem.split("/")
    names = ["=" + _fold(stem), "=" + _fold(_MARKDOWN.sub("", path))]
    names += [_fold("/".join(parts[i:])) for i in range(len(parts))]
    return [*names, _fold(article.title), *(_fold(alias) for alias in article.aliases)]


def _stem(path: str) -> str:
    """Return a path without its extension, and without the name of an index file."""
    path = _MARKDOWN.sub("", path.rstrip("/"))
    folder, _, name = path.rpartition("/")
    return folder if name.casefold() in INDEX_NAMES else path


def _bigrams(name: str) -> set[str]:
    return {name[i : i + 2] for i in range(max(1, len(name) - 1))}


def _ends(path: str, wanted: str) -> bool:
    """Tell whether a path ends in the wanted name letter for letter, case included."""
    return ("/" + _stem(path)).endswith("/" + _stem(wanted))


def _fold(name: str) -> str:
    return re.sub(r"[\s]+", " ", unicodedata.normalize("NFKC", name).casefold()).strip()
