"""Static search: Pagefind indexes of the public pages in shards, cached by content and merged in the browser.

A page's shard is a hash of its address, so a changed page costs one shard. Pagefind sees the body of a page alone,
not the frame around it: another page's title changes no shard, and lists, trees and backlinks are not found.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from compiler.cache import Cache, Kind, digest_of
from compiler.errors import BuildError
from compiler.site.listing import encode, file_path

try:
    from pagefind_bin_extended import get_executable
except ImportError:  # the extra `search` is not installed
    get_executable = None

NO_SEARCH = "no_static_search"  # the named reason in manifest.degraded
FOLDER = "pagefind"
PER_SHARD = 128  # pages: 0.9 s and 150 MB of a Pagefind process
MOST = 16  # shards: a browser opens every one of them
_SCRIPTS = ("pagefind.js", "pagefind-worker.js")
_KEPT = ("pagefind-entry.json", "pagefind.*.pf_meta", "wasm.*.pagefind", "fragment/*", "index/*", *_SCRIPTS)
_PAGE = Markup(
    '<!doctype html><html lang="{lang}"><head><title>{title}</title></head><body data-pagefind-body>'
    '<i data-pagefind-meta="title[title], lang[lang], url[href], kind[class], tags[rel]" title="{title}" lang="{lang}" '
    'href="{url}" class="{kind}" rel="{tags}"></i>{heading}{body}</body></html>\n'
)  # no filter of Pagefind's own: it writes their values in no fixed order, and bytes must repeat

Bundle = dict[str, bytes]
Progress = Callable[[int, int], None]  # shards done, shards in all
Finish = Callable[[Path, Progress], tuple[str, ...]]
_SHARD = Kind("search", Bundle)


@dataclass(frozen=True, slots=True)
class Leaf:
    """What is searched of one page: its URL in the site, and its finished body."""

    url: str
    title: str
    lang: str
    html: str
    kind: str = "article"
    tags: tuple[str, ...] = ()


@contextmanager
def begun(leaves: Sequence[Leaf], *, cache: Cache) -> Iterator[Finish]:
    """Begin the search of a site and yield what ends it: that writes ``out/pagefind`` and names what the site lacks.

    Pagefind runs on the shards that are not cached while the caller does something else. Without Pagefind nothing is
    written and NO_SEARCH is returned. Ending raises BuildError when Pagefind fails.
    """
    if get_executable is None:
        yield lambda out, progress: (NO_SEARCH,)
        return
    lang = "zh" if any(leaf.lang.startswith("zh") for leaf in leaves) else next((leaf.lang for leaf in leaves), "en")
    wanted = shards(leaves)
    parts = {name: (lang, digest_of(found)) for name, found in wanted.items()}
    known = {name: bundle for name in wanted if (bundle := cache.find(_SHARD, parts[name])) is not None}
    with ThreadPoolExecutor(cache.workers.count) as pool:
        made = {name: pool.submit(_index, wanted[name], lang) for name in wanted if name not in known}

        def finish(out: Path, progress: Progress) -> tuple[str, ...]:
            for done, (name, bundle) in enumerate(made.items(), len(known) + 1):
                known[name] = bundle.result()
                cache.keep(_SHARD, parts[name], known[name])
                progress(done, len(wanted))
            _write(known, out / FOLDER)
            return ()

        try:
            yield finish
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _write(bundles: Mapping[str, Bundle], folder: Path) -> None:
    """Write all shards, and their names for the browser."""
    for number, (name, bundle) in enumerate(sorted(bundles.items())):
        _unpack(bundle, folder / name, scripts=number == 0)
    names = json.dumps(sorted(bundles), separators=(",", ":"))
    folder.mkdir(exist_ok=True)
    (folder / "shards.json").write_text(names + "\n", "utf-8")


def shards(leaves: Sequence[Leaf]) -> dict[str, list[Leaf]]:
    """Return the pages by shard. The number of shards is a power of two, so it changes seldom as a site grows."""
    count = 1
    while count < MOST and count * PER_SHARD < len(leaves):
        count *= 2
    found: dict[str, list[Leaf]] = {}
    for leaf in sorted(leaves, key=lambda leaf: leaf.url):
        bucket = int.from_bytes(hashlib.sha256(leaf.url.encode()).digest()[:4]) % count
        found.setdefault(f"{bucket:x}", []).append(leaf)
    return found


def _index(leaves: Sequence[Leaf], lang: str) -> Bundle:
    """Return the files that Pagefind makes of some pages. It runs in a folder and an environment without settings."""
    with tempfile.TemporaryDirectory(prefix="geosmin-search-") as place:
        stage, made = Path(place) / "site", Path(place) / "made"
        for leaf in leaves:
            target = stage / file_path(leaf.url)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_page(leaf), "utf-8")
        options = ["--site", str(stage), "--output-path", str(made), "--force-language", lang, "--silent"]
        command = [str(get_executable().absolute()), *options]
        ran = subprocess.run(command, cwd=place, env={}, capture_output=True, text=True, check=False)
        if ran.returncode or not (made / "pagefind-entry.json").is_file():
            said = " ".join((ran.stderr or ran.stdout).split())[-300:]
            raise BuildError(f"the static search could not be made: Pagefind ended with {ran.returncode}: {said}")
        paths = sorted(path for pattern in _KEPT for path in made.glob(pattern))
        return {path.relative_to(made).as_posix(): path.read_bytes() for path in paths}


def _page(leaf: Leaf) -> str:
    heading = Markup() if "<h1" in leaf.html else Markup("<h1>{}</h1>").format(leaf.title)
    body = Markup(leaf.html)  # noqa: S704 - bodies arrive sanitised
    known = {"lang": leaf.lang, "title": leaf.title, "url": encode(leaf.url), "kind": leaf.kind}
    return _PAGE.format(**known, tags=json.dumps(leaf.tags, ensure_ascii=False), heading=heading, body=body)


def _unpack(bundle: Bundle, folder: Path, *, scripts: bool) -> None:
    """Write a shard's files; only the first shard carries the scripts."""
    for path, data in bundle.items():
        if scripts or path not in _SCRIPTS:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
