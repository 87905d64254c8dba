"""Content folders of every habit at once, made at random, and the twin builds that must not differ.

Front matter in every state, links, embeds and attachments between pages of all states, names that fold together, folder
rules. What is compared is every byte below the output folder, `protected/` apart.
"""

from __future__ import annotations

import tempfile
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from compiler.build import How
from compiler.model import SourcePath
from compiler.report import Report
from compiler.sources.articles import is_public
from tests.compiler.vault import QUICK, digests, make

MEMORY = Path("/dev/shm")
Files = dict[str, str | bytes]

PAGES = (
    "a.md", "b.md", "A.md", "甲.md", "甲/index.md", "甲/乙.md", "乙.md", "x/README.md", "index.md", "x/y/z.md", "裁员/公告.md",
    "e\u0301.md", "\u00e9.md", "2026-11-30.md", "x/a.md", "计划 (下).md", "note.markdown", "x/index.md",
)  # fmt: skip
MARKERS = (
    "share: public", "share: public", "share: public", "share: private", "", "draft: true", "share: oops", "share: public\nshare: public",
    "publish: true", "publish: false", "share: public\ndraft: true", "share: public\nexpires: 2020-01-01", "share: public\nexpires: 2030-01-01",
    "share: password\npassword: env:GEOSMIN_TWIN", "share: password\npassword: plain", "title: [", "sharé: public", "share: ｐublic",
)  # fmt: skip
EXTRAS = (
    "", "", "tags: [共同, 秘密]", "aliases: [乙, a, 别名]", "aliases: [/old, /a]", "id: same", "slug: here", "title: 同一个标题", "kind: concept",
    "updated: 2026-12-24", "lang: en", "summary: 一句话。",
)  # fmt: skip
LINES = (
    "# 甲", "## 一", "## 一", "### 二 {#fixed}", "见[[乙]]、[[b]]和[[别名|那个]]。", "[x](../a.md) 与 [[甲#一]]", "![[甲]]", "![[乙#一]] ![[pic.png|30]]",
    "![图](pic.png) [表](x/data.csv)", "%%藏起来%%", "<!-- also hidden -->", "[[不存在]]", "[[x/y/z|那里]] ^block", "![[a#^block]]", "公开的话，重复的话。",
    "```\n[[b]]\n```", "| a |\n|---|\n| [[乙]] |", "$x^2$", "[^1]\n\n[^1]: 注", "> [!note] 标题\n> [[A]]", "#标签 与 [[计划 (下)]]",
    "**雨滴**（Raindrop）是一种从云里落下的水。", "雨滴落在泥土上，泥土散发气味。", "Petrichor is a smell that follows the first rain.",
    "Every raindrop uses petrichor to tell of itself.", "## Petrichor\n\nThe petrichor was measured in 1964.", "- **土臭素**：一种来自泥土的分子。",
)  # fmt: skip
OTHERS = ("pic.png", "x/data.csv", "甲/图.svg", "x/pic.png")
GLOSSARIES = (
    "",
    "- {term: 雨滴, aliases: [雨点, 秘密代号]}\n",
    "- {term: Petrichor, ignore: true}\n- {term: 泥土, aliases: [土]}\n",
)
RULES = ((), (("裁员/**", "private"),), (("x/**", "public"),), (("x/**", "private"), ("x/y/**", "public")))

page = st.tuples(
    st.sampled_from(MARKERS),
    st.lists(st.sampled_from(EXTRAS), max_size=2, unique=True),
    st.lists(st.sampled_from(LINES), max_size=6),
)
png = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02"
    b"\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82"
)
ATTACHED: dict[str, str | bytes] = {
    "pic.png": png, "x/pic.png": png, "x/data.csv": "a,b\n1,2\n", "甲/图.svg": '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>',
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Vault:
    """A content folder as a table, and the settings that go with it."""

    files: Files
    sets: tuple[str, ...]


@st.composite
def vaults(draw: st.DrawFn, most: int = 7) -> Vault:
    """Return any vault of up to `most` pages."""
    pages = draw(st.dictionaries(st.sampled_from(PAGES), page, max_size=most))
    files: Files = {name: text_of(*parts) for name, parts in pages.items()}
    files |= {name: ATTACHED[name] for name in draw(st.sets(st.sampled_from(OTHERS)))}
    rules = draw(st.sampled_from(RULES))
    if rules:
        listed = "".join(f"    - {{path: '{path}', share: {share}}}\n" for path, share in rules)
        files["geosmin.yml"] = f"sharing:\n  rules:\n{listed}"
    if glossary := draw(st.sampled_from(GLOSSARIES)):
        files["_glossary.yml"] = glossary
    return Vault(files, ())


def text_of(marker: str, extras: list[str], lines: list[str]) -> str:
    """Return a page from its parts; one without a marker and extras has no front matter."""
    front = "\n".join(line for line in (marker, *extras) if line)
    return (f"---\n{front}\n---\n" if front else "") + "\n\n".join(lines) + "\n"


def outcome(folder: Path, vault: Vault, name: str, *, how: How = QUICK) -> tuple[Report, dict[str, str]]:
    """Build a vault, up to the staged site and the artifacts by default; return the report and every public byte."""
    report, current = make(folder, vault.files, *vault.sets, name=name, how=how)
    out = digests(current.parent)
    return report, {path: digest for path, digest in out.items() if not path.startswith("protected/")}


def public_only(vault: Vault, report: Report, hashes: Mapping[str, str]) -> Vault:
    """Return the vault without its non-public files: pages by decision, attachments that were not published."""
    kept = {path for path, decision in report.decisions.items() if is_public(decision)}
    published = {name.rsplit("/", 1)[-1] for name in hashes if "/files/" in name}
    files = {
        name: data
        for name, data in vault.files.items()
        if name in ("geosmin.yml", "_glossary.yml")
        or SourcePath(unicodedata.normalize("NFC", name)) in kept
        or (name in OTHERS and name.rsplit("/", 1)[-1] in published)
    }
    return Vault(files, vault.sets)


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield a folder that goes afterwards; in memory where there is such a place, as the laws flush four hundred builds."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield Path(folder)
