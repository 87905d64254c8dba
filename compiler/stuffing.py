"""Passages that are stuffed with keywords, so that they are found first for everything."""

from __future__ import annotations

import re
import zlib

STUFFED = 0.11  # share to which a text compresses that repeats itself; of 5,900 passages of five bases one does
STUFFED_BYTES = 400
_DRAWN = re.compile(r"[\s|+=_*.─-]+")


def hollow(text: str) -> bool:
    """Say whether a text says the same over and over, as one does that is stuffed with keywords to be found first.

    Such a text holds little information, so it compresses to almost nothing; lines drawn with characters are left out.
    """
    said = _DRAWN.sub(" ", text).encode()
    return len(said) >= STUFFED_BYTES and len(zlib.compress(said, 1)) < STUFFED * len(said)
