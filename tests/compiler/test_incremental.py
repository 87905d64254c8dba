"""An incremental build equals a clean one, after any sequence of edits."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.cache import Cache, digest_of
from compiler.derive import derive
from compiler.enrich.local import LocalEnricher
from compiler.pages import parse
from compiler.progress import Silent
from compiler.settings import load
from compiler.sources.articles import select
from compiler.sources.scan import scan
from compiler.sources.urls import attachment_urls
from tests.compiler.vault import NOON, PUBLIC, digests, make, write

WORDS = ("雨", "安装", "garden", "`rain_depth`", "[[p1]]", "[[p3#部分|那里]]", "![[p2]]", "[x](p4.md)", "- [ ] 事")
Vault = dict[str, str | bytes]


def text(words: list[str], title: str) -> str:
    """Return a public page of two sections."""
    half = len(words) // 2
    return f"{PUBLIC}# {title}\n\n{'。 '.join(words[:half])}\n\n## 部分\n\n{'. '.join(words[half:])}\n"


edits = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(["edit", "delete", "hide"]), st.lists(st.sampled_from(WORDS))),
    min_size=1,
    max_size=4,
)


def apply(vault: Vault, name: str, change: str, body: str) -> None:
    """Change one page of a vault."""
    if change == "delete":
        vault.pop(name, None)
    else:
        vault[name] = body.replace("share: public", "share: private") if change == "hide" else body


def made(place: Path, cache: Cache) -> str:
    """Return a digest of all documents and rows of the vault at `place`."""
    setup = load(place, place.with_name("out"), place.with_name("state"))
    found = scan(place, setup.limits)
    articles = select(found.files, setup, NOON, days={}).articles
    parsed = parse(articles, attachment_urls(found.others), cache, Silent().update)
    rows = derive(parsed.documents, setup, enricher=LocalEnricher(), cache=cache, progress=Silent().update)
    cache.save(prune=False)  # only what is written is found again
    return digest_of((parsed.documents, rows))


@settings(max_examples=15, deadline=None)
@given(edits)
def test_the_rows_are_those_of_a_clean_build(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str, list[str]]]
) -> None:
    """After every step, documents and rows from a cache that saw all steps equal those from an empty cache."""
    cache, vault = Cache(None), {f"p{i}.md": text(["雨", "garden"], f"页{i}") for i in range(6)}
    for number, change, words in [(0, "edit", ["雨"]), *steps]:
        apply(vault, f"p{number}.md", change, text(words, f"页{number}"))
        place = write(tmp_path_factory.mktemp("v"), vault)
        assert made(place, cache) == made(place, Cache(None))


def test_a_new_page_leaves_what_the_others_gave(tmp_path: Path) -> None:
    """A page that comes first in the order costs what it gives itself, whatever place the others have now."""
    cache, vault = Cache(None), {f"p{i}.md": text(["雨", "garden"], f"页{i}") for i in range(4)}
    made(write(tmp_path / "before", vault), cache)
    cache.made.clear()
    made(write(tmp_path / "after", {"a.md": text(["雨"], "新"), **vault}), cache)
    assert {kind: cache.made[kind] for kind in ("rows", "questions", "looks", "texts")} == dict.fromkeys(
        ("rows", "questions", "looks", "texts"), 1
    )


def test_the_build_is_that_of_a_clean_build(tmp_path: Path) -> None:
    """After every step, each file of site, search and artifacts has the bytes of a clean build."""
    dice = random.Random(5)
    vault: Vault = {f"p{i}.md": text(["雨", "garden"], f"页{i}") for i in range(6)}
    for step, change in enumerate(("edit", "edit", "hide", "delete", "edit")):
        number = dice.randrange(6)
        apply(vault, f"p{number}.md", change, text(dice.choices(WORDS, k=5), f"页{number}{step % 2}"))
        for old in (tmp_path / "a" / "content").glob("*.md"):
            old.unlink()
        _, kept = make(tmp_path, vault)
        _, clean = make(tmp_path, vault, name=f"clean{step}")
        assert digests(kept) == digests(clean)


def test_an_unchanged_page_is_taken_over(tmp_path: Path) -> None:
    """A page that nothing changed is the same file on the disk as in the build before."""
    vault: Vault = {f"p{i}.md": text(["雨"], f"页{i}") for i in range(3)}
    _, current = make(tmp_path, vault)
    before = (current / "site" / "p0" / "index.html").stat().st_ino
    keep = os.open(current / "site" / "p0" / "index.html", os.O_RDONLY)  # so that its number is not given away
    vault["p2.md"] = text(["garden"], "页2")
    make(tmp_path, vault)
    os.close(keep)
    assert (current / "site" / "p0" / "index.html").stat().st_ino == before


def test_a_damaged_served_page_is_not_taken_over(tmp_path: Path) -> None:
    """The bytes of a served page are hashed before they are used again."""
    vault: Vault = {f"p{i}.md": text(["雨"], f"页{i}") for i in range(3)}
    _, current = make(tmp_path, vault)
    page = current / "site" / "p0" / "index.html"
    page.write_bytes(page.read_bytes().replace("雨".encode(), "雪".encode()))
    vault["p2.md"] = text(["garden"], "页2")
    make(tmp_path, vault)
    assert digests(current) == digests(make(tmp_path, vault, name="clean")[1])


def test_making_everything_anew_changes_no_byte(tmp_path: Path) -> None:
    """A build from an empty cache replaces the served one with equal bytes."""
    vault: Vault = {f"p{i}.md": text(["雨"], f"页{i}") for i in range(3)}
    _, current = make(tmp_path, vault)
    before = digests(current)
    (tmp_path / "a" / "state" / "cache.db").unlink()
    (current / "artifacts" / "fold.json").unlink()
    report, _ = make(tmp_path, vault)
    assert report.switched
    assert digests(current) == before


def test_a_build_that_does_nothing_keeps_the_cache(tmp_path: Path) -> None:
    """Rows and finished pages outlive a build that ends early, because nothing changed."""
    vault: Vault = {f"p{i}.md": text(["雨"], f"页{i}") for i in range(3)}
    make(tmp_path, vault)
    kept = entries(tmp_path)
    assert make(tmp_path, vault)[0].unchanged
    assert entries(tmp_path) == kept


def entries(tmp: Path) -> int:
    """Return how many results the cache holds."""
    with closing(sqlite3.connect(tmp / "a" / "state" / "cache.db")) as db:
        return int(db.execute("SELECT count(*) FROM results").fetchone()[0])


def test_a_renamed_heading_is_noticed_by_the_pages_that_name_it(tmp_path: Path) -> None:
    """Links are resolved again when any heading changed, though the page they stand on did not."""
    link, place = PUBLIC + "# A\n\n[[b#Rain]]\n", tmp_path / "content"
    write(place, {"a.md": link, "b.md": PUBLIC + "# B\n\n## Rain\n"})
    with closing(Cache(None)) as cache:
        made(place, cache)
        write(place, {"b.md": PUBLIC + "# B\n\n## Snow\n"})
        cache._flush()
        again = made(place, cache)
    with closing(Cache(None)) as fresh:
        assert again == made(place, fresh)
