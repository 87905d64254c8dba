"""The site's own words in Chinese and English, and the templates that speak them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

import jinja2

from compiler.site.listing import encode, relative

TEMPLATE = Path(str(files("site_template")))


@cache
def _all() -> dict[str, dict[str, str]]:
    """Return both languages' words by key, read once."""
    loaded: dict[str, dict[str, str]] = json.loads((TEMPLATE / "strings.json").read_text("utf-8"))
    return loaded


def words(lang: str) -> Mapping[str, str]:
    """Return the words for a page in `lang`: Chinese for any kind of Chinese, else English."""
    return _all()["zh" if lang.lower().startswith("zh") else "en"]


def count(lang: str, number: int, key: str = "count") -> str:
    """Return a number of things as words: "1 page", "3 篇". `key` has a form for one, "<key>_one"."""
    form = words(lang)[f"{key.removesuffix('_count')}_one" if number == 1 else key]
    return form.format(n=number)


@cache
def environment() -> jinja2.Environment:
    """Return the autoescaping environment of `site_template/pages`."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATE / "pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(words=words, count=count, relative=relative, encode=encode)
    return made


def fill(template: str, **values: object) -> str:
    """Return a template of `site_template/pages` filled with `values`, escaped."""
    return environment().get_template(template).render(**values)
