"""From files to public articles: the front matter is read, the sharing decided, and everything else dropped here."""

from __future__ import annotations

import dataclasses
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from compiler.errors import FileError
from compiler.model import (
    Article,
    Decision,
    FrontMatter,
    Problem,
    RuleMatch,
    Severity,
    Share,
    SourceFile,
    SourcePath,
    Url,
)
from compiler.settings import CONFIG_NAME, Settings
from compiler.sources.fields import Judged, Read, own_id, read_article, read_page, remarks
from compiler.sources.frontmatter import read_front_matter
from compiler.sources.sharing import Judge, dead_rules, hidden_folders, rule_matches
from compiler.sources.urls import settle

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
        "translationKey",
        "summary",
        "description",
        "kind",
        "created",
        "date",
        "updated",
        "lastmod",
    ]
)


@dataclass(frozen=True, slots=True)
class Protected:
    """An article that a password opens; `variable` is the environment variable that holds the password."""

    article: Article
    variable: str
    line: int  # of the `password` key, for the owner


@dataclass(frozen=True, slots=True)
class Selection:
    """What the sharing rules leave: public articles, password articles, every decision, and the ignored keys."""

    articles: tuple[Article, ...]
    decisions: Mapping[SourcePath, Decision]
    problems: tuple[Problem, ...]
    ignored_keys: Mapping[str, int]
    protected: tuple[Protected, ...] = ()
    rules: tuple[RuleMatch, ...] = ()


def _front_matter(file: SourceFile) -> FrontMatter:
    return read_front_matter(file.text)


def select(  # noqa: PLR0913 - what decides is given by name
    files: Sequence[SourceFile],
    settings: Settings,
    now: datetime,
    *,
    days: Mapping[SourcePath, str],
    others: Collection[SourcePath] = (),
    preview: bool = False,
    front: Callable[[SourceFile], FrontMatter] = _front_matter,
    page: Callable[[Judged, Sequence[str], str | None], Read] = read_page,
) -> Selection:
    """Return the public, unexpired articles, sorted by source path; a preview also has drafts and private ones.

    `others` are the files that are no articles: a rule that covers only them is alive. `front` reads a front
    matter and `page` a page that may be read: a caller that remembers them passes its own. Raises BuildError when a
    rule that should keep files back matches nothing.
    """
    judge = Judge(settings.sharing, now)
    paths = sorted({*(f.path for f in files), *others})
    problems = dead_rules(settings.sharing, paths, SourcePath(CONFIG_NAME))
    judged: list[Judged] = []
    for file in files:
        one, found = _judge(judge, file, front)
        judged.append(one)
        problems += found
    broken = {p.path for p in problems if p.severity is Severity.ERROR}
    wanted = [j for j in judged if is_public(j.decision) or (preview and j.file.path not in broken)]
    public, twins = _one_of_each_name(wanted)
    hidden = hidden_folders(settings.sharing.rules)
    articles, found = _articles(public, hidden, days, page=page)
    kept = {a.source for a in articles}
    protected, refused = ((), []) if preview else _protected(judged, hidden, days)
    sound = kept | {p.article.source for p in protected}
    decisions = _decisions(judged, sound, {id(j) for j in public})
    keys = Counter(key for j in judged for key in j.front.values if key not in KNOWN_KEYS)
    everything = (*problems, *twins, *found, *refused)
    rules = rule_matches(settings.sharing.rules, paths)
    return Selection(articles, decisions, everything, dict(sorted(keys.items())), protected, rules)


def is_public(decision: Decision) -> bool:
    """Tell whether a decision makes its page readable by everyone now. The only place that says so at build time."""
    return decision.share is Share.PUBLIC and not decision.expired


def is_protected(decision: Decision) -> bool:
    """Tell whether a decision makes its page readable, now, with a password and in no other way."""
    return decision.share is Share.PASSWORD and not decision.expired


def _judge(judge: Judge, file: SourceFile, reader: Callable[[SourceFile], FrontMatter]) -> tuple[Judged, list[Problem]]:
    try:
        front = reader(file)
        return Judged(file, front, judge.decide(file.path, front, target=file.target)), []
    except FileError as error:
        private = Decision(Share.PRIVATE, None, error.code)
        return Judged(file, FrontMatter({}, {}, 1), private), [_problem(file.path, error)]


