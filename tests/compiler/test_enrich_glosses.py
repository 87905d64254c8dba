"""What is said of a name in passing: in brackets, in a tooltip, below its heading, or before "it is the …"."""

from __future__ import annotations

from pathlib import Path

import pytest

from query_fn.contract import PageRow, SynonymRow
from tests.compiler.test_wiki import built, subjects, table
from tests.compiler.vault import PUBLIC

TOLD = """# Things

Install `fastwire` (a small library that keeps a socket open) before you begin.

We run it on Larkspur, which is an open registry of packages, and nothing else.

A value goes through <dfn title="turning text into a tree of values">decoding</dfn> first. There is a
<dfn title="also known as: nap, pause">siesta</dfn> in between, and <dfn title="don't worry about it">jokestone</dfn>.

The <abbr title="Wide Area Loop">WAL</abbr> is optional. 使用`pagepump`（一个把页面推送出去的工具）即可。

The line above tells the program where to listen. It is the "listen address".

## PumpResponse

Returns the pages that were pumped since the last call.

## Gatekeeper

It's a process that opens the door for other processes.

## Overview of pumps

This is a rather advanced topic that you may skip.
"""
NAMED = (
    "# Uses\n\nThe fastwire, the Larkspur, the siesta, jokestone, decoding, the WAL and pagepump are all used here. "
    "Set the listen address first.\n\nEvery caller catches the PumpResponse when it comes back.\n\n"
    "The Gatekeeper is asked by everybody who comes to the door. Read about pumps.\n"
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The opening sentence of each wiki page by key."""
    files: dict[str, str | bytes] = {"a.md": PUBLIC + TOLD, "b.md": PUBLIC + NAMED}
    return {key: page.summary for key, page in subjects(built(tmp_path_factory.mktemp("g"), files)).items()}


@pytest.mark.parametrize(
    ("key", "summary"),
    [
        ("fastwire", "fastwire: a small library that keeps a socket open."),
        ("larkspur", "Larkspur: an open registry of packages."),
        ("decoding", "decoding: turning text into a tree of values."),
        ("wal", "WAL: Wide Area Loop."),
        ("pagepump", "pagepump：一个把页面推送出去的工具。"),
        ("listen address", 'The line above tells the program where to listen. It is the "listen address".'),
        ("pumpresponse", "PumpResponse: Returns the pages that were pumped since the last call."),
        ("gatekeeper", "Gatekeeper: a process that opens the door for other processes."),
    ],
)
def test_a_name_is_told_in_passing(told: dict[str, str], key: str, summary: str) -> None:
    """Its page opens with the words of the page, as an entry of a definition list would."""
    assert told[key] == summary


@pytest.mark.parametrize("key", ["siesta", "jokestone", "overview of pump", "pump"])
def test_what_tells_nothing_defines_nothing(told: dict[str, str], key: str) -> None:
    """Other names, remarks and a sentence about the section say of nothing what it is."""
    assert key not in told


def test_the_words_of_an_acronym_are_a_name_of_it(tmp_path: Path) -> None:
    """A tooltip that spells it out gives an alias: a question with the words finds the acronym."""
    files: dict[str, str | bytes] = {"a.md": PUBLIC + TOLD, "b.md": PUBLIC + NAMED}
    store = built(tmp_path, files)
    assert ("WAL", ("Wide Area Loop",)) in [(row.term, row.aliases) for row in table(store, SynonymRow)]
    assert any(page.key == "wal" and "Wide Area Loop" in page.body for page in table(store, PageRow))
