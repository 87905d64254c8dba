"""What front matter and body of one file make of it: an article, and what its author should know."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from compiler.errors import FileError
from compiler.model import (
    Article,
    ArticleId,
    Decision,
    FrontMatter,
    Problem,
    Severity,
    SourceFile,
    SourcePath,
    Url,
)
from compiler.parse.comments import strip_comments
from compiler.parse.language import language
from compiler.sources.dates import plain_date
from compiler.sources.urls import BIDI, INDEX_NAMES, article_id, public_path, redirect_fault, shorten, slug, url_of
from query_fn.text import plain, without_smuggled

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
class Read:
    """What one file says: its article, and what its author should know."""

    article: Article
    remarks: tuple[Problem, ...]


def read_page(judged: Judged, hidden: Sequence[str], day: str | None) -> Read:
    """Return the article of a file that may be read, as `read_article` does, with the remarks about it."""
    return Read(read_article(judged, hidden, day), tuple(remarks(judged)))


def read_article(judged: Judged, hidden: Sequence[str], day: str | None) -> Article:
    """Return the article of a file that may be read; its URL is what it wants, not yet what it gets.

    `hidden` are the folders whose names no address shows, `day` is that of the last commit. Raises FileError for a key
    that can't be understood.
    """
    file, front = judged.file, judged.front
    body, _ = without_smuggled(strip_comments(_body(judged)))
    url = _wanted_url(judged, hidden)
    aliases = _list(front, "aliases") + _list(front, "alias")
    title = _text(front, "title") or _one_line(_first_title(body)) or _name(file.path)
    created, updated = (_date(front, *keys) for keys in (("created", "date"), ("updated", "lastmod")))
    kind = _text(front, "kind")
    moment = judged.decision.not_after
    tags = (_tag(text) for text in _list(front, "tags") + _list(front, "tag"))
    return Article(
        id=own_id(front, url),
        source=file.path,
        path=public_path(file.path, hidden),
        url=url,
        title=title,
        lang=_lang(front, body, title),
        summary=_text(front, "summary") or _text(front, "description"),
        kind=kind if kind in WIKI_KINDS else "article",
        tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
        aliases=tuple(a for a in aliases if not a.startswith("/")),
        redirects=tuple(alias for _, alias, fault in _redirects(front) if not fault),
        created=created,
        updated=updated or day or created,
        not_after=int(moment.timestamp()) if moment else None,
        body=body,
        body_line=front.body_line,
        pair=_text(front, "translationKey"),
    )


def remarks(judged: Judged) -> list[Problem]:
    """Return warnings about what of a page was taken away or may deceive: hidden characters, directions, redirects."""
    front, body = judged.front, _body(judged)
    found: list[tuple[str, int | None, str, str]] = []
    if count := without_smuggled(judged.file.text)[1]:
        message = f"{count} invisible characters that can hide a message were left out"
        found.append(("invisible-characters", None, message, "delete them"))
    if match := BIDI.search(body):
        line = front.body_line + body.count("\n", 0, match.start())
        message = "a character that turns the reading direction: text may read differently from what it is"
        found.append(("bidi-control", line, message, "delete it unless the text needs it"))
    for line, _, fault in _redirects(front):
        if fault:
            found.append(("redirect-skipped", line, f"{fault}, so no redirect was made", "change it"))
    return [Problem(Severity.WARNING, c, judged.file.path, line, message, fix) for c, line, message, fix in found]


def own_id(front: FrontMatter, url: Url) -> ArticleId:
    chosen = _text(front, "id")
    if chosen and not _ID.fullmatch(chosen):
        raise FileError("id-invalid", "`id` takes 64 letters, digits, - and _", line=front.lines["id"], fix="change it")
    return ArticleId(chosen) if chosen else article_id(SourcePath(url))


def _wanted_url(judged: Judged, hidden: Sequence[str]) -> Url:
    chosen = judged.front.values.get("slug", "")
    chosen = chosen.strip() if isinstance(chosen, str) else ""
    if BIDI.search(chosen):
        message = "`slug` holds a character that turns the reading direction"
        raise FileError("slug-bidi", message, line=judged.front.lines["slug"], fix="delete it")
    if "/" in chosen:
        message = "`slug` is the last part of an address and holds no slash"
        raise FileError("slug-invalid", message, line=judged.front.lines["slug"], fix="write that part alone")
    return url_of(public_path(judged.file.path, hidden), slug(chosen) if chosen else "")


def _body(judged: Judged) -> str:
    return "\n".join(judged.file.text.split("\n")[judged.front.body_line - 1 :])


def _lang(front: FrontMatter, body: str, title: str) -> str:
    said = _text(front, "lang").lower()
    if said and not re.fullmatch(r"[a-z]{2,3}(-[a-z0-9]+)*", said):
        raise FileError("lang-invalid", "`lang` is not a language tag", line=front.lines["lang"], fix="write zh or en")
    return said.split("-")[0] if said else language(f"{title}\n{body[:20_000]}", "en")


def _date(front: FrontMatter, *keys: str) -> str | None:
    key = next((k for k in keys if k in front.values), None)
    return (
        plain_date(key, _text(front, key), front.lines[key]) if key in ("created", "updated") else _lenient(front, key)
    )


def _lenient(front: FrontMatter, key: str | None) -> str | None:
    """Return the day of another tool's date key, or None: such a key is not ours to refuse."""
    try:
        return date.fromisoformat(_text(front, key)[:10]).isoformat() if key else None
    except ValueError:
        return None


def _text(front: FrontMatter, key: str) -> str:
    value = front.values.get(key, "")
    return _one_line(value) if isinstance(value, str) else ""


def _list(front: FrontMatter, key: str) -> list[str]:
    return [item for text in _items(front, key) if (item := _one_line(text))]


def _items(front: FrontMatter, key: str) -> list[str]:
    value = front.values.get(key, ())
    items = re.split(r"[,，]", value) if isinstance(value, str) else value
    return [unicodedata.normalize("NFC", item.strip()) for item in items if item != "<nested>"]


def _redirects(front: FrontMatter) -> list[tuple[int, str, str]]:
    """Return (line, alias, why it can't be) of each alias that begins with a slash, just as it is written."""
    written = [(front.lines[key], alias) for key in ("aliases", "alias") for alias in _items(front, key)]
    return [(line, alias, redirect_fault(alias)) for line, alias in written if alias.startswith("/")]


def _tag(text: str) -> str:
    """Return a tag without its mark; a part too long for an address is cut like one, in the form addresses have."""
    parts = [part.strip() for part in text.lstrip("#").split("/")]
    folded = [unicodedata.normalize("NFKC", part).casefold() for part in parts]
    return "/".join(
        part if shorten(fold) == fold else shorten(fold) for part, fold in zip(parts, folded, strict=True)
    ).strip()


def _one_line(text: str) -> str:
    """Return a value as one line of visible text: it stands in lists and menus, where a direction would not end."""
    return " ".join(BIDI.sub("", without_smuggled(text)[0]).split())


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
