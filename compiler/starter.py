"""`geosmin init`: the smallest knowledge base that shows how sharing, links and questions work."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from compiler.errors import SettingsError

PRIVATE_NOTE = "content/private-note.md"
FILES = {
    "content/geosmin.yml": """\
# Everything here is optional. `geosmin check` shows what is public before you publish.
site:
  title: My notes
  # url: https://example.org/notes/   # where the site will live; its path becomes the base path
sharing:
  default: private                    # a page is public only when it says `share: public`
  timezone: UTC
  # rules:
  #   - {path: journal/**, share: private}
""",
    "content/index.md": """\
---
share: public
title: Welcome
---

# Welcome

This is a public page: it says `share: public` at its top. Start with [[Writing a page]].

这是一个公开页面。可以从 [[Writing a page]] 开始。
""",
    "content/writing-a-page.md": """\
---
share: public
title: Writing a page
aliases: [写一个页面]
tags: [start]
---

# Writing a page

A page is a Markdown file below `content/`. Its sharing state stands between two `---` lines at the very top.

## Make a page public

Write `share: public`. Without that line a page is private and appears nowhere: not on the site, not in search,
not in an answer, not even with its title.

## Link to another page

Write `[[Welcome]]`. A link to a private page looks exactly like a link to a page that does not exist.

## Ask about your pages

1. Run `geosmin build`.
2. Run `geosmin serve` and open the address that it prints.
3. Ask a question; the answer cites the headings that it comes from.
""",
    PRIVATE_NOTE: """\
---
title: A private note
---

# A private note

Nobody but you reads this: it does not say `share: public`.
""",
    ".gitignore": "dist/\n.geosmin/\nfunction.zip\n",
}


def write_starter(folder: Path, more: Mapping[str, str] = MappingProxyType({})) -> tuple[Path, ...]:
    """Write the starter files, and `more` by their paths, that are not there yet; return them.

    Where notes are already, only `more` is written. Raises SettingsError when that is nothing. With `more` the folder
    is meant for a host, whose repositories may be public: then no private note is written into it.
    """
    content = folder / "content"
    in_use = content.is_dir() and any(content.iterdir())
    if in_use and not more:
        raise SettingsError(f"{content} already holds files; run `geosmin build` there, or choose an empty folder")
    written = []
    own = {} if in_use else {name: text for name, text in FILES.items() if name != PRIVATE_NOTE or not more}
    for name, text in {**own, **more}.items():
        place = folder / name
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
            written.append(place)
    return tuple(written)
