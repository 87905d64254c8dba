"""What other sites load: one file with everything in it, and a page for a frame."""

from __future__ import annotations

import dataclasses
import gzip
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from compiler.site import embed
from compiler.site.words import TEMPLATE
from tests.compiler.site_sample import sample_site

MOST = 15 * 1024  # bytes, compressed
WIDGET = sorted((TEMPLATE / "widget").glob("*.js"))
_DEFINED = re.compile(r"^(?:export )?(?:async )?(?:const|let|class|function\*?) (\w+)", re.MULTILINE)


def test_the_one_file_is_small() -> None:
    """All that an embedder loads, in both languages with its styles, is at most 15 KB compressed."""
    text = embed.script(sample_site(), "assets/0123456789ab")
    assert len(gzip.compress(text.encode(), 9, mtime=0)) <= MOST


def test_the_one_file_imports_nothing_at_once() -> None:
    """No import statement is left, and what is imported later comes from the site's assets."""
    text = embed.script(sample_site(), "assets/0123456789ab")
    assert re.findall(r'^import |from\s*"', text) == []
    assert set(re.findall(r'import\("([^"]+)"', text)) == {
        f"./assets/0123456789ab/widget/{name}.js" for name in ("renewal", "sha256", "work")
    }


@pytest.mark.skipif(shutil.which("node") is None, reason="node is missing")
def test_the_one_file_is_a_module(tmp_path: Path) -> None:
    """A name that two modules define, or an import in a form that is not joined, would be a syntax error."""
    path = tmp_path / "ask.mjs"
    path.write_text(embed.script(sample_site(), "assets/0123456789ab"), "utf-8")
    done = subprocess.run(["node", "--check", str(path)], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_no_name_is_defined_twice() -> None:
    """The modules of the question box can be joined: each name at their top stands for one thing."""
    names = Counter(name for text in embed._modules("embed.js") for name in _DEFINED.findall(text))
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize("module", WIDGET, ids=lambda path: path.name)
def test_modules_import_each_other_only(module: Path) -> None:
    """Every import of a widget's module is a file beside it, in the one form that can be joined."""
    text = module.read_text("utf-8")
    names = [
        name for line in re.findall(r"^import .*$", text, re.MULTILINE) for name in embed._IMPORT.findall(line + "\n")
    ]
    assert len(names) == len(re.findall(r"^import ", text, re.MULTILINE))
    assert [name for name in names if not (module.parent / name).is_file()] == []


@pytest.mark.parametrize("module", WIDGET, ids=lambda path: path.name)
def test_no_module_writes_markup(module: Path) -> None:
    """Nodes are made one by one: nothing in the widget parses a string as HTML, or runs one as a script."""
    text = module.read_text("utf-8")
    words = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|setHTML|\beval\(|new Function|\.cookie"
    assert re.findall(words, "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))) == []


def test_the_endpoint_is_written_as_data() -> None:
    """An endpoint of the owner's settings ends up in one string, whatever it holds."""
    site = dataclasses.replace(sample_site(), ask_endpoint='https://a.example/"+x+"')
    assert embed.script(site, "a").rstrip().endswith('embed(import.meta.url, "https://a.example/\\"+x+\\"");')


def test_the_page_for_a_frame_has_the_strict_policy() -> None:
    """It runs no inline script, and connects to itself and the function alone."""
    site = dataclasses.replace(sample_site(), ask_endpoint="https://ask.example/api")
    page = embed.page(site, "assets/x")
    assert "connect-src &#39;self&#39; https://ask.example" in page
    assert re.findall(r"<script(?![^>]*\bsrc=)|style=|\bon\w+=", page) == []
