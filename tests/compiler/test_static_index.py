"""The static search as files: what is in it, what is made again, and what a build says without it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from compiler.cache import Cache
from compiler.site import pagefind
from tests.compiler.vault import PUBLIC, digests, make

LEAVES = tuple(pagefind.Leaf(f"p{i}/", f"Page {i}", "en", f"<p>Rain number {i}.</p>") for i in range(40))


def write(out: Path, leaves: tuple[pagefind.Leaf, ...], cache: Cache) -> dict[str, str]:
    """Write a search of several shards and return the digests of its files."""
    out.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pagefind, "PER_SHARD", 10)
        with pagefind.begun(leaves, cache=cache) as finish:
            assert finish(out, lambda done, total: None) == ()
    return digests(out)


def test_the_same_pages_give_the_same_bytes(tmp_path: Path) -> None:
    """Neither the order of the pages nor the cache changes a file."""
    cache = Cache(None)
    first = write(tmp_path / "a", LEAVES, cache)
    cache._flush()
    assert write(tmp_path / "b", LEAVES[::-1], cache) == first == write(tmp_path / "c", LEAVES, Cache(None))


def test_a_changed_page_costs_one_shard(tmp_path: Path) -> None:
    """Only the shard that holds the page is indexed again."""
    cache = Cache(None)
    write(tmp_path / "a", LEAVES, cache)
    cache._flush()
    before = cache.made["search"]
    changed = (pagefind.Leaf("p0/", "Page 0", "en", "<p>Snow.</p>"), *LEAVES[1:])
    write(tmp_path / "b", changed, cache)
    assert (before, cache.made["search"]) == (4, 5)


def test_only_public_pages_are_searched(tmp_path: Path) -> None:
    """Private pages and generated lists are in no fragment."""
    files: dict[str, str | bytes] = {
        "open.md": PUBLIC.replace("---\n", "---\ntags: [rain]\n", 1) + "# Open\n\nword\n",
        "hidden.md": "# Hidden\n\nsecretword\n",
    }
    _, current = make(tmp_path, files)
    fragments = list((current / "site" / "pagefind").rglob("*.pf_fragment"))
    assert len(fragments) == 1
    text = gzip.decompress(fragments[0].read_bytes()).decode()
    assert "Open" in text and "secretword" not in text


def test_without_pagefind_a_build_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The site is built without a search index, and the build names what it goes without."""
    monkeypatch.setattr(pagefind, "get_executable", None)
    report, current = make(tmp_path, {"a.md": PUBLIC + "# A\n"})
    assert pagefind.NO_SEARCH in report.degraded
    assert not (current / "site" / "pagefind").exists()


def test_a_failing_pagefind_fails_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is switched to a site whose search is half made."""
    monkeypatch.setattr(pagefind, "get_executable", lambda: Path("/bin/false"))
    begun = pagefind.begun(LEAVES[:1], cache=Cache(None))
    with pytest.raises(pagefind.BuildError, match="static search"), begun as finish:
        finish(tmp_path, lambda done, total: None)
