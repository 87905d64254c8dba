"""Pages inside pages, in whole builds: what may be shown, how much of it, and where its words are found."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from compiler.parse.embeds import MAX_EMBEDS, MAX_EXPANSION

from .vault import PUBLIC, codes, digests, make

BIG = PUBLIC + "# 大\n\n" + "很长的一段话。" * 3_000 + " ^big\n"


def page(current: Path, name: str) -> str:
    """Return the HTML of a page."""
    return (current / "site" / name / "index.html").read_text("utf-8")


def test_an_embed_of_a_private_page_is_one_of_a_missing_page(tmp_path: Path) -> None:
    """With the private page deleted every public byte is the same."""
    files = {"甲.md": PUBLIC + "# 甲\n\n![[密]]\n\n![[密#节]]\n\n![[密#^b]]\n"}
    secret = {"密.md": "# 密\n\n## 节\n\n绝密 ^b\n"}
    assert digests(make(tmp_path, files | secret, name="a")[1]) == digests(make(tmp_path, files, name="b")[1])


def test_the_words_of_an_embed_are_in_the_chunks_of_their_own_page_alone(tmp_path: Path) -> None:
    """One fact stands in one chunk, and the page that embeds it holds a link."""
    _, current = make(tmp_path, {"甲.md": PUBLIC + "# 甲\n\n![[乙]]\n", "乙.md": PUBLIC + "# 乙\n\n唯一词在此。\n"})
    with sqlite3.connect(current / "artifacts" / "knowledge.db") as db:
        found = db.execute("SELECT count(*) FROM chunks WHERE text LIKE '%唯一词%'").fetchone()[0]
    assert (found, "唯一词" in page(current, "甲")) == (1, True)


def test_a_page_is_rendered_again_when_what_it_embeds_has_changed(tmp_path: Path) -> None:
    """An incremental build equals a clean one."""
    first = {"甲.md": PUBLIC + "# 甲\n\n![[乙]]\n", "乙.md": PUBLIC + "# 乙\n\n![[丙]]\n", "丙.md": PUBLIC + "旧词\n"}
    then = first | {"丙.md": PUBLIC + "新词\n"}
    make(tmp_path, first, name="a")
    again, clean = make(tmp_path, then, name="a")[1], make(tmp_path, then, name="b")[1]
    assert "新词" in page(again, "甲")
    assert digests(again) == digests(clean)


@pytest.mark.parametrize("body", ["![[大]]\n\n" * 1_000, "![[大#^big]]\n\n" * 1_000])
def test_the_embeds_of_a_page_have_a_limit(tmp_path: Path, body: str) -> None:
    """A thousand embeds of one big page end in links, with a warning."""
    report, current = make(tmp_path, {"甲.md": PUBLIC + "# 甲\n\n" + body, "大.md": BIG})
    html = page(current, "甲")
    assert "embed-cut" in {code for code, *_ in codes(report)}
    assert html.count("g-embed-source") <= MAX_EMBEDS
    assert len(html) < 2 * MAX_EXPANSION + 200_000


def test_a_chain_of_a_hundred_pages_ends_in_a_link(tmp_path: Path) -> None:
    """Embeds inside embeds are shown a few levels deep."""
    files = {f"p{n}.md": PUBLIC + f"字{n}号\n\n![[p{n + 1}]]\n" for n in range(100)}
    report, current = make(tmp_path, files | {"p100.md": PUBLIC + "末\n"})
    shown = [
        n for n in range(100) if f"字{n}号" in page(current, "p0").split('class="md-typeset g-after"', maxsplit=1)[0]
    ]
    assert shown == [0, 1, 2, 3, 4]
    assert "embed-cut" in {code for code, *_ in codes(report)}


OUTSIDE = [
    "[[../../outside]]", "[x](../../outside.md)", "[[/etc/passwd]]", "[[C:\\outside]]", "[[%2e%2e/%2e%2e/outside]]", "[[..\\..\\outside]]",
    "![[../../outside.png]]", "![x](../../outside.png)", '<img src="../../outside.png">', "![[../outside]]",
]  # fmt: skip


def test_no_link_opens_a_file_outside_the_folder(tmp_path: Path) -> None:
    """Links that climb out of the folder are missing, and nothing outside is opened."""
    for name in ("outside.md", "outside.png"):
        (tmp_path / name).write_text("绝密")
        (tmp_path / "a").mkdir(exist_ok=True)
        (tmp_path / "a" / name).write_text("绝密")
    opened: list[str] = []
    on = [True]
    sys.addaudithook(lambda event, args: opened.append(str(args[0])) if on[0] and event == "open" else None)
    report, current = make(tmp_path, {"甲.md": PUBLIC + "# 甲\n\n" + "\n\n".join(OUTSIDE) + "\n"})
    on[0] = False
    assert [name for name in opened if "outside" in name or name.endswith("passwd")] == []
    assert sum(code == "link-missing" for code, *_ in codes(report)) == len(OUTSIDE)
    assert "绝密" not in page(current, "甲")


def test_names_that_look_alike_are_reported(tmp_path: Path) -> None:
    """A page with a Cyrillic letter in its name is published, and its author is told."""
    report, _ = make(tmp_path, {"apple.md": PUBLIC + "一\n", "\u0430pple.md": PUBLIC + "二\n"})
    assert report.counts["articles"] == 2
    assert [name for code, name, _ in codes(report) if code == "name-lookalike"] == ["\u0430pple.md"]
