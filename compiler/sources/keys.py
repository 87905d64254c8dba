"""The names of the sharing keys, and what only looks like one of them."""

from __future__ import annotations

import re
import unicodedata

SHARING_KEYS = ("share", "publish", "draft", "expires", "password")
INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
KEY_LINE = re.compile(r"^\s*[\"']?([^\s:：\"'#]+)[\"']?\s*[:：]")
# Letters of other scripts that are drawn like the Latin ones in the sharing keys.
_LOOKALIKE = str.maketrans("аԁеһіӏоорѕсхуνкοερτιԛɡʂ", "adehiloopscxyvkoeptiqgs")


def fold_key(key: str) -> str:
    """Return a key without width, case, invisible characters and look-alike letters."""
    return unicodedata.normalize("NFKC", INVISIBLE.sub("", key)).casefold().translate(_LOOKALIKE)


def resembles_sharing_key(key: str) -> str | None:
    """Return the sharing key that `key` equals after folding or misses by one edit, if it is not exactly one."""
    if key in SHARING_KEYS:
        return None
    folded = fold_key(key)
    return next((known for known in SHARING_KEYS if _within_one_edit(folded, known)), None)


def is_sharing_key(key: str) -> bool:
    """Tell whether a key is a sharing key or looks like one."""
    return key in SHARING_KEYS or resembles_sharing_key(key) is not None


def _within_one_edit(a: str, b: str) -> bool:
    if a == b:
        return True
    if abs(len(a) - len(b)) > 1 or min(len(a), len(b)) < 4:
        return False
    short, long = sorted((a, b), key=len)
    i = next((k for k, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    if len(short) == len(long):
        swapped = short[:i] + short[i + 1 : i + 2] + short[i : i + 1] + short[i + 2 :]
        return short[i + 1 :] == long[i + 1 :] or swapped == long
    return short[i:] == long[i + 1 :]
