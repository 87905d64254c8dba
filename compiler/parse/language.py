"""Which language a text is in, judged by its prose: code is English in every language."""

from __future__ import annotations

import re

from query_fn.text import script_lang

_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`[^`\n]*`|\]\([^)\n]*\)|<[^>\n]*>|https?://\S+|\{\{.*?\}\}")


def language(markdown: str, default: str) -> str:
    """Return the language of a Markdown text ("zh", "en", …); `default` when it has no prose."""
    return script_lang(_INLINE.sub(" ", _FENCED.sub("\n", markdown)), default)
