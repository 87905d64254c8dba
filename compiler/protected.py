"""From password articles to finished pages: the password is fetched and weighed, links resolved, files cleaned."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from compiler.errors import FileError
from compiler.model import (
    Article,
    Document,
    Problem,
    ProtectedFile,
    ProtectedPage,
    Severity,
    SourcePath,
)
from compiler.parse.document import publish
from compiler.parse.html import relative_url
from compiler.parse.links import RawLink, Resolution, Resolver, Target
from compiler.parse.structure import Structure, read_structure
from compiler.parse.warnings import link_problems
from compiler.settings import Settings
from compiler.site.protect import page_id, page_url
from compiler.sources.articles import Protected
from compiler.sources.attachments import read_clean

UNSET = "password-missing"  # a warning: whoever builds without the passwords, such as a contributor, does nothing wrong
SECRET = "GEOSMIN_SECRET"  # noqa: S105 - the name of a variable
SHORTEST_SECRET = 32  # characters
FLOOR = 50.0  # bits: guesses that an attacker needs, as zxcvbn estimates them; each costs 600,000 rounds of SHA-256
WEIGHED = 72  # characters of a password that zxcvbn looks at; more only makes it stronger


@dataclass(frozen=True, slots=True)
class Around:
    """What a password page can lead to: the public pages, and every file that no rule keeps private."""

    public: Resolver
    files: Mapping[SourcePath, Path]
    settings: Settings


@dataclass(frozen=True, slots=True)
class Door:
    """What opens one page, and the address that follows from the owner's secret."""

    secret: bytes
    password: str
    id: str


def protected_pages(
    wanted: Sequence[Protected],
    documents: Sequence[Document],
    files: Mapping[SourcePath, Path],
    *,
    settings: Settings,
    environment: Mapping[str, str],
) -> tuple[tuple[ProtectedPage, ...], list[Problem]]:
    """Return the pages whose password is there and strong enough, and a problem for each that is not published.

    Nothing is encrypted yet. A message names the variable and never its value.
    """
    if not wanted:
        return (), []
    pages: list[ProtectedPage] = []
    problems: list[Problem] = []
    around = Around(Resolver({d.article.source: Target(d.article, d.headings) for d in documents}, {}), files, settings)
    for one in wanted:
        path = one.article.source
        try:
            page, found = _page(one.article, _door(one, environment), around)
        except FileError as error:
            severity = Severity.WARNING if error.code == UNSET else Severity.ERROR
            problems.append(Problem(severity, error.code, path, error.line, error.message, error.fix))
            continue
        pages.append(page)
        problems += found
    return tuple(pages), problems


def _door(one: Protected, environment: Mapping[str, str]) -> Door:
    secret, password, name = environment.get(SECRET, ""), environment.get(one.variable, ""), one.variable
    if not password:
        message = f"the environment variable {name} is not set, so the page is not published"
        raise FileError(UNSET, message, line=one.line, fix=f"set {name} where the build runs")
    if len(secret) < SHORTEST_SECRET:
        message = f"a password page needs {SECRET} of {SHORTEST_SECRET} characters or more, so it is not published"
        raise FileError(
            "secret-missing", message, line=one.line, fix=f"set {SECRET} to a long random value and keep it"
        )
    try:
        password.encode()
    except UnicodeEncodeError:
        message = f"the value of {name} is not UTF-8, so no browser could send it"
        raise FileError("password-weak", message, line=one.line, fix="choose another password") from None
    from zxcvbn import zxcvbn  # only who has password pages pays for its lists of words

    bits = float(zxcvbn(password[:WEIGHED])["guesses_log10"]) * math.log2(10)
    if bits < FLOOR:
        message = f"the password in {name} is too easy to guess: about {bits:.0f} bits, and {FLOOR:.0f} are needed"
        raise FileError(
            "password-weak", message, line=one.line, fix="use five random words or sixteen random characters"
        )
    key = secret.encode("utf-8", "surrogateescape")
    return Door(key, password, page_id(key, one.article.id))


def _page(article: Article, door: Door, around: Around) -> tuple[ProtectedPage, list[Problem]]:
    """Return the finished page and a warning for each file that it can't show and each link that leads nowhere.

    Links to such files are missing.
    """
    article = dataclasses.replace(article, url=page_url(door.id))
    structure = read_structure(article.body)
    urls = {path: f"{article.url}files/{path}" for path in around.files}
    problems: list[Problem] = []
    while True:
        found = _resolved(article, structure, around.public, urls)
        document = publish(article, structure, found)
        files, refused = _files(document, urls, around)
        problems += refused
        if not refused:
            break
        urls = {path: url for path, url in urls.items() if path not in {p.path for p in refused}}
    page = ProtectedPage(
        id=door.id,
        url=article.url,
        source=article.source,
        secret=door.secret,
        password=door.password,
        title=article.title,
        lang=article.lang,
        html=document.html,
        headings=document.headings,
        updated=article.updated,
        not_after=article.not_after,
        files=files,
    )
    return page, [*problems, *link_problems(article, structure.links, found, public=False)]


def _resolved(
    article: Article, structure: Structure, public: Resolver, urls: Mapping[SourcePath, str]
) -> list[Resolution]:
    """Resolve links to public pages, then within the page and to files. Another page that is not public is missing."""
    own = Resolver({article.source: Target(article, structure.headings, structure.ids)}, urls)

    def resolve(link: RawLink) -> Resolution:
        found = public.resolve(article.source, link) if link.target else None
        return found if found and found.status != "missing" else own.resolve(article.source, link)

    return [resolve(link) for link in structure.links]


def _files(
    document: Document, urls: Mapping[SourcePath, str], around: Around
) -> tuple[tuple[ProtectedFile, ...], list[Problem]]:
    out: list[ProtectedFile] = []
    problems: list[Problem] = []
    for path in document.attachments:
        try:
            data, media = read_clean(path, around.files[path], around.settings.limits)
        except FileError as error:
            problems.append(Problem(Severity.WARNING, error.code, path, None, error.message, error.fix))
        else:
            out.append(ProtectedFile(relative_url(document.article.url, urls[path]), media, data))
    return tuple(out), problems
