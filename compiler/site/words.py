"""The site's own words by language, and the templates that speak them."""

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
    """Return every language's words by key, read once. What a language does not say is said in English."""
    loaded: dict[str, dict[str, str]] = json.loads((TEMPLATE / "strings.json").read_text("utf-8"))
    return {lang: loaded["en"] | own for lang, own in loaded.items()}


def words(lang: str) -> Mapping[str, str]:
    """Return the words for a page in `lang`: of its very tag, else of its language ("zh" for "zh-TW"), else English."""
    tag = lang.lower()
    return _all().get(tag) or _all().get(tag.partition("-")[0]) or _all()["en"]


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
