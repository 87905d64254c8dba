"""The site is also made by ProperDocs, which goes on where MkDocs 1 ends: the same files, byte for byte."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from compiler.site.mkdocs import render
from tests.compiler.site_sample import sample_site

MAKE = """import sys
from pathlib import Path
import properdocs.replacement
from compiler.site.mkdocs import build, render
from tests.compiler.site_sample import sample_site
assert build.__module__.startswith("properdocs")
assert render(sample_site(lang="en"), Path(sys.argv[1])) == ()
"""


@pytest.mark.skipif(
    importlib.util.find_spec("properdocs") is None, reason="NOT BUILT WITH PROPERDOCS: it is not installed"
)
def test_properdocs_makes_the_same_site(tmp_path: Path) -> None:
    """With `properdocs` in the place of `mkdocs` no file of the site differs."""
    made = {}
    render(sample_site(lang="en"), tmp_path / "mkdocs")
    command = [sys.executable, "-c", MAKE, str(tmp_path / "properdocs")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("mkdocs", "properdocs"):
        root = tmp_path / name
        made[name] = {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}
    assert made["properdocs"].keys() == made["mkdocs"].keys()
    assert [path for path, data in made["mkdocs"].items() if made["properdocs"][path] != data] == []
