"""What other sites load: the question box as one file, and a page to put into a frame.

One file means one request, no module of ours fetched across origins, and something that can be copied. The modules of
`site_template/widget` are written so that joining them is enough: named imports of `./x.js` on one line each, and no
name defined twice. `tests/compiler/test_site_embed.py` holds them to it.
"""

from __future__ import annotations

import json
import re
from functools import cache

import rjsmin

from compiler.model import Site
from compiler.site.view import policy
from compiler.site.words import TEMPLATE, fill, words

SCRIPT = "ask.js"
PAGE = "embed.html"
_ENTRY = "embed.js"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_STYLES = re.compile(r"`\n:host.*?`;|(?<=PANEL = )`.*?`;", re.DOTALL)
_GAP = re.compile(r"\s*([{};,])\s*|(?<=:)\s+")
_EXPORT = re.compile(r"^export (?=\w)", re.MULTILINE)


def script(site: Site, assets: str) -> str:
    """Return ask.js: every module once, after those it needs, and the call that registers the element.

    What few pages ever need is imported when it is needed, and then from the site's `assets`.
    """
    text = joined(_ENTRY).replace('import("./', f'import("./{assets}/widget/')
    return f"{text}embed(import.meta.url, {json.dumps(site.ask_endpoint)});\n"


def page(site: Site, assets: str) -> str:
    """Return the page that holds a question box and nothing else."""
    endpoint = site.ask_endpoint or "./"
    given = {"site": site, "assets": assets, "endpoint": endpoint, "policy": policy(site.ask_endpoint)}
    return fill(PAGE, lang=site.lang, t=words(site.lang), **given)


@cache
def joined(entry: str) -> str:
    """Return a module of the widget with everything it imports, as one module."""
    text = "".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in _modules(entry))
    minified: str = rjsmin.jsmin(_STYLES.sub(lambda styles: _GAP.sub(r"\1", styles[0]), text))
    return minified + "\n"


def _modules(entry: str) -> tuple[str, ...]:
    """Return the texts of a module and of all it needs, each after its own needs."""
    found: dict[str, str] = {}

    def visit(name: str) -> None:
        if name in found:
            return
        text = (TEMPLATE / "widget" / name).read_text("utf-8")
        for needed in _IMPORT.findall(text):
            visit(needed)
        found[name] = text

    visit(entry)
    return tuple(found.values())
