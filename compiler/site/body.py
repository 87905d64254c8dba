"""What the site adds to the finished HTML of a page's body: words in the page's language, and classes for styles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from markupsafe import escape

from compiler.site.words import words

_CHECKBOX = re.compile(r'<input class="task-list-item-checkbox"( checked="checked")?')
_ALIGN = re.compile(r'(<t[hd])\s+style="text-align:\s*(left|right|center);?"')  # what markdown-it writes for tables
_UNTITLED = re.compile(r'(<(?:p|summary) class="(?:admonition-title )?g-untitled">)([A-Za-z-]+)(?=</)')


def spoken(html: str, lang: str) -> str:
    """Return a body with what its author left unsaid: the titles of callouts, and names for the boxes of tasks."""
    t = words(lang)
    html = _CHECKBOX.sub(partial(_labelled, t), html)
    html = _UNTITLED.sub(partial(_titled, t), html)
    return _ALIGN.sub(r'\1 class="g-\2"', html)  # the site allows no style attributes


def _labelled(t: Mapping[str, str], box: re.Match[str]) -> str:
    """Return the start of a task's checkbox with a name for those who cannot see it."""
    return f'{box[0]} aria-label="{escape(t["task_done" if box[1] else "task_open"])}"'


def _titled(t: Mapping[str, str], title: re.Match[str]) -> str:
    """Return the title of a callout that has only a name; a name that the table does not hold stays as it is."""
    return title[1] + str(escape(t.get(f"callout_{title[2].lower()}", title[2])))
