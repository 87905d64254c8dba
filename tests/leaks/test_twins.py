"""Non-interference as a property: vaults made at random, built with and without what is not public."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compiler.model import SourcePath
from compiler.sources.articles import is_public
from tests.compiler.vault import digests, make

NAMES = st.sampled_from(
    ["a.md", "b.md", "甲.md", "甲/index.md", "甲/乙.md", "A.md", "x/README.md", "index.md", "x/y/z.md", "乙.md"]
)
MARKERS = st.sampled_from(
    ["share: public", "share: public", "share: public\ntags: [共同]", "share: private\ntags: [共同]", "", "draft: true", "share: oops",
     "share: public\nexpires: 2020-01-01", "share: public\nexpires: 2030-01-01", "share: password\npassword: env:X", "share: public\naliases: [乙]",
     "share: private\naliases: [乙, a]", "share: public\nid: same", "share: private\nid: same", "share: public\nslug: here"]
)  # fmt: skip
BODIES = st.sampled_from(
    [
        "# 甲\n\n见[[乙]]和[[b]]。",
        "文 [x](../a.md) ![[甲]]",
        "## 一\n\n## 一\n\n[[甲#一]]",
        "%%藏%% [[x/y/z|那里]]",
        "",
        "# 同名\n\n[[index]]",
    ]
)
VAULTS = st.dictionaries(NAMES, st.tuples(MARKERS, BODIES), max_size=7)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(VAULTS)
def test_what_is_not_public_changes_no_byte(pages: dict[str, tuple[str, str]]) -> None:
    """For any vault, deleting every file that is not public leaves the public output identical."""
    files: dict[str, str | bytes] = {name: f"---\n{marker}\n---\n{body}\n" for name, (marker, body) in pages.items()}
    with tempfile.TemporaryDirectory() as folder:
        report, everything = make(Path(folder), files, name="all")
        public = {name: text for name, text in files.items() if is_public(report.decisions[SourcePath(name)])}
        _, alone = make(Path(folder), public, name="public")
        assert digests(everything) == digests(alone)
