"""The values that pass between the stages of a build. Frozen, slotted, a leaf."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, NewType

SourcePath = NewType("SourcePath", str)  # POSIX, NFC, relative to content/; made by sources.scan
ArticleId = NewType("ArticleId", str)
Anchor = NewType("Anchor", str)  # made by parse.markdown.anchors
Url = NewType("Url", str)  # site-relative, no leading slash, "" = home; made by sources.urls


class Share(StrEnum):
    """Who may read a page."""

    PUBLIC = "public"
    PASSWORD = "password"  # noqa: S105 - a state, not a secret
    PRIVATE = "private"


class Severity(StrEnum):
    """An error makes its file private; a warning changes nothing."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something the owner should know: where, what, and what to do about it."""

    severity: Severity
    code: str  # stable, kebab-case: "frontmatter-duplicate-key"
    path: SourcePath
    line: int | None
    message: str
    fix: str = ""
    public: bool = False  # the file is public, so its name may appear in a redacted message


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One Markdown file as found: `text` is decoded, NFC-normalised nowhere, with line ends as LF."""

    path: SourcePath
    absolute: Path
    text: str
    sha256: str
    target: SourcePath | None = None  # the file that a symbolic link leads to: its path is judged too


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The strict reading of a file's front matter: strings, lists of strings, and the line of each key."""

    values: Mapping[str, str | tuple[str, ...]]
    lines: Mapping[str, int]
    body_line: int  # 1-based line of the source on which the body begins


@dataclass(frozen=True, slots=True)
class Decision:
    """The sharing decision for one file; `reason` is for the owner."""

    share: Share
    not_after: datetime | None
    reason: str
    expired: bool = False


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """A folder rule and every file it matches, attachments included; a page's own front matter may say otherwise."""

    path: str
    share: Share
    files: tuple[SourcePath, ...]


@dataclass(frozen=True, slots=True)
class Article:
    """One public, unexpired article before parsing."""

    id: ArticleId
    source: SourcePath  # where the file is; never published
    path: SourcePath  # what of it may be shown: segments of a hidden folder are opaque
    url: Url
    title: str
    lang: str
    summary: str
    kind: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    redirects: tuple[str, ...]
    created: str | None
    updated: str | None
    not_after: int | None
    body: str  # comments removed, line count unchanged
    body_line: int
    pair: str = ""  # pages with the same word here are one page in several languages


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the published page. `line` is 0-based in the body."""

    level: int
    title: str
    anchor: Anchor
    line: int


@dataclass(frozen=True, slots=True)
class Link:
    """An author's link and what became of it. `target` is None when it is missing (or not public: the same)."""

    kind: str  # "wikilink" | "markdown" | "embed"
    raw: str
    label: str
    line: int  # 1-based in the source file
    source: ArticleId
    source_anchor: Anchor
    target: ArticleId | None
    target_anchor: Anchor
    sentence: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the text below it, up to the next heading. Offsets are code points in Document.text."""

    level: int  # 0 = text before the first heading
    title: str
    path: tuple[str, ...]
    anchor: Anchor
    start: int
    end: int
    line: int  # 1-based in the source file


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed article: the published text, its sections, and the finished HTML body."""

    article: Article
    text: str
    html: str
    headings: tuple[Heading, ...]
    sections: tuple[Section, ...]
    links: tuple[Link, ...]
    attachments: tuple[SourcePath, ...]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that a public page references: its bytes without metadata, and where the site puts it."""

    path: SourcePath
    data: bytes
    url: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ProtectedFile:
    """A file that a password page shows: it lies inside the page's ciphertext."""

    url: str  # as the page's HTML has it
    media: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ProtectedPage:
    """A page that a password opens. `id` is opaque; everything else leaves the build encrypted or not at all."""

    id: str
    url: Url
    source: SourcePath
    secret: bytes = field(repr=False)  # the owner's
    password: str = field(repr=False)
    title: str
    lang: str
    html: str
    headings: tuple[Heading, ...]
    updated: str | None
    not_after: int | None
    files: tuple[ProtectedFile, ...]


