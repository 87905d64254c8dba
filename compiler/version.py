"""Which compiler this is: a hash of its own code and of the libraries whose output ends up in a build."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

_SHARED = ("contract.py", "text.py", "retrieve")  # what of query_fn shapes a build; the search is tuned in it
LIBRARIES = (
    "ahocorasick-rs",
    "jieba",
    "jinja2",
    "markdown-it-py",
    "mdit-py-cjk-friendly",
    "mdit-py-plugins",
    "mkdocs",
    "mkdocs-material",
    "nh3",
    "opencc",
    "pagefind-bin-extended",
    "pygments",
    "pystemmer",
    "pyyaml",
    "rjieba",
    "tantivy",
    "usearch",
)


@cache
def compiler_version() -> str:
    """Return the hash of the compiler's code and libraries: with another one, no cached result is valid."""
    digest = hashlib.sha256("\n".join(f"{name} {_installed(name)}" for name in LIBRARIES).encode())
    query_fn = _root("query_fn")
    shared = (path for name in _SHARED for path in _files(query_fn / name))
    for path in [*_files(_root("compiler")), *shared]:
        digest.update(path.relative_to(query_fn.parent).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@cache
def template_version() -> str:
    """Return the hash of everything in `site_template`."""
    digest, root = hashlib.sha256(), _root("site_template")
    for path in _files(root):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _root(package: str) -> Path:
    return Path(str(files(package)))


def _files(root: Path) -> list[Path]:
    found = root.rglob("*") if root.is_dir() else [root]
    return sorted(p for p in found if p.is_file() and "__pycache__" not in p.parts)


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
