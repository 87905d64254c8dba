"""What a proposed page would be: who could read it, and whether all it cites may be read by as many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from compiler.errors import ProposalError
from compiler.model import Article, Severity, Share, SourceFile, SourcePath
from compiler.parse.links import RawLink, Resolver, Target, find_anchor
from compiler.parse.structure import read_structure
from compiler.settings import Settings
from compiler.sources.articles import Selection, select
from compiler.sources.scan import Scan, scan

CITING = ("markdown", "wikilink", "embed")


@dataclass(frozen=True, slots=True)
class Base:
    """The content folder as it is now."""

    settings: Settings
    now: datetime
    found: Scan

    @classmethod
    def read(cls, settings: Settings, now: datetime) -> Base:
        """Read every file of the content folder."""
        return cls(settings, now, scan(settings.content, settings.limits))

    def paths(self) -> dict[str, SourcePath]:
        """Return the source file of each public article by its id."""
        return {article.id: article.source for article in self._selected(self.found.files).articles}

    def text(self, page: SourcePath) -> str | None:
        """Return a page as it stands in the folder, its line ends included, None when there is none."""
        place = next((file.absolute for file in self.found.files if file.path == page), None)
        return place.read_bytes().decode("utf-8-sig") if place else None

    def judge(self, page: SourcePath, text: str, added: str) -> Share:
        """Return who could read the page with this text, of which the conclusion is what is `added`.

        Raises ProposalError for a page that would be public and cites something that is not or that does not exist
        (the two look alike), for a conclusion without a source among the pages, and for a page that can't be read.
        """
        files = [file for file in self.found.files if file.path != page]
        selection = self._selected((*files, SourceFile(page, Path(page), text, "")))
        share = selection.decisions[page].share
        broken = next((p for p in selection.problems if p.path == page and p.severity is Severity.ERROR), None)
        if broken:
            raise ProposalError(f"{page}: {broken.message}; {broken.fix}")
        links = [link for link in read_structure(added).links if link.kind in CITING and link.target]
        others = {a.source: Target(a, ()) for a in selection.articles if a.source != page}
        resolver = Resolver(others, {})
        led = [_leads(link, page, resolver) for link in links]
        if share is Share.PUBLIC and None in led:
            link = links[led.index(None)]
            wrong = f"{link.target}#{link.fragment}" if link.fragment else link.target
            raise ProposalError(f"{page} would be public and cites {wrong}, which leads to no public page or heading")
        if not any(led) and (share is Share.PUBLIC or None not in led):
            raise ProposalError("the text names no page as its source; link to the headings it comes from")
        return share

    def _selected(self, files: tuple[SourceFile, ...]) -> Selection:
        return select(files, self.settings, self.now, days={}, others=tuple(self.found.others))


def _leads(link: RawLink, page: SourcePath, resolver: Resolver) -> bool | None:
    """Tell whether a link leads to a public page and heading; False for one that leaves the site, None for nowhere."""
    found = resolver.resolve(page, replace(link, fragment=""))
    if found.status == "external":
        return False
    article = next((t.article for t in resolver.targets.values() if t.article.id == found.article), None)
    return True if article and _has_anchor(article, link.fragment) else None


def _has_anchor(article: Article, fragment: str) -> bool:
    structure = read_structure(article.body)
    return find_anchor(structure.headings, fragment, structure.ids)[1]
