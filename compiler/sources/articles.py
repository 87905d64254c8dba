"""From files to public articles: the front matter is read, the sharing decided, and everything else dropped here."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from compiler.errors import FileError
from compiler.model import (
    Article,
    ArticleId,
    Decision,
    FrontMatter,
    Problem,
    Severity,
    Share,
    SourceFile,
    SourcePath,
    Url,
)
from compiler.parse.comments import strip_comments
from compiler.parse.language import language
from compiler.settings import CONFIG_NAME, Settings
from compiler.sources.dates import plain_date
from compiler.sources.frontmatter import read_front_matter
from compiler.sources.sharing import Judge, dead_rules, hidden_folders
from compiler.sources.urls import INDEX_NAMES, article_id, public_path, settle, slug, url_of
from query_fn.text import plain

KNOWN_KEYS = frozenset(
    [
        "share",
        "publish",
        "draft",
        "expires",
        "password",
        "id",
        "title",
        "slug",
        "aliases",
        "alias",
        "tags",
        "tag",
        "lang",
        "summary",
        "description",
        "kind",
        "created",
        "date",
        "updated",
        "lastmod",
    ]
)
WIKI_KINDS = frozenset({"entity", "concept", "comparison", "guide", "answer"})
_TITLE = re.compile(r"\s*(?:#[ \t]+([^\n]+?)[ \t]*#*[ \t]*|([^\n#>|`~-][^\n]*)\n=+[ \t]*)(?:\n|$)")
_H1 = re.compile(r"^# +\S", re.MULTILINE)
_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\1", re.MULTILINE | re.DOTALL)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Judged:
    """One file with its decision. Private ones go no further than the owner's report."""

    file: SourceFile
    front: FrontMatter
    decision: Decision


@dataclass(frozen=True, slots=True)
class Selection:
    """What the sharing rules leave: the public articles, every decision for the owner, and the ignored keys."""

    articles: tuple[Article, ...]
    decisions: Mapping[SourcePath, Decision]
    problems: tuple[Problem, ...]
    ignored_keys: Mapping[str, int]


def select(
    files: Sequence[SourceFile],
    settings: Settings,
    now: datetime,
    *,
    days: Mapping[SourcePath, str],
    others: Collection[SourcePath] = (),
    preview: bool = False,
) -> Selection:
    """Return the public, unexpired articles, sorted by source path; a preview also has drafts and private ones.

    `others` are the files that are no articles: a rule that covers only them is alive. Raises BuildError when a rule
    that should keep files back matches nothing.
    """
    judge = Judge(settings.sharing, now)
    problems = dead_rules(settings.sharing, [*(f.path for f in files), *others], SourcePath(CONFIG_NAME))
    judged: list[Judged] = []
    for file in files:
        one, found = _judge(judge, file)
        judged.append(one)
        problems += found
    broken = {p.path for p in problems if p.severity is Severity.ERROR}
    public = [j for j in judged if is_public(j.decision) or (preview and j.file.path not in broken)]
    articles, found = _articles(public, settings, days)
    kept = {a.source for a in articles}
    decisions = {j.file.path: j.decision for j in judged}
    for path, decision in decisions.items():
        if is_public(decision) and path not in kept:
            decisions[path] = Decision(Share.PRIVATE, None, "error in the front matter")
    keys = Counter(key for j in judged for key in j.front.values if key not in KNOWN_KEYS)
    return Selection(articles, decisions, (*problems, *found), dict(sorted(keys.items())))


def is_public(decision: Decision) -> bool:
    """Tell whether a decision makes its page readable by everyone now. The only place that says so at build time."""
    return decision.share is Share.PUBLIC and not decision.expired


def _judge(judge: Judge, file: SourceFile) -> tuple[Judged, list[Problem]]:
    try:
        front = read_front_matter(file.text)
        decision = judge.decide(file.path, front)
    except FileError as error:
        return Judged(file, FrontMatter({}, {}, 1), Decision(Share.PRIVATE, None, error.code)), [
            _problem(file.path, error)
        ]
    if decision.share is Share.PASSWORD and not decision.expired:
        note = "password pages are not published by this version; the page stays unpublished"
        return Judged(file, front, decision), [Problem(Severity.WARNING, "password-unpublished", file.path, None, note)]
    return Judged(file, front, decision), []


