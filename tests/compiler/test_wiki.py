"""The wiki: pages from public articles alone, each word of them with its source, and nothing of what is gone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.enrich.folding import key_of
from compiler.errors import SettingsError
from query_fn.contract import ArticleRow, ContributionRow, PageRow, RelationRow, SynonymRow, from_sql
from query_fn.store import Store, open_store
from tests.compiler.vault import PUBLIC, QUICK, codes, make

DROP = "**Petrichor** is a smell of rain on dry ground. Petrichor comes from geosmin.\n"
MORE = "Walkers love petrichor after a long summer. Nobody has bottled it well.\n"
THIRD = "In 2026 petrichor was measured with a drone over the fields of Provence.\n"
PRIVATE = "---\nshare: private\n---\n"


def table(store: Store, row: Any) -> list[Any]:
    """Return all rows of a table."""
    return [from_sql(row, values) for values in store.rows(f"SELECT * FROM {row.TABLE} ORDER BY n")]


def built(tmp: Path, files: dict[str, str | bytes], name: str = "a") -> Store:
    """Return the store of a vault."""
    return open_store(make(tmp, files, name=name, how=QUICK)[1] / "artifacts")


def subjects(store: Store) -> dict[str, PageRow]:
    """Return the pages of subjects by key."""
    return {page.key: page for page in table(store, PageRow) if page.kind in ("entity", "concept")}


def test_a_page_is_made_of_the_public_articles_that_name_its_subject(tmp_path: Path) -> None:
    """Two public and three private articles name it: the page has two sources, and the words of two."""
    hidden = {f"p{n}.md": PRIVATE + f"# P{n}\n\nPetrichor is a secret number {n}.\n" for n in range(3)}
    store = built(tmp_path, {"a.md": PUBLIC + "# Rain\n\n" + DROP, "b.md": PUBLIC + "# Walks\n\n" + MORE, **hidden})
    page = subjects(store)["petrichor"]
    assert page.summary == "Petrichor is a smell of rain on dry ground."
    assert len(page.sources) == 2
    assert "secret" not in json.dumps([page.body, page.summary])


def test_what_only_private_articles_name_has_no_page_and_no_name(tmp_path: Path) -> None:
    """No page, no synonym, no relation."""
    files: dict[str, str | bytes] = {
        "a.md": PUBLIC + "# Rain\n\nRain is a kind of weather.\n",
        "_glossary.yml": "- {term: Petrichor, aliases: [XQ7]}\n",
    }
    store = built(tmp_path, files | {"p.md": PRIVATE + DROP, "q.md": PRIVATE + MORE})
    rows = [*table(store, PageRow), *table(store, SynonymRow), *table(store, RelationRow)]
    assert not re.search("petrichor|XQ7", repr(rows), re.I)


@pytest.mark.parametrize("gone", ["deleted", "private", "expired"])
def test_an_article_that_goes_takes_exactly_its_words(tmp_path: Path, gone: str) -> None:
    """What remains is byte for byte the page that would be there if the article had never been written."""
    files: dict[str, str | bytes] = {"a.md": PUBLIC + "# Rain\n\n" + DROP, "b.md": PUBLIC + "# Walks\n\n" + MORE}
    third = PUBLIC + "# Drones\n\n" + THIRD
    with_it = built(tmp_path, files | {"c.md": third})
    assert "drone" in subjects(with_it)["petrichor"].body
    front = {"private": PRIVATE, "expired": "---\nshare: public\nexpires: 2020-01-01\n---\n"}.get(gone)
    (tmp_path / "a" / "content" / "c.md").unlink()
    after = built(tmp_path, files | ({"c.md": third.replace(PUBLIC, front)} if front else {}))
    never = built(tmp_path, files, name="never")
    assert table(after, PageRow) == table(never, PageRow)
    assert table(after, ContributionRow) == table(never, ContributionRow)


def test_each_contribution_has_one_article_and_names_its_passages(tmp_path: Path) -> None:
    """A contribution can be dropped alone; every sentence of it stands in the passages it names."""
    store = built(tmp_path, {"a.md": PUBLIC + "# Rain\n\n" + DROP, "b.md": PUBLIC + "# Walks\n\n" + MORE})
    rows = table(store, ContributionRow)
    assert rows
    for row in rows:
        assert row.sources == (row.article_id,)
        texts = " ".join(store.chunk(chunk).text.replace("*", "") for chunk in row.chunk_ids)  # type: ignore[union-attr]
        assert all(sentence in texts for sentence in re.findall(r"[^.]+\.", row.text.replace("\n", " ")))


def test_a_part_ends_with_its_article(tmp_path: Path) -> None:
    """The contribution of an article that expires carries that moment, and so does a page that holds its words."""
    soon = "---\nshare: public\nexpires: 2027-01-01T00:00:00Z\n---\n"
    store = built(tmp_path, {"a.md": PUBLIC + "# Rain\n\n" + DROP, "b.md": soon + "# Walks\n\n" + MORE})
    ends = {row.article_id: row.not_after for row in table(store, ContributionRow) if row.page_key == "petrichor"}
    titles = {article.id: article.title for article in table(store, ArticleRow)}
    assert {titles[key]: end for key, end in ends.items()} == {"Rain": None, "Walks": 1798761600}
    assert subjects(store)["petrichor"].not_after == 1798761600


def test_spellings_of_a_subject_share_one_page(tmp_path: Path) -> None:
    """Case, plural, width and Traditional characters fold; the acronym that a text explains is the same subject."""
    files: dict[str, str | bytes] = {
        "a.md": PUBLIC
        + "# A\n\n**Placement Driver** (PD) is a component that gives out time. 缓存表是一种放在内存里的表，读得很快。\n",
        "b.md": PUBLIC + "# B\n\nThe placement drivers are asked by every client. 緩存表可以關閉，也可以再打開。\n",
        "c.md": PUBLIC + "# C\n\nAsk the ＰＤ for a timestamp before you write.\n",
    }
    store = built(tmp_path, files)
    pages = subjects(store)
    assert {key: len(page.sources) for key, page in pages.items()} == {"pd": 3, "缓存表": 2}
    assert [(row.term, row.aliases) for row in table(store, SynonymRow)] == [("PD", ("Placement Driver",))]


def test_a_page_that_a_person_wrote_wins(tmp_path: Path) -> None:
    """It keeps its words and address, no generated page stands beside it, and what articles say is kept beside it."""
    human = (
        "---\nshare: public\nkind: concept\nsummary: What the ground smells of.\n---\n# Petrichor\n\nMy own words.\n"
    )
    files: dict[str, str | bytes] = {
        "wiki/petrichor.md": human,
        "a.md": PUBLIC + "# Rain\n\n" + DROP,
        "b.md": PUBLIC + "# Walks\n\n" + MORE,
    }
    store = built(tmp_path, files)
    page = subjects(store)["petrichor"]
    assert (page.generated, page.url, page.summary) == (False, "wiki/petrichor/", "What the ground smells of.")
    texts = [row.text for row in table(store, ContributionRow) if row.page_key == "petrichor"]
    assert any("dry ground" in text for text in texts)
    assert any("Walkers" in text for text in texts)
    shown = json.loads((tmp_path / "a/dist/current/site/wiki/petrichor/index.html").read_text())
    assert {voice["title"] for voice in shown["says"]} == {"Rain", "Walks"}


def test_the_glossary_names_and_ignores(tmp_path: Path) -> None:
    """It decides how a subject is called, adds names to it, and keeps ignored words from having a page."""
    files: dict[str, str | bytes] = {
        "a.md": PUBLIC + "# Rain\n\n" + DROP + "\n**Geosmin** is a molecule of the soil.\n",
        "b.md": PUBLIC + "# Walks\n\n" + MORE + "\nGeosmin smells of earth, and walkers know it.\n",
        "_glossary.yml": "- {term: Rain smell, aliases: [petrichor, earth scent]}\n- {term: Geosmin, ignore: true}\n"
        "- {term: walkers, aliases: [hikers]}\n",
    }
    store = built(tmp_path, files)
    pages = subjects(store)
    assert pages["rain smell"].title == "Rain smell"
    assert "geosmin" not in pages
    names = {row.term: (row.aliases, row.page_key) for row in table(store, SynonymRow)}
    assert names == {"Rain smell": (("earth scent", "Petrichor"), "rain smell"), "walkers": (("hikers",), None)}


def test_the_guide_lists_terms_and_what_to_ignore(tmp_path: Path) -> None:
    """A list below "Ignore" is read; comments and empty sections are not, and nothing of the guide is published."""
    guide = "# About\n\n<!-- ## Ignore\n- petrichor -->\n\n## Empty\n\n## Ignore\n\n- Geosmin\n"
    files: dict[str, str | bytes] = {"a.md": PUBLIC + "# Rain\n\n" + DROP + "\n**Geosmin** is a molecule of the soil.\n",
                                     "b.md": PUBLIC + "# Walks\n\n" + MORE + "\nGeosmin smells of earth.\n", "_guide.md": guide}  # fmt: skip
    pages = subjects(built(tmp_path, files))
    assert ("petrichor" in pages, "geosmin" in pages) == (True, False)


def test_a_glossary_that_is_not_understood_is_refused(tmp_path: Path) -> None:
    """The message names the file and the entry."""
    with pytest.raises(SettingsError, match=r"_glossary\.yml: entry 1: unknown key `alias`"):
        make(tmp_path, {"_glossary.yml": "- {term: x, alias: y}\n"}, how=QUICK)


def test_instructions_in_an_article_are_words_like_others(tmp_path: Path) -> None:
    """Markup in a sentence stays text on the wiki page, and a wikilink in code is no link."""
    evil = "**Petrichor** is a smell <script>alert(1)</script> of `[[Secret page|x]]` rain.\n"
    files: dict[str, str | bytes] = {"a.md": PUBLIC + "# Rain\n\n" + evil, "b.md": PUBLIC + "# Walks\n\n" + MORE}
    store = built(tmp_path, files)
    html = json.loads((tmp_path / "a/dist/current/site/wiki/Petrichor/index.html").read_text())["html"]
    assert "<script" not in html
    assert list(ghosts(store)) == []


def test_the_directory_lists_every_page_once(tmp_path: Path) -> None:
    """Every subject has its place in the directory, and the directory leads nowhere else."""
    files: dict[str, str | bytes] = {"x/a.md": PUBLIC + "# Rain\n\n" + DROP, "b.md": PUBLIC + "# Walks\n\n" + MORE}
    store = built(tmp_path, files)
    index = json.loads((tmp_path / "a/dist/current/site/wiki/index.html").read_text())["html"]
    wanted = sorted(f'href="../{page.url}"' for page in subjects(store).values())
    assert sorted(re.findall(r'href="[^"]*"', index)) == wanted


def test_an_address_that_an_article_has_is_left_to_it(tmp_path: Path) -> None:
    """A generated page yields, and nothing is overwritten."""
    taken = PUBLIC + "# Something else\n\nText about nothing in particular.\n"
    files: dict[str, str | bytes] = {
        "wiki/Petrichor.md": taken,
        "a.md": PUBLIC + "# Rain\n\n" + DROP,
        "b.md": PUBLIC + "# Walks\n\n" + MORE,
    }
    report, _ = make(tmp_path, files, how=QUICK)
    assert codes(report) == []
    store = open_store(tmp_path / "a/dist/current/artifacts")
    assert subjects(store)["petrichor"].url == "wiki/Petrichor-2/"


def ghosts(store: Store) -> Iterator[str]:
    """Yield every link of a wiki page to a page that is not there."""
    known = {page.key for page in table(store, PageRow)}
    for page in table(store, PageRow):
        if page.generated:
            yield from (key for key in re.findall(r"(?<!\\)\[\[([^|\]]+)\|", page.body) if key not in known)


NAMES = (
    "Rain",
    "Space",
    "Path operation",
    "path operations",
    "Query",
    "queries",
    "雨",
    "事务",
    "事務",
    "HTTPS",
    "http",
    "Café",
    "Rain Gauge",
    "API",
    "Application Interface",
)
SAYS = ("**{0}** is a kind of {1} for gardens.", "{0} uses {1} and more than that.", "## {0}\n\n{0} 是一种 {1}，用于观察天气。", "{0} ({1}) is used to measure things.", "The {0} knows [[{1}|it]] well enough.", "- `{0}`: a list of {1} values")  # fmt: skip


@settings(deadline=None, max_examples=25)
@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from(SAYS), st.sampled_from(NAMES), st.sampled_from(NAMES)), min_size=1, max_size=6
        ),
        min_size=1,
        max_size=5,
    )
)
def test_no_key_twice_and_no_ghost(
    tmp_path_factory: pytest.TempPathFactory, pages: list[list[tuple[str, str, str]]]
) -> None:
    """For any pages: all names of all subjects have different keys, each subject is defined, and no link is a ghost."""
    files: dict[str, str | bytes] = {
        f"p{n}.md": PUBLIC + f"# Page {n}\n\n" + "\n\n".join(form.format(*names) for form, *names in lines) + "\n"
        for n, lines in enumerate(pages)
    }
    store = built(tmp_path_factory.mktemp("w"), files)
    found = subjects(store)
    synonyms = {row.page_key: row.aliases for row in table(store, SynonymRow)}
    keys = [key_of(name) for key, page in found.items() for name in (page.title, *synonyms.get(key, ()))]
    assert len(keys) == len(set(keys))
    assert all(page.summary and page.sources for page in found.values())
    assert list(ghosts(store)) == []


@pytest.mark.parametrize("kind", ["entity", "concept", "comparison", "guide", "answer"])
def test_each_kind_of_page_that_a_person_wrote_is_kept(tmp_path: Path, kind: str) -> None:
    """Its row has the kind and the person's article, which can be cited; a kind that there is not makes an article."""
    human = f"---\nshare: public\nkind: {kind}\n---\n# Rain and snow\n\nRain is warm, snow is cold.\n"
    other = human.replace(kind, "treatise").replace("Rain and snow", "Hail")
    store = built(tmp_path, {"wiki/rain.md": human, "hail.md": other})
    rows = {page.title: page for page in table(store, PageRow) if not page.generated}
    assert {title: (row.kind, row.url) for title, row in rows.items()} == {"Rain and snow": (kind, "wiki/rain/")}
    owner = store.article(rows["Rain and snow"].article_id or "")
    assert owner is not None
    assert owner.path == "wiki/rain.md"