def _one_of_each_name(public: Sequence[Judged]) -> tuple[list[Judged], list[Problem]]:
    """Return one public file per path: of two whose names are equal after NFC, the one that is named in NFC."""
    groups: dict[SourcePath, list[Judged]] = defaultdict(list)
    for judged in public:
        groups[judged.file.path].append(judged)
    message = "two public files are both named {} in two Unicode forms; only one of them is published"
    problems = [
        _problem(path, FileError("name-twice", message.format(path), fix="rename one of them"))
        for path, group in groups.items()
        for _ in group[1:]
    ]
    return [min(group, key=_has_other_form) for group in groups.values()], problems


def _has_other_form(judged: Judged) -> bool:
    name = judged.file.absolute.as_posix()
    return name != unicodedata.normalize("NFC", name)


def _decisions(
    judged: Sequence[Judged], sound: Collection[SourcePath], chosen: Collection[int]
) -> dict[SourcePath, Decision]:
    """Return the decision of every file for the owner; one that was refused later is private, and says why."""
    out: dict[SourcePath, Decision] = {}
    for one in sorted(judged, key=lambda j: id(j) not in chosen):
        path, decision = one.file.path, one.decision
        if path in out:
            path = SourcePath(f"{path} (the same name in another Unicode form)")
            decision = dataclasses.replace(decision, share=Share.PRIVATE, reason="another file has its name")
        elif (is_public(decision) or is_protected(decision)) and path not in sound:
            decision = Decision(Share.PRIVATE, None, "error in the front matter")
        out[path] = decision
    return dict(sorted(out.items()))


def _articles(
    public: Sequence[Judged],
    hidden: Sequence[str],
    days: Mapping[SourcePath, str],
    *,
    page: Callable[[Judged, Sequence[str], str | None], Read],
) -> tuple[tuple[Article, ...], list[Problem]]:
    """Return the articles of files that hold no error; only they take part in who gets which URL."""
    problems: list[Problem] = []
    sound: list[tuple[Judged, Read]] = []
    for judged in public:
        try:
            sound.append((judged, page(judged, hidden, days.get(judged.file.path))))
        except FileError as error:
            problems.append(_problem(judged.file.path, error))
    urls, collisions = settle([(judged.file.path, read.article.url) for judged, read in sound])
    out: dict[str, Article] = {}
    for judged, read in sound:
        url = urls[judged.file.path]
        placed = dataclasses.replace(read.article, url=url, id=own_id(judged.front, url))
        if placed.id in out:
            message = f"`id: {placed.id}` is also that of {out[placed.id].source}"
            problems.append(_problem(judged.file.path, FileError("id-twice", message, fix="choose another id")))
        else:
            out[placed.id] = placed
            problems += read.remarks
    return tuple(sorted(out.values(), key=lambda a: a.source)), [*problems, *collisions]


def _protected(
    judged: Sequence[Judged], hidden: Sequence[str], days: Mapping[SourcePath, str]
) -> tuple[tuple[Protected, ...], list[Problem]]:
    """Return the password articles. They take part in no name, address or list of the public ones."""
    out: dict[str, Protected] = {}
    problems: list[Problem] = []
    for one in (j for j in judged if is_protected(j.decision)):
        try:
            article = read_article(one, hidden, days.get(one.file.path))
            article = dataclasses.replace(article, id=own_id(one.front, Url(one.file.path)))
            if article.id in out:
                message = "its `id` or its name is also that of another password page"
                raise FileError("id-twice", message, line=one.front.lines.get("id"), fix="give it an `id` of its own")
        except FileError as error:
            problems.append(_problem(one.file.path, error))
            continue
        variable = str(one.front.values["password"]).removeprefix("env:")
        out[article.id] = Protected(article, variable, one.front.lines["password"])
        problems += remarks(one)
    return tuple(sorted(out.values(), key=lambda p: p.article.source)), problems


def _problem(path: SourcePath, error: FileError) -> Problem:
    return Problem(Severity.ERROR, error.code, path, error.line, error.message, error.fix)