def _articles(
    public: Sequence[Judged], settings: Settings, days: Mapping[SourcePath, str]
) -> tuple[tuple[Article, ...], list[Problem]]:
    """Return the articles of files that hold no error; only they take part in who gets which URL."""
    hidden = hidden_folders(settings.sharing.rules)
    problems: list[Problem] = []
    sound: list[tuple[Judged, Article]] = []
    for judged in public:
        try:
            sound.append((judged, _article(judged, _wanted_url(judged, hidden), hidden, days)))
        except FileError as error:
            problems.append(_problem(judged.file.path, error))
    urls, collisions = settle([(judged.file.path, article.url) for judged, article in sound])
    out: dict[str, Article] = {}
    for judged, article in sound:
        url = urls[judged.file.path]
        placed = dataclasses.replace(article, url=url, id=_id(judged.front, url))
        if placed.id in out:
            message = f"`id: {placed.id}` is also that of {out[placed.id].source}"
            problems.append(_problem(judged.file.path, FileError("id-twice", message, fix="choose another id")))
        else:
            out[placed.id] = placed
    return tuple(sorted(out.values(), key=lambda a: a.source)), [*problems, *collisions]


def _wanted_url(judged: Judged, hidden: Sequence[str]) -> Url:
    chosen = judged.front.values.get("slug", "")
    return url_of(
        public_path(judged.file.path, hidden), slug(chosen) if isinstance(chosen, str) and chosen.strip() else ""
    )


def _article(judged: Judged, url: Url, hidden: Sequence[str], days: Mapping[SourcePath, str]) -> Article:
    file, front = judged.file, judged.front
    body = strip_comments("\n".join(file.text.split("\n")[front.body_line - 1 :]))
    aliases = _list(front, "aliases") + _list(front, "alias")
    title = _text(front, "title") or _first_title(body) or _name(file.path)
    created, updated = (_date(front, *keys) for keys in (("created", "date"), ("updated", "lastmod")))
    kind = _text(front, "kind")
    moment = judged.decision.not_after
    path = public_path(file.path, hidden)
    return Article(
        id=_id(front, url),
        source=file.path,
        path=path,
        url=url,
        title=title,
        lang=_lang(front, body, title),
        summary=_text(front, "summary") or _text(front, "description"),
        kind=kind if kind in WIKI_KINDS else "article",
        tags=tuple(
            dict.fromkeys(t.lstrip("#").strip() for t in _list(front, "tags") + _list(front, "tag") if t.strip("# "))
        ),
        aliases=tuple(a for a in aliases if not a.startswith("/")),
        redirects=tuple(a for a in aliases if a.startswith("/")),
        created=created,
        updated=updated or days.get(file.path) or created,
        not_after=int(moment.timestamp()) if moment else None,
        body=body,
        body_line=front.body_line,
    )


def _id(front: FrontMatter, url: Url) -> ArticleId:
    chosen = _text(front, "id")
    if chosen and not _ID.fullmatch(chosen):
        raise FileError("id-invalid", "`id` takes letters, digits, - and _", line=front.lines["id"], fix="shorten it")
    return ArticleId(chosen) if chosen else article_id(SourcePath(url))


def _lang(front: FrontMatter, body: str, title: str) -> str:
    said = _text(front, "lang").lower()
    if said and not re.fullmatch(r"[a-z]{2,3}(-[a-z0-9]+)*", said):
        raise FileError(
            "lang-invalid", f"`lang: {said}` is not a language tag", line=front.lines["lang"], fix="write zh or en"
        )
    return said.split("-")[0] if said else language(f"{title}\n{body[:20_000]}", "en")


def _date(front: FrontMatter, *keys: str) -> str | None:
    key = next((k for k in keys if k in front.values), None)
    return (
        plain_date(key, _text(front, key), front.lines[key]) if key in ("created", "updated") else _lenient(front, key)
    )


def _lenient(front: FrontMatter, key: str | None) -> str | None:
    """Return the day of another tool's date key, or None: such a key is not ours to refuse."""
    match = re.match(r"\d{4}-\d{2}-\d{2}", _text(front, key)) if key else None
    return match[0] if match else None


def _text(front: FrontMatter, key: str) -> str:
    value = front.values.get(key, "")
    return " ".join(value.split()) if isinstance(value, str) else ""


def _list(front: FrontMatter, key: str) -> list[str]:
    value = front.values.get(key, ())
    items = re.split(r"[,，]", value) if isinstance(value, str) else value
    return [unicodedata.normalize("NFC", item.strip()) for item in items if item.strip() and item != "<nested>"]


def _first_title(body: str) -> str:
    """Return the text of the h1 that the page opens with, if it has no other; of several parts none is the title."""
    match = _TITLE.match(body[:4000])
    if not match or len(_H1.findall(_FENCED.sub("", body))) > 1:
        return ""
    return " ".join(plain(re.sub(r"\{\s*#[^}]*\}", "", match[1] or match[2])).split())


def _name(path: SourcePath) -> str:
    parts = re.sub(r"\.(md|markdown)$", "", path, flags=re.IGNORECASE).split("/")
    name = parts[-2] if parts[-1].casefold() in INDEX_NAMES and len(parts) > 1 else parts[-1]
    return re.sub(r"[-_]+", " ", name).strip() if name.isascii() else name


def _problem(path: SourcePath, error: FileError) -> Problem:
    return Problem(Severity.ERROR, error.code, path, error.line, error.message, error.fix)
