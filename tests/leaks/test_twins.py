"""Non-interference, the lead test: what is not public has no effect on any byte that is published.

Each law is one function over random vaults: a build with everything in it, and one that must not differ.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from unittest import mock

from hypothesis import HealthCheck, given, settings

from compiler.build import How
from tests.compiler.vault import QUICK, make
from tests.leaks.vaults import Vault, outcome, public_only, scratch, vaults

HANDBOOK = Path(__file__).resolve().parents[2] / "content"
LAW = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
SECRETS = {"GEOSMIN_SECRET": "an owner's secret of enough length", "GEOSMIN_TWIN": "correct horse battery staple"}


@settings(LAW, max_examples=200)
@given(vaults())
def test_what_is_not_public_changes_no_byte(vault: Vault) -> None:
    """For any vault, deleting every file that is not public leaves the public output identical, file by file."""
    with scratch() as folder, mock.patch.dict(os.environ, SECRETS):
        report, everything = outcome(folder, vault, "all")
        _, alone = outcome(folder, public_only(vault, report, everything), "public")
        assert everything == alone


@settings(LAW, max_examples=8)
@given(vaults(most=5))
def test_it_holds_through_mkdocs_and_pagefind(vault: Vault) -> None:
    """The same law for the finished site."""
    with scratch() as folder, mock.patch.dict(os.environ, SECRETS):
        report, everything = outcome(folder, vault, "all", how=How(durable=False))
        _, alone = outcome(folder, public_only(vault, report, everything), "public", how=How(durable=False))
        assert everything == alone


@settings(LAW, max_examples=25)
@given(vaults())
def test_the_same_input_makes_the_same_bytes(vault: Vault) -> None:
    """Another folder, another order of files on disk and another state folder change nothing."""
    with scratch() as folder:
        _, first = outcome(folder, vault, "a")
        shuffled = list(vault.files.items())
        random.Random(7).shuffle(shuffled)
        _, second = outcome(folder / "elsewhere" / "深", Vault(dict(shuffled), vault.sets), "b")
        assert first == second


@settings(LAW, max_examples=30)
@given(vaults(), vaults(), vaults())
def test_an_incremental_build_equals_a_clean_one(first: Vault, second: Vault, third: Vault) -> None:
    """After any edits - files added, changed, deleted, published, unpublished - the output is that of a clean build."""
    with scratch() as folder:
        for step, vault in enumerate((first, second, third, first)):
            content = folder / "a" / "content"
            for old in sorted(content.rglob("*")) if content.is_dir() else ():
                if old.is_file() and old.relative_to(content).as_posix() not in vault.files:
                    old.unlink()
            _, edited = outcome(folder, vault, "a")
            _, clean = outcome(folder, vault, f"clean{step}")
            assert edited == clean


def test_an_unpublished_page_is_gone() -> None:
    """After a page turned private nothing of it is left: the output is that of a vault that never had it."""
    page = "---\nshare: {}\ntags: [共同]\n---\n# 题\n\n独特的话。\n"
    other = "---\nshare: public\ntags: [共同]\n---\n# 别处\n\n[[题]] 与 ![[题]]\n"
    with scratch() as folder:
        for state in ("public", "private"):
            make(folder, {"题.md": page.format(state), "b.md": other}, how=QUICK)
        _, unpublished = outcome(folder, Vault({"题.md": page.format("private"), "b.md": other}, ()), "a")
        _, never = outcome(folder, Vault({"b.md": other}, ()), "never")
        assert unpublished == never


def test_it_holds_for_the_handbook(tmp_path: Path) -> None:
    """The project's own content, with a private, a password, an expiring and an expired page, and without them."""
    files: dict[str, str | bytes] = {
        path.relative_to(HANDBOOK).as_posix(): path.read_bytes()
        for path in sorted(HANDBOOK.rglob("*"))
        if path.is_file()
    }
    vault = Vault(files, ())
    report, everything = outcome(tmp_path, vault, "all", how=How(durable=False))
    alone = public_only(vault, report, everything)
    assert len(vault.files) - len(alone.files) >= 3
    assert outcome(tmp_path, alone, "public", how=How(durable=False))[1] == everything