@dataclass(frozen=True, slots=True)
class TocEntry:
    """One line of a page's own table of contents."""

    title: str
    anchor: str
    level: int
    children: tuple[TocEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Crumb:
    """One step of a breadcrumb or a row of a list: a title and a site-relative URL ("" = no link)."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Backlink:
    """A page that links here, and the sentence in which it does."""

    title: str
    url: str
    sentence: str
    label: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A page that is about the same things, and the names of what they share."""

    title: str
    url: str
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Translation:
    """The same page in another language."""

    lang: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class LocalNode:
    """A neighbour on a page's small graph; the page itself is at (0, 0)."""

    title: str
    url: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Local:
    """The small graph around a page: neighbours, lines (x, y, x, y) among them, and how many are left out."""

    nodes: tuple[LocalNode, ...]
    lines: tuple[tuple[int, int, int, int], ...]
    left: int


@dataclass(frozen=True, slots=True)
class Voice:
    """What one article says of a subject: finished HTML, and the address of the very heading."""

    title: str
    url: str
    html: str
    lang: str
    updated: str | None


@dataclass(frozen=True, slots=True)
class SitePage:
    """A finished page, ready for the site's templates. All URLs are site-relative, without a leading slash."""

    url: str
    title: str
    html: str  # the body: sanitised, anchors and links final
    lang: str
    kind: str  # "home" | "article" | "index" | "tag" | "tags" | "wiki" | "entity" | "concept"
    summary: str = ""
    toc: tuple[TocEntry, ...] = ()
    crumbs: tuple[Crumb, ...] = ()
    tags: tuple[Crumb, ...] = ()
    created: str | None = None
    updated: str | None = None
    reading_minutes: int = 0
    questions: tuple[str, ...] = ()
    backlinks: tuple[Backlink, ...] = ()
    related: tuple[Neighbour, ...] = ()
    translations: tuple[Translation, ...] = ()
    local: Local | None = None
    previous: Crumb | None = None
    next: Crumb | None = None
    article_id: str = ""
    generated: bool = False
    compiled_from: int = 0  # articles whose words a generated page holds
    written: bool = False  # a model wrote some of what was derived for it
    points: tuple[Crumb, ...] = ()  # sentences of the page that say most, each with its heading
    terms: tuple[Crumb, ...] = ()  # subjects with a wiki page
    edit: str = ""  # the full address where the file can be edited
    says: tuple[Voice, ...] = ()  # what other articles say of the subject that a person wrote this page about


@dataclass(frozen=True, slots=True)
class NavNode:
    """One entry of the site's tree: a folder (children) or a page (url)."""

    title: str
    url: str
    children: tuple[NavNode, ...] = ()


@dataclass(frozen=True, slots=True)
class Theme:
    """How the owner changes the look of the site; `compiler/theme.py` reads it."""

    styles: str = ""  # CSS that follows ours
    files: Mapping[str, bytes] = field(default_factory=dict)  # beside the styles, by name
    templates: Mapping[str, str] = field(default_factory=dict)  # Jinja, by the path that a template is called by
    options: Mapping[str, Any] = field(default_factory=dict)  # what of a mkdocs.yml is taken over
    diagrams: bytes = b""  # the script of Mermaid


@dataclass(frozen=True, slots=True)
class Site:
    """Everything the site writer needs. Nothing here is private."""

    title: str
    description: str
    lang: str
    base_path: str  # "/" or "/repo/"
    site_url: str
    ask_endpoint: str  # "" = same origin
    build_id: str
    stamp: int
    pages: tuple[SitePage, ...]
    nav: tuple[NavNode, ...]
    attachments: tuple[Attachment, ...]
    redirects: Mapping[str, str] = field(default_factory=dict)  # old site-relative URL -> new one
    repository_url: str = ""
    data: Mapping[str, str] = field(default_factory=dict)  # what scripts of single pages read: path -> JSON
    theme: Theme = Theme()
