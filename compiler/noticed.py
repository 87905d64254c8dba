"""What a build makes happen: it is logged after the switch, and the proposals that a person merged are noticed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from compiler import events
from compiler.events import Event, What, event
from compiler.index.switch import current_build
from compiler.proposals import pending
from compiler.settings import Settings
from compiler.site.listing import file_path
from query_fn.contract import MANIFEST, POINTER, ArticleRow, Manifest, ManifestError, PageRow, load_manifest
from query_fn.errors import ArtifactError
from query_fn.store import open_store


def recover(state: Path, now: datetime) -> None:
    """Finish what an interrupted build or proposal left to be logged. Raises OSError."""
    events.settle(state)
    pending.settle(state, now)


def expected(out: Path, manifest: Manifest, now: datetime) -> list[Event]:
    """Return what will have happened once this build is switched to: it is built, and pages of the one before went."""
    counts = manifest.counts
    told = f"{counts['articles']} pages, {counts['chunks']} passages, {counts['pages']} pages of the wiki"
    gone = [event(What.REMOVED, url, title, now=now) for url, title in _gone(out, manifest)]
    return [event(What.BUILT, manifest.build_id, told, now=now), *gone]


def merged(settings: Settings, now: datetime) -> int:
    """Log the proposals that stand in their pages now, and return how many. Raises OSError."""
    return len(pending.notice(settings.state, settings.content, now))


def _gone(out: Path, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield (address, title) of each article and wiki page that is served now and will not be any more.

    A served build that another version made, or that is damaged, is not opened: of it nothing is said.
    """
    served = out / POINTER / "artifacts"
    if current_build(out) is None:
        return
    try:
        before = load_manifest((served / MANIFEST).read_text("utf-8")).site
        if all(path in manifest.site for path in before if path.endswith(".html")):
            return  # no page went: the store is not opened, which would hash it
        store = open_store(served)
    except (OSError, ManifestError, ArtifactError):
        return
    for table, where in ((ArticleRow.TABLE, "1"), (PageRow.TABLE, "generated AND kind != 'source'")):
        for url, title in store.rows(f"SELECT url, title FROM {table} WHERE {where} ORDER BY n"):  # noqa: S608 - our own
            if file_path(url) not in manifest.site:
                yield url, title
